import { FindlingError } from "../../errors/index.js";

/** Failures one after the other that open a circuit. */
const FAILURES_MAX = 5;
/** How often an open circuit lets somebody through. */
const TRY_EVERY_MS = 250;

/**
 * A circuit breaker (M. Nygard, "Release It!"): after some failures in a row, callers are refused at once, so that they
 * don't pile up behind a cluster that isn't there; now and then one is let through to find out, whether or not the one
 * before it has heard anything: a request may wait for its whole time limit for what another one doesn't need.
 */
export class Circuit {
  readonly #now: () => number;
  #failures = 0;
  #nextTry = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  get isOpen(): boolean {
    return this.#failures >= FAILURES_MAX;
  }

  /**
   * Runs what reaches the cluster, if it may.
   *
   * @param isFailure whether an error means that the cluster isn't well, rather than that the request wasn't; null: it
   *   tells nothing, as where the caller has gone
   * @throws FindlingError `storage_unavailable` while nobody is let through; what the work throws
   */
  async through<T>(work: () => Promise<T>, isFailure: (error: unknown) => boolean | null): Promise<T> {
    if (this.isOpen) {
      if (this.#now() < this.#nextTry) throw refusal();
      this.#nextTry = this.#now() + TRY_EVERY_MS;
    }
    try {
      const result = await work();
      this.#failures = 0;
      return result;
    } catch (error) {
      const isUnwell = isFailure(error);
      if (isUnwell === false) this.#failures = 0;
      else if (isUnwell && ++this.#failures === FAILURES_MAX) this.#nextTry = this.#now() + TRY_EVERY_MS;
      throw error;
    }
  }
}

function refusal(): FindlingError {
  return new FindlingError("storage_unavailable", "the OpenSearch cluster has not been answering of late", {
    retryAfterSeconds: 1,
  });
}
