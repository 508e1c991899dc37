import { noRoomForBody } from "../../intake/no-room-for-body.js";

/**
 * What every request may take, as much as its head may: connections are bounded by the system, and a few senders who
 * announce much and send little must not keep others from searching.
 */
const ALWAYS_BYTES = 16 * 1024;

/**
 * How much memory request bodies may take together, so that many large ones at once don't exhaust it.
 * What doesn't fit is refused, not queued: a waiting sender would hold its connection, and clients know
 * how to come again (contract 1.6). Small ones always fit.
 */
export class BodyBudget {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** For one request; takes nothing yet. */
  lease(): BodyLease {
    return new BodyLease(this);
  }

  /** For a lease that holds so many bytes: what it could hold now at most. */
  limit(held: number): number {
    return this.#isAlone(held) ? Infinity : Math.max(ALWAYS_BYTES, this.#bytesMax - this.#bytes + held);
  }

  /**
   * For a lease that holds so many bytes: false, and nothing taken, if others hold too much. A request that
   * has the budget for itself gets whatever it asks for.
   */
  take(bytes: number, held: number): boolean {
    if (bytes > 0 && held + bytes > this.limit(held)) return false;
    this.#bytes += bytes;
    return true;
  }

  #isAlone(held: number): boolean {
    return this.#bytes === held;
  }
}

/** One request's part of a `BodyBudget`. */
export class BodyLease {
  readonly #budget: BodyBudget;
  #held = 0;
  #isReleased = false;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /** To how many bytes it could be raised now. */
  get limit(): number {
    return this.#budget.limit(this.#held);
  }

  /**
   * Holds at least so many bytes from now on.
   *
   * @throws FindlingError `rate_limited` if others hold too much; what is held stays held
   */
  raiseTo(bytes: number): void {
    if (bytes <= this.#held || this.#isReleased) return;
    if (!this.#budget.take(bytes - this.#held, this.#held)) throw noRoomForBody();
    this.#held = bytes;
  }

  /** Gives everything back; further calls do nothing. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#budget.take(-this.#held, this.#held);
  }
}
