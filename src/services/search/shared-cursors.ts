import type { Clock } from "../../ports/clock.js";
import type { KeptSearch, KeptSearches, SearchCaller } from "../../ports/search-backend.js";
import {
  type CursorLimits,
  type CursorPlace,
  type Cursors,
  type PagedSearch,
  pageOf,
  requireDepth,
} from "./cursor-store.js";
import { formatCursorToken, generateCursorId, parseCursorToken } from "./cursor-token.js";
import type { SearchPage } from "./search-page.js";

interface SharedCursor {
  readonly id: string;
  readonly paged: PagedSearch;
  readonly kept: KeptSearch;
}

/**
 * Cursors that any process which uses the storage can go on with: nothing of them is in this one. How many there may be
 * at once is the storage's to bound.
 */
export class SharedCursors implements Cursors<SharedCursor> {
  readonly #keptSearches: KeptSearches;
  readonly #clock: Clock;
  readonly #limits: CursorLimits;

  constructor(keptSearches: KeptSearches, clock: Clock, limits: CursorLimits) {
    this.#keptSearches = keptSearches;
    this.#clock = clock;
    this.#limits = limits;
  }

  async open(paged: PagedSearch, caller?: SearchCaller): Promise<SearchPage> {
    const { search, limit } = paged;
    try {
      requireDepth(Math.min(search.first.offset + limit, search.count), this.#limits);
      const { hits, next } = await search.page(search.first, limit, caller);
      if (next === null) return pageOf(paged, hits, undefined);
      const id = generateCursorId();
      const { search: _, ...note } = paged;
      await this.#keptSearches.keep(id, search, {
        note: JSON.stringify(note),
        expiresAt: this.#clock.now() + this.#limits.idleMs,
      });
      return pageOf(paged, hits, formatCursorToken(id, next));
    } finally {
      search.close();
    }
  }

  async find(token: string, target: string): Promise<CursorPlace<SharedCursor> | undefined> {
    const parsed = parseCursorToken(token);
    if (parsed === null) return undefined;
    const { id, position } = parsed;
    const kept = await this.#keptSearches.find(id);
    if (kept === null || kept.expiresAt <= this.#clock.now()) return undefined;
    const paged = { ...(JSON.parse(kept.note) as Omit<PagedSearch, "search">), search: kept.search };
    if (paged.target !== target || position.offset > kept.search.count) return undefined;
    return { cursor: { id, paged, kept }, indexNames: paged.indexNames, position };
  }

  async read(
    { cursor: { id, paged, kept }, position }: CursorPlace<SharedCursor>,
    limit: number = paged.limit,
    caller?: SearchCaller,
  ): Promise<SearchPage> {
    const { search } = paged;
    requireDepth(Math.min(position.offset + limit, search.count), this.#limits);
    const { hits, next } = await search.page(position, limit, caller);
    if (next === null) {
      await this.#keptSearches.forget(id);
      return pageOf(paged, hits, undefined);
    }
    await kept.read(this.#clock.now() + this.#limits.idleMs);
    return pageOf(paged, hits, formatCursorToken(id, next));
  }

  closeAll(): void {}
}
