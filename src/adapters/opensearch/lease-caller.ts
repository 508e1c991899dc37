import type { SearchCaller } from "../../ports/search-backend.js";

/** Who waits as long as a lease lasts, which may be renewed meanwhile: then requests that are under way are given up. */
export class LeaseCaller implements SearchCaller {
  readonly #until: () => number;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout;

  /** @param until the end of the lease as it is known now, in Unix milliseconds */
  constructor(until: () => number) {
    this.#until = until;
    this.#timer = setTimeout(this.#look, this.#left);
  }

  get isGone(): boolean {
    return this.#left <= 0;
  }

  whenGone(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** To be called once nobody waits any more. */
  end(): void {
    clearTimeout(this.#timer);
  }

  get #left(): number {
    return this.#until() - Date.now();
  }

  readonly #look = (): void => {
    if (this.#left > 0) this.#timer = setTimeout(this.#look, this.#left);
    else for (const listener of [...this.#listeners]) listener();
  };
}
