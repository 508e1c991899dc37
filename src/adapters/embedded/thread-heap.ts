import type { ResourceLimits } from "node:worker_threads";

/**
 * V8's young generation in threads of their own, whose objects die at once or are few: what is large lies
 * in buffers. Left alone it grows to 48 MB in each of them (measured: 28 to 30 while a load runs).
 */
export const THREAD_HEAP: ResourceLimits = { maxYoungGenerationSizeMb: 12 };

/** V8's young generation in threads that write and merge, whose whole heap comes on top of the budget for writing. */
export const WRITING_HEAP: ResourceLimits = { maxYoungGenerationSizeMb: 6 };
