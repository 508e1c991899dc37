import { FindlingError } from "../../errors/index.js";
import { TimeSlice } from "../../intake/time-slice.js";
import type {
  BackendSearchResult,
  FederatedHit,
  HitPage,
  HitPosition,
  OpenSearch,
  SearchCaller,
} from "../../ports/search-backend.js";
import type { BoundSearch } from "./bound-search.js";
import { RankedSearch } from "./ranked-search.js";
import type { SearchPatience } from "./search-patience.js";
import {
  type HitOrder,
  type HitPlaces,
  hitPlacesOf,
  OrderedHitPlaces,
  type OrderedPlaces,
} from "./search-threads/hit-order.js";

/** Hits that are ranked at first: enough for the pages that most readers ask for. */
const FIRST_DEPTH = 1_000;

/** Ranking anew so many times deeper keeps the work for reading everything at a few searches. */
const DEEPER_FACTOR = 8;

interface Page {
  readonly offset: number;
  readonly limit: number;
}

interface WantedRanking {
  readonly depth: number;
  /** Whether facets have to be counted. */
  readonly withFacets: boolean;
  /** Who waits for it. */
  readonly caller: SearchCaller | undefined;
}

/** Ranks a search to a depth by the given function, or elsewhere if that would take long. */
type RankSomewhere = (here: () => RankedSearch, wanted: WantedRanking) => Promise<RankedSearch | HitOrder>;

/** Reads hits with what they are shown with by the given function, or elsewhere if that would take long. */
type DressSomewhere = (
  here: () => readonly FederatedHit[],
  places: HitPlaces,
  caller: SearchCaller | undefined,
) => Promise<readonly FederatedHit[]>;

export interface OpenedSearchOptions {
  /** On snapshots that are held open; under `patience`. */
  readonly search: BoundSearch;
  readonly patience: SearchPatience;
  readonly somewhere: RankSomewhere;
  readonly dressSomewhere: DressSomewhere;
  /** What will be read first. */
  readonly first: Page;
  /** Who waits for the opening. */
  readonly caller: SearchCaller | undefined;
  /** Lets go of the snapshots; called once the search is closed and nothing reads it. */
  readonly release: () => void;
}

/**
 * A search on snapshots that are held open. Only the order of its first hits is worked out, and kept:
 * a page that lies deeper ranks again, several times as deep.
 */
export class OpenedSearch implements OpenSearch {
  readonly count: number;
  readonly facets: BackendSearchResult["facets"];
  readonly #options: OpenedSearchOptions;
  #ranked: OrderedPlaces;
  #isClosed = false;
  /** Pages that are being read. */
  #readers = 0;

  private constructor(options: OpenedSearchOptions, ranked: OrderedPlaces) {
    this.count = ranked.count;
    this.facets = ranked.facets;
    this.#options = options;
    this.#ranked = ranked;
  }

  /** Leaves the release to the caller where it throws. @throws what the search throws */
  static async open(options: OpenedSearchOptions): Promise<OpenedSearch> {
    const { search, somewhere, first, caller } = options;
    const depth = Math.max(FIRST_DEPTH, first.offset + first.limit);
    const here = (): RankedSearch => search.rank({ offset: 0, limit: depth });
    const ranked = await somewhere(here, { depth, withFacets: true, caller });
    return new OpenedSearch(options, placesOf(ranked));
  }

  get first(): HitPosition {
    return { offset: this.#options.first.offset, key: "" };
  }

  get heldHits(): number {
    return this.#isClosed ? 0 : this.#ranked.held;
  }

  /** Positions are offsets: what is ranked is at hand, or ranked again as deep as that. */
  async page({ offset, key }: HitPosition, limit: number, caller?: SearchCaller): Promise<HitPage> {
    if (key !== "") throw new FindlingError("cursor_expired", "the cursor names no place in this search");
    if (this.#isClosed) throw new TypeError("the search is closed");
    this.#options.patience.restart();
    this.#readers++;
    try {
      const end = Math.min(offset + limit, this.count);
      if (end > this.#ranked.length) {
        const deeper = Math.min(this.#ranked.length * DEEPER_FACTOR, this.count);
        await this.#rankDeeper(Math.max(end, deeper), caller);
      }
      // What may be put in the place of it while the page is read orders deeper hits only.
      const ranked = this.#ranked;
      const hits = this.#options.search.dressesHits
        ? await this.#dress(ranked, offset, end, caller)
        : await this.#load(ranked, offset, end);
      return { hits, next: end >= this.count ? null : { offset: end, key: "" } };
    } finally {
      this.#readers--;
      this.#releaseOnceUnread();
    }
  }

  /** Document by document, since each may wait for the disk, and others for this thread. */
  async #load(ranked: OrderedPlaces, offset: number, end: number): Promise<FederatedHit[]> {
    const { search } = this.#options;
    const slice = new TimeSlice();
    const hits: FederatedHit[] = [];
    for (let place = offset; place < end; place++) {
      if (slice.isOver) await slice.pause();
      hits.push(...search.load(ranked, { offset: place, limit: 1 }));
    }
    return hits;
  }

  /** All at once, as one evaluation explains all. */
  async #dress(
    ranked: OrderedPlaces,
    offset: number,
    end: number,
    caller: SearchCaller | undefined,
  ): Promise<readonly FederatedHit[]> {
    const { search, dressSomewhere } = this.#options;
    const here = (): readonly FederatedHit[] => search.hits(ranked, { offset, limit: end - offset });
    return await dressSomewhere(here, hitPlacesOf(ranked, offset, end), caller);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#releaseOnceUnread();
  }

  async #rankDeeper(depth: number, caller: SearchCaller | undefined): Promise<void> {
    const { search, somewhere } = this.#options;
    const ranked = this.#ranked;
    const here = (): RankedSearch =>
      ranked instanceof RankedSearch
        ? search.rankDeeper(ranked, depth)
        : search.rank({ offset: 0, limit: depth });
    const deeper = placesOf(await somewhere(here, { depth, withFacets: false, caller }));
    // Another page may have been read deeper meanwhile.
    if (deeper.length > this.#ranked.length) this.#ranked = deeper;
  }

  #releaseOnceUnread(): void {
    if (this.#isClosed && this.#readers === 0) this.#options.release();
  }
}

function placesOf(ranked: RankedSearch | HitOrder): OrderedPlaces {
  return ranked instanceof RankedSearch ? ranked : new OrderedHitPlaces(ranked);
}
