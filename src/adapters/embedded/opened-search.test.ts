/**
 * The pages of an open search put together are one big search taken when it was opened, while documents
 * are added, deleted, committed, rolled back and merged, and indexes re-analysed and dropped at random;
 * once it is closed no file is open that wasn't before. Orders and page sizes are random, and whether
 * hits are explained, highlighted and cut down, searches run in threads and indexes are written in one.
 */
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { field, sampleIndex } from "../../../tests/query-kit/sample-index.js";
import type { OrderKey } from "../../contract/order-key.js";
import type {
  BackendSearchResult,
  FederatedHit,
  HitPosition,
  OpenSearch,
  StorageId,
} from "../../ports/search-backend.js";
import { compileSearch } from "../../query/compile-search.js";
import type { SearchPlan } from "../../query/search-plan.js";
import { EmbeddedBackend } from "./embedded-backend.js";

const sample = sampleIndex({
  fields: { id: field("text"), title: field("text"), n: field("u64"), shelf: field("facet") },
  search_fields: ["title"],
});

const word = fc.constantFrom("winter", "winters", "winner", "tale", "tales");
const document = fc
  .record({
    title: fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(" ")),
    n: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
    shelf: fc.constantFrom("/a", "/a/b"),
  })
  .map(({ n, ...rest }) => ({ ...rest, ...(n === undefined ? {} : { n }) }));
const documents = fc.array(document, { minLength: 1, maxLength: 6 });

const orderKey: fc.Arbitrary<OrderKey> = fc.oneof(
  fc.record({
    kind: fc.constant("field" as const),
    field: fc.constantFrom("id", "title", "n"),
    descending: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("score" as const), descending: fc.boolean() }),
);

const step = fc.record({
  change: fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("add" as const), documents }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), word }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("commit" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("rollback" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("rewrite" as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("drop" as const) }) },
  ),
  /** Which index it happens to. */
  which: fc.nat({ max: 1 }),
  limit: fc.constantFrom(1, 2, 3, 7),
});

const HIGHLIGHT = { preTag: "<", postTag: ">", fragmentSize: 0, maxFragments: 1 };
const scenario = fc.record({
  isFederated: fc.boolean(),
  /** Whether searches run in threads, however cheap they are. */
  inThreads: fc.boolean(),
  writingThread: fc.boolean(),
  explains: fc.boolean(),
  highlights: fc.boolean(),
  first: fc.array(documents, { minLength: 1, maxLength: 4 }),
  second: fc.array(documents, { minLength: 1, maxLength: 3 }),
  typed: word,
  order: fc.option(fc.array(orderKey, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  offset: fc.constantFrom(0, 0, 1, 3),
  steps: fc.array(step, { minLength: 3, maxLength: 12 }),
});

function openDocumentFiles(folder: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return target.startsWith(folder) && target.includes(".doc") ? [target] : [];
    } catch {
      return [];
    }
  });
}

test("pages put together are one big search of the moment of the opening", async () => {
  const folder = mkdtempSync(join(tmpdir(), "findling-opened-search-"));
  let names = 0;
  try {
    await fc.assert(
      fc.asyncProperty(scenario, async (chosen) => {
        const backend = await EmbeddedBackend.open({
          dataDirectory: join(folder, `data${++names}`),
          clock: new ManualClock(),
          writingThread: chosen.writingThread,
          ...(chosen.inThreads ? { searchThreads: 1, searchCostHereMax: -1 } : {}),
        });
        await backend.start([]);
        const storageIds: StorageId[] = ["first", "second"];
        for (const [i, batches] of [chosen.first, chosen.second].entries()) {
          await backend.createIndex(storageIds[i]!, sample.schema);
          for (const [batch, each] of batches.entries()) {
            const identified = each.map((fields, j) => ({ id: `${batch}-${j}`, ...fields }));
            await backend.add(storageIds[i]!, identified);
            await backend.commit(storageIds[i]!);
          }
        }
        const plan = compileSearch(
          {
            clauses: [{ mode: "fuzzy", ctx: chosen.typed, occur: "should" }],
            offset: chosen.offset,
            limit: 2,
            sort: "desc",
            extensions: {
              ...(chosen.order === undefined ? {} : { orderBy: chosen.order }),
              ...(chosen.explains ? { explain: true } : {}),
              ...(chosen.highlights ? { highlight: HIGHLIGHT, fields: ["n"] } : {}),
            },
          },
          sample,
          0,
        );
        const { whole, search } = await opened(backend, storageIds, chosen.isFederated, plan);
        const hits: FederatedHit[] = [];
        let position: HitPosition | null = search.first;
        for (const { change, which, limit } of chosen.steps) {
          await apply(backend, storageIds, which, change);
          if (position === null) continue;
          const page = await search.page(position, limit);
          expect(await search.page(position, limit)).toEqual(page);
          position = page.next;
          hits.push(...page.hits);
        }
        if (position !== null) hits.push(...(await search.page(position, 1000)).hits);
        expect(hits).toEqual(whole.hits);
        const scored = chosen.order === undefined || chosen.order.some(({ kind }) => kind === "score");
        const explained = hits.filter(({ explanationJson }) => explanationJson !== undefined);
        expect(explained).toHaveLength(chosen.explains && scored ? hits.length : 0);
        expect({ count: search.count, facets: search.facets }).toEqual({
          count: whole.count,
          facets: whole.facets.map(({ field, nodes }) => ({ field, nodes })),
        });
        await backend.stop();
        search.close();
        search.close();
        expect(search.heldHits).toBe(0);
        expect(openDocumentFiles(folder)).toEqual([]);
      }),
      { numRuns: 25 },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** The search, and what one big search of the same moment gives. */
async function opened(
  backend: EmbeddedBackend,
  storageIds: readonly StorageId[],
  isFederated: boolean,
  plan: SearchPlan,
): Promise<{
  readonly whole: Pick<BackendSearchResult, "count" | "facets"> & { readonly hits: readonly object[] };
  readonly search: OpenSearch;
}> {
  const all = { ...plan, limit: 1000 };
  if (isFederated) {
    const members = (each: SearchPlan) =>
      storageIds.map((storageId, i) => ({ storageId, plan: each, weight: 1 + i }));
    const search = await backend.openFederatedSearch(members(plan));
    return { whole: await backend.searchFederation(members(all)), search };
  }
  const search = await backend.openSearch(storageIds[0]!, plan);
  const { hits, ...rest } = await backend.search(storageIds[0]!, all);
  return { whole: { hits: hits.map((hit) => ({ memberIndex: 0, ...hit })), ...rest }, search };
}

/** Changes one of the indexes; a dropped one stays away. */
async function apply(
  backend: EmbeddedBackend,
  storageIds: StorageId[],
  which: number,
  change: typeof step extends fc.Arbitrary<{ readonly change: infer Change }> ? Change : never,
): Promise<void> {
  const storageId = storageIds[which]!;
  if (storageId === "") return;
  switch (change.kind) {
    case "add":
      await backend.add(storageId, change.documents);
      break;
    case "delete":
      await backend.deleteMatching(storageId, { kind: "term", field: "title", term: change.word });
      break;
    case "commit":
      await backend.commit(storageId);
      break;
    case "rollback":
      await backend.rollback(storageId);
      break;
    case "rewrite": {
      const copy = `${storageId}x`;
      const schema = { ...sample.schema, language: "en", enable_language_stemming: true };
      const rewrite = await backend.rewriteIndex(storageId, {
        storageId: copy,
        schema,
        isWanted: () => true,
      });
      await rewrite.finish();
      await backend.dropIndex(storageId);
      storageIds[which] = copy;
      break;
    }
    case "drop":
      await backend.dropIndex(storageId);
      storageIds[which] = "";
      break;
  }
}

test("deeper pages rank again, deeper each time, and give the same order", async () => {
  const folder = mkdtempSync(join(tmpdir(), "findling-opened-search-"));
  try {
    const backend = await EmbeddedBackend.open({ dataDirectory: folder, clock: new ManualClock() });
    await backend.start([]);
    await backend.createIndex("deep", sample.schema);
    const count = 9_500;
    const all = Array.from({ length: count }, (_, i) => ({
      id: String(i),
      title: "tale",
      n: (i * 7919) % 4,
    }));
    for (let from = 0; from < count; from += 3_000) {
      await backend.add("deep", all.slice(from, from + 3_000));
      await backend.commit("deep");
    }
    // By relevance one heap for all segments is kept, by a value one for each.
    const byValue = { orderBy: [{ kind: "field", field: "n", descending: false }] as const };
    for (const [extensions, expectedHeld] of [
      [{}, [1_000, 8_000, 9_500]],
      [byValue, [3_500, 9_500]],
    ] as const) {
      const clauses = [{ mode: "exact", ctx: "tale", occur: "should" }] as const;
      const request = { clauses, offset: 0, limit: 10, sort: "desc", extensions } as const;
      const plan = compileSearch(request, sample, 0);
      const whole = await backend.search("deep", { ...plan, limit: count });
      const search = await backend.openSearch("deep", plan);
      const held = new Set<number>();
      const ids: string[] = [];
      for (let offset = 0; offset < count; offset += 500) {
        const { hits: page } = await search.page({ offset, key: "" }, 500);
        ids.push(...page.map(({ documentId }) => documentId));
        held.add(search.heldHits);
      }
      expect(ids).toEqual(whole.hits.map(({ documentId }) => documentId));
      expect([...held]).toEqual(expectedHeld);
      search.close();
    }
    await backend.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a search that a thread would rank is given up once its caller has gone, each page for itself", async () => {
  const folder = mkdtempSync(join(tmpdir(), "findling-opened-search-"));
  try {
    const clock = new ManualClock();
    // Whatever it costs, it is for a thread.
    const limits = { searchThreads: 1, searchCostHereMax: 0 };
    const backend = await EmbeddedBackend.open({ dataDirectory: folder, clock, ...limits });
    await backend.start([]);
    await backend.createIndex("deep", sample.schema);
    const documents = Array.from({ length: 1_200 }, (_, i) => ({ id: String(i), title: "tale" }));
    await backend.add("deep", documents);
    await backend.commit("deep");
    const request = {
      clauses: [{ mode: "exact", ctx: "tale", occur: "should" }],
      offset: 0,
      limit: 10,
      sort: "desc",
    } as const;
    const plan = compileSearch(request, sample, 0);
    const gone = { isGone: true, whenGone: () => () => undefined };
    const stopped = { code: "search_timeout" };
    const members = [{ storageId: "deep", plan, weight: 1 }];
    await expect(backend.openSearch("deep", plan, gone)).rejects.toMatchObject(stopped);
    await expect(backend.openFederatedSearch(members, gone)).rejects.toMatchObject(stopped);
    for (const search of [
      await backend.openSearch("deep", plan),
      await backend.openFederatedSearch(members),
    ]) {
      const deep = { offset: 1_100, key: "" };
      await expect(search.page(deep, 10, gone)).rejects.toMatchObject(stopped);
      expect((await search.page(deep, 10)).hits).toHaveLength(10);
      search.close();
    }
    await backend.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
