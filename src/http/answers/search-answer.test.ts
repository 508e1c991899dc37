/**
 * The answer is the JSON of the result in its envelope, whatever the hits are and show, and the same once more where
 * the page is kept.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SearchHit, SearchResult } from "../../contract/search.js";
import { WHOLE_BYTES_MAX } from "./answer-pieces.js";
import { JsonWriter } from "./json-writer.js";
import { SearchAnswer } from "./search-answer.js";

const hit: fc.Arbitrary<SearchHit> = fc.record(
  {
    docJson: fc
      .dictionary(fc.string(), fc.string({ unit: "grapheme" }))
      .map((doc) => Buffer.from(JSON.stringify(doc))),
    document_id: fc.stringMatching(/^[0-9a-z-]{1,40}$/),
    score: fc.oneof(fc.double(), fc.constant(0)),
    source_index: fc.constantFrom("packages", "books", "a"),
    highlightsJson: fc
      .dictionary(fc.string(), fc.array(fc.string({ unit: "grapheme" }), { maxLength: 2 }), { maxKeys: 2 })
      .map((highlights) => Buffer.from(JSON.stringify(highlights))),
    explanationJson: fc
      .record({
        value: fc.integer(),
        description: fc.string({ unit: "grapheme" }),
        details: fc.constant([]),
      })
      .map((explanation) => Buffer.from(JSON.stringify(explanation))),
  },
  { requiredKeys: ["docJson", "document_id", "score", "source_index"] },
);
const plainHit = hit.map(({ docJson, document_id, score, source_index }) => ({
  docJson,
  document_id,
  score,
  source_index,
}));
const facets = fc.array(
  fc
    .tuple(fc.constantFrom("section", "tags"), fc.array(fc.record({ path: fc.string(), count: fc.nat() })))
    .map(([field, nodes]) => ({ field, nodes })),
  { maxLength: 2 },
);
const result: fc.Arbitrary<SearchResult> = fc.record(
  {
    hits: fc.oneof(fc.array(plainHit, { maxLength: 200 }), fc.array(hit, { maxLength: 6 })),
    count: fc.nat(),
    time_taken: fc.double({ min: 1e-12, max: 1e3, noNaN: true }),
    facets,
    cursor: fc.string({ unit: "grapheme" }),
  },
  { requiredKeys: ["hits", "count", "time_taken"] },
);

test("is the JSON of its result", () => {
  const writer = new JsonWriter();
  fc.assert(
    fc.property(result, (each) => {
      new SearchAnswer(each).writeTo(writer.clear());
      expect(writer.take().toString()).toBe(plainJson(each));
    }),
  );
});

test("of more than a megabyte it is the same in parts, of which none is copied that is long", () => {
  const writer = new JsonWriter();
  const padding = " ".repeat(WHOLE_BYTES_MAX / 2);
  fc.assert(
    fc.property(
      result.filter(({ hits }) => hits.length > 1),
      (each) => {
        const long = Buffer.from(`{"text":"${padding}"}`);
        const hits = each.hits.map((shown, i) => (i < 2 ? { ...shown, docJson: long } : shown));
        const answer = new SearchAnswer({ ...each, hits });
        answer.writeTo(writer.clear());
        const parts = answer.parts()!;
        expect(Buffer.concat(parts).equals(writer.take())).toBe(true);
        expect(parts.filter((part) => part === long)).toHaveLength(2);
      },
    ),
    { numRuns: 20 },
  );
});

test("up to a megabyte it has no parts", () => {
  const docJson = Buffer.alloc(WHOLE_BYTES_MAX / 2);
  const shown = { docJson, document_id: "a", score: 1, source_index: "books" };
  expect(new SearchAnswer({ hits: [shown, shown], count: 2, time_taken: 1 }).parts()).toBeNull();
  const explained = { ...shown, explanationJson: Buffer.from("{}") };
  expect(new SearchAnswer({ hits: [shown, explained], count: 2, time_taken: 1 }).parts()).not.toBeNull();
});

/** The members in the contract's order, documents as they are. */
function plainJson({ hits, count, time_taken, facets: shownFacets, cursor }: SearchResult): string {
  const shown = hits.map(({ docJson, ...rest }) => {
    const members = JSON.stringify({
      document_id: rest.document_id,
      score: rest.score,
      source_index: rest.source_index,
      highlights: rest.highlightsJson && JSON.parse(rest.highlightsJson.toString()),
      explanation: rest.explanationJson && JSON.parse(rest.explanationJson.toString()),
    });
    return `{"doc":${Buffer.from(docJson).toString()},${members.slice(1)}`;
  });
  const byField = shownFacets?.map(({ field, nodes }) => ({ [field]: nodes }));
  const behind = JSON.stringify({ count, time_taken, facets: byField, cursor });
  return `{"status":200,"data":{"hits":[${shown.join(",")}],${behind.slice(1)}}`;
}
