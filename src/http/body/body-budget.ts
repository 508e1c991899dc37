import { FindlingError } from "../../errors/index.js";

/**
 * How much memory request bodies may take together, so that many large ones at once don't exhaust it.
 * What doesn't fit is refused, not queued: a waiting sender would hold its connection, and clients know
 * how to come again (contract 1.6).
 */
export class BodyBudget {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** For one request; takes nothing yet. */
  lease(): BodyLease {
    return new BodyLease((bytes, held) => this.#take(bytes, held));
  }

  /** A request that has the budget for itself gets whatever it asks for. */
  #take(bytes: number, held: number): boolean {
    const isAlone = this.#bytes === held;
    if (bytes > 0 && !isAlone && this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }
}

/** One request's part of a `BodyBudget`. */
export class BodyLease {
  readonly #take: (bytes: number, held: number) => boolean;
  #held = 0;
  #isReleased = false;

  constructor(take: (bytes: number, held: number) => boolean) {
    this.#take = take;
  }

  /**
   * Holds at least so many bytes from now on.
   *
   * @throws FindlingError `rate_limited` if others hold too much; what is held stays held
   */
  raiseTo(bytes: number): void {
    if (bytes <= this.#held || this.#isReleased) return;
    if (!this.#take(bytes - this.#held, this.#held)) {
      throw new FindlingError(
        "rate_limited",
        "the server has as many large requests at hand as it takes at once; send this one again in a moment",
      );
    }
    this.#held = bytes;
  }

  /** Gives everything back; further calls do nothing. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#take(-this.#held, this.#held);
  }
}
