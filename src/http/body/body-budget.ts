import { noRoomForBody } from "../../intake/no-room-for-body.js";

/**
 * What every request may take, as much as its head may: connections are bounded by the system, and a few senders who
 * announce much and send little must not keep others from searching.
 */
const ALWAYS_BYTES = 16 * 1024;

/** A body of which less than this has arrived for so long stands still, where others need its memory. */
const PROGRESS_BYTES = 64 * 1024;
const PROGRESS_MS = 10_000;

/**
 * How much memory request bodies may take together, so that many large ones at once don't exhaust it.
 * What doesn't fit is refused, not queued: a waiting sender would hold its connection, and clients know
 * how to come again (contract 1.6). Small ones always fit, and bodies that stand still give way to others.
 */
export class BodyBudget {
  readonly #bytesMax: number;
  readonly #now: () => number;
  #bytes = 0;
  /** Those whose bodies are arriving, by when they last made progress, the longest ago first. */
  readonly #arriving = new Map<
    BodyLease,
    { atMs: number; bytes: number; readonly onStandstill: () => void }
  >();

  /** @param now milliseconds from any moment on */
  constructor(bytesMax: number, now: () => number = () => performance.now()) {
    this.#bytesMax = bytesMax;
    this.#now = now;
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
    if (bytes > 0 && !this.fits(held + bytes, held)) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Whether so many bytes would fit beside what others hold, who may be cut off for it. */
  fits(bytes: number, held: number): boolean {
    while (bytes > this.limit(held)) {
      if (!this.#cutOffOne()) return false;
    }
    return true;
  }

  begin(lease: BodyLease, onStandstill: () => void): void {
    this.#arriving.set(lease, { atMs: this.#now(), bytes: 0, onStandstill });
  }

  progress(lease: BodyLease, bytes: number): void {
    const seen = this.#arriving.get(lease);
    if (seen === undefined || bytes < seen.bytes + PROGRESS_BYTES) return;
    this.#arriving.delete(lease);
    this.#arriving.set(lease, { ...seen, atMs: this.#now(), bytes });
  }

  end(lease: BodyLease): void {
    this.#arriving.delete(lease);
  }

  /** False if all make progress. */
  #cutOffOne(): boolean {
    for (const [lease, { atMs, onStandstill }] of this.#arriving) {
      if (this.#now() - atMs < PROGRESS_MS) return false;
      lease.release();
      onStandstill();
      return true;
    }
    return false;
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

  /**
   * The body is arriving from now on; what has is told to `raiseTo`.
   *
   * @param onStandstill is told, once and after the release, that others have its memory, as nothing arrived for long
   */
  begin(onStandstill: () => void): void {
    if (!this.#isReleased) this.#budget.begin(this, onStandstill);
  }

  /** All of the body has arrived. */
  end(): void {
    this.#budget.end(this);
  }

  /**
   * Asks for memory that is to be taken later, if it is free then.
   *
   * @throws FindlingError `rate_limited` if others hold too much for so many bytes
   */
  requireMemory(bytes: number): void {
    if (bytes > this.#held && !this.#budget.fits(bytes, this.#held)) throw noRoomForBody();
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
    this.#budget.progress(this, bytes);
  }

  /** Gives everything back; further calls do nothing. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#budget.end(this);
    this.#budget.take(-this.#held, this.#held);
  }
}
