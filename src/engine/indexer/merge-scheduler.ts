import type { OpenSegment } from "../segment/open-segment.js";
import { MERGES_MAX, type MergePlan } from "./merge-plan.js";

/** What merging needs of an index. */
export interface MergingIndex {
  /** The next merge beside those that are under way, between two writes; null if there is nothing to do. */
  plan(underWay: readonly MergePlan[]): Promise<MergePlan | null>;
  /** Writes the merged segment, and opens it. */
  run(plan: MergePlan): Promise<OpenSegment>;
  /** Puts it in place between two writes, or drops it. It belongs to the index from now on. */
  install(plan: MergePlan, merged: OpenSegment): Promise<void>;
  /** Deletes what was written. False if the inputs are gone, so that the merge had to fail. */
  discard(plan: MergePlan): Promise<boolean>;
  onError(error: unknown): void;
}

/**
 * Runs an index's merges as they are wanted: one, and beside it much smaller ones, so that what is written
 * while a large merge runs isn't left lying about in ever more segments. After a merge that failed there is
 * a new attempt with the next `start`.
 */
export class MergeScheduler {
  readonly #index: MergingIndex;
  readonly #underWay = new Map<MergePlan, Promise<void>>();
  #planning: Promise<void> | null = null;
  #isAskedAgain = false;

  constructor(index: MergingIndex) {
    this.#index = index;
  }

  get isIdle(): boolean {
    return this.#planning === null && this.#underWay.size === 0;
  }

  /** Begins what there is to merge; to be called whenever there may be more. */
  start(): void {
    this.#isAskedAgain = true;
    this.#planning ??= this.#plan()
      .catch((error: unknown) => this.#index.onError(error))
      .finally(() => {
        this.#planning = null;
      });
  }

  /** Resolves once nothing is merged, and nothing was left to be. */
  async idle(): Promise<void> {
    while (!this.isIdle) await (this.#planning ?? Promise.race(this.#underWay.values()));
  }

  async #plan(): Promise<void> {
    while (this.#isAskedAgain) {
      this.#isAskedAgain = false;
      while (this.#underWay.size < MERGES_MAX) {
        const plan = await this.#index.plan([...this.#underWay.keys()]);
        if (plan === null) break;
        const merging = this.#merge(plan).then(
          () => this.#end(plan, true),
          (error: unknown) => {
            this.#index.onError(error);
            this.#end(plan, false);
          },
        );
        this.#underWay.set(plan, merging);
      }
    }
  }

  #end(plan: MergePlan, goesOn: boolean): void {
    this.#underWay.delete(plan);
    if (goesOn) this.start();
  }

  async #merge(plan: MergePlan): Promise<void> {
    let merged: OpenSegment;
    try {
      merged = await this.#index.run(plan);
    } catch (error) {
      // A commit deletes segments without documents left, and may do so before the merge has read them.
      if (await this.#index.discard(plan)) throw error;
      return;
    }
    await this.#index.install(plan, merged);
  }
}
