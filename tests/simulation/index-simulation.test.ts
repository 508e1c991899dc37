/**
 * The whole index against a plain list of documents: random schemas, adds, replaces, partial updates, deletes by random
 * queries, commits, rollbacks, merges, closings, crashes and changes of the fields; after every step random searches of all kinds
 * give the same matches, counts, facets, order and (to float tolerance) scores, whatever the segments.
 * `FINDLING_TEST_SIMULATION_RUNS` sets the number of runs, 10,000 for a release (half an hour); a failure prints the seed that shows it again.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createAnalyzer } from "../../src/analysis/create-analyzer.js";
import { writtenApart } from "../../src/engine/indexer/body-segments.js";
import { imageThreshold } from "../../src/engine/kernels/image-memory.js";
import {
  type CanonicalDocument,
  type CanonicalValue,
  checkIndex,
  type EngineField,
  type EngineSchema,
  type EngineSearchResult,
  Index,
  MemoryDirectory,
  type Query,
  type SearchOptions,
  TieredMergePolicy,
} from "../../src/engine/server-door.js";
import { releaseShortBuffersToo } from "../setup/release-short-buffers.js";
import { arbitraryDocument, arbitrarySchema } from "./arbitrary-documents.js";
import { arbitraryQuery, arbitrarySearch } from "./arbitrary-queries.js";
import { naiveDocument } from "./naive-documents.js";
import { type NaiveDocument, NaiveIndex } from "./naive-index.js";

releaseShortBuffersToo();

const RUNS = Number(
  process.env["FINDLING_TEST_SIMULATION_RUNS"] ?? (process.env["FINDLING_TEST_ALL"] === "1" ? 1_500 : 500),
);
const TOLERANCE = 1e-4;
const analyzer = createAnalyzer({ version: 1 });

type Step =
  | { readonly kind: "add"; readonly documents: readonly CanonicalDocument[] }
  | { readonly kind: "replace"; readonly documents: readonly CanonicalDocument[]; readonly inBulk: boolean }
  | { readonly kind: "update"; readonly keys: readonly number[]; readonly change: CanonicalDocument }
  | { readonly kind: "delete"; readonly query: Query }
  | { readonly kind: "delete_all" | "commit" | "rollback" | "merge" | "close" | "crash" }
  | { readonly kind: "fields"; readonly flipped: readonly boolean[]; readonly isCutOff: boolean }
  | { readonly kind: "search"; readonly options: SearchOptions };

/** Rows that count whatever else there is: no more are taken (`WordRows`). */
const ROWS_MAX = 3;

/**
 * The query without a choice of rows. Which of many count follows from the collection's statistics, and those of what
 * isn't committed yet still have the documents that a transaction has deleted.
 */
function unchosen<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(unchosen) as Part;
  if (typeof part !== "object" || part === null) return part;
  return Object.fromEntries(
    Object.entries(part)
      .filter(([name]) => name !== "rowsComeBefore")
      .map(([name, value]: [string, unknown]) => [
        name,
        unchosen(name === "rows" && Array.isArray(value) ? value.slice(0, ROWS_MAX) : value),
      ]),
  ) as Part;
}

function arbitraryStep(schema: EngineSchema): fc.Arbitrary<Step> {
  const plain = (
    kind: "delete_all" | "commit" | "rollback" | "merge" | "close" | "crash",
  ): fc.Arbitrary<Step> => fc.constant({ kind });
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .array(
          arbitraryDocument(schema).map((document) => withoutKey(schema, document)),
          {
            minLength: 1,
            maxLength: 6,
          },
        )
        .map((documents): Step => ({ kind: "add", documents })),
    },
    {
      weight: 6,
      arbitrary: arbitrarySearch(schema, []).map((options): Step => ({ kind: "search", options })),
    },
    {
      weight: 5,
      arbitrary: fc
        .record({
          documents: fc.array(arbitraryKeyedDocument(schema), { minLength: 1, maxLength: 6 }),
          inBulk: fc.boolean(),
        })
        .map((replace): Step => ({ kind: "replace", ...replace })),
    },
    {
      weight: 3,
      arbitrary: fc
        .record({
          keys: fc.uniqueArray(fc.nat({ max: 9 }), { minLength: 1, maxLength: 5 }),
          change: arbitraryDocument(schema).map((document) => withoutKey(schema, document)),
        })
        .map((update): Step => ({ kind: "update", ...update })),
    },
    {
      weight: 3,
      arbitrary: arbitraryQuery(schema, []).map(
        (query): Step => ({ kind: "delete", query: unchosen(query) }),
      ),
    },
    { weight: 4, arbitrary: plain("commit") },
    { weight: 1, arbitrary: plain("rollback") },
    { weight: 1, arbitrary: plain("merge") },
    { weight: 1, arbitrary: plain("close") },
    { weight: 1, arbitrary: plain("crash") },
    {
      weight: 2,
      arbitrary: fc
        .record({
          flipped: fc.array(fc.boolean(), {
            minLength: schema.fields.length,
            maxLength: schema.fields.length,
          }),
          isCutOff: fc.nat({ max: 4 }).map((nth) => nth === 0),
        })
        .map((change): Step => ({ kind: "fields", ...change })),
    },
    {
      weight: 1,
      arbitrary: fc.oneof(
        { weight: 9, arbitrary: plain("commit") },
        { weight: 1, arbitrary: plain("delete_all") },
      ),
    },
  );
}

/** The schema with fields whose values come to be stored, or aren't any more, and with one that it didn't have. */
function grownSchema(schema: EngineSchema, flipped: readonly boolean[]): EngineSchema {
  const fields = schema.fields.map((field, i) =>
    flipped[i] === true ? { ...field, stored: !field.stored } : field,
  );
  const grown = { kind: "keyword", indexed: true, stored: true, multi: false } as const;
  return { ...schema, fields: [...fields, { ...grown, name: `grown${fields.length}` }] };
}

/** With values of the fields that have come since the beginning. */
function withGrown(schema: EngineSchema, documents: readonly CanonicalDocument[]): CanonicalDocument[] {
  const names = schema.fields.map(({ name }) => name).filter((name) => name.startsWith("grown"));
  return documents.map((document, i) =>
    ordered(schema, { ...document, ...Object.fromEntries(names.map((name) => [name, `${name} ${i % 3}`])) }),
  );
}

/** Keys are few, so that they come again. */
function arbitraryKeyedDocument(schema: EngineSchema): fc.Arbitrary<CanonicalDocument> {
  const key = keyOf(schema);
  return fc
    .tuple(arbitraryDocument(schema), fc.nat({ max: 9 }))
    .map(([document, number]) => ({
      ...document,
      [key.name]: key.kind === "text" ? `Key ${number}` : number,
    }))
    .map((document) => ordered(schema, document));
}

/** One that replaces none, and shares its key with none: what is added by key finds one document at most. */
function withoutKey(schema: EngineSchema, document: CanonicalDocument): CanonicalDocument {
  const { [keyOf(schema).name]: _, ...rest } = document;
  return rest;
}

/** The field by which a schema's documents replace others. */
function keyOf(schema: EngineSchema): EngineField {
  return schema.fields.find(({ keyed }) => keyed) ?? schema.fields.find(({ kind }) => kind === "i64")!;
}

/** Members in the order of the schema. */
function ordered(schema: EngineSchema, document: CanonicalDocument): CanonicalDocument {
  const names = schema.fields.map(({ name }) => name).filter((name) => document[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, document[name]!]));
}

/** With a text field that is a key, or without. */
const arbitraryKeyedSchema: fc.Arbitrary<EngineSchema> = fc
  .tuple(arbitrarySchema, fc.boolean())
  .map(([schema, isKeyed]) => ({
    ...schema,
    fields: schema.fields.map((field) =>
      isKeyed && field.name === "note" ? { ...field, keyed: true as const } : field,
    ),
  }));

const scenario = arbitraryKeyedSchema.chain((schema) =>
  fc.record({
    schema: fc.constant(schema),
    steps: fc.array(arbitraryStep(schema), { minLength: 4, maxLength: 24 }),
    segmentsPerTier: fc.constantFrom(2, 3, 8),
    bytesApart: fc.constantFrom(1, 1 << 15),
    memoryBudgetBytes: fc.constantFrom(1, 4000, 1 << 20),
    onKernels: fc.constantFrom(true, false, false, false),
  }),
);

describe("Index", () => {
  test(
    `does what a plain list of documents does (${RUNS} runs)`,
    async () => {
      await fc.assert(
        fc.asyncProperty(
          scenario,
          async ({ schema: first, steps, segmentsPerTier, bytesApart, memoryBudgetBytes, onKernels }) => {
            let schema = first;
            writtenApart.bytesMin = bytesApart;
            // Small as these segments are, so that both ways of searching are tried.
            imageThreshold.bytes = onKernels ? 0 : Number.POSITIVE_INFINITY;
            let directory = new MemoryDirectory();
            const options = {
              lock: false,
              memoryBudgetBytes,
              mergePolicy: new TieredMergePolicy({ segmentsPerTier, floorBytes: 1 << 16 }),
              onMergeError: (error: unknown) => {
                throw error;
              },
              onCommitPointError: (error: unknown) => {
                throw error;
              },
            };
            let index = await Index.create(directory, schema, options);
            const model = new ListModel(schema);
            for (const step of steps) {
              switch (step.kind) {
                case "add": {
                  const documents = withGrown(schema, step.documents);
                  model.add(await index.add(documents), documents);
                  break;
                }
                case "replace": {
                  const { inBulk } = step;
                  const documents = withGrown(schema, step.documents);
                  const key = keyOf(schema).name;
                  const { ids, replaced } = inBulk
                    ? await index.addInBulk(yielding(documents), 100, key)
                    : await index.replace(key, documents);
                  expect(replaced).toBe(model.replace(key, ids, documents));
                  break;
                }
                case "update": {
                  const { name, kind } = keyOf(schema);
                  const values = step.keys.map((key) => (kind === "text" ? `Key ${key}` : key));
                  const ids = await index.rewriteDocuments(
                    values.map((value) => ({ field: name, value })),
                    (found) =>
                      found
                        .filter((each) => each !== null)
                        .map(({ id, document }) => ({
                          id,
                          document: ordered(schema, { ...document, ...step.change }),
                        })),
                  );
                  expect(ids).toEqual(model.update(name, values, step.change));
                  break;
                }
                case "delete":
                  expect(await index.deleteByQuery(step.query)).toBe(model.delete(step.query));
                  break;
                case "delete_all":
                  expect(await index.deleteAll()).toBe(model.delete({ kind: "match_all" }));
                  break;
                case "commit":
                  await index.commit();
                  model.commit();
                  break;
                case "rollback":
                  await index.rollback();
                  model.rollback();
                  break;
                case "merge":
                  await index.merge();
                  break;
                case "close":
                  await index.close();
                  index = await Index.open(directory, options);
                  break;
                case "crash":
                  // The old one is forgotten as it stands, with its merges done so that no two writers meet.
                  await index.merge();
                  index = await Index.open(directory, options);
                  break;
                case "fields": {
                  const grown = grownSchema(schema, step.flipped);
                  const place = new MemoryDirectory();
                  const target = await Index.create(place, grown, options);
                  const rewrite = await index.rewriteInto(target);
                  await rewrite.catchUp();
                  if (step.isCutOff) {
                    rewrite.close();
                    await target.close();
                    break;
                  }
                  await rewrite.finish();
                  await index.close();
                  [index, directory, schema] = [target, place, grown];
                  model.grow(grown);
                  break;
                }
                case "search":
                  model.expectSame(index.search(step.options), step.options);
                  break;
              }
              expect(index.documentCount).toBe(model.committedCount);
            }
            await index.commit();
            model.commit();
            model.expectAll(index);
            await index.close();
            expect((await checkIndex(directory)).problems).toEqual([]);
          },
        ),
        { numRuns: RUNS },
      );
    },
    120_000 + RUNS * 400,
  );
});

function* yielding(
  documents: readonly CanonicalDocument[],
): Generator<readonly CanonicalDocument[], void, undefined> {
  for (const document of documents) yield [document];
}

/** An index as one would describe it: a list that is visible, and one that will be after the commit. */
class ListModel {
  #schema: EngineSchema;
  #committed: readonly NaiveDocument[] = [];
  #pending: readonly NaiveDocument[] = [];

  constructor(schema: EngineSchema) {
    this.#schema = schema;
  }

  /** Documents stay as they are: they have no values of new fields. */
  grow(schema: EngineSchema): void {
    this.#schema = schema;
  }

  get committedCount(): number {
    return this.#committed.length;
  }

  add(ids: readonly string[], documents: readonly CanonicalDocument[]): void {
    const added = documents.map((document, i) => naiveDocument(this.#schema, analyzer, ids[i]!, document));
    this.#pending = [...this.#pending, ...added];
  }

  replace(key: string, ids: readonly (string | null)[], documents: readonly CanonicalDocument[]): number {
    const keys = documents.map((document) => document[key]);
    expect(ids.map((id) => id === null)).toEqual(keys.map((value, i) => keys.lastIndexOf(value) !== i));
    const before = this.#pending.length;
    this.#pending = this.#pending.filter(({ document }) => !keys.includes(document[key]));
    const replaced = before - this.#pending.length;
    this.add(
      ids.filter((id) => id !== null),
      documents.filter((_, i) => ids[i] !== null),
    );
    return replaced;
  }

  update(key: string, values: readonly CanonicalValue[], change: CanonicalDocument): readonly string[] {
    const found = values.flatMap((value) => this.#pending.filter(({ document }) => document[key] === value));
    const ids = found.map(({ id }) => id);
    this.#pending = this.#pending.filter(({ id }) => !ids.includes(id));
    this.add(
      ids,
      found.map(({ document }) => ordered(this.#schema, { ...document, ...change })),
    );
    return ids;
  }

  delete(query: Query): number {
    const naive = new NaiveIndex(this.#schema, this.#pending);
    const before = this.#pending.length;
    this.#pending = this.#pending.filter((document) => naive.score(query, document) === null);
    return before - this.#pending.length;
  }

  commit(): void {
    this.#committed = this.#pending;
  }

  rollback(): void {
    this.#pending = this.#committed;
  }

  expectAll(index: Index): void {
    const { hits } = index.search({ query: { kind: "match_all" }, limit: 10_000 });
    expect(hits.map(({ documentId }) => documentId)).toEqual(this.#committed.map(({ id }) => id));
    hits.forEach(({ json }, i) => {
      const stored = Object.fromEntries(
        this.#schema.fields
          .filter((field) => field.stored && this.#committed[i]!.document[field.name] !== undefined)
          .map(({ name }) => [name, this.#committed[i]!.document[name]]),
      );
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(stored)));
    });
  }

  expectSame(result: EngineSearchResult, options: SearchOptions): void {
    const naive = new NaiveIndex(this.#schema, this.#committed);
    const expected = naive.search(options);
    const context = JSON.stringify(options);
    expect(result.count, context).toBe(expected.count);
    expect(result.facets, context).toEqual(expected.facets);
    expect(result.hits.length, context).toBe(expected.hits.length);
    const scores = new Map(
      naive
        .search({ ...options, offset: 0, limit: 10_000 })
        .hits.map(({ documentId, score }) => [documentId, score]),
    );
    const { orderBy } = options;
    const isExact = orderBy?.every(({ kind }) => kind === "field") ?? false;
    const documents = new Map(this.#committed.map((document) => [document.id, document]));
    // What is pending has changed places with its updates.
    const places = new Map(this.#committed.map(({ id }, place) => [id, place]));
    result.hits.forEach(({ documentId, score }, i) => {
      // Documents whose scores differ by rounding only may trade places; both must have that score.
      const own = scores.get(documentId) ?? Number.NaN;
      // Where scores are one key of several, what trades places with it has another score.
      const expectedScores = orderBy === undefined || isExact ? [expected.hits[i]!.score, own] : [own];
      for (const expectedScore of expectedScores) {
        expect(Math.abs(score - expectedScore), context).toBeLessThanOrEqual(
          TOLERANCE * Math.max(Math.abs(expectedScore), 1e-6),
        );
      }
      if (isExact) expect(documentId, context).toBe(expected.hits[i]!.documentId);
      const next = result.hits[i + 1];
      if (next === undefined) return;
      const order = naive.compare(
        orderBy ?? [{ kind: "score", descending: true }],
        { document: documents.get(documentId)!, score },
        { document: documents.get(next.documentId)!, score: next.score },
      );
      expect(order, context).toBeLessThanOrEqual(0);
      if (order === 0) {
        expect(places.get(documentId)!).toBeLessThan(places.get(next.documentId)!);
      }
    });
  }
}
