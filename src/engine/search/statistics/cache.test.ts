/** What a cache is bounded by, and what it counts. */
import { expect, test } from "vitest";
import { Cache, type CacheFigures } from "./cache.js";

function newCache(bytesMax: number): {
  readonly cache: Cache<number, string>;
  readonly figures: CacheFigures;
} {
  const figures = { name: "texts", bytes: 0, hits: 0, misses: 0 };
  return { cache: new Cache(bytesMax, figures), figures };
}

test("counts what it has answered and what had to be worked out", () => {
  const { cache, figures } = newCache(10_000);
  expect(cache.get(1)).toBeUndefined();
  cache.set(1, "one");
  expect(cache.get(1)).toBe("one");
  expect(cache.get(2)).toBeUndefined();
  expect(figures).toEqual({ name: "texts", bytes: cache.bytes, hits: 1, misses: 2 });
});

test("never takes more than its bytes and the last value, whatever comes", () => {
  const { cache } = newCache(10_000);
  for (let key = 0; key < 1000; key++) {
    cache.set(key, "value", key % 7 === 0 ? 900 : 0);
    expect(cache.bytes).toBeLessThanOrEqual(10_000 + 2 * 1000);
    expect(cache.get(key)).toBe("value");
  }
  expect(cache.get(0)).toBeUndefined();
});

test("figures are of all caches of the kind", () => {
  const { cache, figures } = newCache(10_000);
  const other = new Cache<number, string>(1_000, figures);
  for (let key = 0; key < 100; key++) {
    cache.set(key, "value", key);
    other.set(key, "value", 300);
    cache.get(key - 1);
    expect(figures.bytes).toBe(cache.bytes + other.bytes);
  }
});

test("what is asked for again and again stays, though much comes that is asked for once", () => {
  const { cache } = newCache(10_000);
  cache.set(-1, "asked for");
  for (let key = 0; key < 1000; key++) {
    cache.set(key, "once");
    expect(cache.get(-1)).toBe("asked for");
  }
});
