import { beforeEach, describe, expect, test } from "vitest";
import type { SearchBackend } from "../../../src/ports/search-backend.js";
import type { QueryAst } from "../../../src/query/query-ast.js";
import { type BackendCase, type BackendUnderTest, newStorageId } from "./backend-under-test.js";
import { BOOKS, EVERYTHING, idsIn, idsOf, LIBRARY, libraryOf, planOf } from "./library.js";

const WINTER: QueryAst = { kind: "term", field: "title", term: "winter" };
/** As `LIBRARY`, with words cut down to their stems: "winters" is a "winter". */
const STEMMED = { ...LIBRARY, language: "en", enable_language_stemming: true };

/** Indexes come and go, are analysed anew, and live through the end of the process. */
export function storageSuite(shared: () => BackendUnderTest, { exceptions = {} }: BackendCase): void {
  let backend: SearchBackend;
  beforeEach(() => {
    ({ backend } = shared());
  });

  describe("indexes", () => {
    test("a new one is empty, and can be searched", async () => {
      const storageId = newStorageId();
      await backend.createIndex(storageId, LIBRARY);
      expect(await idsIn(backend, storageId)).toEqual([]);
      expect(await backend.stats(storageId)).toMatchObject({ documentCount: 0 });
      expect(await backend.hasPendingWrites(storageId)).toBe(false);
      const { facets } = await backend.search(storageId, planOf(EVERYTHING, { facets: ["shelf"] }));
      expect(facets.map(({ field, nodes }) => ({ field, nodes }))).toEqual([{ field: "shelf", nodes: [] }]);
    });

    test("know nothing of each other", async () => {
      const { storageId: one } = await libraryOf(backend);
      const { storageId: other } = await libraryOf(backend, [{ id: "z" }]);
      await backend.deleteAll(one);
      await backend.rollback(other);
      await backend.commit(one);
      expect(await idsIn(backend, one)).toEqual([]);
      expect(await idsIn(backend, other)).toEqual(["z"]);
    });

    test("one that was dropped is not there; dropping it again, or what never was, is fine", async () => {
      const { storageId, documents } = await libraryOf(backend);
      await backend.dropIndex(storageId);
      await backend.dropIndex(storageId);
      await backend.dropIndex(newStorageId());
      const isNotThere = { code: "index_not_found" };
      const plan = planOf(EVERYTHING);
      await expect((async () => backend.search(storageId, plan))()).rejects.toMatchObject(isNotThere);
      await expect(backend.openSearch(storageId, plan)).rejects.toMatchObject(isNotThere);
      await expect(backend.document(storageId, documents[0]!.id)).rejects.toMatchObject(isNotThere);
      await expect(backend.stats(storageId)).rejects.toMatchObject(isNotThere);
      await expect(backend.add(storageId, [{ id: "f" }])).rejects.toMatchObject(isNotThere);
      await expect(backend.deleteMatching(storageId, EVERYTHING)).rejects.toMatchObject(isNotThere);
      await expect(backend.commit(storageId)).rejects.toMatchObject(isNotThere);
      await expect(backend.rollback(storageId)).rejects.toMatchObject(isNotThere);
      await expect(backend.generation(storageId)).rejects.toMatchObject(isNotThere);
    });

    test("tell how much room they take", async () => {
      const { storageId } = await libraryOf(backend);
      const { spaceUsage } = await backend.stats(storageId);
      expect(spaceUsage).toBeGreaterThanOrEqual(0);
      if (exceptions["space unknown"] === undefined) expect(spaceUsage).toBeGreaterThan(0);
    });

    test("settings that need no new data leave the documents as they are", async () => {
      const { storageId } = await libraryOf(backend);
      await backend.updateIndex(storageId, { ...LIBRARY, search_fields: ["title"] });
      expect(idsOf((await backend.search(storageId, planOf(WINTER))).hits)).toEqual(["a", "d"]);
    });
  });

  describe("generations", () => {
    test("a commit that changes something gives another one, whatever was before; nothing else that is seen does", async () => {
      const { storageId } = await libraryOf(backend);
      const seen = new Set([await backend.generation(storageId)]);
      for (let i = 0; i < 5; i++) {
        await backend.add(storageId, [{ id: `n${i}` }]);
        expect(seen).toContain(await backend.generation(storageId));
        await backend.commit(storageId);
        const next = await backend.generation(storageId);
        expect(seen).not.toContain(next);
        expect(await backend.generation(storageId)).toBe(next);
        seen.add(next);
      }
      await backend.deleteAll(storageId);
      await backend.rollback(storageId);
      expect([...seen].at(-1)).toBe(await backend.generation(storageId));
    });

    test("after another start one names the same state as before, or was never given", async () => {
      const { storageId } = await libraryOf(backend);
      const indexes = [{ storageId, schema: LIBRARY }];
      const states = new Map([[await backend.generation(storageId), 5]]);
      for (let documents = 6; documents < 9; documents++) {
        await shared().restart(indexes);
        ({ backend } = shared());
        await backend.add(storageId, [{ id: `n${documents}` }]);
        await backend.commit(storageId);
        const generation = await backend.generation(storageId);
        expect([documents, undefined]).toContain(states.get(generation));
        states.set(generation, documents);
      }
    });
  });

  describe("another start", () => {
    test("finds what was committed, and what was pending pending", async () => {
      const { storageId } = await libraryOf(backend);
      await backend.add(storageId, [{ id: "f" }]);
      await backend.deleteMatching(storageId, WINTER);
      const indexes = [{ storageId, schema: LIBRARY }];
      await shared().restart(indexes);
      ({ backend } = shared());
      expect(await backend.hasPendingWrites(storageId)).toBe(true);
      expect(await idsIn(backend, storageId)).toEqual(["a", "b", "c", "d", "e"]);
      await backend.commit(storageId);
      expect(await idsIn(backend, storageId)).toEqual(["b", "c", "e", "f"]);
      await backend.add(storageId, [{ id: "g" }]);
      await shared().restart(indexes);
      ({ backend } = shared());
      await backend.rollback(storageId);
      await backend.commit(storageId);
      expect(await idsIn(backend, storageId)).toEqual(["b", "c", "e", "f"]);
    });

    test("an index whose storage is gone fails those who use it, and not the start", async () => {
      const { storageId } = await libraryOf(backend);
      const lost = newStorageId();
      await shared().restart([
        { storageId, schema: LIBRARY },
        { storageId: lost, schema: LIBRARY },
      ]);
      ({ backend } = shared());
      expect(await idsIn(backend, storageId)).toHaveLength(5);
      await expect((async () => backend.search(lost, planOf(EVERYTHING)))()).rejects.toMatchObject({
        code: "storage_corrupt",
      });
      await expect(backend.add(lost, [{ id: "f" }])).rejects.toMatchObject({ code: "storage_corrupt" });
    });
  });

  describe("another analysis", () => {
    test("is the copy's, with pending writes as pending ones; the index itself goes on as it was", async () => {
      const { storageId } = await libraryOf(backend);
      const copy = newStorageId();
      await backend.add(storageId, [{ id: "f", title: "wintering" }]);
      await backend.deleteMatching(storageId, { kind: "value_set", field: "id", values: ["a"] });
      const rewrite = await backend.rewriteIndex(storageId, {
        storageId: copy,
        schema: STEMMED,
        isWanted: () => true,
      });
      expect(idsOf((await backend.search(storageId, planOf(WINTER))).hits)).toEqual(["a", "d"]);
      await backend.add(storageId, [{ id: "g", title: "winter" }]);
      await rewrite.finish();
      expect([...idsOf((await backend.search(copy, planOf(WINTER))).hits)].sort()).toEqual(["a", "b", "d"]);
      expect(await backend.hasPendingWrites(copy)).toBe(true);
      await backend.dropIndex(storageId);
      await backend.commit(copy);
      expect([...idsOf((await backend.search(copy, planOf(WINTER))).hits)].sort()).toEqual([
        "b",
        "d",
        "f",
        "g",
      ]);
    });

    test("documents keep their ids and their order", async () => {
      const { storageId, documents } = await libraryOf(backend);
      const copy = newStorageId();
      const rewrite = await backend.rewriteIndex(storageId, {
        storageId: copy,
        schema: STEMMED,
        isWanted: () => true,
      });
      await rewrite.finish();
      const { hits } = await backend.search(copy, planOf(EVERYTHING));
      expect(hits.map(({ documentId }) => documentId)).toEqual(documents.map(({ id }) => id));
      expect(await idsIn(backend, copy)).toEqual(BOOKS.map(({ id }) => id));
    });

    test("a copy that is given up, or that nobody wants, leaves nothing and changes nothing", async () => {
      const { storageId } = await libraryOf(backend);
      const copy = newStorageId();
      const rewrite = await backend.rewriteIndex(storageId, {
        storageId: copy,
        schema: STEMMED,
        isWanted: () => true,
      });
      await rewrite.abandon();
      await expect(
        backend.rewriteIndex(storageId, { storageId: copy, schema: STEMMED, isWanted: () => false }),
      ).rejects.toThrow();
      await expect(backend.stats(copy)).rejects.toMatchObject({ code: "index_not_found" });
      await backend.add(storageId, [{ id: "f" }]);
      await backend.commit(storageId);
      expect(await idsIn(backend, storageId)).toEqual(["a", "b", "c", "d", "e", "f"]);
    });
  });
}
