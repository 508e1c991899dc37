/**
 * Properties: a search in a thread gives what the same search gives here, bit for bit, over random
 * documents, deletes, segments, plans and federations, with kernels and without; what a
 * thread holds is closed, and what it still needs isn't.
 * Threads run what `npm run build` has made of the sources.
 */
import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openDocumentStoresIn } from "../../../../tests/kit/open-document-stores.js";
import {
  index,
  SearchThreadsHarness,
  snapshotOf,
  TASK,
  until,
  withNodes,
} from "../../../../tests/kit/search-threads-harness.js";
import { imageThreshold } from "../../../engine/kernels/image-memory.js";
import type { SearchCaller } from "../../../ports/search-backend.js";
import { compileFederatedSearch } from "../../../query/compile-federated-search.js";
import { type HitOrder, OrderedHitPlaces } from "./hit-order.js";
import type { SearchOutcome, SearchTask } from "./search-task.js";
import { RunHere, StaleSnapshot } from "./search-threads.js";

const decaying = { ...index, schema: { ...index.schema, time_decay_field: "at" } };

const WORDS = ["winter", "winters", "winner", "tale", "tales", "cold", "snow", "summer"];
const word = fc.constantFrom(...WORDS);
const document = fc
  .record({
    title: fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(" ")),
    n: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
    shelf: fc.constantFrom("/a", "/a/b", "/c"),
    at: fc.constantFrom("2024-01-02T00:00:00Z", "2023-06-01T00:00:00Z"),
  })
  .map(({ n, ...rest }) => ({ ...rest, ...(n === undefined ? {} : { n }) }));
const batches = fc.array(fc.array(document, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 });

const orderKey = fc.oneof(
  fc.record({
    kind: fc.constant("field" as const),
    field: fc.constantFrom("id", "title", "n"),
    descending: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("score" as const), descending: fc.boolean() }),
);
const HIGHLIGHT = { preTag: "<", postTag: ">", fragmentSize: 0, maxFragments: 1 };
const search = fc.record({
  clauses: fc.array(
    fc.record({
      mode: fc.constantFrom("fuzzy" as const, "exact" as const, "dynamic" as const),
      ctx: fc.oneof(
        fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" ")),
        fc.constantFrom("wintre", "tael cold", '"winter tale"', "wint*", "n:>1", "shelf:/a", "-winter snow"),
      ),
      occur: fc.constantFrom("should" as const, "must" as const),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  offset: fc.constantFrom(0, 0, 2),
  limit: fc.constantFrom(0, 3, 50),
  order: fc.option(fc.array(orderKey, { minLength: 1, maxLength: 2 }), { nil: undefined }),
  decays: fc.boolean(),
  explains: fc.boolean(),
  highlights: fc.boolean(),
  fields: fc.option(fc.subarray(["title", "n"]), { nil: undefined }),
  multiSelect: fc.boolean(),
});
const scenario = fc.record({
  first: batches,
  second: batches,
  deleted: fc.array(word, { maxLength: 1 }),
  withKernels: fc.boolean(),
  areShort: fc.boolean(),
  searches: fc.array(search, { minLength: 3, maxLength: 6 }),
});

const thresholdBefore = imageThreshold.bytes;
let harness: SearchThreadsHarness;
beforeEach(() => {
  harness = new SearchThreadsHarness();
});
afterEach(async () => {
  imageThreshold.bytes = thresholdBefore;
  await harness.close();
});

test("searches in threads give what they give here", async () => {
  const threads = harness.pool(2);
  await fc.assert(
    fc.asyncProperty(scenario, async ({ first, second, deleted, withKernels, areShort, searches }) => {
      imageThreshold.bytes = withKernels ? 1 : 2 ** 40;
      const indexes = [await harness.indexOf(first), await harness.indexOf(second)];
      for (const { index: each } of indexes) {
        for (const term of deleted) {
          await each.deleteByQuery({ kind: "term", field: "title", term });
          await each.commit();
        }
        // A merge to come would take the snapshot's files away.
        await each.settled();
      }
      const snapshots = indexes.map(snapshotOf);
      const running: Promise<void>[] = [];
      for (const { order, decays, explains, highlights, fields, multiSelect, ...request } of searches) {
        const context = decays ? decaying : index;
        const extensions = {
          ...(order === undefined ? {} : { orderBy: order }),
          ...(explains ? { explain: true as const } : {}),
          ...(highlights ? { highlight: HIGHLIGHT } : {}),
          ...(fields === undefined ? {} : { fields }),
          ...(multiSelect ? { multiSelectFacets: ["shelf"] } : {}),
        };
        const plans = compileFederatedSearch(
          { ...request, sort: "desc", extensions },
          [context, context],
          Date.UTC(2024, 0, 4),
        );
        const members = plans.map((each, i) => ({ plan: each, weight: 1 + i }));
        const wanted = { kind: "page" } as const;
        const both: SearchTask = { isFederated: true, members, wanted };
        const one: SearchTask = { isFederated: false, members: members.slice(0, 1), wanted };
        for (const [task, searched] of [
          [both, snapshots],
          [one, snapshots.slice(0, 1)],
        ] as const) {
          if (task.members[0]!.plan === null) continue;
          const compare = async (each: SearchTask): Promise<void> => {
            const outcome = await threads
              .run(each, searched, harness.patience(), undefined, areShort)
              .catch(comesBack);
            if (outcome !== null) expect(withNodes(outcome)).toEqual(withNodes(harness.here(each, searched)));
          };
          const ordered: SearchTask = { ...task, wanted: { kind: "order", depth: 7 } };
          const { order: places } = harness.here(ordered, searched) as { readonly order: HitOrder };
          const explained: SearchTask = { ...task, wanted: { kind: "hits", places } };
          running.push(compare(task), compare(ordered), compare(explained));
        }
      }
      await Promise.all(running);
    }),
    { numRuns: 12 },
  );
});

/** @throws what isn't `RunHere` */
function comesBack(error: unknown): null {
  if (!(error instanceof RunHere)) throw error;
  return null;
}

test("short searches that wait come back one in a turn, dear ones stay in the line", async () => {
  const made = snapshotOf(await harness.indexOf([[{ title: "winter" }]]));
  const threads = harness.pool(1);
  const back: number[] = [];
  const run = (name: number, isShort: boolean): Promise<unknown> =>
    threads.run(TASK, [made], harness.patience(), undefined, isShort).catch((error: unknown) => {
      comesBack(error);
      back.push(name);
    });
  // It has a thread started, which takes many turns.
  const first = run(1, true);
  const others = [run(2, true), run(3, false), run(4, true)];
  const turn = (): Promise<void> => new Promise((resume) => setImmediate(resume));
  await turn();
  expect(back).toEqual([2]);
  await turn();
  expect(back).toEqual([2, 4]);
  expect(await first).toEqual(harness.here(TASK, [made]));
  expect(await others[1]).toEqual(harness.here(TASK, [made]));
  expect(back).toEqual([2, 4]);
});

test("a thread at a short search is sent one more, whose caller may go without the other's", async () => {
  const made = snapshotOf(await harness.indexOf([[{ title: "winter" }]]));
  const threads = harness.pool(1);
  const run = (caller?: SearchCaller): Promise<SearchOutcome> =>
    threads.run(TASK, [made], harness.patience(), caller, true);
  await run();
  for (const goesFirst of [true, false]) {
    let goes!: () => void;
    const caller: SearchCaller = {
      isGone: false,
      whenGone: (listener) => {
        goes = listener;
        return () => undefined;
      },
    };
    const pair = [run(goesFirst ? caller : undefined), run(goesFirst ? undefined : caller)];
    // Both have been sent: neither comes back in a later turn.
    goes();
    const [first, second] = await Promise.allSettled(pair);
    const [gone, stays] = goesFirst ? [first!, second!] : [second!, first!];
    expect(stays).toMatchObject({ status: "fulfilled", value: harness.here(TASK, [made]) });
    // It may have been answered before it was told.
    if (gone.status === "rejected") expect(gone.reason).toMatchObject({ code: "search_timeout" });
  }
});

test("an order names the page's hits", async () => {
  const made = await harness.indexOf([[{ title: "winter tale" }, { title: "tale" }], [{ title: "winter" }]]);
  const outcome = await harness
    .pool(1)
    .run({ ...TASK, wanted: { kind: "order" as const, depth: 5 } }, [snapshotOf(made)], harness.patience());
  if (outcome.kind !== "order") throw new TypeError("an order was wanted");
  const places = new OrderedHitPlaces(outcome.order);
  expect(places).toMatchObject({ count: 2, length: 2, held: 2 });
  const ids = [0, 1].map((place) => made.index.searcher.load(places.at(place).hit).json);
  expect(ids.map((json) => (JSON.parse(json) as { title: string }).title)).toEqual(["winter", "winter tale"]);
});

test("a snapshot whose files are gone is stale, and the thread goes on with the next", async () => {
  const made = await harness.indexOf([[{ title: "winter" }]]);
  const stale = snapshotOf(made);
  await made.index.deleteAll();
  await made.index.add([{ id: "x", title: "winter cold" }]);
  await made.index.commit();
  // What is of no use any more is deleted behind the commit's back.
  await made.index.settled();
  await until(() => readdirSync(made.path).filter((name) => name.endsWith(".doc")).length === 1);
  const threads = harness.pool(1);
  await expect(threads.run(TASK, [stale], harness.patience())).rejects.toThrow(StaleSnapshot);
  const newest = snapshotOf(made);
  expect(await threads.run(TASK, [newest], harness.patience())).toEqual(harness.here(TASK, [newest]));
});

test("errors come back as they were thrown", async () => {
  const made = snapshotOf(await harness.indexOf([[{ title: "winter" }]]));
  const unknown = { ...TASK.members[0]!.plan!, ast: { kind: "term" as const, field: "nowhere", term: "x" } };
  const task: SearchTask = { ...TASK, members: [{ plan: unknown, weight: 1 }] };
  const thrown = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (error) {
      return error;
    }
  };
  const expected = thrown(() => harness.here(task, [made])) as Error;
  await expect(harness.pool(1).run(task, [made], harness.patience())).rejects.toMatchObject({
    name: "FindlingError",
    code: "unknown_field",
    message: expected.message,
  });
});

/** For a moment more than are held, while a commit point syncs them. */
const openDocumentStores = (): number => openDocumentStoresIn(harness.folder);

test("what a new snapshot shares with the one before stays open, and isn't opened again", async () => {
  const made = await harness.indexOf([[{ title: "winter" }]]);
  const threads = harness.pool(1);
  await threads.run(TASK, [snapshotOf(made)], harness.patience());
  const [before] = readdirSync(made.path).filter((name) => name.endsWith(".doc"));
  await made.index.add([{ id: "x", title: "winter cold" }]);
  await made.index.commit();
  const newest = snapshotOf(made);
  const expected = harness.here(TASK, [newest]);
  // Opening it again would fail now.
  renameSync(join(made.path, before!), join(made.path, "elsewhere"));
  expect(await threads.run(TASK, [newest], harness.patience())).toEqual(expected);
  renameSync(join(made.path, "elsewhere"), join(made.path, before!));
});

test.skipIf(process.platform !== "linux")(
  "a thread keeps the newest snapshot of an index, until it is told or ends",
  async () => {
    const made = await harness.indexOf([[{ title: "winter" }]]);
    const other = await harness.indexOf([[{ title: "winter" }]]);
    const threads = harness.pool(1);
    await threads.run(TASK, [snapshotOf(made)], harness.patience());
    await until(() => openDocumentStores() === 2 + 1);
    await made.index.deleteAll();
    await made.index.add([{ id: "x", title: "winter" }]);
    await made.index.commit();
    // The index closes what is of no use any more behind the commit's back.
    await until(() => openDocumentStores() === 2 + 1);
    await threads.run(TASK, [snapshotOf(made)], harness.patience());
    await threads.run(TASK, [snapshotOf(other)], harness.patience());
    await until(() => openDocumentStores() === 2 + 2);
    threads.forget(made.path);
    await threads.run(TASK, [snapshotOf(other)], harness.patience());
    await until(() => openDocumentStores() === 2 + 1);
    await harness.clock.advance(60_000);
    await until(() => openDocumentStores() === 2);
    await threads.run(TASK, [snapshotOf(other)], harness.patience());
    await until(() => openDocumentStores() === 2 + 1);
  },
);
