import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { DocId } from "../../schema/document.js";
import type { DocBits, OrdinalColumn } from "../../segment/segment-reader.js";
import type { WindowBits } from "../evaluators/evaluator.js";
import { lowestBit } from "../evaluators/window-bits.js";

/**
 * Counts one segment's distinct matching documents at or under each path of a facet field.
 *
 * A document adds 1 at each of its paths and takes 1 away at the deepest common ancestor of every
 * two that are neighbours in preorder; summed over a path's subtree, that leaves 1 for a document
 * with any path there. Subtree sums are taken once at the end.
 */
export class FacetCounter {
  readonly #column: OrdinalColumn;
  readonly #counts: Int32Array;

  constructor(column: OrdinalColumn) {
    this.#column = column;
    this.#counts = new Int32Array(column.valueCount);
  }

  collect(windowStart: DocId, matches: WindowBits): void {
    const ordinals = this.#column.ordinals;
    for (let word = 0; word < matches.length; word++) {
      let rest = matches[word]!;
      while (rest !== 0) {
        const docId = windowStart + (word << 5) + lowestBit(rest);
        if (ordinals === null) this.#countPaths(docId);
        else if (ordinals[docId] !== 0) this.#counts[ordinals[docId]! - 1]!++;
        rest &= rest - 1;
      }
    }
  }

  /**
   * The same for a segment's matches all at once, in kernel memory.
   *
   * @param isWhole whether that is every document of the segment, which is counted only once
   */
  collectMarked(kernels: SegmentKernels, matches: DocBits, isWhole: boolean): void {
    const known = isWhole ? wholeCounts.get(this.#column) : undefined;
    if (known !== undefined) {
      this.#counts.set(known);
      return;
    }
    const { ordinals, multiStarts, multiOrdinals, facetParents, facetSubtreeEnds } = this.#column;
    const { address, values } = kernels.counts(this.#counts.length);
    const { functions } = kernels;
    const bits = matches.byteOffset;
    if (ordinals !== null) {
      const { byteOffset, BYTES_PER_ELEMENT } = ordinals;
      functions.countNumbers(bits, matches.length, byteOffset, BYTES_PER_ELEMENT, address);
    } else if (hasOneEach(this.#column)) {
      functions.countOrdinals(bits, matches.length, multiOrdinals!.byteOffset, address);
    } else {
      functions.countPaths(
        bits,
        matches.length,
        multiStarts!.byteOffset,
        multiOrdinals!.byteOffset,
        facetParents!.byteOffset,
        facetSubtreeEnds!.byteOffset,
        address,
      );
    }
    this.#counts.set(values);
    if (isWhole) wholeCounts.set(this.#column, this.#counts.slice());
  }

  /** By ordinal: documents at or under the path. Ends the counting. */
  totals(): Int32Array {
    const counts = this.#counts;
    const parents = this.#column.facetParents!;
    // In preorder every descendant comes after its ancestor.
    for (let ordinal = counts.length - 1; ordinal >= 0; ordinal--) {
      const parent = parents[ordinal]!;
      if (parent >= 0) counts[parent]! += counts[ordinal]!;
    }
    return counts;
  }

  #countPaths(docId: DocId): void {
    const ordinals = this.#column.multiOrdinals!;
    const end = this.#column.multiStarts![docId + 1]!;
    const counts = this.#counts;
    let previous = -1;
    for (let entry = this.#column.multiStarts![docId]!; entry < end; entry++) {
      const ordinal = ordinals[entry]!;
      counts[ordinal]!++;
      const ancestor = previous < 0 ? -1 : this.#commonAncestor(previous, ordinal);
      if (ancestor >= 0) counts[ancestor]!--;
      previous = ordinal;
    }
  }

  /** The deepest path that both are at or under; -1 if there is none. `earlier` is at most `later`. */
  #commonAncestor(earlier: number, later: number): number {
    const parents = this.#column.facetParents!;
    const subtreeEnds = this.#column.facetSubtreeEnds!;
    let ancestor = earlier;
    while (ancestor >= 0 && subtreeEnds[ancestor]! <= later) ancestor = parents[ancestor]!;
    return ancestor;
  }
}

/** What counting all documents of a segment gives before subtrees are summed; a segment doesn't change. */
const wholeCounts = new WeakMap<OrdinalColumn, Int32Array>();

/** Whether every document has exactly one path, though it might have several. */
function hasOneEach(column: OrdinalColumn): boolean {
  let known = oneEach.get(column);
  if (known === undefined) {
    known = column.multiStarts!.every((start, docId) => start === docId);
    oneEach.set(column, known);
  }
  return known;
}

const oneEach = new WeakMap<OrdinalColumn, boolean>();
