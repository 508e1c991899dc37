import { createHash } from "node:crypto";
import type { Facet } from "../../contract/search.js";
import { FindlingError } from "../../errors/index.js";
import type {
  FederatedSearchResult,
  HitPage,
  HitPosition,
  OpenSearch,
  SearchCaller,
} from "../../ports/search-backend.js";
import { isPointLost } from "./cluster-errors.js";
import { Collection, type SearchedStorage } from "./collection.js";
import {
  BEYOND_TIMEOUT_MS,
  bodyOf,
  countedFacets,
  type PreparedSearch,
  planOf,
  type SearchAccess,
  searchOnce,
  sendSearch,
  shownHits,
  WINDOW_MAX,
} from "./federated-search.js";
import type { HeldPoint, PointsInTime } from "./points-in-time.js";
import type { SearchRecord } from "./search-record.js";
import { type TimedCaller, waitingFor } from "./timed-caller.js";

/** What open searches use of a back end. */
export interface OpenSearchAccess {
  readonly search: SearchAccess;
  readonly points: PointsInTime;
  /** Whether documents that a storage had in a generation may have been purged since. */
  isPurged(storage: SearchedStorage, caller: TimedCaller): Promise<boolean>;
}

interface Opened {
  readonly point: HeldPoint | null;
  readonly pointId: string;
  readonly count: number;
  readonly facets: readonly Facet[];
  readonly onClosed: () => void;
}

/** A search whose pages are read by `search_after` at one point in time of the cluster's indices. */
export class ClusterOpenSearch implements OpenSearch {
  readonly #access: OpenSearchAccess;
  readonly #prepared: PreparedSearch;
  readonly #onClosed: () => void;
  /** Null once it is closed, and where another process opened it. */
  #point: HeldPoint | null;
  #pointId: string;
  #isClosed = false;
  readonly count: number;
  readonly first: HitPosition;
  readonly facets: readonly Facet[];

  private constructor(access: OpenSearchAccess, prepared: PreparedSearch, opened: Opened) {
    this.#access = access;
    this.#prepared = prepared;
    this.#point = opened.point;
    this.#pointId = opened.pointId;
    this.#onClosed = opened.onClosed;
    this.count = opened.count;
    this.facets = opened.facets;
    this.first = { offset: planOf(prepared).offset, key: "" };
  }

  static async open(
    access: OpenSearchAccess,
    prepared: PreparedSearch,
    caller: SearchCaller | undefined,
    onClosed: () => void = () => undefined,
  ): Promise<ClusterOpenSearch> {
    let point = await access.points.hold(prepared.collection);
    const ask = (): ReturnType<typeof sendSearch> =>
      sendSearch(
        access.search,
        "/_search",
        { ...bodyOf(prepared, true), size: 0, pit: { id: point.id, keep_alive: access.points.keepAlive } },
        caller,
      );
    try {
      const answer = await ask().catch(async (error: unknown) => {
        if (!isPointLost(error)) throw error;
        point.letGo();
        point = await access.points.hold(prepared.collection, true);
        return ask();
      });
      return new ClusterOpenSearch(access, prepared, {
        point,
        pointId: point.id,
        count: answer.hits.total!.value,
        facets: countedFacets(prepared, answer),
        onClosed,
      });
    } catch (error) {
      point.letGo();
      throw error;
    }
  }

  /** A search that any process has opened. */
  static resumed(access: OpenSearchAccess, record: SearchRecord): ClusterOpenSearch {
    const { members, query, sort, isScored, explains, point, count, facets } = record;
    const { cluster, kept, timeoutMs } = access.search;
    const storages = members.map(({ storage }) => storage);
    const collection = new Collection(cluster, storages, { kept, caller: undefined, timeoutMs });
    const prepared = { members, collection, query, sort, isScored, explains, facets: [] };
    return new ClusterOpenSearch(access, prepared, {
      point: null,
      pointId: point,
      count,
      facets,
      onClosed: () => undefined,
    });
  }

  /** By which any process can go on with it. */
  get record(): SearchRecord {
    const { members, query, sort, isScored, explains } = this.#prepared;
    const { count, facets } = this;
    const plain = members.map(({ storage, schema, plan, weight }) => ({ storage, schema, plan, weight }));
    return { point: this.#pointId, count, facets, members: plain, query, sort, isScored, explains };
  }

  /** Others may go on with it once it is closed here. */
  keepPoint(): void {
    this.#point?.keep();
  }

  /** The cluster holds them. */
  get heldHits(): number {
    return 0;
  }

  async page(from: HitPosition, limit: number, caller?: SearchCaller): Promise<HitPage> {
    if (this.#isClosed) throw expired();
    // However many requests a page takes, it is one search.
    const waiting = waitingFor(this.#access.search.timeoutMs + BEYOND_TIMEOUT_MS, caller);
    try {
      return await this.#page(from, limit, waiting);
    } catch (error) {
      if (!isPointLost(error)) throw error;
      await this.#replacePoint(waiting);
      return this.#page(from, limit, waiting);
    }
  }

  async #page(from: HitPosition, limit: number, caller: SearchCaller | undefined): Promise<HitPage> {
    let after = this.#sortValuesOf(from.key);
    if (from.offset >= this.count) return { hits: [], next: null };
    // Deep beginnings are walked to: from an offset the cluster gives so many at most.
    let skipped = after === null ? 0 : from.offset;
    while (from.offset - skipped + limit > WINDOW_MAX && skipped < from.offset) {
      const size = Math.min(WINDOW_MAX, from.offset - skipped);
      const { hits } = (await this.#send(after, 0, size, false, caller)).hits;
      if (hits.length === 0) return { hits: [], next: null };
      skipped += hits.length;
      after = hits.at(-1)!.sort;
    }
    const found = (await this.#send(after, from.offset - skipped, limit, true, caller)).hits.hits;
    const end = from.offset + found.length;
    const isLast = found.length === 0 || end >= this.count;
    return {
      hits: shownHits(this.#prepared, found),
      next: isLast ? null : { offset: end, key: this.#keyOf(found.at(-1)!.sort) },
    };
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#point?.letGo();
    this.#onClosed();
  }

  async #send(
    after: readonly unknown[] | null,
    from: number,
    size: number,
    isShown: boolean,
    caller: SearchCaller | undefined,
  ): ReturnType<typeof sendSearch> {
    const { explain, ...body } = bodyOf(this.#prepared, false);
    return sendSearch(
      this.#access.search,
      "/_search",
      {
        ...body,
        _source: isShown,
        ...(isShown && explain === true && { explain }),
        from: after === null ? from : 0,
        size,
        pit: { id: this.#pointId, keep_alive: this.#access.points.keepAlive },
        ...(after !== null && { search_after: after }),
      },
      caller,
    );
  }

  /** As where a node went that had a part of the point in time: the generation's documents are there all the same. */
  async #replacePoint(caller: TimedCaller): Promise<void> {
    const { collection } = this.#prepared;
    for (const storage of collection.storages)
      if (await this.#access.isPurged(storage, caller)) throw expired();
    const wasKept = this.#point === null;
    this.#point?.letGo();
    const point = await this.#access.points.hold(collection, true);
    this.#pointId = point.id;
    if (wasKept) {
      point.keep();
      point.letGo();
    } else {
      this.#point = point;
    }
  }

  #keyOf(sort: readonly unknown[]): string {
    return Buffer.from(JSON.stringify([this.#pointMark, ...sort]), "utf8").toString("base64url");
  }

  /** Null for the beginning, and where it is to be counted to. @throws FindlingError `cursor_expired` */
  #sortValuesOf(key: string): readonly unknown[] | null {
    if (key === "") return null;
    try {
      const [mark, ...values] = JSON.parse(Buffer.from(key, "base64url").toString("utf8")) as unknown[];
      if (typeof mark === "string" && values.length === this.#prepared.sort.length)
        // At another point in time the same documents may score a little more or less.
        return mark === this.#pointMark || !this.#prepared.isScored ? values : null;
    } catch {
      // As for any other text that is no place.
    }
    throw expired();
  }

  get #pointMark(): string {
    return createHash("sha256").update(this.#pointId).digest("base64url").slice(0, 6);
  }
}

/** The page that a search asks for: at once, or from a point in time where it lies beyond what the cluster gives. */
export async function searchPage(
  access: OpenSearchAccess,
  prepared: PreparedSearch,
  caller: SearchCaller | undefined,
): Promise<FederatedSearchResult> {
  const { offset, limit } = planOf(prepared);
  if (offset + limit <= WINDOW_MAX) return searchOnce(access.search, prepared, caller);
  const open = await ClusterOpenSearch.open(access, prepared, caller);
  try {
    const { hits } = await open.page(open.first, limit, caller);
    return { count: open.count, hits, facets: open.facets };
  } finally {
    open.close();
  }
}

function expired(): FindlingError {
  return new FindlingError("cursor_expired", "the cursor is closed, or names no place in its search");
}

/** What is open of a search that leaves every member out. */
export const NOTHING_OPEN: OpenSearch = {
  count: 0,
  first: { offset: 0, key: "" },
  facets: [],
  heldHits: 0,
  page: async () => ({ hits: [], next: null }),
  close() {},
};
