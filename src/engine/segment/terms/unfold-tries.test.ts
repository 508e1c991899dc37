/** Tries of many terms are made in steps of so many, whatever is done of them, as plain code makes them. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { plainTries } from "../../../../tests/oracles/build-trie.js";
import { BuildingMemory } from "../../kernels/building-memory.js";
import { packNumbers } from "../../kernels/pack-numbers.js";
import { runWhole, type SlicedWork } from "../sliced-work.js";
import { trieShapes } from "./trie-shapes.js";
import { unfoldTries } from "./unfold-tries.js";

afterEach(() => vi.restoreAllMocks());

interface Unfolding {
  readonly work: SlicedWork;
  readonly sections: ReadonlyMap<string, Uint8Array>;
}

/** What so many terms unfold to: some long ones, letters of one byte to four. */
function unfolding(count: number): Unfolding {
  const terms = Array.from({ length: count }, (_, n) =>
    Buffer.from(`${n * 7919}${["", "é", "漢", "\u{1f600}"][n % 4]!}`),
  );
  terms.sort(Buffer.compare);
  const offsets = new Uint32Array(count + 1);
  for (const [n, term] of terms.entries()) offsets[n + 1] = offsets[n]! + term.length;
  const bytes = new Uint8Array(Buffer.concat(terms));
  const { forwardNodes, backwardNodes, backwardOrder } = runWhole(trieShapes(bytes, offsets))!;
  const sections = new Map<string, Uint8Array>([
    ["terms.bytes", bytes],
    ["terms.offsets", new Uint8Array(offsets.buffer)],
  ]);
  for (const [direction, nodes] of [
    ["forward", forwardNodes],
    ["backward", backwardNodes],
  ] as const) {
    sections.set(`tries.${direction}.labels`, new Uint8Array(2 * nodes));
    sections.set(`tries.${direction}.depths`, new Uint8Array(nodes));
    sections.set(`tries.${direction}.values`, new Uint8Array(4 * nodes));
  }
  const other = (name: string): Uint8Array => sections.get(name)!;
  const name = "tries.forward.labels";
  const work = unfoldTries(packNumbers(backwardOrder), { name, target: other(name), other });
  return { work, sections };
}

function stepsOf(work: SlicedWork): number {
  let steps = 1;
  while (work.next().done !== true) steps++;
  return steps;
}

function plainly({ sections }: Unfolding): ReadonlyMap<string, Uint8Array> {
  const offsets = sections.get("terms.offsets")!;
  return plainTries(sections.get("terms.bytes")!, new Uint32Array(offsets.buffer))!;
}

function expectPlain(unfolded: Unfolding): void {
  for (const [name, bytes] of plainly(unfolded))
    expect(Buffer.compare(unfolded.sections.get(`tries.${name}`)!, bytes), name).toBe(0);
}

describe("tries", () => {
  it("are made in more steps of more terms, all that is done of them", () => {
    const steps = [50_000, 100_000, 200_000].map((count) => stepsOf(unfolding(count).work));
    // Six goes over the terms, and all that is copied.
    expect(steps[1]! - steps[0]!).toBeGreaterThanOrEqual((6 * 50_000) / 16_384);
    expect(steps[2]! - steps[1]!).toBeGreaterThanOrEqual((6 * 100_000) / 16_384);
  });

  it("are refused where the kernels' memory can't grow, and made once it can", () => {
    const count = 20_000;
    const first = unfolding(count);
    const memory = BuildingMemory.take();
    const { functions } = memory;
    let allocations = 0;
    const allocate = (bytes: number): number => {
      if (++allocations <= 5) return functions.allocate(bytes);
      Reflect.set(memory, "functions", functions);
      // More than there can be.
      return functions.allocate(0xffff_ffff);
    };
    Reflect.set(memory, "functions", { ...functions, allocate });
    vi.spyOn(BuildingMemory, "borrow").mockReturnValueOnce(memory);
    expect(() => runWhole(first.work)).toThrow(RangeError);
    expect(allocations).toBe(6);
    const second = unfolding(count);
    runWhole(second.work);
    expectPlain(second);
  });

  it.each([1, 2, 300, 16_383, 16_384, 16_385, 100_000])(
    "of %i terms are those that plain code makes",
    (count) => {
      const unfolded = unfolding(count);
      runWhole(unfolded.work);
      expectPlain(unfolded);
    },
  );
});
