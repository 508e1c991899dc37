/** Joining lists looks at the clock, and what ends on the way leaves nothing that a later search would take for its own. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { compiledKernels } from "../../kernels/kernel-module.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import type { Query } from "../query.js";
import { Searcher } from "../searcher.js";
import { joiningPace } from "./joined-lists.js";

const SEGMENTS = 7;
const schema = defineSchema({ body: "text" });
const plain: Query = { kind: "term", field: "body", term: "half" };
const boosted: Query = { kind: "boost", factor: 7, query: plain };
const fuzzy: Query = {
  kind: "fuzzy",
  term: "hale",
  maxDistance: 1,
  fields: [{ field: "body", boost: 1 }],
};

const phrase: Query = {
  kind: "phrase",
  field: "body",
  terms: ["other", "words"].map((term, position) => ({ term, position })),
  slop: 0,
  lastIsPrefix: false,
};

const before = { ...joiningPace };

beforeEach(() => {
  Object.assign(joiningPace, {
    usesMin: 1,
    workPerDoc: 0,
    docsPerUse: Number.POSITIVE_INFINITY,
    snapshotDocsMin: 0,
  });
});

afterEach(() => {
  Object.assign(joiningPace, before);
});

async function openSearcher(): Promise<Searcher> {
  const directory = new MemoryDirectory();
  const opened = [];
  for (let place = 0; place < SEGMENTS; place++) {
    const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
    for (let n = 0; n < 90; n++) {
      builder.add(`${place}f${n}`.padStart(32, "0"), { body: n % 3 === 0 ? "half" : "other words" });
    }
    await builder.write(directory, `s${place}`);
    opened.push(await openSegment(directory, `s${place}`, schema, null));
  }
  return new Searcher(opened, schema);
}

/** Looks at the clock that a search takes. */
function checksOf(searcher: Searcher, query: Query): number {
  let checks = 0;
  searcher.rank({ query, offset: 0, limit: 3, interrupt: { check: () => void checks++ } });
  return checks;
}

describe.skipIf(compiledKernels() === null)("joining that is interrupted", () => {
  test.each([plain, fuzzy, phrase])("looks at the clock with each segment: %o", async (query) => {
    const searcher = await openSearcher();
    const joining = checksOf(searcher, query);
    const joined = checksOf(searcher, query);
    expect(joining - joined).toBeGreaterThanOrEqual(SEGMENTS);
  });

  test("leaves the list that there was to nobody of another weight", async () => {
    const searcher = await openSearcher();
    const score = (query: Query): number => searcher.rank({ query, offset: 0, limit: 3 }).hits.at(0).score;
    const expected = [plain, boosted].map(score);
    let ends = 0;
    for (let checksMax = 0; checksMax < 12; checksMax++) {
      // The one is joined; the time is over while the other is going to be.
      expect(score(plain)).toBe(expected[0]);
      let checks = 0;
      const interrupt = {
        check(): void {
          if (checks++ >= checksMax) throw new Error("the time is over");
        },
      };
      try {
        searcher.rank({ query: boosted, offset: 0, limit: 3, interrupt });
      } catch {
        ends++;
      }
      expect([boosted, plain, boosted].map(score)).toEqual([expected[1], expected[0], expected[1]]);
    }
    expect(ends).toBeGreaterThanOrEqual(SEGMENTS);
  });
});
