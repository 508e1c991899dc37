import type { Directory } from "../directory/directory.js";

/**
 * Files of an index that are of no use any more, or won't be once the next commit point is published. They are
 * deleted behind the back of whoever left them, in the order of the calls.
 */
export class UnusedFiles {
  readonly #directory: Directory;
  readonly #beforeDeleting: () => Promise<void>;
  /** Files that a commit point may name, and the next one won't. */
  #stale: string[] = [];
  #tidying: Promise<void> = Promise.resolve();

  /** @param beforeDeleting awaited before `tidy` deletes: others may be about to open the files */
  constructor(directory: Directory, beforeDeleting: () => Promise<void>) {
    this.#directory = directory;
    this.#beforeDeleting = beforeDeleting;
  }

  /** Files of no use to commit points that are described from now on. */
  addStale(names: readonly string[]): void {
    this.#stale.push(...names);
  }

  /** They are the caller's to delete once its commit point is published, or to give back. */
  takeStale(): readonly string[] {
    const stale = this.#stale;
    this.#stale = [];
    return stale;
  }

  /** @param first done before */
  tidy(names: readonly string[], first?: () => Promise<void>): void {
    this.#tidying = this.#tidying.then(async () => {
      await first?.().catch(() => undefined);
      await this.#beforeDeleting();
      await this.deleteQuietly(names);
    });
  }

  /** What can't be deleted now is deleted when the index is opened again. */
  async deleteQuietly(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#directory.delete(name).catch(() => undefined);
  }

  /** Resolves when files that are of no use any more have been deleted. */
  tidied(): Promise<void> {
    return this.#tidying;
  }
}
