/** Properties: what is given back is taken again, the longest first, or the shortest for little; what is kept is bounded. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { BuildingMemory } from "./building-memory.js";

const MEBIBYTE = 1 << 20;

/** One that nobody had before, of so many mebibytes or a little more. */
function taken(mebibytes: number): BuildingMemory {
  const memory = BuildingMemory.take();
  const missing = mebibytes * MEBIBYTE - memory.bytes.length;
  if (missing > 0) memory.functions.allocate(mebibytes * MEBIBYTE);
  return memory;
}

function dropAll(): void {
  for (let i = 0; i < 8; i++) BuildingMemory.take();
}

beforeEach(dropAll);
afterEach(dropAll);

test("the longest is taken again, or for little the shortest", () => {
  const [short, long] = [taken(1), taken(7)];
  long.giveBack();
  short.giveBack();
  expect(BuildingMemory.take()).toBe(long);
  long.giveBack();
  expect(BuildingMemory.take(true)).toBe(short);
  expect(BuildingMemory.take(true)).toBe(long);
});

test("two are kept, the longest", () => {
  const [short, longer, longest] = [taken(1), taken(5), taken(6)];
  for (const memory of [longest, short, longer]) memory.giveBack();
  expect(BuildingMemory.take()).toBe(longest);
  expect(BuildingMemory.take()).toBe(longer);
  expect(BuildingMemory.take()).not.toBe(short);
});

test("those are not kept that take too much together", () => {
  const [short, long, tooLong] = [taken(1), taken(9), taken(15)];
  short.giveBack();
  tooLong.giveBack();
  long.giveBack();
  expect(BuildingMemory.take()).toBe(long);
  const others = [BuildingMemory.take(), BuildingMemory.take()];
  expect(others).not.toContain(tooLong);
  expect(others).not.toContain(long);
});

test("a thread with little memory keeps less", () => {
  const [short, long, next] = [taken(2), taken(5), taken(2)];
  short.giveBack();
  long.giveBack();
  try {
    BuildingMemory.keepAtMost(4 * MEBIBYTE);
    expect(BuildingMemory.take()).toBe(short);
    long.giveBack();
    next.giveBack();
    expect(BuildingMemory.take()).toBe(next);
    expect(BuildingMemory.take()).not.toBe(long);
  } finally {
    BuildingMemory.keepAtMost(Number.POSITIVE_INFINITY);
  }
});

test("what is kept is forgotten", () => {
  const memory = taken(5);
  memory.giveBack();
  BuildingMemory.forgetSpares();
  expect(BuildingMemory.take()).not.toBe(memory);
});

test("what is taken again is empty", () => {
  const memory = taken(2);
  const before = memory.functions.heapTop();
  memory.giveBack();
  expect(BuildingMemory.take()).toBe(memory);
  expect(memory.functions.heapTop()).toBeLessThan(before);
});
