import { beforeEach, describe, expect, test } from "vitest";
import type {
  FederatedHit,
  OpenSearch,
  SearchBackend,
  StorageId,
} from "../../../src/ports/search-backend.js";
import type { BackendUnderTest } from "./backend-under-test.js";
import { EVERYTHING, idsOf, libraryOf, planOf } from "./library.js";

/** Searches whose hits are read page by page. */
export function openSearchSuite(shared: () => BackendUnderTest): void {
  describe("open searches", () => {
    let backend: SearchBackend;
    let storageId: StorageId;
    const books = Array.from({ length: 30 }, (_, i) => ({ id: `n${i}`, title: "tale", count: i % 4 }));
    const plan = planOf(EVERYTHING, {
      orderBy: [{ kind: "field", field: "count", descending: true }],
      facets: ["shelf"],
    });

    beforeEach(async () => {
      ({ backend } = shared());
      ({ storageId } = await libraryOf(backend, books));
    });

    test("pages put together are one search of the moment of the opening, whatever is written meanwhile", async () => {
      const { storageId: other } = await libraryOf(backend);
      const members = [storageId, other].map((each) => ({ storageId: each, plan, weight: 1 }));
      const single = await backend.search(storageId, { ...plan, limit: 100 });
      const whole = await backend.searchFederation(
        members.map((member) => ({ ...member, plan: { ...plan, limit: 100 } })),
      );
      const ofIndex = await backend.openSearch(storageId, plan);
      const ofFederation = await backend.openFederatedSearch(members);
      expect(ofIndex.count).toBe(single.count);
      expect(ofFederation.count).toBe(whole.count);
      expect(ofFederation.facets.map(({ field, nodes }) => ({ field, nodes }))).toEqual(
        whole.facets.map(({ field, nodes }) => ({ field, nodes })),
      );
      await backend.deleteMatching(storageId, {
        kind: "value_range",
        field: "count",
        lower: null,
        upper: null,
      });
      await backend.add(storageId, [{ id: "late", count: 9 }]);
      await backend.commit(storageId);
      await backend.dropIndex(other);
      expect(idsOf(await readAll(ofIndex))).toEqual(idsOf(single.hits));
      const hits = await readAll(ofFederation);
      expect(hits.map(({ memberIndex, documentId }) => [memberIndex, documentId])).toEqual(
        whole.hits.map(({ memberIndex, documentId }) => [memberIndex, documentId]),
      );
      ofIndex.close();
      ofFederation.close();
    });

    test("a page can be read again, and the first begins where the plan says", async () => {
      const search = await backend.openSearch(storageId, { ...plan, offset: 3 });
      const whole = await backend.search(storageId, { ...plan, offset: 3, limit: 100 });
      const first = await search.page(search.first, 4);
      expect(idsOf(first.hits)).toEqual(idsOf(whole.hits).slice(0, 4));
      const second = await search.page(first.next!, 4);
      expect(idsOf(second.hits)).toEqual(idsOf(whole.hits).slice(4, 8));
      expect(idsOf((await search.page(search.first, 4)).hits)).toEqual(idsOf(first.hits));
      expect(idsOf((await search.page(first.next!, 4)).hits)).toEqual(idsOf(second.hits));
      expect(idsOf((await search.page(first.next!, 100)).hits)).toEqual(idsOf(whole.hits).slice(4));
      search.close();
    });

    test("the last page says that none follows, whether it is full or not", async () => {
      const search = await backend.openSearch(storageId, plan);
      expect((await search.page(search.first, 30)).next).toBeNull();
      expect((await search.page(search.first, 31)).next).toBeNull();
      expect((await search.page(search.first, 29)).next).not.toBeNull();
      search.close();
      const beyond = await backend.openSearch(storageId, { ...plan, offset: 1000 });
      expect(await beyond.page(beyond.first, 10)).toEqual({ hits: [], next: null });
      beyond.close();
    });

    test("a place that no page has named is refused", async () => {
      const search = await backend.openSearch(storageId, plan);
      const nowhere = search.page({ offset: 4, key: "bm93aGVyZQ" }, 1);
      await expect(nowhere).rejects.toMatchObject({ code: "cursor_expired" });
      search.close();
    });

    test("once closed it gives no page, and closing it again does nothing", async () => {
      const search = await backend.openSearch(storageId, plan);
      expect(search.heldHits).toBeGreaterThanOrEqual(0);
      search.close();
      search.close();
      expect(search.heldHits).toBe(0);
      await expect(search.page(search.first, 1)).rejects.toThrow();
    });
  });
}

async function readAll(search: OpenSearch): Promise<readonly FederatedHit[]> {
  const hits: FederatedHit[] = [];
  for (let place: OpenSearch["first"] | null = search.first; place !== null; ) {
    const page = await search.page(place, 7);
    hits.push(...page.hits);
    place = page.next;
  }
  return hits;
}
