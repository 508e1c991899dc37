import { FindlingError } from "../../errors/index.js";

/** Who holds pending documents in memory. */
export interface PendingMemoryUser {
  /** Estimate of what its pending documents take, with what writing them to disk takes. */
  readonly pendingBytes: number;
  /** Writes them to disk, or has them take half of it at most; only while the user itself waits for it. */
  flush(): Promise<void>;
  /** Writes them as soon as the user's other work lets it. Resolves when it is done, however it has gone. */
  flushSoon(): Promise<void>;
}

/** The part of the memory for the image of what one merge makes. */
const MERGE_SHARE = 1 / 4;
/** Less isn't worth a segment of its own. */
const MERGE_BYTES_MIN = 4 << 20;

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
  /** What others than pending documents take of it at the moment. */
  #lentBytes = 0;
  /** Those who have something pending, perhaps. */
  readonly #users = new Set<PendingMemoryUser>();
  /** What those who have got their room are about to add to it. */
  readonly #promised = new Map<PendingMemoryUser, number>();
  readonly #asked = new Set<PendingMemoryUser>();
  #waiting: (() => void)[] = [];

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /**
   * Leaves less room to pending documents, but at least half, until what it returns is called: for a merge.
   * Those that are there stay, and are flushed as more come.
   */
  lend(bytes: number): () => void {
    const lent = Math.min(bytes, this.#bytesMax / 2 - this.#lentBytes);
    this.#lentBytes += lent;
    return () => {
      this.#lentBytes -= lent;
      this.#wake();
    };
  }

  /** What one merge may take while documents are written: its image is there beside those of its inputs. */
  get mergeBytesMax(): number {
    return Math.max(MERGE_BYTES_MIN, this.#bytesMax * MERGE_SHARE);
  }

  /** What is taken now. */
  get bytes(): number {
    let bytes = 0;
    for (const user of this.#users) bytes += user.pendingBytes;
    for (const promised of this.#promised.values()) bytes += promised;
    return bytes;
  }

  /**
   * Resolves once so many bytes fit besides what others hold, or nobody has anything pending: what a write
   * brings beyond the whole of the memory comes on top. They count as taken until `added` is called, which
   * the user owes once it has them, or has failed.
   *
   * @param mayExceed takes more than there is where others can't be flushed: for what can't be refused any more
   * @throws FindlingError `rate_limited` if others can't be flushed; what the user's own flush throws
   */
  async makeRoom(user: PendingMemoryUser, bytes: number, mayExceed = false): Promise<void> {
    const failed = new Set<PendingMemoryUser>();
    while (this.bytes + bytes > this.#bytesMax - this.#lentBytes) {
      const largest = this.#largest();
      if (largest === null) {
        if (this.#promised.size === 0) break;
        await this.#woken();
      } else if (largest !== user && !this.#asked.has(user) && !failed.has(largest)) {
        const before = largest.pendingBytes;
        const hasFlushed = await this.#flushElsewhere(largest, user);
        if (hasFlushed && largest.pendingBytes >= before) failed.add(largest);
      } else if (user.pendingBytes > 0) {
        await user.flush();
      } else if (failed.has(largest)) {
        if (mayExceed) break;
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
    this.#promised.set(user, bytes);
  }

  /** What the user was given room for is among its pending documents by now, or won't be. */
  added(user: PendingMemoryUser): void {
    this.#promised.delete(user);
    this.#wake();
  }

  /** The user has nothing pending any more, for good or for a while. */
  leave(user: PendingMemoryUser): void {
    this.#users.delete(user);
    this.#wake();
  }

  /** Has another user flush. False if the one who waits for it was asked itself before that was done. */
  async #flushElsewhere(largest: PendingMemoryUser, user: PendingMemoryUser): Promise<boolean> {
    let isDone = false;
    this.#asked.add(largest);
    // It may wait for room itself.
    this.#wake();
    void largest.flushSoon().finally(() => {
      isDone = true;
      this.#asked.delete(largest);
      this.#wake();
    });
    while (!isDone && !this.#asked.has(user)) await this.#woken();
    return isDone;
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
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
