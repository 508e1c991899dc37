/**
 * Searches that are sent to threads while commits take their snapshots' files away: asked again of the newest
 * state, then with the files held, then answered here; nothing stays held. The threads are stood in for by what
 * says "stale" as often as wanted: in threads that is a matter of moments.
 */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { field, sampleIndex } from "../../../tests/query-kit/sample-index.js";
import { type HeldSearcher, Index, MemoryDirectory } from "../../engine/server-door.js";
import { compileSearch } from "../../query/compile-search.js";
import type { SearchPatience } from "./search-patience.js";
import { runTask, type SearchTask } from "./search-threads/search-task.js";
import {
  NoThread,
  type SearchedSnapshot,
  SearchThreads,
  StaleSnapshot,
} from "./search-threads/search-threads.js";
import { type SearchedIndex, Searches } from "./searches.js";
import { toEngineSchema } from "./to-engine-schema.js";

const sample = sampleIndex({ fields: { title: field("text") }, search_fields: ["title"] });
const clause = { mode: "fuzzy" as const, ctx: "winter", occur: "should" as const };
const plan = compileSearch({ clauses: [clause], offset: 0, limit: 10, sort: "desc" }, sample, 0);

/** Every search is too dear for the thread that it arrives in. */
const LIMITS = { timeLimitMs: 60_000, costHereMax: 0 };

/** Says of so many searches that their snapshots are gone, or fails with something else. */
class StaleThreads extends SearchThreads {
  readonly asked: (readonly SearchedSnapshot[])[] = [];
  readonly #staleCount: number;
  readonly #failure: Error | null;

  constructor(staleCount: number, failure: Error | null = null) {
    super({ count: 1, clock: new ManualClock(), onProblem: () => undefined });
    this.#staleCount = staleCount;
    this.#failure = failure;
  }

  override async run(
    task: SearchTask,
    snapshots: readonly SearchedSnapshot[],
    patience: SearchPatience,
  ): Promise<Awaited<ReturnType<SearchThreads["run"]>>> {
    this.asked.push(snapshots);
    if (this.asked.length <= this.#staleCount) throw new StaleSnapshot();
    if (this.#failure !== null) throw this.#failure;
    return runTask(
      task,
      snapshots.map(({ searcher }) => searcher),
      patience,
    );
  }
}

/** An index whose holds are counted. */
class WatchedIndex implements SearchedIndex {
  readonly path = "nowhere";
  readonly held: HeldSearcher[] = [];
  released = 0;
  readonly #index: Index;

  constructor(index: Index) {
    this.#index = index;
  }

  get index(): SearchedIndex["index"] {
    const index = this.#index;
    return {
      searcher: index.searcher,
      holdSearcher: () => {
        const held = index.holdSearcher();
        this.held.push(held);
        return {
          searcher: held.searcher,
          release: () => {
            this.released++;
            held.release();
          },
        };
      },
    };
  }
}

let index: Index;

beforeAll(async () => {
  index = await Index.create(new MemoryDirectory(), toEngineSchema(sample.schema));
  await index.add(["winter tale", "summer", "cold winters"].map((title) => ({ title })));
  await index.commit();
});
afterAll(() => index.close());

test.each([
  { stale: 0, asked: 1, held: 0 },
  { stale: 1, asked: 2, held: 0 },
  { stale: 2, asked: 3, held: 1 },
  { stale: 3, asked: 3, held: 1 },
])("$stale stale snapshots: asked $asked times, holding files $held times", async (expected) => {
  const threads = new StaleThreads(expected.stale);
  const watched = new WatchedIndex(index);
  const result = await new Searches(LIMITS, threads).ofIndex(watched, plan);
  expect(result).toEqual(await new Searches(LIMITS, null).ofIndex(watched, plan));
  expect(result.count).toBe(2);
  expect(threads.asked).toHaveLength(expected.asked);
  expect(watched.held).toHaveLength(expected.held);
  expect(watched.released).toBe(expected.held);
  if (expected.held > 0) expect(threads.asked.at(-1)![0]!.searcher).toBe(watched.held[0]!.searcher);
});

test("files that are held for a search that fails are let go of, too", async () => {
  const watched = new WatchedIndex(index);
  const search = new Searches(LIMITS, new StaleThreads(2, new TypeError("broken"))).ofIndex(watched, plan);
  await expect(search).rejects.toThrow("broken");
  expect(watched.held).toHaveLength(1);
  expect(watched.released).toBe(1);
});

test("without a thread to be had, what would keep this one for long is refused, and the rest is searched here", async () => {
  const watched = new WatchedIndex(index);
  const searches = new Searches(LIMITS, new StaleThreads(0, new NoThread()));
  const cost = vi.spyOn(index.searcher, "cost");
  try {
    cost.mockReturnValue(400_000);
    expect(await searches.ofIndex(watched, plan)).toMatchObject({ count: 2 });
    const opened = await searches.openOfIndex(watched, plan);
    expect(opened.count).toBe(2);
    opened.close();
    cost.mockReturnValue(600_000);
    const refused = { code: "storage_unavailable", retryAfterSeconds: 1 };
    await expect(searches.ofIndex(watched, plan)).rejects.toMatchObject(refused);
    await expect(searches.openOfIndex(watched, plan)).rejects.toMatchObject(refused);
    expect(watched.released).toBe(watched.held.length);
    // Where threads aren't wanted, it takes the time that it takes.
    expect(await new Searches(LIMITS, null).ofIndex(watched, plan)).toMatchObject({ count: 2 });
  } finally {
    cost.mockRestore();
  }
});
