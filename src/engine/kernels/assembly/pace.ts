// AssemblyScript. Lets a search be ended between two steps of a kernel.

/** Leaves the kernels by an exception if the search is to end now; TypeScript knows. */
@external("env", "checkInterrupt")
declare function checkInterrupt(): void;

/** Postings between two questions, and how many are left until the next one. */
let step: i32 = 0;
let left: i32 = 0;

/** To be called before the first search: what one has left until the next question is the next one's. */
export function beginPace(postings: i32): void {
  step = postings;
  left = postings;
}

/** To be called where it may not be left, and a lot was looked at besides what the next call of `pace` counts. */
export function spend(postings: i32): void {
  left -= postings;
}

/**
 * To be called where a search may be left for good: with all buffers as they have to be between searches.
 *
 * @param postings looked at since the last call, about
 */
export function pace(postings: i32): void {
  left -= postings;
  if (left > 0) return;
  left = step;
  checkInterrupt();
}
