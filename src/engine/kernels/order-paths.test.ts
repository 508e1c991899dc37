/** Counted paths come in preorder, siblings by count, then by path, whatever an order before has left in the room. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SeededRandom } from "../../../tests/setup/seeded-random.js";
import { CountRoom } from "./count-room.js";
import { compiledKernels, instantiateKernels } from "./kernel-module.js";

const CAPACITY = 3000;
const PARENTS = 64;
const ROOM = PARENTS + 4 * CAPACITY;
const PAGE_BYTES = 65_536;

interface Counted {
  readonly parents: readonly number[];
  /** By path; 0 for one that isn't counted, and then neither is what is below it. */
  readonly counts: readonly number[];
}

/** In preorder. */
function draw(random: SeededRandom, size: number): Counted {
  const parents: number[] = [];
  const counts: number[] = [];
  const above: number[] = [];
  const breadth = random.pick([2, 5, 400]);
  const share = random.next();
  for (let ordinal = 0; ordinal < size; ordinal++) {
    if (random.below(breadth) === 0 || above.length > 6) above.length = random.below(above.length + 1);
    const parent = above.at(-1) ?? -1;
    parents.push(parent);
    const isCounted = random.next() < share && (parent < 0 || counts[parent]! > 0);
    counts.push(isCounted ? 1 + random.below(random.pick([3, 1000, 2 ** 31 - 1])) : 0);
    if (random.below(3) === 0) above.push(ordinal);
  }
  return { parents, counts };
}

function expected({ parents, counts }: Counted, parent = -1, depth = 0): number[] {
  return counts
    .map((_, ordinal) => ordinal)
    .filter((ordinal) => counts[ordinal]! > 0 && parents[ordinal] === parent)
    .sort((a, b) => counts[b]! - counts[a]! || a - b)
    .flatMap((ordinal) => [
      ordinal,
      counts[ordinal]!,
      depth,
      ...expected({ parents, counts }, ordinal, depth + 1),
    ]);
}

describe.skipIf(compiledKernels() === null)("orderPaths", () => {
  test("gives what sorting by count gives", () => {
    const pages = Math.ceil((ROOM + CountRoom.bytesFor(CAPACITY)) / PAGE_BYTES);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: 65_536, shared: true });
    const kernels = instantiateKernels(compiledKernels()!, memory);
    const room = new CountRoom(memory, ROOM, CAPACITY);
    const parentWords = new Int32Array(memory.buffer, PARENTS, CAPACITY);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), (seed) => {
        const random = new SeededRandom(seed);
        const drawn = draw(random, random.pick([1, 10, 100, 1000]));
        parentWords.set(drawn.parents);
        const { words } = room.clear(CAPACITY);
        words.set(drawn.counts);
        const counted = [...drawn.counts.keys()].filter((ordinal) => drawn.counts[ordinal]! > 0);
        counted.sort(() => random.next() - 0.5);
        words.set(counted, room.capacity);
        room.order(kernels, counted.length, PARENTS);
        const { entriesStart } = room;
        const entries = words.subarray(entriesStart, entriesStart + 3 * counted.length);
        expect([...entries]).toEqual(expected(drawn));
        // Their parents lie in the room.
        room.clear(CAPACITY);
        for (const [index, path] of counted.entries())
          room.take(index, path, drawn.counts[path]!, drawn.parents[path]!);
        room.orderTaken(kernels, counted.length);
        expect([...entries]).toEqual(expected(drawn));
        expect(
          room
            .clear(CAPACITY)
            .words.subarray(0, CAPACITY)
            .every((count) => count === 0),
        ).toBe(true);
      }),
      { numRuns: 200 },
    );
    const roots = Array.from({ length: CAPACITY }, (_, ordinal) => ordinal);
    parentWords.fill(-1);
    const { words, capacity, entriesStart } = room.clear(CAPACITY);
    words.set(roots, capacity);
    expect(CountRoom.orders(16_384)).toBe(true);
    expect(CountRoom.orders(16_385)).toBe(false);
    room.order(kernels, CAPACITY, PARENTS);
    expect(words[entriesStart + 3 * (CAPACITY - 1)]).toBe(CAPACITY - 1);
  });
});
