import type { DocId } from "../../schema/document.js";
import { ID_PREFIX_BYTES, setSuffix } from "./document-id-bytes.js";

/**
 * Document ids by doc id. Neighbours that have their first twelve bytes in common are a run; the last
 * four bytes of each are a number.
 */
export class IdRuns {
  /** By run: its first doc id. */
  readonly starts: Uint32Array;
  /** By run: twelve bytes. */
  readonly prefixes: Uint8Array;
  /** By doc id. */
  readonly suffixes: Uint32Array;

  constructor(starts: Uint32Array, prefixes: Uint8Array, suffixes: Uint32Array) {
    this.starts = starts;
    this.prefixes = prefixes;
    this.suffixes = suffixes;
  }

  /** A document's run. O(log runs). */
  runOf(docId: DocId): number {
    const starts = this.starts;
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (starts[middle]! <= docId) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Writes a document's id to the first 16 bytes. */
  writeId(docId: DocId, target: Uint8Array): void {
    const prefix = this.runOf(docId) * ID_PREFIX_BYTES;
    for (let i = 0; i < ID_PREFIX_BYTES; i++) target[i] = this.prefixes[prefix + i]!;
    setSuffix(target, this.suffixes[docId]!);
  }

  /** Order of the ids of two documents: below 0, 0 or above 0. */
  compare(a: DocId, b: DocId): number {
    return (
      this.comparePrefixes(this.runOf(a), this.prefixes, this.runOf(b) * ID_PREFIX_BYTES) ||
      this.suffixes[a]! - this.suffixes[b]!
    );
  }

  /** Order of a run's prefix and of the twelve bytes at `offset` of `other`. */
  comparePrefixes(run: number, other: Uint8Array, offset: number): number {
    const start = run * ID_PREFIX_BYTES;
    for (let i = 0; i < ID_PREFIX_BYTES; i++) {
      const difference = this.prefixes[start + i]! - other[offset + i]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /** Whether every document's id is greater than the one before. */
  isAscending(): boolean {
    const { starts, suffixes } = this;
    for (let run = 0; run < starts.length; run++) {
      if (run > 0 && this.comparePrefixes(run - 1, this.prefixes, run * ID_PREFIX_BYTES) >= 0) return false;
      const end = starts[run + 1] ?? suffixes.length;
      for (let docId = starts[run]! + 1; docId < end; docId++) {
        if (suffixes[docId - 1]! >= suffixes[docId]!) return false;
      }
    }
    return true;
  }

  /** Doc ids by ascending ids. */
  sorted(): Uint32Array {
    const order = new Uint32Array(this.suffixes.length);
    for (let docId = 0; docId < order.length; docId++) order[docId] = docId;
    return order.sort((a, b) => this.compare(a, b));
  }

  /** A document whose id the one before it in the order has too, or -1. */
  firstRepeated(order: Uint32Array): DocId {
    for (let i = 1; i < order.length; i++) if (this.compare(order[i - 1]!, order[i]!) === 0) return order[i]!;
    return -1;
  }
}
