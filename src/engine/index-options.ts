import type { FileOwner } from "./bytes/file-owner.js";
import type { Directory } from "./directory/directory.js";
import { type MergePolicy, TieredMergePolicy } from "./indexer/merge-policy.js";
import { type MergeRunner, runMerge } from "./indexer/merge-runner.js";
import { PendingMemory } from "./indexer/pending-memory.js";
import type { Searcher } from "./search/searcher.js";

/** How an index is opened. */
export interface IndexOptions {
  /**
   * Which index it is, as 32 hex digits: one that is made says so in its commit points, and one that says otherwise isn't
   * opened. Default: random for one that is made, and any is opened.
   */
  readonly owner?: FileOwner;
  /** Pending documents beyond this many bytes are flushed to disk. Default 32 MiB. */
  readonly memoryBudgetBytes?: number;
  /** Instead of a budget of its own: one that several indexes share. */
  readonly pendingMemory?: PendingMemory;
  readonly mergePolicy?: MergePolicy;
  /**
   * Milliseconds without a write after which the index rests: its segments are merged further then than while
   * it is written (`SettlingMergePolicy`), and it is searched the quicker. Default: never.
   */
  readonly restAfterMs?: number;
  /**
   * Milliseconds from a commit or merge to the commit point that names what it made, and up to 16 times as many
   * while there is more and more to name and little would have to be read again after a crash. One that can't be
   * written is tried again after 8 times as many, then 16, up to 240. Default 250. Null: commit points are made when
   * somebody waits for them only (`merge`, `settled`).
   */
  readonly checkpointAfterMs?: number | null;
  /** Writes that may wait at a time; more are refused as `rate_limited`. Default: no limit. */
  readonly waitingWritesMax?: number;
  /** Where merges run. Default: in this thread. */
  readonly mergeRunner?: MergeRunner;
  /** Told of merges that failed: their inputs stay. They are tried again after the next commit. */
  readonly onMergeError?: (error: unknown) => void;
  /** Told of commit points that couldn't be made: commits stay in the journal. They are tried again after a while. */
  readonly onCommitPointError?: (error: unknown) => void;
  /** Told whenever searches see another state, right after it has come to be; also while it closes. Must not throw. */
  readonly onSearcher?: (searcher: Searcher) => void;
  /** Awaited before files of states that searches saw are deleted. */
  readonly beforeDeleting?: () => Promise<void>;
  /** Takes the folder's write lock. Default true; false when the caller holds a lock over many indexes. */
  readonly lock?: boolean;
}

/** Options of an index with what stands for those that weren't given. */
export type IndexSettings = Required<Omit<IndexOptions, "memoryBudgetBytes" | "owner" | "restAfterMs">> & {
  /** Null: never. */
  readonly restAfterMs: number | null;
};

const DEFAULT_MEMORY_BUDGET_BYTES = 32 << 20;

const CHECKPOINT_AFTER_MS = 250;

export function settingsOf(options: IndexOptions, directory: Directory): IndexSettings {
  const { memoryBudgetBytes = DEFAULT_MEMORY_BUDGET_BYTES, checkpointAfterMs = CHECKPOINT_AFTER_MS } =
    options;
  return {
    pendingMemory: options.pendingMemory ?? new PendingMemory(memoryBudgetBytes),
    mergePolicy: options.mergePolicy ?? new TieredMergePolicy(),
    restAfterMs: options.restAfterMs ?? null,
    checkpointAfterMs,
    waitingWritesMax: options.waitingWritesMax ?? Number.POSITIVE_INFINITY,
    mergeRunner: options.mergeRunner ?? ((task) => runMerge(directory, task)),
    onMergeError: options.onMergeError ?? (() => undefined),
    onCommitPointError: options.onCommitPointError ?? (() => undefined),
    onSearcher: options.onSearcher ?? (() => undefined),
    beforeDeleting: options.beforeDeleting ?? (() => Promise.resolve()),
    lock: options.lock ?? true,
  };
}
