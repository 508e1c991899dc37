/**
 * Properties: a small budget has its garbage collected at once and merges where it writes, a large one in steps, beside a
 * thread that merges; the parts are no more than the whole.
 */
import { expect, test } from "vitest";
import { AT_ONCE, IN_STEPS } from "../buffer-garbage.js";
import { divideMemory } from "./thread-memory.js";

const MEBIBYTE = 1024 * 1024;
/** What isn't for writes that wait in a budget of 96 MiB, from which on merges have a thread of their own (README). */
const LARGE = 0.75 * 96 * MEBIBYTE;

test("a small budget collects garbage at once, and has no thread that merges", () => {
  expect(divideMemory(6 * MEBIBYTE)).toMatchObject({ collector: AT_ONCE, hasMergeThread: false });
  expect(divideMemory(LARGE - 1)).toMatchObject({ collector: AT_ONCE, hasMergeThread: false });
});

test("a large one collects it in steps, beside a thread that merges", () => {
  expect(AT_ONCE).not.toBe(IN_STEPS);
  for (const bytes of [LARGE, 16 * LARGE]) {
    const { collector, hasMergeThread } = divideMemory(bytes);
    expect(collector).toBe(IN_STEPS);
    expect(hasMergeThread).toBe(true);
  }
});

test.each([6, 30, 96, 768])("pending documents of %d MiB have what garbage and pools leave", (megabytes) => {
  const bytes = megabytes * MEBIBYTE;
  const { pendingBytesMax, garbageBytesMax, spareBytesMax } = divideMemory(bytes);
  expect(pendingBytesMax + garbageBytesMax).toBeLessThan(bytes);
  expect(pendingBytesMax).toBeGreaterThan(bytes / 2);
  expect(spareBytesMax).toBeLessThan(pendingBytesMax);
});
