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
  /** How many hold each file that is held, and which of those were to be deleted meanwhile. */
  readonly #holds = new Map<string, number>();
  readonly #awaited = new Set<string>();
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

  /** What can't be deleted now is deleted when the index is opened again; what is held, once it is let go of. */
  async deleteQuietly(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (this.#holds.has(name)) this.#awaited.add(name);
      else await this.#directory.delete(name).catch(() => undefined);
    }
  }

  /** Keeps files from being deleted until the returned function is called; calling that again does nothing. */
  hold(names: readonly string[]): () => void {
    for (const name of names) this.#holds.set(name, (this.#holds.get(name) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const free = names.filter((name) => this.#letGo(name));
      if (free.length > 0) this.tidy(free);
    };
  }

  /** @returns whether the file was to be deleted, and nobody holds it any more */
  #letGo(name: string): boolean {
    const holds = this.#holds.get(name)! - 1;
    if (holds > 0) {
      this.#holds.set(name, holds);
      return false;
    }
    this.#holds.delete(name);
    return this.#awaited.delete(name);
  }

  /** Resolves when files that are of no use any more have been deleted. */
  tidied(): Promise<void> {
    return this.#tidying;
  }
}
