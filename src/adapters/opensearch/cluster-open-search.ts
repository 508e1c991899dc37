import type { Facet } from "../../contract/search.js";
import { FindlingError } from "../../errors/index.js";
import type { HitPage, HitPosition, OpenSearch, SearchCaller } from "../../ports/search-backend.js";
import {
  bodyOf,
  countedFacets,
  type PreparedSearch,
  planOf,
  type SearchAccess,
  sendSearch,
  shownHits,
  WINDOW_MAX,
} from "./federated-search.js";

/** How long the cluster keeps a point in time that nobody reads. */
const KEEP_ALIVE = "6m";

/** A search whose pages are read by `search_after` at one point in time of the cluster's indices. */
export class ClusterOpenSearch implements OpenSearch {
  readonly #access: SearchAccess;
  readonly #prepared: PreparedSearch;
  readonly #onClosed: () => void;
  #pit: string | null;
  readonly count: number;
  readonly first: HitPosition;
  readonly facets: readonly Facet[];

  private constructor(
    access: SearchAccess,
    prepared: PreparedSearch,
    opened: {
      readonly pit: string;
      readonly count: number;
      readonly facets: readonly Facet[];
      readonly onClosed: () => void;
    },
  ) {
    this.#access = access;
    this.#prepared = prepared;
    this.#pit = opened.pit;
    this.#onClosed = opened.onClosed;
    this.count = opened.count;
    this.facets = opened.facets;
    this.first = { offset: planOf(prepared).offset, key: "" };
  }

  static async open(
    access: SearchAccess,
    prepared: PreparedSearch,
    caller: SearchCaller | undefined,
    onClosed: () => void = () => undefined,
  ): Promise<ClusterOpenSearch> {
    const { body: opened } = await access.cluster.request<{ readonly pit_id: string }>(
      "POST",
      `/${prepared.collection.documents}/_search/point_in_time`,
      { query: { keep_alive: KEEP_ALIVE } },
    );
    const answer = await sendSearch(
      access,
      "/_search",
      { ...bodyOf(prepared, true), size: 0, pit: { id: opened.pit_id, keep_alive: KEEP_ALIVE } },
      caller,
    );
    return new ClusterOpenSearch(access, prepared, {
      pit: answer.pit_id ?? opened.pit_id,
      count: answer.hits.total!.value,
      facets: countedFacets(prepared, answer),
      onClosed,
    });
  }

  /** The cluster holds them. */
  get heldHits(): number {
    return 0;
  }

  async page(from: HitPosition, limit: number, caller?: SearchCaller): Promise<HitPage> {
    if (this.#pit === null) throw expired();
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
      next: isLast ? null : { offset: end, key: keyOf(found.at(-1)!.sort) },
    };
  }

  close(): void {
    const pit = this.#pit;
    this.#pit = null;
    if (pit === null) return;
    this.#access.cluster
      .request("DELETE", "/_search/point_in_time", { body: { pit_id: [pit] }, accepts: [404] })
      .catch(() => undefined)
      .finally(() => this.#onClosed());
  }

  async #send(
    after: readonly unknown[] | null,
    from: number,
    size: number,
    isShown: boolean,
    caller: SearchCaller | undefined,
  ): ReturnType<typeof sendSearch> {
    const { _source: source, explain, ...body } = bodyOf(this.#prepared, false);
    return sendSearch(
      this.#access,
      "/_search",
      {
        ...body,
        _source: isShown ? source : false,
        ...(isShown && explain === true && { explain }),
        from: after === null ? from : 0,
        size,
        pit: { id: this.#pit, keep_alive: KEEP_ALIVE },
        ...(after !== null && { search_after: after }),
      },
      caller,
    );
  }

  /** Null for the beginning. @throws FindlingError `cursor_expired` */
  #sortValuesOf(key: string): readonly unknown[] | null {
    if (key === "") return null;
    try {
      const values: unknown = JSON.parse(Buffer.from(key, "base64url").toString("utf8"));
      if (Array.isArray(values) && values.length === this.#prepared.sort.length) return values;
    } catch {
      // As for any other text that is no place.
    }
    throw expired();
  }
}

function keyOf(sort: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(sort), "utf8").toString("base64url");
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
