/**
 * Work that can pause: a generator that yields where it may, every few thousand steps, and keeps its
 * hot loops free of it. What it makes doesn't depend on the pauses.
 */
export type SlicedWork<T = void> = Generator<undefined, T, undefined>;

/** Pauses after this much work in one go, so that searches are answered while a large write runs. */
const SLICE_MS = 2;

/**
 * Runs the work, and lets the event loop turn between slices of it. Throws what the work throws.
 *
 * @param between other work that goes before the next slice
 */
export async function runInSlices<T>(work: SlicedWork<T>, between?: () => Promise<void> | null): Promise<T> {
  for (;;) {
    const step = nextSlice(work);
    if (step.done === true) return step.value;
    await nextTurn();
    for (let other = between?.() ?? null; other !== null; other = between?.() ?? null) {
      await other;
      // Those whose turn it was are answered first.
      await nextTurn();
    }
  }
}

/** Apart from the waiting, which V8 would compile with it. */
function nextSlice<T>(work: SlicedWork<T>): IteratorResult<undefined, T> {
  const sliceEnd = performance.now() + SLICE_MS;
  for (;;) {
    const step = work.next();
    if (step.done === true || performance.now() >= sliceEnd) return step;
  }
}

/** Work that makes bytes as it goes on: yields them, or undefined where it only pauses. */
export type SlicedChunks = Generator<Uint8Array | undefined, void, undefined>;

/**
 * The bytes that the work makes, as they are asked for; lets the event loop turn as `runInSlices` does.
 *
 * @param beforeSlice may throw, and end the work with it
 */
export async function* chunksInSlices(
  work: SlicedChunks,
  beforeSlice?: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (const chunk of work) {
    if (chunk !== undefined) yield chunk;
    if (performance.now() < sliceEnd) continue;
    await nextTurn();
    beforeSlice?.();
    sliceEnd = performance.now() + SLICE_MS;
  }
}

/** Resolves once the event loop has turned. */
export function nextTurn(): Promise<void> {
  return new Promise((resume) => setImmediate(resume));
}

/** Runs the work in one go. */
export function runWhole<T>(work: SlicedWork<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}
