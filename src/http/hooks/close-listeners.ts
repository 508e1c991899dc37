import type { EventEmitter } from "node:events";

/**
 * Those who wait for a connection's or a response's close. However many they are, as one request may be many of a
 * cluster's, the emitter has one listener of theirs, and none once nobody waits.
 */
export class CloseListeners {
  readonly #emitter: EventEmitter;
  readonly #listeners = new Set<() => void>();

  constructor(emitter: EventEmitter) {
    this.#emitter = emitter;
  }

  /** @returns to be called once it is waited for no more; again does nothing */
  add(listener: () => void): () => void {
    // The same function may wait twice.
    const waiting = (): void => listener();
    if (this.#listeners.size === 0) this.#emitter.once("close", this.#tell);
    this.#listeners.add(waiting);
    return () => {
      if (this.#listeners.delete(waiting) && this.#listeners.size === 0)
        this.#emitter.off("close", this.#tell);
    };
  }

  readonly #tell = (): void => {
    const told = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of told) listener();
  };
}
