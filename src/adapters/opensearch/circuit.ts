import { FindlingError } from "../../errors/index.js";

/** Failures one after the other that open a circuit. */
const FAILURES_MAX = 5;
/** How long an open circuit lets nobody through. */
const OPEN_MS = 1_000;

/**
 * A circuit breaker (M. Nygard, "Release It!"): after some failures in a row, callers are refused at once for a
 * while, so that they don't pile up behind a cluster that isn't there; then one at a time is let through to find out.
 */
export class Circuit {
  readonly #now: () => number;
  #failures = 0;
  #openUntil = 0;
  #isTried = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  get isOpen(): boolean {
    return this.#failures >= FAILURES_MAX;
  }

  /**
   * Runs what reaches the cluster, if it may.
   *
   * @param isFailure whether an error means that the cluster isn't well, rather than that the request wasn't
   * @throws FindlingError `storage_unavailable` while nobody is let through; what the work throws
   */
  async through<T>(work: () => Promise<T>, isFailure: (error: unknown) => boolean): Promise<T> {
    const tries = this.isOpen;
    if (tries) {
      if (this.#isTried || this.#now() < this.#openUntil) throw refusal();
      this.#isTried = true;
    }
    try {
      const result = await work();
      this.#failures = 0;
      return result;
    } catch (error) {
      if (isFailure(error)) {
        this.#failures++;
        if (this.isOpen) this.#openUntil = this.#now() + OPEN_MS;
      } else {
        this.#failures = 0;
      }
      throw error;
    } finally {
      if (tries) this.#isTried = false;
    }
  }
}

function refusal(): FindlingError {
  return new FindlingError("storage_unavailable", "the OpenSearch cluster has not been answering of late", {
    retryAfterSeconds: 1,
  });
}
