import { AT_ONCE, type Collector, garbageBytesMax, IN_STEPS, pooledBytesMax } from "../buffer-garbage.js";

/** Merges have a thread of their own from so much memory of the writing thread on, which is three quarters of the budget: a thread that merges takes 40 MB more (ADR 24). */
const MERGE_THREAD_FROM = 72 << 20;
/** The part of that memory, one of so many, that is kept for the next segments. */
const SPARE_PART = 6;

/** What becomes of the writing thread's memory. */
export interface ThreadMemory {
  /** For pending documents. */
  readonly pendingBytesMax: number;
  /** How much garbage may come together, and how it is collected then. */
  readonly garbageBytesMax: number;
  readonly collector: Collector;
  /** What is kept for the next segments. */
  readonly spareBytesMax: number;
  /** Whether merges have a thread of their own; else they run where documents are written. */
  readonly hasMergeThread: boolean;
}

/** @param bytes all that it has */
export function divideMemory(bytes: number): ThreadMemory {
  const hasMergeThread = bytes >= MERGE_THREAD_FROM;
  return {
    pendingBytesMax: bytes - garbageBytesMax(bytes) - pooledBytesMax(bytes),
    garbageBytesMax: garbageBytesMax(bytes),
    collector: hasMergeThread ? IN_STEPS : AT_ONCE,
    spareBytesMax: bytes / SPARE_PART,
    hasMergeThread,
  };
}
