/** What is remembered of queries keeps none of their texts alive, of which their words are slices. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { tokensOf } from "../../../analysis/analyzer.js";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import type { Query } from "../query.js";
import { Searcher } from "../searcher.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const QUERIES = 60;
const QUERY_LENGTH = 100_000;
const schema = defineSchema({ body: "text" });
const analyzer = createAnalyzer({ version: 1 });
const body = { field: "body", boost: 1 };

const QUERIES_OF: Record<string, (words: readonly string[]) => Query> = {
  term: ([term]) => ({ kind: "term", field: "body", term: term! }),
  phrase: (words) => ({
    kind: "phrase",
    field: "body",
    terms: words.map((term, position) => ({ term, position })),
    slop: 0,
    lastIsPrefix: false,
  }),
  "phrase with a prefix": (words) => ({
    kind: "phrase",
    field: "body",
    terms: words.map((term, position) => ({ term, position })),
    slop: 0,
    lastIsPrefix: true,
  }),
  word: ([term]) => ({ kind: "fuzzy", term: term!, maxDistance: 1, fields: [body] }),
  "filter by prefix": ([prefix]) => ({ kind: "prefix", field: "body", prefix: prefix! }),
};

test.each(Object.keys(QUERIES_OF))("%s", async (kind) => {
  const directory = new MemoryDirectory();
  const builder = new SegmentBuilder(schema, analyzer);
  for (let n = 0; n < 5000; n++) builder.add(`${n}`.padStart(32, "0"), { body: "some words" });
  await builder.write(directory, "s");
  const searcher = new Searcher([await openSegment(directory, "s", schema, null)], schema);
  const heap = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const ask = (n: number): void => {
    const text = `longquerywordnumber${n} anotherquerywordnumber${n} ${"-".repeat(QUERY_LENGTH)}${n}`;
    const words = tokensOf(analyzer, text).map((token) => token.text);
    searcher.docFreq("body", words[0]!);
    searcher.rank({ query: QUERIES_OF[kind]!(words.slice(0, 2)), offset: 0, limit: 10 });
  };
  ask(0);
  const before = heap();
  for (let n = 1; n <= QUERIES; n++) ask(n);
  expect(heap() - before).toBeLessThan((QUERIES * QUERY_LENGTH) / 2);
  expect(searcher.docCount).toBe(5000);
});
