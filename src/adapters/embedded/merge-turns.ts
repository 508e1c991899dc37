import { type MergeTask, mayRunBeside, type SharedSegment } from "../../engine/server-door.js";
import { FindlingError } from "../../errors/index.js";

/** Where the merges of all indexes run. */
export interface MergeThread {
  /** Merges segments in the folder at `path`. */
  run(path: string, task: MergeTask): Promise<SharedSegment>;
  /** Ends what is under way, which fails, and later merges too; resolves once nothing is written any more. */
  stop(): Promise<void>;
}

interface Merge {
  readonly bytes: number;
  begin(): Promise<void>;
  reject(error: unknown): void;
}

/**
 * Lets merges of all indexes begin, as many at a time and as different in size as one index has: in the order in
 * which they come, but for those that would run beside one of their size.
 */
export class MergeTurns {
  #waiting: Merge[] = [];
  readonly #running = new Map<Merge, Promise<void>>();
  #isStopped = false;

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Runs a merge of so many bytes in its turn. */
  run<T>(bytes: number, merge: () => Promise<T>): Promise<T> {
    if (this.#isStopped) return Promise.reject(mergingStopped());
    return new Promise((resolve, reject) => {
      const begin = async (): Promise<void> => {
        try {
          resolve(await merge());
        } catch (error) {
          // One that throws at once, too, as where no thread can be started.
          reject(error);
        }
      };
      this.#waiting.push({ bytes, begin, reject });
      this.#beginWaiting();
    });
  }

  /** Those that wait fail, and later ones too. */
  stop(): void {
    this.#isStopped = true;
    for (const { reject } of this.#waiting.splice(0)) reject(mergingStopped());
  }

  /** Resolves once none is under way. */
  async idle(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  #beginWaiting(): void {
    this.#waiting = this.#waiting.filter((merge) => {
      if (!mayRunBeside(merge.bytes, [...this.#running.keys()])) return true;
      const ended = merge.begin().then(() => {
        this.#running.delete(merge);
        this.#beginWaiting();
      });
      this.#running.set(merge, ended);
      return false;
    });
  }
}

export function mergingStopped(): FindlingError {
  return new FindlingError("storage_unavailable", "merging has stopped");
}
