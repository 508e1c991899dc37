import {
  type CacheFigures,
  type HeldSearcher,
  type Index,
  searchCacheFigures,
} from "../../engine/server-door.js";
import { FindlingError } from "../../errors/index.js";
import type {
  BackendSearchResult,
  FederatedSearchResult,
  FederationMember,
  OpenSearch,
  SearchCaller,
} from "../../ports/search-backend.js";
import type { SearchPlan } from "../../query/search-plan.js";
import { OpenedSearch } from "./opened-search.js";
import { SearchPatience, TooDear } from "./search-patience.js";
import { SearchPlacement, SHORT_COST_MAX_MICROSECONDS } from "./search-placement.js";
import { bindTask, runTask, type SearchTask } from "./search-threads/search-task.js";
import {
  NoThread,
  RunHere,
  type SearchedSnapshot,
  type SearchThreads,
  StaleSnapshot,
} from "./search-threads/search-threads.js";
import { summedFigures } from "./search-threads/thread-caches.js";

/** An index that is held open while it is searched, with its folder. */
export interface SearchedIndex {
  readonly path: string;
  readonly index: Pick<Index, "searcher" | "holdSearcher">;
}

export interface SearchLimits {
  readonly timeLimitMs: number;
  /** Microseconds that a search may be expected to take where it arrives; `SearchPlacement` decides unless given. */
  readonly costHereMax?: number | undefined;
}

/** A search is sent to threads so often, as commits take its files away, before these are held for it. */
const ATTEMPTS_MAX = 2;

/** What a search may keep the thread that answers requests where no other can be started. */
const WITHOUT_THREADS_MS = 500;

/** Runs searches where they arrive if they are cheap, and in threads if not; each for a limited time. */
export class Searches {
  readonly #timeLimitMs: number;
  readonly #costHereMax: number | undefined;
  readonly #threads: SearchThreads | null;
  readonly #placement: SearchPlacement;

  /** @param threads null: all run in this thread */
  constructor({ timeLimitMs, costHereMax }: SearchLimits, threads: SearchThreads | null) {
    this.#timeLimitMs = timeLimitMs;
    this.#costHereMax = costHereMax;
    this.#threads = threads;
    this.#placement = new SearchPlacement();
  }

  /**
   * Without a promise where it runs here.
   *
   * @param caller who waits for it; absent: somebody who stays
   * @throws FindlingError `search_timeout`, `rate_limited`, and what the search throws
   */
  ofIndex(
    index: SearchedIndex,
    plan: SearchPlan,
    caller?: SearchCaller,
  ): BackendSearchResult | Promise<BackendSearchResult> {
    return this.#page(indexTask(plan), [index], caller);
  }

  /** @param indexes one for each member */
  async ofFederation(
    members: readonly FederationMember[],
    indexes: readonly SearchedIndex[],
    caller?: SearchCaller,
  ): Promise<FederatedSearchResult> {
    return (await this.#page(federationTask(members), indexes, caller)) as FederatedSearchResult;
  }

  openOfIndex(index: SearchedIndex, plan: SearchPlan, caller?: SearchCaller): Promise<OpenSearch> {
    return this.#open(indexTask(plan), [index], caller);
  }

  openOfFederation(
    members: readonly FederationMember[],
    indexes: readonly SearchedIndex[],
    caller?: SearchCaller,
  ): Promise<OpenSearch> {
    return this.#open(federationTask(members), indexes, caller);
  }

  /** What the caches of searches take and have answered, here and in threads. */
  get cacheFigures(): readonly CacheFigures[] {
    const here = searchCacheFigures();
    return this.#threads === null ? here : summedFigures([here, this.#threads.cacheFigures]);
  }

  /** There is a newer snapshot of an index. */
  follow(newest: SearchedSnapshot): void {
    this.#threads?.follow(newest);
  }

  /** Lets go of the files of an index, but for opened searches, which keep theirs. */
  sleep(path: string): void {
    this.#threads?.sleep(path);
  }

  /** Lets go of all files of a folder. */
  forget(path: string): void {
    this.#threads?.forget(path);
  }

  async stop(): Promise<void> {
    await this.#threads?.stop();
  }

  #page(
    task: SearchTask,
    indexes: readonly SearchedIndex[],
    caller: SearchCaller | undefined,
  ): BackendSearchResult | Promise<BackendSearchResult> {
    // Of the newest state each time: older ones may be gone.
    const snapshots = (): SearchedSnapshot[] =>
      indexes.map(({ path, index: { searcher } }) => ({ path, searcher }));
    const patience = new SearchPatience(this.#timeLimitMs);
    const here = (): BackendSearchResult => {
      const outcome = runTask(task, searchersOf(snapshots()), patience);
      if (outcome.kind !== "page") throw new TypeError("a page was wanted");
      return outcome.result;
    };
    return this.#somewhere(patience, here, async (threads, { isHeld, isShort }) => {
      const held: HeldSearcher[] = [];
      try {
        if (isHeld) for (const { index } of indexes) held.push(index.holdSearcher());
        const searched = snapshotsOf(held, indexes);
        const outcome = await threads.run(
          task,
          held.length > 0 ? searched : snapshots(),
          patience,
          caller,
          isShort,
        );
        if (outcome.kind !== "page") throw new TypeError("a page was wanted");
        return outcome.result;
      } finally {
        for (const each of held) each.release();
      }
    });
  }

  async #open(
    task: SearchTask,
    indexes: readonly SearchedIndex[],
    caller: SearchCaller | undefined,
  ): Promise<OpenSearch> {
    const held: HeldSearcher[] = [];
    let unkeep: (() => void) | undefined;
    const release = (): void => {
      for (const each of held) each.release();
      unkeep?.();
    };
    try {
      for (const { index } of indexes) held.push(index.holdSearcher());
      const snapshots = snapshotsOf(held, indexes);
      unkeep = this.#threads?.keep(snapshots);
      const patience = new SearchPatience(this.#timeLimitMs);
      const search = bindTask(task, searchersOf(snapshots), patience);
      return await OpenedSearch.open({
        search,
        patience,
        release,
        first: task.members.find(({ plan }) => plan !== null)?.plan ?? { offset: 0, limit: 0 },
        caller,
        somewhere: async (here, { depth, withFacets, caller: reader }) =>
          this.#somewhere(patience, here, async (threads, { isShort }) => {
            const ranking: SearchTask = {
              ...task,
              wanted: { kind: "order", depth },
              ...(withFacets ? {} : { members: task.members.map(withoutFacets) }),
            };
            const outcome = await threads.run(ranking, snapshots, patience, reader, isShort);
            if (outcome.kind !== "order") throw new TypeError("an order was wanted");
            return outcome.order;
          }),
        dressSomewhere: async (here, places, reader) =>
          this.#somewhere(patience, here, async (threads, { isShort }) => {
            const dressing: SearchTask = { ...task, wanted: { kind: "hits", places } };
            const outcome = await threads.run(dressing, snapshots, patience, reader, isShort);
            if (outcome.kind !== "hits") throw new TypeError("hits were wanted");
            return outcome.hits;
          }),
      });
    } catch (error) {
      release();
      throw error;
    }
  }

  /**
   * Here if that is cheap, without a promise; else in a thread, or here after all if none can be started and it doesn't
   * take long, or its snapshots' files are gone even though they were held in the last attempt.
   */
  #somewhere<Here, There>(
    patience: SearchPatience,
    here: () => Here,
    there: (threads: SearchThreads, attempt: Attempt) => Promise<There>,
  ): Here | Promise<Here | There> {
    const threads = this.#threads;
    if (threads === null) return here();
    const placement = this.#placement;
    try {
      patience.try(this.#costHereMax ?? placement.costHereMax(threads.isReady), threads.isThere);
      const found = here();
      // Another one of these could go to a thread, which takes long to start.
      if (placement.isQueued && SearchPlacement.isShared(patience.expectedMicroseconds)) threads.prepare();
      placement.ranHere();
      return found;
    } catch (error) {
      if (!(error instanceof TooDear)) throw error;
    } finally {
      patience.insist();
    }
    const answered = placement.sent();
    return elsewhere(patience, here, (attempt) => there(threads, attempt)).finally(answered);
  }
}

/** How a search is sent to threads. */
interface Attempt {
  /** Whether the files of its snapshots are to be held for it. */
  readonly isHeld: boolean;
  /** Whether it may come back to be run here. */
  readonly isShort: boolean;
}

async function elsewhere<Here, There>(
  patience: SearchPatience,
  here: () => Here,
  there: (attempt: Attempt) => Promise<There>,
): Promise<Here | There> {
  let isShort = SearchPlacement.isShort(patience.expectedMicroseconds);
  for (let attempt = 0; attempt <= ATTEMPTS_MAX; ) {
    try {
      return await there({ isHeld: attempt === ATTEMPTS_MAX, isShort });
    } catch (error) {
      if (error instanceof NoThread) return hurried(patience, here);
      if (error instanceof StaleSnapshot) attempt++;
      else if (!(error instanceof RunHere)) throw error;
      else {
        const found = tried(patience, here);
        if (found !== null) return found.here;
        isShort = false;
      }
    }
  }
  return here();
}

/** Null if it takes much longer here than short searches may. */
function tried<Here>(patience: SearchPatience, here: () => Here): { readonly here: Here } | null {
  try {
    patience.try(SHORT_COST_MAX_MICROSECONDS);
    return { here: here() };
  } catch (error) {
    if (!(error instanceof TooDear)) throw error;
    return null;
  } finally {
    patience.insist();
  }
}

/** @throws FindlingError `storage_unavailable` if others would have to wait for it too long */
function hurried<Here>(patience: SearchPatience, here: () => Here): Here {
  try {
    patience.hurry(WITHOUT_THREADS_MS);
    return here();
  } catch (error) {
    if (!(error instanceof TooDear)) throw error;
    throw new FindlingError(
      "storage_unavailable",
      "no thread can be started for this search, which takes long; the server's log says why; make the search simpler, or try again later",
      { retryAfterSeconds: 1 },
    );
  } finally {
    patience.insist();
  }
}

/** @param held of each index */
function snapshotsOf(held: readonly HeldSearcher[], indexes: readonly SearchedIndex[]): SearchedSnapshot[] {
  return held.map(({ searcher }, i) => ({ path: indexes[i]!.path, searcher }));
}

function searchersOf(snapshots: readonly SearchedSnapshot[]): SearchedSnapshot["searcher"][] {
  return snapshots.map(({ searcher }) => searcher);
}

function indexTask(plan: SearchPlan): SearchTask {
  return { isFederated: false, members: [{ plan, weight: 1 }], wanted: { kind: "page" } };
}

function federationTask(members: readonly FederationMember[]): SearchTask {
  // What else members have isn't for threads.
  const searched = members.map(({ plan, weight }) => ({ plan, weight }));
  return { isFederated: true, members: searched, wanted: { kind: "page" } };
}

function withoutFacets({ plan, weight }: SearchTask["members"][number]): SearchTask["members"][number] {
  if (plan === null) return { plan, weight };
  const { multiSelectFacets: _, ...rest } = plan;
  return { plan: { ...rest, facets: [] }, weight };
}
