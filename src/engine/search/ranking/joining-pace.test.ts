/** How often, how dearly and how soon again something has to be asked for until its list is joined. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { imageThreshold } from "../../kernels/image-memory.js";
import { JoinedMemory } from "../../kernels/joined-memory.js";
import { compiledKernels } from "../../kernels/kernel-module.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import type { Query } from "../query.js";
import { searchTimeout } from "../search-interrupt.js";
import type { OrderKey } from "../search-types.js";
import { Searcher } from "../searcher.js";
import { JoinedLists, joiningPace } from "./joined-lists.js";

const before = { ...joiningPace };
const thresholdBefore = imageThreshold.bytes;

afterEach(() => {
  Object.assign(joiningPace, before);
  imageThreshold.bytes = thresholdBefore;
  vi.restoreAllMocks();
});

/** Words that every document holds besides. */
const OTHERS = 20;
const WORD: Query = { kind: "term", field: "body", term: "half" };
/** Documents of `ofManyDocuments`. */
const MANY = 5000;

const phrase = (first: string, second: string): Query => ({
  kind: "phrase",
  field: "body",
  terms: [
    { term: first, position: 0 },
    { term: second, position: 1 },
  ],
  slop: 0,
  lastIsPrefix: false,
});

async function searcher(): Promise<Searcher> {
  const directory = new MemoryDirectory();
  const schema = defineSchema({ body: "text" });
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  const others = Array.from({ length: OTHERS }, (_, n) => `other${n}`).join(" ");
  for (let n = 0; n < 3; n++) builder.add(`${n}`.padStart(32, "0"), { body: `half full ${others}` });
  await builder.write(directory, "s");
  return new Searcher([await openSegment(directory, "s", schema, null)], schema);
}

async function ofManyDocuments(): Promise<Searcher> {
  joiningPace.snapshotDocsMin = 0;
  const directory = new MemoryDirectory();
  const schema = defineSchema({ body: "text", title: "text", word: "keyword", n: "u64", m: "u64" });
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  for (let n = 0; n < MANY; n++) {
    const others = Array.from({ length: OTHERS }, (_, other) => `other${other}`).join(" ");
    const text = { body: `half full ${others}`, title: `t${n}`, word: `t${n}` };
    builder.add(`${n}`.padStart(32, "0"), { ...text, n, m: n % 3 });
  }
  await builder.write(directory, "s");
  return new Searcher([await openSegment(directory, "s", schema, null)], schema);
}

/** Which use of a query joins its list; Infinity: none of many. */
function usesUntilJoined(opened: Searcher, query: Query): number {
  const add = vi.spyOn(JoinedMemory.prototype, "add");
  add.mockClear();
  for (let uses = 1; uses < 50; uses++) {
    opened.rank({ query, offset: 0, limit: 3 });
    if (add.mock.calls.length > 0) return uses;
  }
  return Number.POSITIVE_INFINITY;
}

/** How many lists are joined while something is asked for again and again, with so many others in between. */
async function joinedBetween(query: Query, others: number): Promise<number> {
  Object.assign(joiningPace, { snapshotDocsMin: 0, workPerDoc: 0, docsPerUse: Number.POSITIVE_INFINITY });
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
  Object.assign(joiningPace, { snapshotDocsMin: 0, workPerDoc: 0, docsPerUse: Number.POSITIVE_INFINITY });
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

  test.each([0, 1_000_000])(
    "of words once searches have looked at so many postings as joining takes: images from %d bytes on",
    async (bytes) => {
      imageThreshold.bytes = bytes;
      const waited = [];
      for (const workPerDoc of [0.6, 1.2, 2.4]) {
        joiningPace.workPerDoc = workPerDoc;
        waited.push(usesUntilJoined(await ofManyDocuments(), WORD) - 1);
      }
      const [first, second, third] = waited as [number, number, number];
      expect(first).toBeGreaterThanOrEqual(joiningPace.usesMin - 1);
      // Each takes as many searches more as there is work in a search.
      expect(second).toBeGreaterThanOrEqual(first);
      expect(Math.abs(third - 2 * second)).toBeLessThanOrEqual(2);
      expect(third).toBeLessThan(49);
    },
  );

  test("of words that are asked for together, of all at once", async () => {
    const opened = await ofManyDocuments();
    joiningPace.workPerDoc = 1;
    const add = vi.spyOn(JoinedMemory.prototype, "add");
    const both = (other: string): Query => ({
      kind: "boolean",
      clauses: ["half", other].map((term) => ({ occur: "must", query: { ...WORD, term } }) as const),
    });
    const rank = (query: Query): void => {
      expect(opened.rank({ query, offset: 0, limit: 3 }).count).toBe(MANY);
    };
    // Not of one that is asked for often, while the others aren't.
    for (let n = 0; n < OTHERS; n++) rank(both(`other${n}`));
    expect(add.mock.calls.length).toBe(0);
    rank(both("other0"));
    expect(add.mock.calls.length).toBe(0);
    rank(both("other0"));
    expect(add.mock.calls.length).toBe(2);
  });

  test("not for what searches of others have looked at", async () => {
    const opened = await ofManyDocuments();
    joiningPace.workPerDoc = 2;
    const alone = usesUntilJoined(await ofManyDocuments(), WORD);
    expect(alone).toBeLessThan(50);
    const prefix: Query = { kind: "prefix", field: "body", prefix: "oth" };
    const add = vi.spyOn(JoinedMemory.prototype, "add");
    add.mockClear();
    for (let use = 1; use < alone; use++) {
      opened.rank({ query: WORD, offset: 0, limit: 3 });
      for (let n = 0; n < 5; n++) opened.rank({ query: prefix, offset: 0, limit: 3 });
    }
    expect(add.mock.calls.length).toBe(0);
    opened.rank({ query: WORD, offset: 0, limit: 3 });
    expect(add.mock.calls.length).toBe(1);
  });

  test("not for what others have looked at after a search that was ended", async () => {
    joiningPace.workPerDoc = 1;
    const alone = usesUntilJoined(await ofManyDocuments(), WORD);
    const opened = await ofManyDocuments();
    const listOf = vi.spyOn(JoinedLists.prototype, "listOf");
    const ended = 6;
    for (let other = 0; other < ended; other++) {
      let checks = 0;
      const interrupt = {
        check(): void {
          // Once its list has been looked for.
          if (++checks > 1) throw searchTimeout(0);
        },
      };
      expect(() => opened.rank({ query: WORD, offset: 0, limit: 3, interrupt })).toThrow();
      const prefix: Query = { kind: "prefix", field: "body", prefix: `other${other}` };
      opened.rank({ query: prefix, offset: 0, limit: 3 });
    }
    expect(listOf.mock.calls.length).toBe(ended);
    // What the first search of a word takes doesn't count, and that was one of those.
    expect(usesUntilJoined(opened, WORD)).toBe(alone - 1);
  });

  test("of phrases by how many documents hold them, not how many hold their words", async () => {
    const opened = await ofManyDocuments();
    // In none: joined as soon as anything.
    expect(usesUntilJoined(opened, phrase("full", "half"))).toBe(joiningPace.usesMin);
    // In all, whose list takes room.
    const uses = joiningPace.usesMin + MANY / joiningPace.docsPerUse;
    expect(usesUntilJoined(opened, phrase("half", "full"))).toBe(Math.ceil(uses));
  });

  test.each([
    [MANY * 2, joiningPace.usesMin],
    [MANY * 2 - 1, Number.POSITIVE_INFINITY],
  ])("of phrases of two words that are in so many documents at most: %i", async (repaidDocsMax, uses) => {
    joiningPace.repaidDocsMax = repaidDocsMax;
    expect(usesUntilJoined(await ofManyDocuments(), phrase("full", "half"))).toBe(uses);
  });

  test("not of words that documents by a value are asked for: their bits are joined", async () => {
    const opened = await ofManyDocuments();
    const add = vi.spyOn(JoinedMemory.prototype, "add");
    const addMarks = vi.spyOn(JoinedMemory.prototype, "addMarks");
    const orderBy = [{ kind: "field", field: "n", descending: true }] as const;
    for (let use = 0; use < 50; use++) {
      const { count, hits } = opened.rank({ query: WORD, offset: 0, limit: 3, orderBy });
      expect(count).toBe(MANY);
      expect([0, 1, 2].map((place) => hits.at(place).docId)).toEqual([MANY - 1, MANY - 2, MANY - 3]);
    }
    expect(addMarks).toHaveBeenCalledOnce();
    expect(add).not.toHaveBeenCalled();
  });

  const key = (field: string): OrderKey => ({ kind: "field", field, descending: false });
  const byScore: OrderKey = { kind: "score", descending: true };
  test.each([[[key("title")]], [[key("word")]], [[byScore]], [[key("n"), byScore]], [[key("m"), key("n")]]])(
    "nor bits where an order can't be walked, which nobody would read: %o",
    async (orderBy) => {
      const opened = await ofManyDocuments();
      const addMarks = vi.spyOn(JoinedMemory.prototype, "addMarks");
      const range: Query = {
        kind: "value_range",
        field: "n",
        lower: { value: 7, inclusive: true },
        upper: null,
      };
      for (const query of [WORD, range]) {
        for (let use = 0; use < 50; use++) opened.rank({ query, offset: 0, limit: 3, orderBy });
        expect(addMarks).not.toHaveBeenCalled();
      }
      // The same are joined for an order that can be.
      for (const query of [WORD, range]) {
        addMarks.mockClear();
        for (let use = 0; use < 50; use++) opened.rank({ query, offset: 0, limit: 3, orderBy: [key("n")] });
        expect(addMarks).toHaveBeenCalledOnce();
      }
    },
  );

  test("of phrases however long ago they were asked for", async () => {
    joiningPace.asksBetween = 8;
    expect(await joinedBetween(phrase("half", "full"), OTHERS)).toBe(1);
  });
});
