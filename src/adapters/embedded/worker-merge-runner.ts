import { Worker } from "node:worker_threads";
import type { MergeTask } from "../../engine/index.js";
import { FindlingError } from "../../errors/index.js";
import { compiledFile } from "./compiled-file.js";

/** What travels to the worker. */
export interface MergeRequest {
  readonly id: number;
  readonly path: string;
  readonly task: MergeTask;
}

/** What comes back. */
export interface MergeReply {
  readonly id: number;
  readonly error: string | null;
}

/**
 * Runs merges in one worker thread, off the thread that answers requests. The thread starts with the
 * first merge; if it dies, the merges that waited for it fail and the next one starts a new thread.
 */
export class WorkerMergeRunner {
  #worker: Worker | null = null;
  #nextId = 1;
  #isStopped = false;
  readonly #waiting = new Map<number, { resolve(): void; reject(error: unknown): void }>();

  /** Merges segments in the folder at `path`. */
  run(path: string, task: MergeTask): Promise<void> {
    if (this.#isStopped)
      return Promise.reject(new FindlingError("storage_unavailable", "merging has stopped"));
    const worker = (this.#worker ??= this.#start());
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, path, task } satisfies MergeRequest);
    });
  }

  /** Ends the thread, whatever it does; merges that were under way fail, and later ones too. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(compiledFile("merge-worker.js"));
    worker.unref();
    worker.on("message", ({ id, error }: MergeReply) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === null) waiting?.resolve();
      else waiting?.reject(new FindlingError("storage_unavailable", `a merge failed: ${error}`));
    });
    const died = (cause: unknown): void => {
      if (this.#worker === worker) this.#worker = null;
      for (const { reject } of this.#waiting.values()) {
        reject(new FindlingError("storage_unavailable", "the merge thread ended", { cause }));
      }
      this.#waiting.clear();
    };
    worker.on("error", died);
    worker.on("exit", died);
    return worker;
  }
}
