// Cursors that lie in the storage: what one process begins another goes on with, and nothing of them is in either.
import { beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { bytesOfJson } from "../../contract/document-json.js";
import type { HitPage, HitPosition, KeptSearches, OpenSearch } from "../../ports/search-backend.js";
import { DEFAULT_CURSOR_LIMITS } from "./cursor-store.js";
import type { SearchPage } from "./search-page.js";
import { SharedCursors } from "./shared-cursors.js";

const HITS = 10;

/** A search of ten hits, whose places are their numbers. */
class NumberedSearch implements OpenSearch {
  readonly count = HITS;
  readonly facets = [];
  readonly heldHits = 0;
  readonly first: HitPosition = { offset: 0, key: "" };
  closed = 0;

  async page({ offset }: HitPosition, limit: number): Promise<HitPage> {
    const end = Math.min(HITS, offset + limit);
    const hits = Array.from({ length: end - offset }, (_, i) => ({
      documentId: String(offset + i),
      score: 1,
      docJson: bytesOfJson("{}"),
      memberIndex: 0,
    }));
    return { hits, next: end === HITS ? null : { offset: end, key: "k" } };
  }

  close(): void {
    this.closed++;
  }
}

/** A storage that keeps searches in a map. */
class MapOfSearches implements KeptSearches {
  readonly idleMs = 1_000;
  readonly kept = new Map<
    string,
    { readonly search: OpenSearch; readonly note: string; expiresAt: number }
  >();

  async keep(
    id: string,
    search: OpenSearch,
    more: { readonly note: string; readonly expiresAt: number },
  ): Promise<void> {
    this.kept.set(id, { search, ...more });
  }

  async find(id: string) {
    const found = this.kept.get(id);
    if (found === undefined) return null;
    return {
      ...found,
      async read(expiresAt: number) {
        found.expiresAt = expiresAt;
      },
    };
  }

  async forget(id: string): Promise<void> {
    this.kept.delete(id);
  }
}

let clock: ManualClock;
let storage: MapOfSearches;
let one: SharedCursors;
let other: SharedCursors;
let search: NumberedSearch;
beforeEach(() => {
  clock = new ManualClock();
  storage = new MapOfSearches();
  const limits = { ...DEFAULT_CURSOR_LIMITS, idleMs: 1_000, heldHitsMax: 8 };
  one = new SharedCursors(storage, clock, { ...limits, heldHitsMax: 10 });
  other = new SharedCursors(storage, clock, limits);
  search = new NumberedSearch();
});

const open = (limit: number): Promise<SearchPage> =>
  one.open({
    target: "index books",
    indexNames: ["books"],
    search,
    facets: [],
    limit,
    schemas: [{ name: "books", fields: {} }],
    shown: {},
  });
const idsOf = ({ hits }: SearchPage): string => hits.map(({ document_id: id }) => id).join("");

describe("a cursor in the storage", () => {
  test("is read on by another process, and gone with its last page", async () => {
    const first = await open(4);
    const place = (await other.find(first.cursor!, "index books"))!;
    expect(place.indexNames).toEqual(["books"]);
    const second = await other.read(place);
    expect(second.hits.every(({ source_index: name }) => name === "books")).toBe(true);
    const last = await one.read((await one.find(second.cursor!, "index books"))!);
    expect([first, second, last].map(idsOf)).toEqual(["0123", "4567", "89"]);
    expect(last.cursor).toBeUndefined();
    expect(storage.kept.size).toBe(0);
    expect(await other.find(second.cursor!, "index books")).toBeUndefined();
  });

  test("is good at its own path only, and nothing is kept where no page follows", async () => {
    const { cursor } = await open(4);
    expect(await other.find(cursor!, "index films")).toBeUndefined();
    expect(await other.find("nothing", "index books")).toBeUndefined();
    expect(search.closed).toBe(1);
    storage.kept.clear();
    expect((await open(HITS)).cursor).toBeUndefined();
    expect(storage.kept.size).toBe(0);
    expect(search.closed).toBe(2);
  });

  test("expires when nobody has read it for too long, wherever", async () => {
    const { cursor } = await open(4);
    await clock.advance(900);
    await other.read((await other.find(cursor!, "index books"))!, 1);
    await clock.advance(900);
    expect(await one.find(cursor!, "index books")).toBeDefined();
    await clock.advance(100);
    expect(await one.find(cursor!, "index books")).toBeUndefined();
  });

  test("reaches as deep as the process allows that reads it", async () => {
    const { cursor } = await open(4);
    const place = (await other.find(cursor!, "index books"))!;
    await expect(other.read(place, 5)).rejects.toMatchObject({ code: "invalid_request" });
    expect(idsOf(await other.read(place, 4))).toBe("4567");
  });
});
