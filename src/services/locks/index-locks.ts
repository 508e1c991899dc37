import { ReadWriteLock } from "./read-write-lock.js";

/**
 * One lock for each index name, made when first asked for and forgotten when idle. Document writes
 * and commits share it; a rollback, and whatever changes, replaces or deletes the index, holds it alone,
 * so that no write ever lands in data that is being replaced, or is taken back before it is answered.
 */
export class IndexLocks {
  readonly #locks = new Map<string, ReadWriteLock>();

  shared<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#with(name, (lock) => lock.shared(work));
  }

  exclusive<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#with(name, (lock) => lock.exclusive(work));
  }

  async #with<T>(name: string, use: (lock: ReadWriteLock) => Promise<T>): Promise<T> {
    let lock = this.#locks.get(name);
    if (lock === undefined) this.#locks.set(name, (lock = new ReadWriteLock()));
    try {
      return await use(lock);
    } finally {
      if (lock.isIdle) this.#locks.delete(name);
    }
  }
}
