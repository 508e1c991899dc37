import type { DocId } from "../../schema/document.js";
import type { OrdinalColumn } from "../../segment/segment-reader.js";
import type { WindowBits } from "../evaluators/evaluator.js";
import { lowestBit } from "../evaluators/window-bits.js";
import type { PathCounts } from "./path-counts.js";

/**
 * Counts one segment's distinct matching documents at or under each path of a facet field, without kernels.
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
    for (let word = 0; word < matches.length; word++) {
      for (let rest = matches[word]!; rest !== 0; rest &= rest - 1) {
        this.#count(windowStart + (word << 5) + lowestBit(rest));
      }
    }
  }

  collectDocs(docs: Uint32Array): void {
    for (let i = 0; i < docs.length; i++) this.#count(docs[i]!);
  }

  /** Ends the counting. */
  totals(): PathCounts {
    const counts = this.#counts;
    const parents = this.#column.facetParents!;
    // In preorder every descendant comes after its ancestor.
    for (let ordinal = counts.length - 1; ordinal >= 0; ordinal--) {
      const parent = parents[ordinal]!;
      if (parent >= 0) counts[parent]! += counts[ordinal]!;
    }
    const counted: number[] = [];
    for (let ordinal = 0; ordinal < counts.length; ordinal++) {
      if (counts[ordinal] !== 0) counted.push(ordinal);
    }
    return { ordinals: counted, ordinalsStart: 0, length: counted.length, counts, room: null };
  }

  #count(docId: DocId): void {
    const { ordinals } = this.#column;
    if (ordinals === null) this.#countPaths(docId);
    else if (ordinals[docId] !== 0) this.#counts[ordinals[docId]! - 1]!++;
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
