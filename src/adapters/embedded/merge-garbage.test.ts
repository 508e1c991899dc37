/**
 * Properties: while any merge runs, its thread looks for garbage time and again, and once more at its end; some time after
 * the last one it collects what there is. What a merge comes to is passed on.
 */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { BufferGarbage } from "./buffer-garbage.js";
import { MergeGarbage } from "./merge-garbage.js";

let looks: number;
let collections: number;
let garbageBytes: number;
let garbage: MergeGarbage;

beforeEach(() => {
  vi.useFakeTimers();
  looks = 0;
  collections = 0;
  garbageBytes = 0;
  const freeAll = (): void => {
    collections++;
    garbageBytes = 0;
  };
  const vm = {
    begin: freeAll,
    collect: freeAll,
    externalBytes: (): number => {
      looks++;
      return garbageBytes + 50;
    },
  };
  garbage = new MergeGarbage(new BufferGarbage(100, vm), () => 50);
});
afterEach(() => vi.useRealTimers());

/** A merge that ends when it is told. */
function beginMerge(): {
  readonly end: () => void;
  readonly fail: (error: Error) => void;
  outcome: Promise<string>;
} {
  let end = (): void => undefined;
  let fail = (_error: Error): void => undefined;
  const merging = new Promise<string>((resolve, reject) => {
    end = () => resolve("merged");
    fail = reject;
  });
  return { end, fail, outcome: garbage.during(() => merging) };
}

test("garbage of a merge that runs is collected where there is much of it, and all of it after the last", async () => {
  const merge = beginMerge();
  garbageBytes = 99;
  await vi.advanceTimersByTimeAsync(1000);
  expect(looks).toBeGreaterThan(5);
  expect(collections).toBe(0);
  garbageBytes = 100;
  await vi.advanceTimersByTimeAsync(100);
  expect(collections).toBe(1);
  garbageBytes = 100;
  merge.end();
  expect(await merge.outcome).toBe("merged");
  expect(collections).toBe(2);
  garbageBytes = 1;
  await vi.advanceTimersByTimeAsync(1000);
  expect(collections).toBe(3);
  expect(vi.getTimerCount()).toBe(0);
});

test("of merges beside each other the last ends it, and one that comes soon after puts that off", async () => {
  const [one, other] = [beginMerge(), beginMerge()];
  one.fail(new Error("disk full"));
  await expect(one.outcome).rejects.toThrow("disk full");
  await vi.advanceTimersByTimeAsync(5000);
  expect(collections).toBe(0);
  garbageBytes = 100;
  await vi.advanceTimersByTimeAsync(100);
  expect(collections).toBe(1);
  other.end();
  await other.outcome;
  await vi.advanceTimersByTimeAsync(900);
  const next = beginMerge();
  await vi.advanceTimersByTimeAsync(5000);
  expect(collections).toBe(1);
  next.end();
  await next.outcome;
  await vi.advanceTimersByTimeAsync(1000);
  expect(collections).toBe(2);
  expect(vi.getTimerCount()).toBe(0);
});
