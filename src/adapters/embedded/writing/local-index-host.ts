import { basename } from "node:path";
import {
  type EngineSchema,
  FileDirectory,
  Index,
  type IndexOptions,
  isFileOwner,
  PendingMemory,
} from "../../../engine/server-door.js";
import type { UnreadDocuments } from "../../../intake/read-documents.js";
import type { ChangeOptions, DocumentChange, DocumentsChanged } from "../../../ports/document-change.js";
import type { DocumentsWritten } from "../../../ports/search-backend.js";
import type { MergeThread } from "../merge-turns.js";
import { WorkerMergeRunner } from "../worker-merge-runner.js";
import { addUnread } from "./add-unread.js";
import { changeDocuments } from "./change-documents.js";
import {
  type IndexCopying,
  type IndexHost,
  type IndexHostOptions,
  type ServedIndex,
  WAITING_WRITES_MAX,
} from "./served-index.js";

/** Longer than most senders pause between two commits. */
const REST_AFTER_MS = 5_000;

/** What whoever reads an index's states in other threads wants to be told. */
export type IndexHooks = Pick<IndexOptions, "onSearcher" | "beforeDeleting">;

export interface LocalIndexHostOptions extends IndexHostOptions {
  /** Where merges run. Default: in a worker. */
  readonly merges?: MergeThread;
}

/** Runs indexes in this thread; merges are elsewhere, in a worker, unless it is told otherwise. */
export class LocalIndexHost implements IndexHost {
  readonly #options: LocalIndexHostOptions;
  readonly #pendingMemory: PendingMemory;
  readonly #merges: MergeThread;
  #isEnding = false;

  constructor(options: LocalIndexHostOptions) {
    this.#options = options;
    this.#merges = options.merges ?? new WorkerMergeRunner();
    this.#pendingMemory = new PendingMemory(options.pendingBytesMax);
  }

  async create(path: string, schema: EngineSchema, hooks: IndexHooks = {}): Promise<Index> {
    const directory = await FileDirectory.open(path, { create: true });
    return Index.create(directory, schema, this.#indexOptions(path, hooks));
  }

  async open(path: string, hooks: IndexHooks = {}): Promise<Index> {
    const directory = await FileDirectory.open(path, { create: false });
    return Index.open(directory, this.#indexOptions(path, hooks));
  }

  async openToRead(path: string, hooks: IndexHooks = {}): Promise<Index> {
    const directory = await FileDirectory.open(path, { create: false });
    const { restAfterMs: _, ...options } = this.#indexOptions(path, hooks);
    return Index.open(directory, {
      ...options,
      checkpointAfterMs: null,
      mergePolicy: { nextMerge: () => null },
    });
  }

  /** Estimate of the memory that pending documents take. */
  get pendingBytes(): number {
    return this.#pendingMemory.bytes;
  }

  async addUnread(index: ServedIndex, documents: UnreadDocuments): Promise<DocumentsWritten> {
    if (!(index instanceof Index)) throw new TypeError("the index is not of this host");
    return addUnread(index, documents);
  }

  async change(
    index: ServedIndex,
    changes: readonly DocumentChange[],
    options: ChangeOptions,
  ): Promise<DocumentsChanged> {
    if (!(index instanceof Index)) throw new TypeError("the index is not of this host");
    return changeDocuments(index, changes, options);
  }

  rewrite(source: ServedIndex, target: ServedIndex): Promise<IndexCopying> {
    if (!(source instanceof Index && target instanceof Index))
      throw new TypeError("an index is not of this host");
    return source.rewriteInto(target);
  }

  async endMerges(): Promise<void> {
    this.#isEnding = true;
    await this.#merges.stop();
  }

  stop(): Promise<void> {
    return this.endMerges();
  }

  #indexOptions(path: string, hooks: IndexHooks): IndexOptions {
    const folder = basename(path);
    return {
      ...hooks,
      // The folder's name is the index's in the catalog, too: swapped folders show as swapped files do.
      ...(isFileOwner(folder) && { owner: folder }),
      lock: false,
      restAfterMs: REST_AFTER_MS,
      pendingMemory: this.#pendingMemory,
      waitingWritesMax: WAITING_WRITES_MAX,
      mergeRunner: (task) => this.#merges.run(path, task),
      onMergeError: (error) => {
        if (!this.#isEnding) this.#options.onProblem(`merging segments in ${path} failed`, error);
      },
      onCommitPointError: (error) => {
        const problem = `no commit point could be written in ${path}: commits stay in its journal until one can`;
        this.#options.onProblem(problem, error);
      },
    };
  }
}
