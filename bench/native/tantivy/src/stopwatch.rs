//! Timing, the same in every runner (`bench/peers/runners/stopwatch.ts` is its twin).

use std::hint::black_box;
use std::time::Instant;

const WARM_UP_SECONDS: f64 = 0.0005;
const BATCH_SECONDS: f64 = 0.0003;
const BATCHES: usize = 5;
const CALLS_PER_BATCH_MAX: f64 = 2000.0;
/// From here on one warm-up call and fewer batches will do.
const SLOW_SECONDS: f64 = 0.02;

/// Microseconds a call takes when it is repeated: the median of several batches.
pub fn hot<T>(mut call: impl FnMut() -> tantivy::Result<T>) -> tantivy::Result<f64> {
    let start = Instant::now();
    let mut calls = 0.0;
    let mut elapsed;
    loop {
        black_box(call()?);
        calls += 1.0;
        elapsed = start.elapsed().as_secs_f64();
        if elapsed >= SLOW_SECONDS || (elapsed >= WARM_UP_SECONDS && calls >= 3.0) {
            break;
        }
    }
    let per_call = elapsed / calls;
    let batches = if per_call >= SLOW_SECONDS { 2 } else { BATCHES };
    let calls_per_batch = (BATCH_SECONDS / per_call).ceil().clamp(1.0, CALLS_PER_BATCH_MAX) as usize;
    let mut means = Vec::with_capacity(batches);
    for _ in 0..batches {
        let start = Instant::now();
        for _ in 0..calls_per_batch {
            black_box(call()?);
        }
        means.push(start.elapsed().as_secs_f64() * 1e6 / calls_per_batch as f64);
    }
    means.sort_by(f64::total_cmp);
    let middle = means.len() / 2;
    Ok(if means.len() % 2 == 1 {
        means[middle]
    } else {
        (means[middle - 1] + means[middle]) / 2.0
    })
}

/// Microseconds that a single call takes.
pub fn once<T>(call: impl FnOnce() -> tantivy::Result<T>) -> tantivy::Result<f64> {
    let start = Instant::now();
    black_box(call()?);
    Ok(start.elapsed().as_secs_f64() * 1e6)
}
