/**
 * What every catalog must do: what was written is read at once by who wrote it and after every start, in the order that
 * the port names, whole or not at all; secrets are nowhere in plain text.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Federation } from "../../../src/contract/federation.js";
import type { Catalog, CatalogIndex } from "../../../src/ports/catalog.js";
import { sampleIndex } from "../../query-kit/sample-index.js";
import type { CatalogStorage } from "./catalog-under-test.js";
import { keySuite } from "./key-suite.js";

export function catalogSuite(name: string, make: () => Promise<CatalogStorage>): void {
  describe(`catalog: ${name}`, () => {
    let storage: CatalogStorage;
    let catalog: Catalog;

    beforeEach(async () => {
      storage = await make();
      catalog = await storage.open();
    });
    afterEach(async () => {
      await catalog.close();
      await storage.remove();
    });

    /** What another process finds, or this one after a restart. */
    const reopened = async (): Promise<Catalog> => {
      await catalog.close();
      catalog = await storage.open();
      return catalog;
    };
    const namesOf = (indexes: readonly CatalogIndex[]) => indexes.map(({ schema }) => schema.name);

    test("an empty one has nothing, and is settled", () => {
      expect(catalog.indexes()).toEqual([]);
      expect(catalog.federations()).toEqual([]);
      expect(catalog.keys()).toEqual([]);
      expect(catalog.index("books")).toBeUndefined();
      expect(catalog.federation("shop")).toBeUndefined();
      expect(catalog.isSettled).toBe(true);
    });

    test("an index is what was put last, here and after a start", async () => {
      const whole: CatalogIndex = {
        ...indexNamed("films"),
        next_schema: schemaNamed("films", { language: "en" }),
        custom_stopwords: ["größe", "the"],
        synonyms: { ny: ["new york"], "größe s": [] },
      };
      await catalog.putIndex(indexNamed("films"));
      expect(catalog.index("films")).toEqual(indexNamed("films"));
      await catalog.putIndex(whole);
      await catalog.putIndex(indexNamed("books"));
      expect(catalog.index("films")).toEqual(whole);
      expect((await reopened()).index("films")).toEqual(whole);
      expect(catalog.index("books")).toEqual(indexNamed("books"));
      const { next_schema: _, ...settled } = whole;
      await catalog.putIndex(settled);
      expect((await reopened()).index("films")).toEqual(settled);
    });

    test("a name is a name, whatever letters it has: no two are mixed up", async () => {
      const names = ["Books", "books", "BOOKS", "bo-oks_1", "a".repeat(128), "constructor", "__proto__x"];
      for (const each of names) await catalog.putIndex(indexNamed(each));
      for (const each of names) await catalog.putFederation(federationNamed(each));
      await catalog.deleteIndex("Books");
      await catalog.deleteFederation("BOOKS");
      await reopened();
      expect(new Set(namesOf(catalog.indexes()))).toEqual(new Set(names.filter((each) => each !== "Books")));
      expect(new Set(catalog.federations().map((each) => each.name))).toEqual(
        new Set(names.filter((each) => each !== "BOOKS")),
      );
      for (const each of ["toString", "Books", ""]) expect(catalog.index(each)).toBeUndefined();
    });

    test("indexes and federations come in the order of their names", async () => {
      for (const each of ["m", "a", "z", "b"]) {
        await catalog.putIndex(indexNamed(each));
        await catalog.putFederation(federationNamed(each));
      }
      await catalog.putIndex(indexNamed("a"));
      for (const one of [catalog, await reopened()]) {
        expect(namesOf(one.indexes())).toEqual(["a", "b", "m", "z"]);
        expect(one.federations().map((each) => each.name)).toEqual(["a", "b", "m", "z"]);
      }
    });

    test("a federation is what was put last, and may name indexes that aren't there", async () => {
      await catalog.putFederation(federationNamed("shop"));
      const changed = { ...federationNamed("shop"), friendly_name: "Geschäft", organization_id: "7" };
      await catalog.putFederation(changed);
      expect(catalog.federation("shop")).toEqual(changed);
      expect((await reopened()).federation("shop")).toEqual(changed);
    });

    test("what was deleted is gone, and deleting it again does nothing", async () => {
      await catalog.putIndex(indexNamed("books"));
      await catalog.putFederation(federationNamed("shop"));
      for (let i = 0; i < 2; i++) {
        await catalog.deleteIndex("books");
        await catalog.deleteFederation("shop");
      }
      expect(catalog.index("books")).toBeUndefined();
      expect(catalog.federation("shop")).toBeUndefined();
      expect([(await reopened()).indexes(), catalog.federations()]).toEqual([[], []]);
    });

    test("an entry is the same object until it changes, so that what depends on it can be kept with it", async () => {
      await catalog.putIndex(indexNamed("books"));
      const before = catalog.index("books");
      await catalog.putIndex(indexNamed("films"));
      expect(catalog.index("books")).toBe(before);
      expect(catalog.indexes()[0]).toBe(before);
      await catalog.putIndex({ ...indexNamed("books"), custom_stopwords: ["x"] });
      expect(catalog.index("books")).not.toBe(before);
      expect(before!.custom_stopwords).toEqual([]);
    });

    test("writes that overlap are all there, in their order", async () => {
      const names = Array.from({ length: 20 }, (_, i) => `i${String(i).padStart(2, "0")}`);
      await Promise.all([
        ...names.map((each) => catalog.putIndex(indexNamed(each))),
        ...names.map((each) => catalog.putFederation(federationNamed(each))),
        catalog.deleteIndex("i03"),
        catalog.putIndex({ ...indexNamed("i04"), custom_stopwords: ["last"] }),
      ]);
      await reopened();
      expect(namesOf(catalog.indexes())).toEqual(names.filter((each) => each !== "i03"));
      expect(catalog.federations()).toHaveLength(20);
      expect(catalog.index("i04")?.custom_stopwords).toEqual(["last"]);
    });

    test("a write that fails changes nothing, and the next one goes through", async () => {
      await catalog.putIndex(indexNamed("books"));
      const mend = await storage.breakWrites();
      const unavailable = { code: "storage_unavailable" };
      await expect(
        catalog.putIndex({ ...indexNamed("books"), custom_stopwords: ["x"] }),
      ).rejects.toMatchObject(unavailable);
      await expect(catalog.putIndex(indexNamed("films"))).rejects.toMatchObject(unavailable);
      expect(namesOf(catalog.indexes())).toEqual(["books"]);
      expect(catalog.index("books")?.custom_stopwords).toEqual([]);
      await mend();
      expect(catalog.isSettled).toBe(true);
      await catalog.putIndex(indexNamed("films"));
      expect(namesOf((await reopened()).indexes())).toEqual(["books", "films"]);
    });

    test("compare and set: what was made from another entry than there is changes nothing", async () => {
      const conflict = { code: "conflict" };
      await catalog.putIndex(indexNamed("books"), null);
      await catalog.putFederation(federationNamed("shop"), null);
      await expect(catalog.putIndex(indexNamed("books"), null)).rejects.toMatchObject(conflict);
      const [index, federation] = [catalog.index("books")!, catalog.federation("shop")!];
      await catalog.putIndex({ ...index, custom_stopwords: ["x"] }, index);
      await catalog.putFederation({ ...federation, friendly_name: "New" }, federation);
      await expect(catalog.putIndex({ ...index, custom_stopwords: ["y"] }, index)).rejects.toMatchObject(
        conflict,
      );
      await expect(catalog.deleteIndex("books", index)).rejects.toMatchObject(conflict);
      await expect(catalog.putFederation(federation, federation)).rejects.toMatchObject(conflict);
      await expect(catalog.deleteFederation("shop", federation)).rejects.toMatchObject(conflict);
      await expect(catalog.putIndex(indexNamed("films"), index)).rejects.toMatchObject(conflict);
      expect(catalog.isSettled).toBe(true);
      expect((await reopened()).index("books")?.custom_stopwords).toEqual(["x"]);
      expect(catalog.federation("shop")?.friendly_name).toBe("New");
      expect(namesOf(catalog.indexes())).toEqual(["books"]);
      await catalog.deleteIndex("books", catalog.index("books")!);
      await catalog.deleteFederation("shop", catalog.federation("shop")!);
      await catalog.putIndex(indexNamed("books"), null);
      expect(namesOf((await reopened()).indexes())).toEqual(["books"]);
      expect(catalog.federations()).toEqual([]);
    });

    test("of several changes made from one entry at once, one is made", async () => {
      await catalog.putIndex(indexNamed("books"));
      const before = catalog.index("books")!;
      const outcomes = await Promise.allSettled(
        ["a", "b", "c", "d"].map((word) => catalog.putIndex({ ...before, custom_stopwords: [word] }, before)),
      );
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(catalog.index("books")?.custom_stopwords).toHaveLength(1);
    });

    test("once closed it takes no more writes", async () => {
      const last = catalog.putIndex(indexNamed("books"));
      await catalog.close();
      await last;
      await expect(catalog.putIndex(indexNamed("films"))).rejects.toMatchObject({ code: "shutting_down" });
      expect(namesOf((await reopened()).indexes())).toEqual(["books"]);
    });

    describe("secrets", () => {
      const SECRET = "sk-very-secret-0123456789";

      beforeEach(() => catalog.putIndex(indexNamed("books", SECRET)));

      test("are sealed wherever they are kept or shown, and opened for who asks", async () => {
        for (const one of [catalog, await reopened()]) {
          const { ai } = one.index("books")!.schema;
          expect(JSON.stringify(ai)).not.toContain(SECRET);
          expect(one.openLlmApiKey("books", ai!)).toBe(SECRET);
        }
        expect((await storage.bytes()).includes(SECRET)).toBe(false);
      });

      test("stay when the index is put back as it was read", async () => {
        await catalog.putIndex({ ...catalog.index("books")!, custom_stopwords: ["x"] });
        const { ai } = (await reopened()).index("books")!.schema;
        expect(catalog.openLlmApiKey("books", ai!)).toBe(SECRET);
      });

      test("belong to their index", async () => {
        const { ai } = catalog.index("books")!.schema;
        expect(() => catalog.openLlmApiKey("films", ai!)).toThrow();
        expect(catalog.openLlmApiKey("books", { llm_provider: "openai" })).toBeUndefined();
      });
    });

    keySuite(
      () => catalog,
      () => reopened(),
    );
  });
}

function schemaNamed(name: string, more: Partial<CatalogIndex["schema"]> = {}): CatalogIndex["schema"] {
  return { ...sampleIndex({ name }).schema, ...more };
}

function indexNamed(name: string, secret?: string): CatalogIndex {
  return {
    schema: schemaNamed(
      name,
      secret === undefined ? {} : { ai_enabled: true, ai: { llm_provider: "openai", llm_api_key: secret } },
    ),
    storageId: `${name.length}-storage`,
    custom_stopwords: [],
    synonyms: {},
  };
}

function federationNamed(name: string): Federation {
  return {
    name,
    friendly_name: `The ${name}`,
    created_at: "2026-01-01T00:00:00.000Z",
    last_modified: "2026-01-01T00:00:00.000Z",
    index_configurations: [{ name: "books", weight_multiplier: 1.5 }],
  };
}
