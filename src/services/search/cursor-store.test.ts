// Cursors by hand-moved time: how long they live, how many there may be, and that each one is closed once.

import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { bytesOfJson } from "../../contract/document-json.js";
import type { HitPage, HitPosition, OpenSearch } from "../../ports/search-backend.js";
import { type CursorLimits, CursorStore, DEFAULT_CURSOR_LIMITS } from "./cursor-store.js";
import type { SearchPage } from "./search-page.js";

const HITS = 10;

/** A search that counts how often it is closed. */
class ListedSearch implements OpenSearch {
  readonly count = HITS;
  readonly facets = [];
  heldHits: number;
  closed = 0;
  failure: Error | null = null;

  readonly first: HitPosition;

  constructor(heldHits = 1, offset = 0) {
    this.heldHits = heldHits;
    this.first = { offset, key: "" };
  }

  /** Finds a page by its key: the id of the hit in front of it. */
  async page({ offset, key }: HitPosition, limit: number): Promise<HitPage> {
    if (this.failure !== null) throw this.failure;
    const ids = Array.from({ length: HITS }, (_, i) => String(i));
    const begin = key === "" ? offset : ids.indexOf(key) + 1;
    const hits = ids
      .slice(begin, begin + limit)
      .map((documentId) => ({ documentId, score: 1, docJson: bytesOfJson("{}"), memberIndex: 0 }));
    const end = begin + hits.length;
    return { hits, next: end >= HITS ? null : { offset: end, key: ids[end - 1]! } };
  }

  close(): void {
    this.closed++;
  }
}

let clock: ManualClock;
let store: CursorStore;
const searches: ListedSearch[] = [];
beforeEach(() => {
  clock = new ManualClock();
  searches.length = 0;
});
afterEach(() => {
  store.closeAll();
  expect(searches.map(({ closed }) => closed)).toEqual(searches.map(() => 1));
  expect(clock.waiting).toBe(0);
});

function limited(limits: Partial<CursorLimits>): void {
  store = new CursorStore(clock, { ...DEFAULT_CURSOR_LIMITS, idleMs: 1000, ...limits });
}

function open(search = new ListedSearch(), { limit = 2 } = {}): Promise<SearchPage> {
  searches.push(search);
  return store.open({
    target: "index books",
    indexNames: ["books"],
    search,
    facets: [],
    limit,
    schemas: [{ name: "books", fields: {} }],
    shown: {},
  });
}

const place = (page: SearchPage, target = "index books") => store.find(page.cursor ?? "", target);
const idsOf = (page: SearchPage): string => page.hits.map(({ document_id: id }) => id).join("");

describe("a cursor", () => {
  test("leads from page to page, and is closed with the last", async () => {
    limited({});
    let page = await open(undefined, { limit: 4 });
    const tokens = new Set<string>();
    let read = idsOf(page);
    while (page.cursor !== undefined) {
      expect(page.cursor).toMatch(/^[A-Za-z0-9_-]{22}\.[0-9a-z]+\.[0-9]$/);
      tokens.add(page.cursor);
      page = await store.read(place(page)!);
      read += idsOf(page);
      expect(page.count).toBe(HITS);
    }
    expect(read).toBe("0123456789");
    expect(tokens.size).toBe(2);
    expect(store.size).toBe(0);
    for (const token of tokens) expect(store.find(token, "index books")).toBeUndefined();
  });

  test("is found at its own path only, and up to its end only", async () => {
    limited({});
    const page = await open();
    expect(place(page, "index films")).toBeUndefined();
    expect(place(page, "federation books")).toBeUndefined();
    const [id] = page.cursor!.split(".");
    expect(store.find(`${id}.a`, "index books")?.position).toEqual({ offset: 10, key: "" });
    expect(store.find(`${id}.2.x_-9`, "index books")?.position).toEqual({ offset: 2, key: "x_-9" });
    expect(store.find(`${id}.2.`, "index books")).toBeUndefined();
    expect(store.find(`${id}.b`, "index books")).toBeUndefined();
    expect(store.find(id!, "index books")).toBeUndefined();
  });

  test("begun behind its end has one empty page", async () => {
    limited({});
    const page = await open(new ListedSearch(1, 50));
    expect(page).toEqual({ hits: [], count: HITS });
    expect(store.size).toBe(0);
  });

  test("is closed when it has been idle for too long, and not before", async () => {
    limited({ idleMs: 1000 });
    const page = await open();
    const other = await open();
    await clock.advance(999);
    await store.read(place(page)!);
    await clock.advance(1);
    expect(place(other)).toBeUndefined();
    expect(searches.map(({ closed }) => closed)).toEqual([0, 1]);
    await clock.advance(998);
    expect(place(page)).toBeDefined();
    await clock.advance(1);
    expect(store.size).toBe(0);
    expect(place(page)).toBeUndefined();
  });

  test("is closed if its first page fails, and stays if a later one does", async () => {
    limited({});
    const failing = new ListedSearch();
    failing.failure = new Error("the disk is gone");
    await expect(open(failing)).rejects.toThrow("the disk is gone");
    expect(store.size).toBe(0);
    const search = new ListedSearch();
    const page = await open(search);
    search.failure = failing.failure;
    await expect(store.read(place(page)!)).rejects.toThrow("the disk is gone");
    search.failure = null;
    expect(idsOf(await store.read(place(page)!))).toBe("23");
  });

  test("reaches no deeper than what may be held", async () => {
    limited({ heldHitsMax: 5 });
    const page = await open(undefined, { limit: 4 });
    await expect(store.read(place(page)!)).rejects.toMatchObject({ code: "invalid_request" });
    expect(idsOf(await store.read(place(page)!, 1))).toBe("4");
  });
});

describe("of too many cursors the least recently used go", () => {
  test("by number", async () => {
    limited({ cursorsMax: 2 });
    const first = await open();
    const second = await open();
    await store.read(place(first)!);
    const third = await open();
    expect([first, second, third].map((page) => place(page) !== undefined)).toEqual([true, false, true]);
  });

  test("by what they hold, but never the one that is read", async () => {
    limited({ heldHitsMax: 10 });
    const [small, large] = [new ListedSearch(4), new ListedSearch(5)];
    const first = await open(small);
    const second = await open(large);
    expect(store.size).toBe(2);
    small.heldHits = 6;
    await store.read(place(first)!);
    expect([first, second].map((page) => place(page) !== undefined)).toEqual([true, false]);
    small.heldHits = 11;
    await store.read(place(first)!);
    expect(place(first)).toBeDefined();
  });
});

// The model: a list of [token, time of last use], the most recent one last.
test("cursors are open as a plain list says, whatever happens in which order", async () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.constant({ kind: "open" as const }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("read" as const), which: fc.nat({ max: 9 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(1, 300, 999, 1000) }),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      limited({ idleMs: 1000, cursorsMax: 3 });
      let model: { readonly page: SearchPage; readonly usedAt: number }[] = [];
      const opened: SearchPage[] = [];
      for (const each of steps) {
        if (each.kind === "wait") await clock.advance(each.ms);
        else if (each.kind === "open") {
          const page = await open();
          opened.push(page);
          model.push({ page, usedAt: clock.now() });
        } else {
          const page = opened[each.which];
          const found = page === undefined ? undefined : place(page);
          if (found === undefined) continue;
          await store.read(found, 1);
          model = [...model.filter((entry) => entry.page !== page), { page: page!, usedAt: clock.now() }];
        }
        model = model.filter(({ usedAt }) => clock.now() - usedAt < 1000).slice(-3);
        const expected = new Set(model.map(({ page }) => page));
        expect(opened.filter((page) => place(page) !== undefined)).toEqual(
          opened.filter((page) => expected.has(page)),
        );
        expect(searches.filter(({ closed }) => closed === 0)).toHaveLength(expected.size);
      }
      store.closeAll();
    }),
    { numRuns: 100 },
  );
});
