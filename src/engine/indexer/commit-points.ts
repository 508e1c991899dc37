import type { FindlingError } from "../../errors/index.js";
import type { Directory, StagedFile } from "../directory/directory.js";
import { type CommitPoint, commitPointName, encodeCommitPoint } from "./commit-point.js";

export interface CommitPointsOptions {
  readonly directory: Directory;
  /** Awaited before files are deleted that were of use until then: others may be about to open them. */
  readonly beforeDeleting: () => Promise<void>;
  /** Told when it can't be known whether a commit point is there. @returns what to throw */
  readonly fail: (error: unknown) => FindlingError;
}

/**
 * The newest commit point of an index, and how the next one takes its place: one at a time. Files that it
 * leaves without use are deleted behind the back of whoever publishes, in the order of the calls.
 */
export class CommitPoints {
  readonly #directory: Directory;
  readonly #beforeDeleting: () => Promise<void>;
  readonly #fail: (error: unknown) => FindlingError;
  #newest: CommitPoint;
  /** Files that a commit point may name, and the next one won't. */
  #stale: string[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #tidying: Promise<void> = Promise.resolve();

  constructor(newest: CommitPoint, { directory, beforeDeleting, fail }: CommitPointsOptions) {
    this.#newest = newest;
    this.#directory = directory;
    this.#beforeDeleting = beforeDeleting;
    this.#fail = fail;
  }

  get newest(): CommitPoint {
    return this.#newest;
  }

  /** Runs what makes a commit point after all others that do. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
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

  stage(commitPoint: CommitPoint): Promise<StagedFile> {
    return this.#directory.stage(commitPointName(commitPoint.generation), encodeCommitPoint(commitPoint));
  }

  /** Either the commit point is durable when this returns, or nothing has changed, or the index has failed. */
  async publish(commitPoint: CommitPoint, staged: StagedFile): Promise<void> {
    const name = commitPointName(commitPoint.generation);
    try {
      await staged.publish();
    } catch (error) {
      const names = await this.#directory.list().catch(() => null);
      throw names === null || names.includes(name) ? this.#fail(error) : error;
    }
    const previous = commitPointName(this.#newest.generation);
    this.#newest = commitPoint;
    this.tidy([previous]);
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
