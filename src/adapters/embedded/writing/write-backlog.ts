import { FindlingError } from "../../../errors/index.js";

/** Long enough for a flush, which is what most waiting writes wait for. */
const RETRY_AFTER_SECONDS = 1;

/** Writes of so few bytes are always taken: how many of them wait is bounded elsewhere. */
const SMALL_BYTES = 1 << 14;

/**
 * What writes that have not been acknowledged hold in memory, over all indexes. What comes beyond it is
 * refused: a sender that knows how to come again holds it better than this process.
 */
export class WriteBacklog {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /**
   * Runs a write that holds so many bytes until it has ended. One alone may hold any number; small ones pass
   * large ones, whose reading they overtake.
   *
   * @throws FindlingError `rate_limited` if others hold too much
   */
  async run<T>(bytes: number, write: () => Promise<T>): Promise<T> {
    if (this.#bytes > 0 && bytes > SMALL_BYTES && this.#bytes + bytes > this.#bytesMax) {
      throw new FindlingError(
        "rate_limited",
        "as many writes wait for their turn as there is memory for; send this one again in a moment",
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
    this.#bytes += bytes;
    try {
      return await write();
    } finally {
      this.#bytes -= bytes;
    }
  }
}
