import { CountRoom } from "../../kernels/count-room.js";
import { ScratchExhaustedError } from "../../kernels/image-memory.js";
import type { KernelFunctions } from "../../kernels/kernel-functions.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { FacetCounts } from "../search-types.js";
import type { FacetPaths, PathColumn } from "./facet-paths.js";
import { orderedPaths } from "./ordered-paths.js";
import type { PathCounts } from "./path-counts.js";

/**
 * Adds up the facet counts of several segments by path, but for paths beyond the bounds. Serves one search after the other, so that a search
 * takes time for the paths that it counts, not for all that there are.
 */
export class FacetTree {
  readonly #paths: FacetPaths;
  /** By path's number: documents at or under it. 0 where `#counted` doesn't name it. */
  #counts = new Int32Array(0);
  #counted = new Int32Array(0);
  #countedLength = 0;
  /** The greatest of them, or one above it. */
  #greatest = 0;

  constructor(paths: FacetPaths) {
    this.#paths = paths;
  }

  /** Forgets what has been counted, if it was read or not. */
  begin(): void {
    for (let i = 0; i < this.#countedLength; i++) this.#counts[this.#counted[i]!] = 0;
    this.#countedLength = 0;
    this.#greatest = 0;
  }

  /** Counts each path at itself and at those above. */
  add(column: PathColumn, counted: PathCounts): void {
    const { ordinals, ordinalsStart, length, counts: segmentCounts } = counted;
    const paths = this.#paths;
    const numbers = paths.numbersOf(column);
    const remembered = paths.count;
    let counts = this.#counts;
    for (let i = ordinalsStart; i < ordinalsStart + length; i++) {
      const ordinal = ordinals[i]!;
      const known = numbers[ordinal]! - 1;
      // What isn't known isn't below either; nor is what is beyond the bounds.
      const number = known >>> 0 < remembered ? known : paths.numberOf(column, ordinal, numbers);
      if (number < 0) continue;
      if (number >= counts.length) {
        this.#reserve(paths.count);
        counts = this.#counts;
      }
      if (counts[number] === 0) {
        this.#counted[this.#countedLength++] = number;
        if (number > this.#greatest) this.#greatest = number;
      }
      counts[number]! += segmentCounts[ordinal]!;
    }
  }

  /** @param kernels of some segment, which put the paths in order where they can; null: there are none */
  facetCounts(kernels: SegmentKernels | null): FacetCounts {
    const counted = this.#counted.subarray(0, this.#countedLength);
    const paths = this.#paths;
    const isOrdered =
      kernels !== null &&
      CountRoom.orders(counted.length) &&
      paths.ranks.reach(this.#greatest, counted.length);
    const entries = isOrdered ? this.#orderedBy(kernels, counted) : null;
    return { paths, entries: entries ?? orderedPaths(paths, counted, this.#counts) };
  }

  /**
   * What `add` and `facetCounts` would give of one segment alone, ordered by kernels; null where they can't. What was
   * added before doesn't matter, and stays.
   */
  countsOf(column: PathColumn, counted: PathCounts, functions: KernelFunctions): FacetCounts | null {
    const { room, length } = counted;
    if (room === null || !CountRoom.orders(length)) return null;
    const paths = this.#paths;
    const numbers = paths.numbersOf(column);
    // The kernel's recursion is as deep as the paths.
    if (paths.isDeep(column)) return null;
    room.order(functions, length, column.facetParents!.byteOffset);
    const { words, entriesStart } = room;
    const entries = new Array<number>(3 * length);
    const remembered = paths.count;
    let end = 0;
    for (let at = entriesStart; at < entriesStart + 3 * length; at += 3) {
      const ordinal = words[at]!;
      const known = numbers[ordinal]! - 1;
      const number = known >>> 0 < remembered ? known : paths.numberOf(column, ordinal, numbers);
      if (number < 0) continue;
      entries[end] = number;
      entries[end + 1] = words[at + 1]!;
      entries[end + 2] = words[at + 2]!;
      end += 3;
    }
    entries.length = end;
    return { paths, entries };
  }

  /** Null where kernels have no room. All paths that are counted have ranks, by which kernels number them. */
  #orderedBy(kernels: SegmentKernels, counted: Int32Array): number[] | null {
    const { ranks, numbers, parents } = this.#paths.ranks;
    const counts = this.#counts;
    try {
      const room = kernels.counts(ranks.length);
      for (let i = 0; i < counted.length; i++) {
        const rank = ranks[counted[i]!]!;
        room.take(i, rank, counts[counted[i]!]!, parents[rank]!);
      }
      room.orderTaken(kernels.functions, counted.length);
      const { words, entriesStart } = room;
      const entries = new Array<number>(3 * counted.length);
      for (let at = 0; at < entries.length; at += 3) {
        entries[at] = numbers[words[entriesStart + at]!]!;
        entries[at + 1] = words[entriesStart + at + 1]!;
        entries[at + 2] = words[entriesStart + at + 2]!;
      }
      return entries;
    } catch (error) {
      if (error instanceof ScratchExhaustedError) return null;
      throw error;
    }
  }

  #reserve(size: number): void {
    if (this.#counts.length >= size) return;
    const length = Math.max(size, 2 * this.#counts.length);
    this.#counts = grown(this.#counts, length);
    this.#counted = grown(this.#counted, length);
  }
}

function grown(values: Int32Array<ArrayBuffer>, size: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(size);
  larger.set(values);
  return larger;
}
