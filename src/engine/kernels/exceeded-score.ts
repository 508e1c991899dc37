/** Brings an f32 above 0 to one that is less by some of the least steps. */
const SLIGHTLY_LESS = 1 - 2 ** -22;

/** What searches for nothing but a list have found out of it: a score that so many of its documents exceed. */
export class ExceededScore {
  #hits = 0;
  #score = -1;

  /** What at least as many as `hits` exceed; -1 if nothing is known. */
  by(hits: number): number {
    return hits <= this.#hits ? this.#score : -1;
  }

  /** @param worst score of the last of so many hits, f32 above 0 */
  note(hits: number, worst: number): void {
    const score = Math.fround(worst * SLIGHTLY_LESS);
    if (!(score < worst)) return;
    this.#hits = hits;
    this.#score = score;
  }
}
