import { FileDirectory, type MergeTask, runMerge, type SharedSegment } from "../../engine/server-door.js";
import type { MergeGarbage } from "./merge-garbage.js";
import { type MergeThread, MergeTurns, mergingStopped } from "./merge-turns.js";

/**
 * Runs merges in the thread that it is made in, in slices between other work: they take longer, and so does what is
 * written meanwhile, but a thread of their own takes 40 MB while there are merges, whatever the budget for writing is.
 */
export class InPlaceMergeRunner implements MergeThread {
  readonly #turns = new MergeTurns();
  readonly #garbage: MergeGarbage;

  constructor(garbage: MergeGarbage) {
    this.#garbage = garbage;
  }

  run(path: string, task: MergeTask): Promise<SharedSegment> {
    return this.#turns.run(task.bytes, () => this.#garbage.during(() => this.#merge(path, task)));
  }

  async stop(): Promise<void> {
    this.#turns.stop();
    await this.#turns.idle();
  }

  #merge(path: string, task: MergeTask): Promise<SharedSegment> {
    return runMerge(FileDirectory.of(path), task, () => {
      if (this.#turns.isStopped) throw mergingStopped();
    });
  }
}
