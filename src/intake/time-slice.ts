/** Work goes on for at most about this long before other requests have their turn. */
const SLICE_MS = 2;

/** Breaks up work on the event loop: call `pause` between its steps. */
export class TimeSlice {
  #end: number = performance.now() + SLICE_MS;

  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Lets the event loop turn; a new slice begins. For when the slice is over. */
  async pause(): Promise<void> {
    await new Promise((resume) => setImmediate(resume));
    this.#end = performance.now() + SLICE_MS;
  }
}
