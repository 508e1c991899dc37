/**
 * Tries are made when they are first wanted, once for all views and threads; new segments have them where the ones
 * before did; work on them that was given up leaves nothing behind.
 */
import { beforeEach, describe, expect, test, vi } from "vitest";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { FindlingError } from "../../../errors/index.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { runMerge } from "../../indexer/merge-runner.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { defineSchema } from "../../schema/define-schema.js";
import { expandTerm } from "../../search/automaton/term-expansion.js";
import type { Query } from "../../search/query.js";
import { Searcher } from "../../search/searcher.js";
import { Index, SnapshotFollower, shareSnapshot } from "../../server-door.js";
import { type OpenSegment, openSegment, openSharedSegment } from "../open-segment.js";

const schema = defineSchema({ title: "text", body: "text" });

let directory: MemoryDirectory;
beforeEach(() => {
  directory = new MemoryDirectory();
});

async function segmentOf(name: string, words: readonly string[]): Promise<OpenSegment> {
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  for (const [n, word] of words.entries())
    builder.add(`${name}${n}`.padStart(32, "0"), { title: word, body: word });
  await builder.write(directory, name);
  return openSegment(directory, name, schema, null);
}

const triesOf = (segment: OpenSegment, field: string) => segment.terms(field)!.tries!;
const found = (segment: OpenSegment, word: string) => [
  ...expandTerm(segment.terms("title")!, word, 1).ordinals,
];

describe("tries", () => {
  test("are made by the first fuzzy look-up of their field, for all who share the segment", async () => {
    const segment = await segmentOf("a", ["winter", "winner", "tale"]);
    const elsewhere = await openSharedSegment(directory, schema, segment.share(), null);
    expect(triesOf(segment, "title").areMade).toBe(false);
    expect(() => triesOf(segment, "title").forward).toThrow(/before they are made/);

    expect(found(segment, "wintr")).toEqual([2]);
    expect(triesOf(elsewhere, "title").areMade).toBe(true);
    expect(triesOf(elsewhere, "body").areMade).toBe(false);
    expect(found(elsewhere, "wintr")).toEqual([2]);
    expect(triesOf(elsewhere, "title").forward).toEqual(triesOf(segment, "title").forward);
  });

  test("that were given up half-way are made by the next, or behind the search", async () => {
    const segment = await segmentOf("a", ["winter", "winner", "tale"]);
    const timeout = new FindlingError("search_timeout", "too late");
    let checks = 0;
    const interrupt = {
      check: () => {
        if (checks++ === 2) throw timeout;
      },
    };
    expect(() => expandTerm(segment.terms("title")!, "wintr", 1, interrupt)).toThrow(timeout);
    expect(triesOf(segment, "title").areMade).toBe(false);
    expect(found(segment, "wintr")).toEqual([2]);

    checks = 0;
    expect(() => expandTerm(segment.terms("body")!, "wintr", 1, interrupt)).toThrow(timeout);
    expect(triesOf(segment, "body").areMade).toBe(false);
    await expect.poll(() => triesOf(segment, "body").areMade).toBe(true);
  });

  test("are there in a merged segment where an input had them", async () => {
    const inputs = [await segmentOf("a", ["winter", "tale"]), await segmentOf("b", ["winner"])];
    expect(found(inputs[1]!, "winer")).toEqual([0]);
    const task = { schema, inputs: inputs.map((input) => input.share()), bytes: 100, output: "m" };
    const merged = await openSharedSegment(directory, schema, await runMerge(directory, task), null);
    expect(triesOf(merged, "title").areMade).toBe(true);
    expect(triesOf(merged, "body").areMade).toBe(false);
  });

  test("are there after a commit where those before had them", async () => {
    const index = await Index.create(directory, schema);
    const commit = async (word: string): Promise<OpenSegment> => {
      await index.add([{ title: word, body: word }]);
      await index.commit();
      const follower = new SnapshotFollower(directory, 2);
      const { searcher } = await follower.open(shareSnapshot(index.searcher));
      return searcher.segments.at(-1) as OpenSegment;
    };
    const first = await commit("winter");
    expect(triesOf(first, "title").areMade).toBe(false);
    expect(found(first, "wintr")).toEqual([0]);
    const second = await commit("winner");
    expect(triesOf(second, "title").areMade).toBe(true);
    expect(triesOf(second, "body").areMade).toBe(false);
    await index.close();
  });

  test("are made in slices before documents are deleted by a misspelt word, and those only", async () => {
    const index = await Index.create(directory, schema);
    await index.add([{ title: "winter", body: "tale" }, { title: "summer" }]);
    const wereMade: (readonly boolean[])[] = [];
    const match = vi.spyOn(Searcher.prototype, "matchingDocsInSlices").mockImplementation(function* (
      this: Searcher,
    ) {
      wereMade.push(["title", "body"].map((field) => this.segments[0]!.terms(field)!.tries!.areMade));
      return [Uint32Array.of(1)];
    });
    const query: Query = {
      kind: "fuzzy",
      term: "wintr",
      maxDistance: 1,
      fields: [{ field: "title", boost: 1 }],
    };
    expect(await index.deleteByQuery({ ...query, maxDistance: 0 })).toBe(1);
    expect(await index.deleteByQuery({ kind: "boolean", clauses: [{ occur: "must", query }] })).toBe(0);
    expect(wereMade).toEqual([
      [false, false],
      [true, false],
    ]);
    match.mockRestore();
    await index.close();
  });

  test("aren't needed where there is no memory for them", async () => {
    const segment = await segmentOf("a", ["winter", "winner", "tale"]);
    const terms = segment.terms("title")!;
    vi.spyOn(terms.tries!, "make").mockImplementation(function* () {
      yield;
      throw new RangeError("Array buffer allocation failed");
    });
    expect([...expandTerm(terms, "wintr", 1).ordinals]).toEqual([2]);
    expect(triesOf(segment, "title").areMade).toBe(false);
  });
});
