import { Worker } from "node:worker_threads";
import type { MergeTask, SharedSegment } from "../../engine/server-door.js";
import { FindlingError } from "../../errors/index.js";
import { compiledFile } from "./compiled-file.js";
import { type MergeThread, MergeTurns, mergingStopped } from "./merge-turns.js";
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
  resolve(merged: SharedSegment): void;
  reject(error: unknown): void;
}

/**
 * A thread that has had nothing to do for so long ends: longer than between two merges of a load, since the
 * next has to read and compile all its code anew (0.7 s of 2.2 for a merge of 160,000 documents).
 */
const IDLE_MS = 20_000;

/**
 * Runs merges in one worker thread, off the threads that answer requests and write. The thread starts with the first merge and ends some
 * time after the last; if it dies, the merges that waited for it fail and the next one starts a new thread.
 */
export class WorkerMergeRunner implements MergeThread {
  readonly #turns = new MergeTurns();
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | null = null;
  #nextId = 1;
  readonly #running = new Map<number, Merge>();

  run(path: string, task: MergeTask): Promise<SharedSegment> {
    return this.#turns.run(task.bytes, () => this.#send(path, task));
  }

  async stop(): Promise<void> {
    this.#turns.stop();
    await this.#endWorker();
  }

  #send(path: string, task: MergeTask): Promise<SharedSegment> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    this.#idle = null;
    const worker = (this.#worker ??= this.#start());
    const request: MergeRequest = { id: this.#nextId++, path, task };
    return new Promise((resolve, reject) => {
      this.#running.set(request.id, { resolve, reject });
      worker.postMessage(request);
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
    if (this.#running.size === 0) this.#idle = setTimeout(() => void this.#endWorker(), IDLE_MS).unref();
    if ("merged" in reply) merge.resolve(reply.merged);
    else merge.reject(new FindlingError("storage_unavailable", `a merge failed: ${reply.error}`));
  }

  async #endWorker(): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    this.#failRunning(mergingStopped());
    await worker?.terminate();
  }

  #failRunning(error: FindlingError): void {
    const running = [...this.#running.values()];
    this.#running.clear();
    for (const { reject } of running) reject(error);
  }
}
