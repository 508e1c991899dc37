import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sentBody } from "../../../tests/kit/sent-body.js";
import { bytesOfJson, textOfJson } from "../../contract/document-json.js";
import { SentBody } from "../../contract/sent-body.js";
import { AnswerCache, type AnswerGround } from "./answer-cache.js";
import type { SearchPage } from "./cursor-store.js";

const CLAUSES = [{ mode: "exact", ctx: "a", occur: "should" }] as const;

function pageOf(text: string): SearchPage {
  return {
    hits: [{ docJson: bytesOfJson(text), document_id: "1", score: 1, source_index: "books" }],
    count: 1,
  };
}

describe("AnswerCache", () => {
  test("gives what was kept last for the same request on the same ground, or nothing, and stays within its bounds", () => {
    const settings = [{}, {}, {}];
    const ground = (place: number, generation: number): AnswerGround => [settings[place]!, generation];
    const step = fc.record({
      key: fc.integer({ min: 0, max: 5 }).map(String),
      place: fc.nat(2),
      generation: fc.nat(2),
      length: fc.nat(3_000),
      isKeeping: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 0, max: 60_000 }),
        (steps, bytesMax) => {
          const cache = new AnswerCache(bytesMax);
          const kept = new Map<string, { ground: AnswerGround; text: string }>();
          for (const { key, place, generation, length, isKeeping } of steps) {
            const now = ground(place, generation);
            if (isKeeping) {
              const text = "x".repeat(length);
              const answer = cache.keep(key, now, { page: pageOf(text), clauses: CLAUSES });
              if (answer.keptPage !== undefined) kept.set(key, { ground: now, text });
              expect(textOfJson(answer.hits[0]!.docJson)).toBe(text);
            } else {
              const found = cache.find(key, now);
              if (found !== undefined) {
                expect(kept.get(key)!.ground).toEqual(now);
                expect(kept.get(key)!.ground[0]).toBe(now[0]);
                expect(textOfJson(found.page.hits[0]!.docJson)).toBe(kept.get(key)!.text);
              }
            }
            expect(cache.bytes).toBeLessThanOrEqual(bytesMax);
            expect(cache.bytes).toBeGreaterThanOrEqual(0);
          }
        },
      ),
    );
  });

  test("gives up the answer that was asked for the longest time ago", () => {
    const cache = new AnswerCache(100_000);
    const text = "x".repeat(1_500);
    const keys = Array.from({ length: 40 }, (_, i) => `key ${i}`);
    for (const key of keys) {
      cache.keep(key, [], { page: pageOf(text), clauses: CLAUSES });
      expect(cache.find("key 0", [])).toBeDefined();
    }
    // From the last one on, as finding what wasn't asked for lately makes it recent.
    const left = keys
      .toReversed()
      .filter((key) => cache.find(key, []) !== undefined)
      .reverse();
    expect(left.length).toBeGreaterThan(10);
    expect(left).toEqual(["key 0", ...keys.slice(1 - left.length)]);
  });

  test("keeps no larger buffer in memory than a document takes", () => {
    const cache = new AnswerCache(100_000);
    const docJson = new Uint8Array(10_000).fill(32).subarray(5, 25);
    const page: SearchPage = { ...pageOf(""), hits: [{ ...pageOf("").hits[0]!, docJson }] };
    const [hit] = cache.keep("key", [], { page, clauses: CLAUSES }).hits;
    expect(hit!.docJson).toEqual(docJson);
    expect(hit!.docJson.buffer.byteLength).toBe(20);
  });

  test("keeps facets as nodes, without the names of an index's paths", () => {
    const cache = new AnswerCache(100_000);
    const facet = { field: "shelf", nodes: [{ path: "/a", count: 1 }] };
    const counts = { paths: { pathOf: () => "/a" }, entries: [0, 1, 0] };
    const page: SearchPage = { ...pageOf(""), facets: [{ ...facet, counts }] };
    expect(cache.keep("key", [], { page, clauses: CLAUSES }).facets).toEqual([facet]);
    expect(cache.find("key", [])?.page.facets).toEqual([facet]);
  });

  test("forgets an answer whose ground has changed", () => {
    const cache = new AnswerCache(100_000);
    cache.keep("key", ["1"], { page: pageOf("old"), clauses: CLAUSES });
    expect(cache.find("key", ["2"])).toBeUndefined();
    expect(cache.find("key", ["1"])).toBeUndefined();
    expect(cache.bytes).toBe(0);
  });

  test("wants what is asked for a second time", () => {
    const cache = new AnswerCache(1);
    expect([cache.isWanted("a"), cache.isWanted("b"), cache.isWanted("a")]).toEqual([false, false, true]);
  });

  test("names requests by what is searched and asked, but for long ones and where nothing is kept", () => {
    const cache = new AnswerCache(1_000);
    const body = sentBody({ query: { fuzzy: { ctx: "a" } } });
    const keys = [body, sentBody({})].flatMap((each) => [
      cache.keyOf("index a", each),
      cache.keyOf("index b", each),
    ]);
    expect(new Set(keys).size).toBe(4);
    expect(keys).not.toContain(null);
    expect(cache.keyOf("index a", SentBody.ofValue({ query: "x" }))).toBeNull();
    expect(new AnswerCache(0).keyOf("index a", body)).toBeNull();
  });
});
