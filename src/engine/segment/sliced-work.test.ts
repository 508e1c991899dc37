/** Sliced work gives what it gives in one go, lets the event loop turn between slices, and fails as it fails. */
import { describe, expect, it } from "vitest";
import { runInSlices, runWhole, type SlicedWork } from "./sliced-work.js";

function* sum(parts: readonly (() => number)[]): SlicedWork<number> {
  let total = 0;
  for (const part of parts) {
    total += part();
    yield;
  }
  return total;
}

/** Keeps the thread busy for longer than a slice. */
function busy(): number {
  for (const end = performance.now() + 10; performance.now() < end; );
  return 1;
}

describe("sliced work", () => {
  it("gives the same in slices and in one go", async () => {
    const parts = [1, 2, 3].map((value) => () => value);
    expect(runWhole(sum(parts))).toBe(6);
    expect(await runInSlices(sum(parts))).toBe(6);
    expect(await runInSlices(sum([]))).toBe(0);
  });

  it("lets the event loop turn after each slice", async () => {
    const turns: number[] = [];
    let steps = 0;
    const step = (): number => {
      steps++;
      return busy();
    };
    const turn = (): void => {
      turns.push(steps);
      if (steps < 4) setImmediate(turn);
    };
    setImmediate(turn);
    expect(await runInSlices(sum([step, step, step, step]))).toBe(4);
    expect(turns).toEqual([1, 2, 3, 4]);
  });

  it("fails as the work fails, between slices too", async () => {
    const fail = (): number => {
      throw new Error("no more");
    };
    expect(() => runWhole(sum([busy, fail]))).toThrow("no more");
    await expect(runInSlices(sum([busy, fail]))).rejects.toThrow("no more");
  });
});
