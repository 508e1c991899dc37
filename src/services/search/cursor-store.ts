import type { SearchResult } from "../../contract/search.js";
import { FindlingError } from "../../errors/index.js";
import type { Clock } from "../../ports/clock.js";
import type { FederatedHit, HitPosition, OpenSearch, SearchCaller } from "../../ports/search-backend.js";
import { formatCursorToken, generateCursorId, parseCursorToken } from "./cursor-token.js";
import type { SearchPage } from "./search-page.js";
import { type ShownParts, type ShownSchema, shownHit } from "./shown-hit.js";

export interface CursorLimits {
  /** How long a cursor that nobody asks for stays open. */
  readonly idleMs: number;
  /** Open at the same time; the least recently used one goes first. */
  readonly cursorsMax: number;
  /** Places of hits in memory, of all open cursors together, and so of each. */
  readonly heldHitsMax: number;
}

export const DEFAULT_CURSOR_LIMITS: CursorLimits = {
  idleMs: 300_000,
  cursorsMax: 1_000,
  heldHitsMax: 10_000_000,
};

/** A search whose pages are read by cursor. */
export interface PagedSearch {
  /** The path that it was begun at, such as `index books`; its cursors are good there only. */
  readonly target: string;
  /** Whose documents it shows. */
  readonly indexNames: readonly string[];
  readonly search: OpenSearch;
  readonly facets: NonNullable<SearchResult["facets"]>;
  /** Hits of a page, unless a request says otherwise. */
  readonly limit: number;
  /** By member how its hits are shown. */
  readonly schemas: readonly ShownSchema[];
  readonly shown: ShownParts;
}

interface OpenCursor {
  readonly id: string;
  readonly paged: PagedSearch;
  expiresAt: number;
}

/** An open cursor, and how far its reader is. */
export interface CursorPlace<Cursor = unknown> {
  readonly cursor: Cursor;
  /** Whose documents it shows. */
  readonly indexNames: readonly string[];
  readonly position: HitPosition;
}

/** Searches whose pages are read one after the other. */
export interface Cursors<Cursor = unknown> {
  /**
   * The first page. The search belongs to the store from now on, also if this fails.
   *
   * @param caller who waits for the page
   * @throws FindlingError as `read`
   */
  open(paged: PagedSearch, caller?: SearchCaller): Promise<SearchPage>;
  /** Undefined if the token is none, its cursor is closed, or it was opened elsewhere. */
  find(
    token: string,
    target: string,
  ): CursorPlace<Cursor> | undefined | Promise<CursorPlace<Cursor> | undefined>;
  /**
   * @param limit hits of the page, at least 1; that of the first page unless given
   * @param caller who waits for the page; its search is given up once nobody does, and the cursor stays
   * @throws FindlingError `invalid_request` beyond the depth that a cursor may have; what the back end throws
   */
  read(place: CursorPlace<Cursor>, limit?: number, caller?: SearchCaller): Promise<SearchPage>;
  closeAll(): void;
}

/**
 * The cursors that are open: searches held on snapshots of one moment. A cursor's token holds the
 * position, so that a page can be asked for again; the cursor itself is closed once its last page has
 * been read, when it has been idle for too long, or when there are too many.
 */
export class CursorStore implements Cursors<OpenCursor> {
  readonly #clock: Clock;
  readonly #limits: CursorLimits;
  /** By id, the least recently used one first: so the first is the next to expire, too. */
  readonly #cursors = new Map<string, OpenCursor>();
  #alarm: { cancel(): void } | null = null;

  constructor(clock: Clock, limits: CursorLimits = DEFAULT_CURSOR_LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Cursors that are open now. */
  get size(): number {
    return this.#cursors.size;
  }

  open(paged: PagedSearch, caller?: SearchCaller): Promise<SearchPage> {
    const cursor = { id: generateCursorId(), paged, expiresAt: this.#clock.now() + this.#limits.idleMs };
    this.#cursors.set(cursor.id, cursor);
    const place = { cursor, indexNames: paged.indexNames, position: paged.search.first };
    return this.read(place, paged.limit, caller).catch((error: unknown) => {
      this.#close(cursor);
      throw error;
    });
  }

  find(token: string, target: string): CursorPlace<OpenCursor> | undefined {
    const parsed = parseCursorToken(token);
    const cursor = parsed === null ? undefined : this.#cursors.get(parsed.id);
    if (parsed === null || cursor === undefined || cursor.paged.target !== target) return undefined;
    if (cursor.expiresAt <= this.#clock.now() || parsed.position.offset > cursor.paged.search.count)
      return undefined;
    return { cursor, indexNames: cursor.paged.indexNames, position: parsed.position };
  }

  async read(
    { cursor, position }: CursorPlace<OpenCursor>,
    limit: number = cursor.paged.limit,
    caller?: SearchCaller,
  ): Promise<SearchPage> {
    const { search } = cursor.paged;
    requireDepth(Math.min(position.offset + limit, search.count), this.#limits);
    this.#touch(cursor);
    const { hits, next } = await search.page(position, limit, caller);
    if (next === null) this.#close(cursor);
    this.#closeBeyondLimits(cursor);
    return pageOf(cursor.paged, hits, next === null ? undefined : formatCursorToken(cursor.id, next));
  }

  closeAll(): void {
    for (const cursor of [...this.#cursors.values()]) this.#close(cursor);
  }

  #touch(cursor: OpenCursor): void {
    cursor.expiresAt = this.#clock.now() + this.#limits.idleMs;
    this.#cursors.delete(cursor.id);
    this.#cursors.set(cursor.id, cursor);
    this.#watch();
  }

  #closeBeyondLimits(current: OpenCursor): void {
    const { cursorsMax, heldHitsMax } = this.#limits;
    let heldHits = 0;
    for (const { paged } of this.#cursors.values()) heldHits += paged.search.heldHits;
    for (const cursor of [...this.#cursors.values()]) {
      if (this.#cursors.size <= cursorsMax && heldHits <= heldHitsMax) return;
      if (cursor === current) continue;
      heldHits -= cursor.paged.search.heldHits;
      this.#close(cursor);
    }
  }

  #close(cursor: OpenCursor): void {
    this.#cursors.delete(cursor.id);
    cursor.paged.search.close();
    if (this.#cursors.size > 0) return;
    this.#alarm?.cancel();
    this.#alarm = null;
  }

  /** One alarm at a time: for the cursor that expires first as things are. */
  #watch(): void {
    const [first] = this.#cursors.values();
    if (first === undefined || this.#alarm !== null) return;
    this.#alarm = this.#clock.after(Math.max(0, first.expiresAt - this.#clock.now()), () => {
      this.#alarm = null;
      const now = this.#clock.now();
      for (const cursor of [...this.#cursors.values()]) {
        if (cursor.expiresAt <= now) this.#close(cursor);
      }
      this.#watch();
    });
  }
}

/** @throws FindlingError `invalid_request` */
export function requireDepth(end: number, { heldHitsMax }: CursorLimits): void {
  if (end <= heldHitsMax) return;
  throw new FindlingError(
    "invalid_request",
    `a cursor reaches the first ${heldHitsMax} hits only; narrow the query and read its parts one after the other`,
  );
}

/** A page as it is answered. @param cursor the token of the next one, if any follows */
export function pageOf(
  { search, facets, schemas, shown }: PagedSearch,
  hits: readonly FederatedHit[],
  cursor: string | undefined,
): SearchPage {
  return {
    hits: hits.map((hit) => shownHit(hit, schemas[hit.memberIndex]!, shown)),
    count: search.count,
    ...(facets.length === 0 ? {} : { facets }),
    ...(cursor === undefined ? {} : { cursor }),
  };
}

/** For a token that leads nowhere, for whatever reason. */
export function cursorExpired(): FindlingError {
  return new FindlingError(
    "cursor_expired",
    "the cursor is unknown, has been read to its end or was not used for too long; search again with 'cursor': true",
  );
}
