/**
 * A page is the same however often it was asked for before, which decides what of it is kept in memory; and the same in
 * memory of its own, for another thread.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { field, sampleIndex } from "../../../tests/query-kit/sample-index.js";
import { parsedDocument } from "../../contract/document-json.js";
import { decodeUtf8 } from "../../engine/bytes/byte-reader.js";
import { Index, MemoryDirectory } from "../../engine/server-door.js";
import { compileSearch } from "../../query/compile-search.js";
import type { SearchPlan } from "../../query/search-plan.js";
import { searchIndex } from "./search-index.js";
import { SearchPatience } from "./search-patience.js";
import { COST_HERE_MAX_MICROSECONDS } from "./search-placement.js";
import { PageReceiver, PageSender } from "./search-threads/page-message.js";
import { toEngineSchema } from "./to-engine-schema.js";

const fields = { title: field("text"), price: field("u64") };
const sample = sampleIndex({ fields, search_fields: ["title"], weight_multipliers: {} });
const COMMITS = 3;
const DOCUMENTS_PER_COMMIT = 12;

let index: Index;

beforeAll(async () => {
  index = await Index.create(new MemoryDirectory(), toEngineSchema(sample.schema));
  for (let commit = 0; commit < COMMITS; commit++) {
    const documents = Array.from({ length: DOCUMENTS_PER_COMMIT }, (_, i) => ({
      // Some too long to lie beside others.
      title: `${"winter ".repeat(1 + (i % 5))}${"and more ".repeat(i % 4 === 3 ? 2_000 : i)}`,
      price: 100 * commit + i,
    }));
    await index.add(documents);
    await index.commit();
  }
});
afterAll(() => index.close());

function planOf(page: {
  readonly offset: number;
  readonly limit: number;
  readonly orderBy?: string;
}): SearchPlan {
  const clause = { mode: "exact" as const, ctx: "winter", occur: "should" as const };
  return compileSearch({ clauses: [clause], sort: "desc", ...page }, sample, 0);
}

/** What a page shows, as text. */
function shown(plan: SearchPlan): string[] {
  const { hits } = searchIndex(index.searcher, plan, { interrupt: { check() {} }, admit() {} });
  return hits.map(({ documentId, score, docJson }) => `${documentId} ${score} ${decodeUtf8(docJson)}`);
}

test.each([{}, { orderBy: "price" }])("pages that come again, $orderBy", (order) => {
  const all = planOf({ offset: 0, limit: 100, ...order });
  const first = shown(all);
  expect(first).toHaveLength(COMMITS * DOCUMENTS_PER_COMMIT);
  expect(new Set(first).size).toBe(first.length);
  for (let turn = 0; turn < 4; turn++) {
    const offset = 7 * turn;
    expect(shown(planOf({ offset, limit: 10, ...order }))).toEqual(first.slice(offset, offset + 10));
    expect(shown(all)).toEqual(first);
  }
});

test("documents and their ids are kept once they came again", () => {
  const plan = planOf({ offset: 0, limit: 100 });
  for (let turn = 0; turn < 3; turn++) shown(plan);
  const { searcher } = index;
  const hits = searcher.segments.flatMap(({ maxDoc }, segmentIndex) =>
    Array.from({ length: maxDoc }, (_, docId) => ({ segmentIndex, docId, score: 1 })),
  );
  const ranked = { length: hits.length, held: hits.length, at: (i: number) => hits[i]!, sortKeys: () => [] };
  const { jsons, ids, lengths } = searcher.keptPage(ranked, 0, hits.length);
  for (const [i, hit] of hits.entries()) {
    const { documentId, json } = searcher.loadBytes(hit);
    expect([ids[i], jsons[i]]).toEqual([documentId, json]);
    expect(lengths[i]).toBe(json.length);
  }
});

test("for another thread a page takes nothing else along", () => {
  const plan = planOf({ offset: 3, limit: 20 });
  const expected = shown(plan);
  const result = searchIndex(index.searcher, plan, { interrupt: { check() {} }, admit() {} });
  const arrived = new PageReceiver().page(structuredClone(new PageSender().message(result)));
  const bytes = arrived.hits.map(({ docJson }) => docJson.buffer.byteLength);
  expect(new Set(bytes).size).toBe(1);
  expect(bytes[0]).toBe(result.hits.reduce((sum, { docJson }) => sum + docJson.length, 0));
  expect(
    arrived.hits.map(({ documentId, score, docJson }) => `${documentId} ${score} ${decodeUtf8(docJson)}`),
  ).toEqual(expected);
});

describe("highlighting and picking fields", () => {
  const highlighted: SearchPlan = {
    ...planOf({ offset: 0, limit: 100 }),
    hitParts: {
      fields: ["price"],
      highlight: { preTag: "<", postTag: ">", fragmentSize: 0, maxFragments: 1, fields: ["title"] },
    },
  };

  test("show what the plan says", () => {
    const { hits } = searchIndex(index.searcher, highlighted, { interrupt: { check() {} }, admit() {} });
    expect(hits).toHaveLength(COMMITS * DOCUMENTS_PER_COMMIT);
    for (const { docJson, highlightsJson } of hits) {
      expect(Object.keys(parsedDocument(docJson))).toEqual(["price"]);
      const { title } = parsedDocument(highlightsJson!) as { readonly title: readonly string[] };
      expect(title[0]).toContain("<winter>");
    }
  });

  test("ask whether they may go on, and end with the search's time", () => {
    const plain = checksOf({ ...highlighted, hitParts: {} });
    const all = checksOf(highlighted);
    // More often than once a hit: texts take long, too.
    expect(all - plain).toBeGreaterThan(COMMITS * DOCUMENTS_PER_COMMIT);
    let now = 0;
    const patience = new SearchPatience(plain + 2, () => now++);
    expect(() => searchIndex(index.searcher, highlighted, patience)).toThrow(
      expect.objectContaining({ code: "search_timeout" }),
    );
  });

  test("are dear where documents are long", () => {
    const admitted: number[] = [];
    const admit = (microseconds: number): void => void admitted.push(microseconds);
    searchIndex(index.searcher, { ...highlighted, hitParts: {} }, { interrupt: { check() {} }, admit });
    const before = admitted.length;
    searchIndex(index.searcher, highlighted, { interrupt: { check() {} }, admit });
    expect(admitted).toHaveLength(2 * before + 1);
    expect(admitted.at(-1)).toBeGreaterThan(COST_HERE_MAX_MICROSECONDS);
  });

  function checksOf(plan: SearchPlan): number {
    let checks = 0;
    searchIndex(index.searcher, plan, { interrupt: { check: () => checks++ }, admit() {} });
    return checks;
  }
});
