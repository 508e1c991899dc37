/** Joined lists don't overlap, the oldest make room for the newest, and what kernels can't rank isn't kept. */
import { expect, test } from "vitest";
import { JoinedMemory } from "./joined-memory.js";
import { compiledKernels } from "./kernel-module.js";

test.skipIf(compiledKernels() === null)("lists make room for one another, and are told to be gone", () => {
  const memory = JoinedMemory.create(40_000)!;
  const lists = Array.from({ length: 40 }, (_, list) =>
    memory.add(20_000, 40_000, (docs, scores) => {
      for (let i = 0; i < 20_000; i++) {
        docs[i] = 2 * i;
        scores[i] = list + 1;
      }
      return 20_000;
    }),
  );
  const kept = lists.flatMap((list, place) => (list!.isKept ? [place] : []));
  expect(kept.length).toBeGreaterThanOrEqual(2);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => lists.length - kept.length + i));
  const rooms = kept.map((place) => lists[place]!);
  for (const [i, room] of rooms.entries()) {
    expect(room.scoreMax).toBe(kept[i]! + 1);
    for (const other of rooms.slice(i + 1)) {
      expect(other.docs >= room.denseBits || room.docs >= other.denseBits).toBe(true);
    }
  }
  memory.clear();
  expect(lists.some((list) => list!.isKept)).toBe(false);
  expect(memory.add(1_000_000, 40_000, () => 0)).toBeNull();
});

test.skipIf(compiledKernels() === null)(
  "lists aren't made of scores that kernels can't tell from none",
  () => {
    const memory = JoinedMemory.create(100)!;
    const fill = (docs: Uint32Array, scores: Float32Array): number => {
      docs[0] = 0;
      scores[0] = 1e-30;
      return 1;
    };
    expect(memory.add(1, 100, fill)).toBeNull();
  },
);
