import type { BufferGarbage } from "./buffer-garbage.js";

/** A merge drops tens of megabytes on its way, between which it lets the event loop turn. */
const LOOK_MS = 100;
/** After so long without one, what a thread still knows of segments that are no more is forgotten: idle threads collect nothing. */
const IDLE_MS = 1000;

/** Looks for the garbage of merges, in the thread that runs them. */
export class MergeGarbage {
  readonly #garbage: BufferGarbage;
  readonly #bytesInUse: () => number;
  #merges = 0;
  #looking: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** @param bytesInUse estimate of buffers that are in use besides merges */
  constructor(garbage: BufferGarbage, bytesInUse: () => number) {
    this.#garbage = garbage;
    this.#bytesInUse = bytesInUse;
  }

  /** Runs the merge, and looks for its garbage meanwhile and afterwards. */
  async during<T>(merge: () => Promise<T>): Promise<T> {
    clearTimeout(this.#idle);
    if (this.#merges++ === 0) this.#looking = setInterval(() => this.#look(), LOOK_MS).unref();
    try {
      return await merge();
    } finally {
      this.#look();
      if (--this.#merges === 0) {
        clearInterval(this.#looking);
        this.#idle = setTimeout(() => this.#garbage.collect(this.#bytesInUse()), IDLE_MS).unref();
      }
    }
  }

  #look(): void {
    this.#garbage.collectIfMuch(this.#bytesInUse());
  }
}
