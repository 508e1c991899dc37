/** Requests with documents that a server has under way at least, however slow the cluster is. */
const LEAST = 3;
const MOST = 64;
/** A change of an index's state that takes longer waits behind documents, or for a cluster that has enough to do. */
const LATE_MS = 250;

/**
 * How many requests with documents a server has under way at once: a cluster carries out what it is sent in the order of
 * its arrival, so that its word that a server may go on writing comes after all that the server has sent before. There are
 * more of them by one with each change of a state that is quick, and half as many with each that is late (the
 * additive increase and multiplicative decrease of TCP: D.-M. Chiu and R. Jain, 1989).
 */
export class WriteWindow {
  #size = LEAST;
  #underWay = 0;
  readonly #waiting: (() => void)[] = [];

  /** Sends once there is room for it, in the order in which they ask. */
  async through<T>(send: () => Promise<T>): Promise<T> {
    if (this.#underWay >= this.#size) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#underWay++;
    try {
      return await send();
    } finally {
      // Whoever waits takes its place, unless there is none any more.
      if (this.#underWay <= this.#size && this.#waiting.length > 0) this.#waiting.shift()!();
      else this.#underWay--;
    }
  }

  /** A change of a state took so many milliseconds. */
  noteChange(ms: number): void {
    if (ms > LATE_MS) this.#size = Math.max(LEAST, this.#size >> 1);
    else if (this.#waiting.length > 0) this.#size = Math.min(MOST, this.#size + 1);
    while (this.#underWay < this.#size && this.#waiting.length > 0) {
      this.#underWay++;
      this.#waiting.shift()!();
    }
  }
}
