/** Bits of terms that are asked for again: from when on, for how long, and in how much memory. */
import { describe, expect, test } from "vitest";
import { DenseCache } from "./dense-cache.js";
import type { PostingPlace } from "./posting-image.js";

const SLOTS_MIN = 64;
const SEARCHES_KEPT = 256;
const image = { lastDocs: 4096 };

function place(reference: number, docFreq: number): PostingPlace {
  return { docFreq, reference, positionReference: 0, denseBits: 0, denseRanks: 0 };
}

interface Made {
  readonly cache: DenseCache;
  readonly memory: WebAssembly.Memory;
  /** Addresses of bits as they were made. */
  readonly filled: number[];
  readonly bitsetBytes: number;
}

function cacheOf(maxDoc: number, maximum = 1024): Made {
  const memory = new WebAssembly.Memory({ initial: 1, maximum, shared: true });
  const filled: number[] = [];
  const functions = {
    clearBits() {},
    orBlocks: (target: number) => void filled.push(target),
    rankBits() {},
  };
  const bitsetBytes = Math.ceil(maxDoc / 512) * 64;
  return { cache: new DenseCache(memory, functions, { bitsetBytes, maxDoc }), memory, filled, bitsetBytes };
}

/** The address of a list's bits in a search of its own; 0: none. */
function bitsOf({ cache }: Made, own: PostingPlace): number {
  cache.beginSearch();
  return cache.placeOf(image, own, () => 0).denseBits;
}

describe("DenseCache", () => {
  test("serves lists in 1/512 of the documents that have no bits in their segment", () => {
    const { cache } = cacheOf(512_000);
    expect(cache.serves(place(0, 1000))).toBe(true);
    expect(cache.serves(place(0, 999))).toBe(false);
    expect(cache.serves({ ...place(0, 1000), denseBits: 64 })).toBe(false);
  });

  test("a list in 1/64 of the documents has bits the second time, a rarer one the third", () => {
    const made = cacheOf(64_000);
    expect(bitsOf(made, place(0, 1000))).toBe(0);
    const bits = bitsOf(made, place(0, 1000));
    expect(bits).toBeGreaterThan(0);
    expect(bitsOf(made, place(8, 999))).toBe(0);
    expect(bitsOf(made, place(8, 999))).toBe(0);
    expect(bitsOf(made, place(8, 999))).toBeGreaterThanOrEqual(bits + made.bitsetBytes);
    expect(bitsOf(made, place(0, 1000))).toBe(bits);
    expect(made.filled).toHaveLength(2);
  });

  test("bits give way once they haven't been used for 256 searches, those first that were used least lately", () => {
    const made = cacheOf(1_000_000);
    const lists = Array.from({ length: SLOTS_MIN }, (_, n) => place(1000 * n, 20_000));
    const addresses = lists.map((own) => [bitsOf(made, own), bitsOf(made, own)][1]!);
    expect(new Set(addresses).size).toBe(SLOTS_MIN);
    const other = place(1_000_000, 20_000);
    expect(bitsOf(made, other)).toBe(0);
    // The first list's bits are from the second search.
    let searches = 2 * SLOTS_MIN + 1;
    for (; searches < 2 + SEARCHES_KEPT - 1; searches++) expect(bitsOf(made, other)).toBe(0);
    expect(bitsOf(made, other)).toBe(addresses[0]);
    expect(bitsOf(made, other)).toBe(addresses[0]);
    expect(bitsOf(made, lists[0]!)).toBe(0);
    expect(bitsOf(made, lists[2]!)).toBe(addresses[2]);
  });

  test.each([1000, 10_000, 100_000, 150_000, 1_000_000])(
    "memory for %i documents is taken in eight pieces at most, and no bits overlap",
    (maxDoc) => {
      const made = cacheOf(maxDoc);
      const { memory } = made;
      const addresses = new Set<number>();
      let pieces = 0;
      for (let n = 0; n < 1000; n++) {
        const before = memory.buffer.byteLength;
        bitsOf(made, place(1000 * n, maxDoc));
        // The lists before have used theirs lately, so that each wants room of its own.
        const bits = bitsOf(made, place(1000 * n, maxDoc));
        if (memory.buffer.byteLength !== before) pieces++;
        if (bits === 0) break;
        if (addresses.has(bits)) break;
        addresses.add(bits);
        expect(bits + made.bitsetBytes).toBeLessThanOrEqual(memory.buffer.byteLength);
      }
      expect(pieces).toBeLessThanOrEqual(8);
      const sorted = [...addresses].sort((a, b) => a - b);
      for (let i = 1; i < sorted.length; i++) {
        expect(sorted[i]! - sorted[i - 1]!).toBeGreaterThan(made.bitsetBytes);
      }
      expect(sorted.length).toBeGreaterThanOrEqual(SLOTS_MIN);
    },
  );

  test("lists have no bits where the memory has no room, and those that have keep theirs", () => {
    // One piece: eight of a million documents.
    const made = cacheOf(1_000_000, 1 + 17);
    const lists = Array.from({ length: 12 }, (_, n) => place(1000 * n, 20_000));
    for (const own of lists) bitsOf(made, own);
    const addresses = lists.map((own) => bitsOf(made, own));
    expect(addresses.filter((bits) => bits > 0)).toHaveLength(8);
    expect(lists.map((own) => bitsOf(made, own))).toEqual(addresses);
  });
});
