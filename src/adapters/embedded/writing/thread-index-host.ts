import { Worker } from "node:worker_threads";
import { type EngineSchema, FileDirectory, SnapshotFollower } from "../../../engine/server-door.js";
import { FindlingError } from "../../../errors/index.js";
import type { UnreadDocuments } from "../../../intake/read-documents.js";
import type { ChangeOptions, DocumentChange, DocumentsChanged } from "../../../ports/document-change.js";
import type { DocumentsWritten } from "../../../ports/search-backend.js";
import { compiledFile } from "../compiled-file.js";
import { WRITING_HEAP } from "../thread-heap.js";
import { FollowedState } from "./followed-state.js";
import { fromPlainError } from "./plain-error.js";
import { RemoteIndex } from "./remote-index.js";
import type { IndexCopying, IndexHost, IndexHostOptions, ServedIndex } from "./served-index.js";
import { WriteBacklog } from "./write-backlog.js";
import type {
  Answered,
  FromWritingThread,
  ToWritingThread,
  WritingCall,
  WritingThreadData,
} from "./writing-protocol.js";

/** Part of the memory for writing that waiting writes may take; pending documents have the rest. */
const BACKLOG_SHARE = 0.25;

/** This thread's among those that follow snapshots: search threads count from 1. */
const THREAD_NUMBER = 0x4000_0000;

/** How often a thread that copies an index is told whether the copy is still wanted. */
const WANTED_EVERY_MS = 20;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * Runs indexes in one thread of their own (ADR 19). It starts with the first index. If it dies, what was
 * asked of it fails, indexes answer reads as they were, and the next one that is opened starts a new
 * thread: what was acknowledged is on disk.
 */
export class ThreadIndexHost implements IndexHost {
  readonly #options: IndexHostOptions;
  readonly #backlog: WriteBacklog;
  readonly #indexes = new Map<number, RemoteIndex>();
  readonly #calls = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #count = 0;
  #isStopped = false;

  constructor(options: IndexHostOptions) {
    this.#options = options;
    this.#backlog = new WriteBacklog(options.pendingBytesMax * BACKLOG_SHARE);
  }

  create(path: string, schema: EngineSchema): Promise<ServedIndex> {
    return this.#start(path, true, (index) => ({ kind: "create", index, path, schema }));
  }

  open(path: string): Promise<ServedIndex> {
    return this.#start(path, false, (index) => ({ kind: "open", index, path }));
  }

  openToRead(path: string): Promise<ServedIndex> {
    return this.#start(path, false, (index) => ({ kind: "open_to_read", index, path }));
  }

  async addUnread(index: ServedIndex, documents: UnreadDocuments): Promise<DocumentsWritten> {
    if (!(index instanceof RemoteIndex)) throw new TypeError("the index is not of this host");
    return index.addUnread(documents);
  }

  async change(
    index: ServedIndex,
    changes: readonly DocumentChange[],
    options: ChangeOptions,
  ): Promise<DocumentsChanged> {
    if (!(index instanceof RemoteIndex)) throw new TypeError("the index is not of this host");
    return index.change(changes, options);
  }

  async rewrite(source: ServedIndex, target: ServedIndex): Promise<IndexCopying> {
    if (!(source instanceof RemoteIndex && target instanceof RemoteIndex))
      throw new TypeError("an index is not of this host");
    const rewrite = ++this.#count;
    await this.#call({ kind: "begin_rewrite", rewrite, source: source.number, target: target.number });
    return {
      catchUp: (isWanted) => this.#catchUp(rewrite, isWanted),
      finish: async () => {
        await this.#call({ kind: "finish_rewrite", rewrite, index: target.number });
      },
      close: () => {
        // Nothing is left to be closed where the thread has ended.
        this.#call({ kind: "close_rewrite", rewrite }).catch(() => undefined);
      },
    };
  }

  async endMerges(): Promise<void> {
    if (this.#worker !== null) await this.#call({ kind: "end_merges" }).catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.kill();
  }

  /** Ends the thread, whatever it does. */
  async kill(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #start(path: string, create: boolean, call: (index: number) => WritingCall): Promise<ServedIndex> {
    const directory = await FileDirectory.open(path, { create });
    const number = ++this.#count;
    const index = new RemoteIndex(number, {
      call: (each, handedOver) => this.#call(each, handedOver),
      seen: new FollowedState(new SnapshotFollower(directory, THREAD_NUMBER), (searcher) =>
        this.#options.onNewest?.(path, searcher),
      ),
      backlog: this.#backlog,
      onClosed: () => this.#indexes.delete(number),
    });
    this.#indexes.set(number, index);
    try {
      await index.start(call(number));
      return index;
    } catch (error) {
      this.#indexes.delete(number);
      throw error;
    }
  }

  #call(call: WritingCall, handedOver: readonly ArrayBuffer[] = []): Promise<unknown> {
    if (this.#isStopped)
      return Promise.reject(new FindlingError("storage_unavailable", "writing has stopped"));
    const worker = (this.#worker ??= this.#startThread());
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      if (this.#calls.size === 0) worker.ref();
      this.#calls.set(id, { resolve, reject });
      worker.postMessage({ kind: "call", id, call } satisfies ToWritingThread, handedOver);
    });
  }

  async #catchUp(rewrite: number, isWanted: () => boolean): Promise<void> {
    const unwanted = new Int32Array(new SharedArrayBuffer(4));
    const tell = (): void => {
      Atomics.store(unwanted, 0, isWanted() ? 0 : 1);
    };
    tell();
    const timer = setInterval(tell, WANTED_EVERY_MS);
    try {
      await this.#call({ kind: "catch_up", rewrite, unwanted });
    } finally {
      clearInterval(timer);
    }
  }

  #startThread(): Worker {
    const pendingBytesMax = this.#options.pendingBytesMax * (1 - BACKLOG_SHARE);
    const worker = new Worker(compiledFile("writing/writing-thread.js"), {
      workerData: { pendingBytesMax } satisfies WritingThreadData,
      resourceLimits: WRITING_HEAP,
    });
    // Alive for the sake of its calls only.
    worker.unref();
    let cause: unknown;
    worker.on("message", (message: FromWritingThread) => this.#receive(worker, message));
    worker.on("error", (error) => {
      cause = error;
    });
    // Only now: no write of the dead one is under way any more.
    worker.on("exit", () => this.#threadEnded(cause));
    return worker;
  }

  #receive(worker: Worker, message: FromWritingThread): void {
    switch (message.kind) {
      case "snapshot":
        void this.#follow(worker, message);
        return;
      case "state":
        this.#indexes.get(message.index)?.setState(message.state);
        return;
      case "answer":
        this.#settle(worker, message)?.resolve(message.result);
        return;
      case "refusal":
        this.#settle(worker, message)?.reject(fromPlainError(message.error));
        return;
      case "problem":
        this.#options.onProblem(message.message, fromPlainError(message.error));
        return;
    }
  }

  /** A state that can't be opened is the index's failure; its files are waited for no longer. */
  async #follow(worker: Worker, message: Extract<FromWritingThread, { kind: "snapshot" }>): Promise<void> {
    const { index, number, snapshot, commits } = message;
    await this.#indexes
      .get(index)
      ?.follow(snapshot, commits)
      .catch((error: unknown) => this.#options.onProblem("a committed state can't be searched", error));
    worker.postMessage({ kind: "opened", index, snapshot: number } satisfies ToWritingThread);
  }

  #settle(worker: Worker, { id, state }: Answered): Waiting | undefined {
    if (state !== null) this.#indexes.get(state.index)?.setState(state.state);
    const waiting = this.#calls.get(id);
    this.#calls.delete(id);
    if (this.#calls.size === 0) worker.unref();
    return waiting;
  }

  #threadEnded(cause: unknown): void {
    this.#worker = null;
    const error = new FindlingError(
      "storage_unavailable",
      "the thread that writes indexes ended; the index is opened again by the next write",
      { cause },
    );
    if (!this.#isStopped) this.#options.onProblem("the thread that writes indexes ended", cause ?? error);
    for (const index of this.#indexes.values()) index.threadEnded(error);
    this.#indexes.clear();
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
  }
}
