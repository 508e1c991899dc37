import { FindlingError } from "../../errors/index.js";

/** Who holds pending documents in memory. */
export interface PendingMemoryUser {
  /** Estimate of what its pending documents take, with what writing them to disk takes. */
  readonly pendingBytes: number;
  /** Writes them to disk; only while the user itself waits for it. */
  flush(): Promise<void>;
  /** The same as soon as the user's other work lets it. Resolves when it is done, however it has gone. */
  flushSoon(): Promise<void>;
}

/** Long enough for a flush. */
const RETRY_AFTER_SECONDS = 1;

/**
 * The memory that the pending documents of several indexes take together. When there is not enough for
 * what comes, the index that has the most is flushed first.
 *
 * No two wait for each other for ever: who waits for room and is asked for some itself flushes itself.
 */
export class PendingMemory {
  readonly #bytesMax: number;
  /** Those who have something pending, perhaps. */
  readonly #users = new Set<PendingMemoryUser>();
  readonly #asked = new Set<PendingMemoryUser>();
  #waiting: (() => void)[] = [];

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** What is taken now. */
  get bytes(): number {
    let bytes = 0;
    for (const user of this.#users) bytes += user.pendingBytes;
    return bytes;
  }

  /**
   * Resolves once so many bytes fit besides what others hold, or nobody has anything pending: what a write
   * brings beyond the whole of the memory comes on top.
   *
   * @throws FindlingError `rate_limited` if others can't be flushed; what the user's own flush throws
   */
  async makeRoom(user: PendingMemoryUser, bytes: number): Promise<void> {
    const tried = new Set<PendingMemoryUser>();
    while (this.bytes + bytes > this.#bytesMax) {
      const largest = this.#largest();
      if (largest === null) break;
      if (largest !== user && !this.#asked.has(user) && !tried.has(largest)) {
        tried.add(largest);
        await this.#flushElsewhere(largest);
      } else if (user.pendingBytes > 0) {
        await user.flush();
      } else if (tried.has(largest)) {
        throw new FindlingError(
          "rate_limited",
          "pending documents take all the memory that there is for them; send this again in a moment",
          { retryAfterSeconds: RETRY_AFTER_SECONDS },
        );
      } else {
        this.#asked.delete(user);
      }
    }
    this.#users.add(user);
  }

  /** The user has nothing pending any more, for good or for a while. */
  leave(user: PendingMemoryUser): void {
    this.#users.delete(user);
    this.#wake();
  }

  /** Until it has flushed, or the one who waits is asked itself. */
  async #flushElsewhere(user: PendingMemoryUser): Promise<void> {
    const woken = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#asked.add(user);
    this.#wakeOthers();
    void user.flushSoon().finally(() => {
      this.#asked.delete(user);
      this.#wake();
    });
    await woken;
  }

  /** All but the last to begin waiting: they may have been asked. */
  #wakeOthers(): void {
    const last = this.#waiting.pop()!;
    this.#wake();
    this.#waiting.push(last);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  #largest(): PendingMemoryUser | null {
    let largest: PendingMemoryUser | null = null;
    let most = 0;
    for (const user of this.#users) {
      const bytes = user.pendingBytes;
      if (bytes > most) [largest, most] = [user, bytes];
    }
    return largest;
  }
}
