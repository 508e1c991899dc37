/**
 * A rewritten index is the one rewritten: same documents under the same ids in the same order, same
 * committed and same pending state, whatever was written before and while it was copied; and it
 * searches as one made anew under the new analysis does.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CanonicalDocument } from "../schema/document.js";
import {
  createAnalyzer,
  defineSchema,
  type EngineSchema,
  Index,
  MemoryDirectory,
  type Query,
  tokensOf,
} from "../server-door.js";

const PLAIN = defineSchema({
  id: "keyword",
  title: "text",
  note: { kind: "text", indexed: false, stored: false, multi: true },
  hidden: { kind: "text", stored: false },
  n: "u64",
  path: { kind: "facet", multi: true },
  raw: "opaque",
});
const STEMMING: EngineSchema = {
  ...PLAIN,
  analyzer: { version: 1, stemming: "en", foldDiacritics: true },
};
const EVERYTHING: Query = { kind: "match_all" };
const WORDS = ["running", "run", "runs", "cafés", "cafe", "lamps", "lamp", "über"];
/** What the words' stems are, folded. */
const STEMS = ["run", "cafe", "lamp", "uber"];

type Step =
  | { readonly kind: "add"; readonly documents: readonly CanonicalDocument[] }
  | { readonly kind: "delete"; readonly n: number }
  | { readonly kind: "update"; readonly place: number; readonly title: string }
  | { readonly kind: "delete_all" }
  | { readonly kind: "commit" }
  | { readonly kind: "rollback" }
  | { readonly kind: "merge" };

const text = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 })
  .map((each) => each.join(" "));
const document: fc.Arbitrary<CanonicalDocument> = fc.record(
  {
    id: fc.string({ minLength: 1, maxLength: 3 }),
    title: text,
    note: fc.array(text, { minLength: 1, maxLength: 2 }),
    hidden: text,
    n: fc.nat(9),
    path: fc.constantFrom(["/a"], ["/a/b", "/c"]),
    raw: fc.constantFrom({ __proto__x: [1, null] }, "plain"),
  },
  { requiredKeys: ["n"] },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("add" as const),
      documents: fc.array(document, { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), n: fc.nat(9) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("update" as const), place: fc.nat(9), title: text }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "delete_all" as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: "commit" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "rollback" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "merge" as const }) },
);
const steps = fc.array(step, { maxLength: 8 });

/** An index and what it must hold, as plain arrays of id and document. */
class Subject {
  readonly index: Index;
  committed: readonly (readonly [string, CanonicalDocument])[] = [];
  working: readonly (readonly [string, CanonicalDocument])[] = [];

  constructor(index: Index) {
    this.index = index;
  }

  async run(all: readonly Step[]): Promise<void> {
    for (const each of all) await this.#step(each);
  }

  async #step(each: Step): Promise<void> {
    switch (each.kind) {
      case "add": {
        const ids = await this.index.add(each.documents);
        this.working = [...this.working, ...each.documents.map((added, i) => [ids[i]!, added] as const)];
        return;
      }
      case "delete":
        await this.index.deleteByQuery({ kind: "value_set", field: "n", values: [each.n] });
        this.working = this.working.filter(([, { n }]) => n !== each.n);
        return;
      case "update": {
        const changed = this.working[each.place % Math.max(1, this.working.length)];
        if (changed === undefined) return;
        const [id, before] = changed;
        const after = { ...before, title: each.title };
        await this.index.rewriteDocuments([{ id }], () => [{ id, document: after }]);
        this.working = [...this.working.filter((other) => other !== changed), [id, after]];
        return;
      }
      case "delete_all":
        await this.index.deleteAll();
        this.working = [];
        return;
      case "commit":
        await this.index.commit();
        this.committed = this.working;
        return;
      case "rollback":
        await this.index.rollback();
        this.working = this.committed;
        return;
      case "merge":
        return this.index.merge();
    }
  }
}

function contentsOf(index: Index): [string, unknown][] {
  const { hits } = index.search({ query: EVERYTHING, limit: 1000 });
  return hits.map(({ documentId, json }) => [documentId, JSON.parse(json)]);
}

function storedOf(all: readonly (readonly [string, CanonicalDocument])[]): [string, unknown][] {
  return all.map(([id, { note: _note, hidden: _hidden, ...stored }]) => [id, stored]);
}

/** Every query's answers, without the ids. */
function answersOf(index: Index): unknown[] {
  const terms = [...STEMS, "running", "cafés"].flatMap((term): Query[] => [
    { kind: "term", field: "title", term },
    { kind: "term", field: "hidden", term },
    { kind: "fuzzy", term, maxDistance: 1, fields: [{ field: "title", boost: 1 }] },
  ]);
  const others: Query[] = [
    { kind: "facet", field: "path", paths: ["/a"] },
    { kind: "value_range", field: "n", lower: { value: 3, inclusive: true }, upper: null },
  ];
  return [...terms, ...others].map((query) => {
    const { count, hits } = index.search({ query, limit: 1000 });
    return { count, hits: hits.map(({ json, score }) => ({ json, score })) };
  });
}

/** How many documents keep a note with the word, by its stem; deletes them. */
async function notedWith(index: Index, word: string): Promise<number> {
  const [token] = tokensOf(createAnalyzer(index.schema.analyzer), word);
  return index.deleteByKeptValue("note", {
    kind: "phrases",
    phrases: [[{ term: token!.text, position: 0 }]],
  });
}

describe("rewriteInto", () => {
  test("copies what is there before, between rounds and at the end; then commit and rollback do as before", async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        steps,
        steps,
        fc.boolean(),
        fc.boolean(),
        async (before, between, last, commits, reopens) => {
          const subject = new Subject(await Index.create(new MemoryDirectory(), PLAIN));
          const directory = new MemoryDirectory();
          let target = await Index.create(directory, STEMMING);
          await subject.run(before);
          const rewrite = await subject.index.rewriteInto(target);
          await Promise.all([rewrite.catchUp(), subject.run(between)]);
          await rewrite.catchUp();
          await subject.run(last);
          await rewrite.finish();

          if (reopens) {
            await target.close();
            target = await Index.open(directory);
          }
          expect(target.schema).toEqual(STEMMING);
          expect(contentsOf(target)).toEqual(storedOf(subject.committed));
          const fresh = await Index.create(new MemoryDirectory(), STEMMING);
          if (subject.committed.length > 0) await fresh.add(subject.committed.map(([, each]) => each));
          await fresh.commit();
          expect(answersOf(target)).toEqual(answersOf(fresh));

          await (commits ? target.commit() : target.rollback());
          const expected = commits ? subject.working : subject.committed;
          expect(contentsOf(target)).toEqual(storedOf(expected));
          const noted = expected.filter(([, { note }]) => /lamp/.test(String(note)));
          expect(await notedWith(target, "lamps")).toBe(noted.length);
          await Promise.all([subject.index.close(), target.close(), fresh.close()]);
        },
      ),
      { numRuns: 80 },
    );
  });

  test("leaves the source as it was where it is given up", async () => {
    const subject = new Subject(await Index.create(new MemoryDirectory(), PLAIN));
    const target = await Index.create(new MemoryDirectory(), STEMMING);
    await subject.run([
      { kind: "add", documents: [{ n: 1, title: "running" }, { n: 2 }] },
      { kind: "commit" },
      { kind: "add", documents: [{ n: 3 }] },
      { kind: "delete", n: 2 },
    ]);
    const rewrite = await subject.index.rewriteInto(target);
    await expect(rewrite.catchUp(() => false)).rejects.toMatchObject({ code: "shutting_down" });
    rewrite.close();
    rewrite.close();
    expect(contentsOf(subject.index)).toEqual(storedOf(subject.committed));
    await subject.run([{ kind: "merge" }, { kind: "commit" }]);
    expect(contentsOf(subject.index)).toEqual(storedOf(subject.working));
    await Promise.all([subject.index.close(), target.close()]);
  });

  test("merges nothing of the source while it is copied, and everything after", async () => {
    const mergePolicy = {
      nextMerge: (segments: readonly unknown[]) =>
        segments.length > 1 ? { start: 0, end: segments.length } : null,
    };
    const source = await Index.create(new MemoryDirectory(), PLAIN, { mergePolicy });
    const target = await Index.create(new MemoryDirectory(), STEMMING);
    const rewrite = await source.rewriteInto(target);
    for (let n = 0; n < 3; n++) {
      await source.add([{ n }]);
      await source.commit();
    }
    await source.settled();
    expect(source.segmentCount).toBe(3);
    rewrite.close();
    await source.settled();
    expect(source.segmentCount).toBe(1);
    await Promise.all([source.close(), target.close()]);
  });

  test("keeps the event loop free while much is copied, and bounds what waits in memory", async () => {
    const source = await Index.create(new MemoryDirectory(), PLAIN);
    const target = await Index.create(new MemoryDirectory(), STEMMING, {
      mergePolicy: { nextMerge: () => null },
    });
    const documents = Array.from({ length: 6000 }, (_, n) => ({
      n,
      title: Array.from({ length: 60 }, (_, i) => `word${(n * 31 + i * 7) % 5000}`).join(" "),
    }));
    await source.add(documents);
    await source.commit();
    const rewrite = await source.rewriteInto(target);
    let turns = 0;
    let isRunning = true;
    const turn = (): void => {
      turns++;
      if (isRunning) setImmediate(turn);
    };
    turn();
    await rewrite.catchUp();
    isRunning = false;
    rewrite.close();
    expect(turns).toBeGreaterThan(20);
    expect(target.segmentCount).toBeGreaterThan(1);
    expect(target.documentCount).toBe(6000);
    await Promise.all([source.close(), target.close()]);
  });
});
