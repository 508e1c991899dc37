/** Entries that a list keeps its arrays for until the next gathering; more belong to a single large document. */
const KEPT_ENTRIES_MAX = 1 << 20;

/** A list of (rank of a document, position) in any order, with an end behind which documents are left out. */
export class OccurrenceList {
  length = 0;
  ranks: Uint32Array = new Uint32Array(256);
  positions: Uint32Array = new Uint32Array(256);
  /** Documents with this rank and greater ones are left out. */
  end = 0;
  #lengthMax = 0;

  /**
   * Begins anew.
   *
   * @param end of the documents, at least 1; there are as many numbers at most for a moment
   * @param lengthMax entries that it may have, unless they are of a single document
   */
  begin(end: number, lengthMax: number): void {
    this.length = 0;
    this.end = end;
    this.#lengthMax = lengthMax;
  }

  /** Adds a document's positions, leaving out the last documents if they would be too many, and this one perhaps. */
  add(rank: number, positions: Uint32Array, count: number): void {
    if (rank >= this.end) return;
    if (this.length + count > this.#lengthMax && this.end > 1) {
      this.#narrow(rank, count);
      if (rank >= this.end) return;
    }
    this.#reserve(this.length + count);
    for (let i = 0; i < count; i++) {
      this.ranks[this.length] = rank;
      this.positions[this.length] = positions[i]!;
      this.length++;
    }
  }

  /** Lets go of arrays larger than the next gathering is going to need. */
  clear(): void {
    this.length = 0;
    if (this.ranks.length <= KEPT_ENTRIES_MAX) return;
    this.ranks = new Uint32Array(256);
    this.positions = new Uint32Array(256);
  }

  /** Leaves out so many of the last documents that half of the room is free, if more than one document is left then. */
  #narrow(rank: number, count: number): void {
    const counts = new Uint32Array(this.end);
    for (let i = 0; i < this.length; i++) counts[this.ranks[i]!]!++;
    counts[rank]! += count;
    const wanted = this.#lengthMax / 2;
    let end = 1;
    let sum = counts[0]!;
    while (end < counts.length && sum + counts[end]! <= wanted) sum += counts[end++]!;
    this.end = end;
    let kept = 0;
    for (let i = 0; i < this.length; i++) {
      if (this.ranks[i]! >= end) continue;
      this.ranks[kept] = this.ranks[i]!;
      this.positions[kept] = this.positions[i]!;
      kept++;
    }
    this.length = kept;
  }

  #reserve(length: number): void {
    if (length <= this.ranks.length) return;
    const doubled = this.ranks.length * 2;
    const capacity = Math.max(
      length,
      length > this.#lengthMax ? doubled : Math.min(doubled, this.#lengthMax),
    );
    this.ranks = enlarged(this.ranks, this.length, capacity);
    this.positions = enlarged(this.positions, this.length, capacity);
  }
}

function enlarged(array: Uint32Array, length: number, capacity: number): Uint32Array {
  const larger = new Uint32Array(capacity);
  larger.set(array.subarray(0, length));
  return larger;
}
