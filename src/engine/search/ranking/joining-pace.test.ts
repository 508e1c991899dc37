/** How often, and how soon again, something has to be asked for until its list is joined. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { JoinedMemory } from "../../kernels/joined-memory.js";
import { compiledKernels } from "../../kernels/kernel-module.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import type { Query } from "../query.js";
import { Searcher } from "../searcher.js";
import { joiningPace } from "./joined-lists.js";

const before = { ...joiningPace };

afterEach(() => {
  Object.assign(joiningPace, before);
  vi.restoreAllMocks();
});

/** Words that every document holds besides. */
const OTHERS = 20;
const WORD: Query = { kind: "term", field: "body", term: "half" };
const PHRASE: Query = {
  kind: "phrase",
  field: "body",
  terms: [
    { term: "half", position: 0 },
    { term: "full", position: 1 },
  ],
  slop: 0,
  lastIsPrefix: false,
};

async function searcher(): Promise<Searcher> {
  const directory = new MemoryDirectory();
  const schema = defineSchema({ body: "text" });
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  const others = Array.from({ length: OTHERS }, (_, n) => `other${n}`).join(" ");
  for (let n = 0; n < 3; n++) builder.add(`${n}`.padStart(32, "0"), { body: `half full ${others}` });
  await builder.write(directory, "s");
  return new Searcher([await openSegment(directory, "s", schema, null)], schema);
}

/** How many lists are joined while something is asked for again and again, with so many others in between. */
async function joinedBetween(query: Query, others: number): Promise<number> {
  Object.assign(joiningPace, { snapshotDocsMin: 0, docsPerUse: Number.POSITIVE_INFINITY });
  const opened = await searcher();
  const add = vi.spyOn(JoinedMemory.prototype, "add");
  const rank = (wanted: Query): void => {
    expect(opened.rank({ query: wanted, offset: 0, limit: 3 }).count).toBe(3);
  };
  for (let use = 0; use < joiningPace.usesMin; use++) {
    rank(query);
    for (let n = 0; n < others && use + 1 < joiningPace.usesMin; n++) {
      rank({ kind: "term", field: "body", term: `other${n}` });
      // Others aren't asked for often enough.
      expect(add).not.toHaveBeenCalled();
    }
  }
  return add.mock.calls.length;
}

/** The same where another list, which is joined, is what is asked for in between. */
async function joinedBetweenListed(others: number): Promise<number> {
  Object.assign(joiningPace, { snapshotDocsMin: 0, docsPerUse: Number.POSITIVE_INFINITY });
  const opened = await searcher();
  const add = vi.spyOn(JoinedMemory.prototype, "add");
  const rank = (wanted: Query): void => {
    expect(opened.rank({ query: wanted, offset: 0, limit: 3 }).count).toBe(3);
  };
  const listed: Query = { kind: "term", field: "body", term: "other0" };
  for (let use = 0; use < joiningPace.usesMin; use++) rank(listed);
  expect(add).toHaveBeenCalledOnce();
  for (let use = 0; use < joiningPace.usesMin; use++) {
    rank(WORD);
    for (let n = 0; n < others && use + 1 < joiningPace.usesMin; n++) rank(listed);
  }
  return add.mock.calls.length - 1;
}

describe.skipIf(compiledKernels() === null)("lists are joined", () => {
  test("of words that are asked for again soon", async () => {
    joiningPace.asksBetween = 8;
    expect(await joinedBetween(WORD, 7)).toBe(1);
  });

  test("not of words that others are asked for in between", async () => {
    joiningPace.asksBetween = 8;
    expect(await joinedBetween(WORD, 8)).toBe(0);
  });

  test.each([
    [7, 1],
    [8, 0],
  ])("a search of a joined list being one in between: %i times", async (others, joined) => {
    joiningPace.asksBetween = 8;
    expect(await joinedBetweenListed(others)).toBe(joined);
  });

  test("of phrases however long ago they were asked for", async () => {
    joiningPace.asksBetween = 8;
    expect(await joinedBetween(PHRASE, OTHERS)).toBe(1);
  });
});
