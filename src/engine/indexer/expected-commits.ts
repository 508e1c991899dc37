/**
 * Foresees commits: when the last two came after the same number of writes, the next is expected after as many.
 * Who adds one document after the other and commits each is seen through after two of them.
 */
export class ExpectedCommits {
  #writes = 0;
  /** Between the last two commits, and between those before; 0 while that isn't known. */
  #lastInterval = 0;
  #intervalBefore = 0;

  /** Whether the next thing to come is a commit, as far as can be told. */
  get isNext(): boolean {
    return this.#writes > 0 && this.#writes === this.#lastInterval && this.#writes === this.#intervalBefore;
  }

  noteWrite(): void {
    this.#writes++;
  }

  noteCommit(): void {
    this.#intervalBefore = this.#lastInterval;
    this.#lastInterval = this.#writes;
    this.#writes = 0;
  }

  noteRollback(): void {
    this.#writes = 0;
  }
}
