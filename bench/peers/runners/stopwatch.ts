/** Timing, the same in every runner (`bench/native/tantivy/src/stopwatch.rs` is its twin). */

const WARM_UP_MILLISECONDS = 0.5;
const BATCH_MILLISECONDS = 0.3;
const BATCHES = 5;
const CALLS_PER_BATCH_MAX = 2000;
/** From here on one warm-up call and fewer batches will do. */
const SLOW_MILLISECONDS = 20;

/** Microseconds a call takes when it is repeated: the median of several batches. */
export function hot(call: () => unknown): number {
  const start = performance.now();
  let calls = 0;
  let elapsed = 0;
  do {
    call();
    calls++;
    elapsed = performance.now() - start;
  } while (elapsed < SLOW_MILLISECONDS && (elapsed < WARM_UP_MILLISECONDS || calls < 3));
  const perCall = elapsed / calls;
  const batches = perCall >= SLOW_MILLISECONDS ? 2 : BATCHES;
  const callsPerBatch = Math.min(Math.max(1, Math.ceil(BATCH_MILLISECONDS / perCall)), CALLS_PER_BATCH_MAX);
  const means: number[] = [];
  for (let batch = 0; batch < batches; batch++) {
    const batchStart = performance.now();
    for (let i = 0; i < callsPerBatch; i++) call();
    means.push(((performance.now() - batchStart) * 1000) / callsPerBatch);
  }
  means.sort((a, b) => a - b);
  const middle = means.length >> 1;
  return means.length % 2 === 1 ? means[middle]! : (means[middle - 1]! + means[middle]!) / 2;
}

/** Microseconds that a single call takes. */
export function once(call: () => unknown): number {
  const start = performance.now();
  call();
  return (performance.now() - start) * 1000;
}
