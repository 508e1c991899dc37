import { Worker } from "node:worker_threads";
import { type MergeTask, mayRunBeside, type SharedSegment } from "../../engine/index.js";
import { FindlingError } from "../../errors/index.js";
import { compiledFile } from "./compiled-file.js";
import { WRITING_HEAP } from "./thread-heap.js";

/** What travels to the worker. */
export interface MergeRequest {
  readonly id: number;
  readonly path: string;
  readonly task: MergeTask;
}

/** What comes back. */
export type MergeReply =
  | { readonly id: number; readonly merged: SharedSegment }
  | { readonly id: number; readonly error: string };

interface Merge {
  readonly request: MergeRequest;
  readonly bytes: number;
  resolve(merged: SharedSegment): void;
  reject(error: unknown): void;
}

/**
 * A thread that has had nothing to do for so long ends: longer than between two merges of a load, since the
 * next has to read and compile all its code anew (0.7 s of 2.2 for a merge of 160,000 documents).
 */
const IDLE_MS = 20_000;

/**
 * Runs merges in one worker thread, off the thread that answers requests: of all indexes as many at a time,
 * and as different in size, as one index has at a time. The thread starts with the first merge and ends some
 * time after the last; if it dies, the merges that waited for it fail and the next one starts a new thread.
 */
export class WorkerMergeRunner {
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | null = null;
  #nextId = 1;
  #isStopped = false;
  #waiting: Merge[] = [];
  readonly #running = new Map<number, Merge>();

  /** Merges segments in the folder at `path`. */
  run(path: string, task: MergeTask): Promise<SharedSegment> {
    if (this.#isStopped) return Promise.reject(stopped());
    return new Promise((resolve, reject) => {
      const request = { id: this.#nextId++, path, task };
      this.#waiting.push({ request, bytes: task.bytes, resolve, reject });
      this.#startWaiting();
    });
  }

  /** Ends the thread, whatever it does; merges that were under way fail, and later ones too. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { reject } of this.#waiting.splice(0)) reject(stopped());
    await this.#endWorker();
  }

  /** In the order in which they came, but for those that would run beside one of their size. */
  #startWaiting(): void {
    this.#waiting = this.#waiting.filter((merge) => {
      if (!mayRunBeside(merge.bytes, [...this.#running.values()])) return true;
      if (this.#idle !== null) clearTimeout(this.#idle);
      this.#idle = null;
      this.#worker ??= this.#start();
      this.#running.set(merge.request.id, merge);
      this.#worker.postMessage(merge.request);
      return false;
    });
  }

  #start(): Worker {
    const worker = new Worker(compiledFile("merge-worker.js"), { resourceLimits: WRITING_HEAP });
    worker.unref();
    worker.on("message", (reply: MergeReply) => this.#end(reply));
    const died = (cause: unknown): void => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#failRunning(new FindlingError("storage_unavailable", "the merge thread ended", { cause }));
    };
    worker.on("error", died);
    worker.on("exit", died);
    return worker;
  }

  #end(reply: MergeReply): void {
    const merge = this.#running.get(reply.id);
    if (merge === undefined) return;
    this.#running.delete(reply.id);
    if ("merged" in reply) merge.resolve(reply.merged);
    else merge.reject(new FindlingError("storage_unavailable", `a merge failed: ${reply.error}`));
    this.#startWaiting();
    if (this.#running.size > 0) return;
    this.#idle = setTimeout(() => void this.#endWorker(), IDLE_MS).unref();
  }

  async #endWorker(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    this.#failRunning(stopped());
    await worker?.terminate();
  }

  #failRunning(error: FindlingError): void {
    const running = [...this.#running.values()];
    this.#running.clear();
    for (const { reject } of running) reject(error);
    if (!this.#isStopped) this.#startWaiting();
  }
}

function stopped(): FindlingError {
  return new FindlingError("storage_unavailable", "merging has stopped");
}
