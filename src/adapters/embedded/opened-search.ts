import type { BackendSearchResult, FederatedHit, OpenSearch } from "../../ports/search-backend.js";
import type { BoundSearch, RankedSearch } from "./bound-search.js";

/** Hits that are ranked at first: enough for the pages that most readers ask for. */
const FIRST_DEPTH = 1_000;

/** Ranking anew so many times deeper keeps the work for reading everything at a few searches. */
const DEEPER_FACTOR = 8;

interface Page {
  readonly offset: number;
  readonly limit: number;
}

/**
 * A search on snapshots that are held open. Only the order of its first hits is worked out, and kept:
 * a page that lies deeper ranks again, several times as deep.
 */
export class OpenedSearch implements OpenSearch {
  readonly count: number;
  readonly facets: BackendSearchResult["facets"];
  readonly #release: () => void;
  /** Null once closed. */
  #search: BoundSearch | null;
  #ranked: RankedSearch;

  private constructor(search: BoundSearch, first: Page, release: () => void) {
    const ranked = search.rank({ offset: 0, limit: Math.max(FIRST_DEPTH, first.offset + first.limit) });
    this.count = ranked.count;
    this.facets = ranked.facets;
    this.#search = search;
    this.#ranked = ranked;
    this.#release = release;
  }

  /**
   * @param bind makes the search on the snapshots
   * @param release lets go of the snapshots; called once, also when this throws
   */
  static open(bind: () => BoundSearch, first: Page, release: () => void): OpenedSearch {
    try {
      return new OpenedSearch(bind(), first, release);
    } catch (error) {
      release();
      throw error;
    }
  }

  get heldHits(): number {
    return this.#search === null ? 0 : this.#ranked.held;
  }

  async page(offset: number, limit: number): Promise<readonly FederatedHit[]> {
    const search = this.#search;
    if (search === null) throw new TypeError("the search is closed");
    const end = Math.min(offset + limit, this.count);
    if (end > this.#ranked.length) {
      const deeper = Math.min(this.#ranked.length * DEEPER_FACTOR, this.count);
      this.#ranked = search.rankDeeper(this.#ranked, Math.max(end, deeper));
    }
    return search.load(this.#ranked, { offset, limit });
  }

  close(): void {
    if (this.#search === null) return;
    this.#search = null;
    this.#release();
  }
}
