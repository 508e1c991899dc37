import type { Directory } from "../directory/directory.js";
import { type OpenSegment, openSharedSegment } from "../segment/open-segment.js";
import type { SharedSegment } from "../segment/shared-segment.js";
import type { IndexWriter } from "./index-writer.js";
import { type MergePlan, planMerge } from "./merge-plan.js";
import type { MergePolicy } from "./merge-policy.js";
import type { MergeRunner } from "./merge-runner.js";
import { MergeScheduler } from "./merge-scheduler.js";
import type { PendingMemory } from "./pending-memory.js";
import { SettlingMergePolicy } from "./settling-merge-policy.js";
import type { WriteQueue } from "./write-queue.js";

export interface IndexMergesOptions {
  readonly directory: Directory;
  readonly writer: IndexWriter;
  readonly pendingMemory: PendingMemory;
  readonly policy: MergePolicy;
  readonly runner: MergeRunner;
  /** Milliseconds without a write after which segments are merged further; null: they never are. */
  readonly restAfterMs: number | null;
  /** The index's writes, between which merges are planned and installed. */
  readonly queue: WriteQueue;
  /** Told, between two writes, when a merged segment has taken the place of its inputs. */
  readonly onMerged: () => void;
  readonly onError: (error: unknown) => void;
  /** Told where the journal of an index at rest can't be shortened. */
  readonly onCommitPointError: (error: unknown) => void;
}

/** What one merge may make while it is written, as a part of the index's images, however small the memory budget is. */
const MERGED_SHARE = 1 / 8;

const SETTLING: MergePolicy = new SettlingMergePolicy();

/** Whose scratch space it is where whoever writes an index searches it: search threads count from 2. */
const WRITER_THREAD_NUMBER = 1;

/** The merges of an index: what is merged when, and how it comes into the index. */
export class IndexMerges {
  readonly #options: IndexMergesOptions;
  readonly #scheduler: MergeScheduler;
  #restAlarm: ReturnType<typeof setTimeout> | undefined;
  #isAtRest = false;
  /** No merge begins while there are any. */
  #holds = 0;
  #isClosed = false;

  constructor(options: IndexMergesOptions) {
    const { queue } = options;
    this.#options = options;
    this.#scheduler = new MergeScheduler({
      plan: (underWay) => queue.barrier(() => Promise.resolve(this.#plan(underWay))),
      run: (plan) => this.#run(plan),
      install: (plan, merged) => queue.barrier(() => this.#install(plan, merged)),
      discard: (plan) => queue.barrier(() => this.#discard(plan)),
      onError: options.onError,
    });
  }

  /** Whether nothing is merged, and nothing keeps merges from beginning. */
  get isSettled(): boolean {
    return this.#scheduler.isIdle && this.#holds === 0;
  }

  /** Begins what there is to merge; to be called whenever there may be more. */
  start(): void {
    this.#scheduler.start();
  }

  /** Resolves once nothing is merged, and nothing was left to be. */
  idle(): Promise<void> {
    return this.#scheduler.idle();
  }

  /** The index is written, and at rest again only in a while. To be told of each write and commit, and once it is open. */
  awaitRest(): void {
    const { writer, restAfterMs, queue, onCommitPointError } = this.#options;
    this.#isAtRest = false;
    clearTimeout(this.#restAlarm);
    if (restAfterMs === null || this.#isClosed) return;
    this.#restAlarm = setTimeout(() => {
      // A large body may take longer than that, or wait longer for its turn.
      if (!queue.isIdle) {
        this.awaitRest();
        return;
      }
      this.#isAtRest = true;
      this.start();
      queue.barrier(() => writer.shortenJournal()).catch(onCommitPointError);
    }, restAfterMs);
    this.#restAlarm.unref();
  }

  /** Keeps merges from beginning; resolves when none is under way, with what lets them begin again. */
  async hold(): Promise<() => void> {
    this.#holds++;
    await this.idle();
    return () => {
      this.#holds--;
      if (!this.#isClosed) this.start();
    };
  }

  /** No merge begins any more; those under way come to their end (`idle`). */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#restAlarm);
  }

  #plan(underWay: readonly MergePlan[]): MergePlan | null {
    const { writer, pendingMemory, policy } = this.#options;
    if (writer.failure !== null || this.#isClosed || this.#holds > 0) return null;
    const committed = writer.committedSegments();
    const imageBytes = committed.reduce((bytes, { reader }) => bytes + reader.bytesInMemory, 0);
    // A large index has more and more segments of the same size else.
    const imageBytesMax = Math.max(pendingMemory.mergeBytesMax, imageBytes * MERGED_SHARE);
    const planBy = (by: MergePolicy): MergePlan | null =>
      planMerge(by, committed, underWay, imageBytesMax, () => writer.reserveSegmentName());
    return planBy(policy) ?? (this.#isAtRest ? planBy(SETTLING) : null);
  }

  async #run({ inputs, bytes, output }: MergePlan): Promise<OpenSegment> {
    const { directory, writer, pendingMemory, runner } = this.#options;
    const { schema } = writer;
    const views = inputs.map(({ view }) => view.share());
    // The merged segment is in memory beside its inputs for a while.
    const giveBack = pendingMemory.lend(inputs.reduce((sum, { view }) => sum + view.bytesInMemory, 0));
    let merged: SharedSegment;
    try {
      merged = await runner({ schema, inputs: views, bytes, output });
    } finally {
      giveBack();
    }
    return openSharedSegment(directory, schema, merged, WRITER_THREAD_NUMBER);
  }

  async #install(plan: MergePlan, merged: OpenSegment): Promise<void> {
    const { writer, onMerged } = this.#options;
    let isInstalled = false;
    try {
      isInstalled = writer.installMerge(plan, merged);
    } finally {
      if (!isInstalled) await writer.discardMerge(plan);
    }
    if (isInstalled) onMerged();
  }

  /** Whether its inputs are still there. */
  async #discard(plan: MergePlan): Promise<boolean> {
    const { writer } = this.#options;
    await writer.discardMerge(plan);
    const committed = writer.committedSegments();
    return plan.inputs.every(({ segment }) => committed.includes(segment));
  }
}
