/** Room for positions: given to lists that are asked for again, each its own, and never taken from a search at hand. */
import { expect, test } from "vitest";
import { PositionCache, UNKNOWN_STARTS } from "./position-cache.js";
import type { PostingPlace } from "./posting-image.js";

const MAX_DOC = 64_000;
const image = { lastDocs: 4096 };

function place(reference: number, docFreq: number): PostingPlace {
  return { docFreq, reference, positionReference: 0, denseBits: 64, denseRanks: 0 };
}

function cacheOf(maxDoc: number): PositionCache {
  return new PositionCache(new WebAssembly.Memory({ initial: 1, maximum: 64, shared: true }), maxDoc);
}

test("a list has room from the second time on, the same until it is forgotten", () => {
  const cache = cacheOf(MAX_DOC);
  cache.beginSearch();
  expect(cache.of(image, place(0, 1280))).toBe(UNKNOWN_STARTS);
  cache.beginSearch();
  const first = cache.of(image, place(0, 1280));
  expect(first.starts).toBeGreaterThanOrEqual(first.blocks + 10);
  cache.of(image, place(10, 256));
  cache.beginSearch();
  expect(cache.of(image, place(0, 1280))).toEqual(first);
  const second = cache.of(image, place(10, 256));
  expect(second.blocks).toBeGreaterThanOrEqual(first.starts + 10 * 272);
});

test("room that the search at hand uses isn't given to another list", () => {
  const cache = cacheOf(MAX_DOC);
  const large = [place(0, MAX_DOC), place(1000, MAX_DOC), place(2000, MAX_DOC), place(3000, MAX_DOC)];
  cache.beginSearch();
  for (const own of large) expect(cache.of(image, own)).toBe(UNKNOWN_STARTS);
  cache.beginSearch();
  const given = large.map((own) => cache.of(image, own));
  expect(given.slice(0, 3).every(({ starts }) => starts > 0)).toBe(true);
  expect(given[3]).toBe(UNKNOWN_STARTS);
  // The next search may have it, and the others are asked for anew.
  cache.beginSearch();
  expect(cache.of(image, large[3]!).starts).toBeGreaterThan(0);
  cache.beginSearch();
  expect(cache.of(image, large[0]!)).toBe(UNKNOWN_STARTS);
});

test("a list that is too long has none", () => {
  const cache = cacheOf(128);
  cache.beginSearch();
  cache.of(image, place(0, 128_000));
  expect(cache.of(image, place(0, 128_000))).toBe(UNKNOWN_STARTS);
});
