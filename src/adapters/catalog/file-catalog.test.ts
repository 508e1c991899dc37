import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { indexNamed } from "../../../tests/kit/catalog-index.js";
import type { AccessKey } from "../../contract/access-key.js";
import type { Federation } from "../../contract/federation.js";
import { entryFileName } from "./entry-file-name.js";
import { FileCatalog } from "./file-catalog.js";
import { readStoredIndexes } from "./read-data-folder.js";
import { accessKeyId } from "./stored-key.js";

// The one fault that a test can't bring about with files alone: syncing a folder fails.
const faults = vi.hoisted(() => ({ failingFolderSyncs: 0 }));
vi.mock("node:fs/promises", async (importOriginal) => {
  const original = await importOriginal<typeof import("node:fs/promises")>();
  return {
    ...original,
    open: async (path: string, flags: string, mode?: number) => {
      const file = await original.open(path, flags, mode);
      if (flags === "r" && faults.failingFolderSyncs > 0) {
        faults.failingFolderSyncs--;
        file.sync = () => Promise.reject(new Error("EIO: injected"));
      }
      return file;
    },
  };
});

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "findling-catalog-"));
});
afterEach(async () => {
  faults.failingFolderSyncs = 0;
  await rm(folder, { recursive: true, force: true });
});

describe("FileCatalog", () => {
  test("remembers what it was given after being opened again", async () => {
    const catalog = await openCatalog(folder);
    await catalog.putIndex(indexNamed("books"));
    await catalog.putIndex({
      ...indexNamed("films"),
      custom_stopwords: ["größe"],
      synonyms: { ny: ["new york"] },
    });
    await catalog.addKeys([keyNamed("a"), keyNamed("b")]);
    await catalog.putKey({ ...catalog.keyWithValue("a")!, status: "inactive" });
    await catalog.putFederation(federationNamed("shop"));
    await catalog.putFederation({ ...federationNamed("library"), friendly_name: "Library" });
    await catalog.putFederation({ ...federationNamed("shop"), organization_id: "7" });
    await catalog.putFederation(federationNamed("gone"));
    await catalog.deleteIndex("books");
    await catalog.deleteFederation("gone");
    await catalog.deleteKeys([accessKeyId("b")]);
    const before = [catalog.indexes(), catalog.federations(), catalog.keys()];
    await catalog.close();

    const reopened = await openCatalog(folder);
    expect([reopened.indexes(), reopened.federations(), reopened.keys()]).toEqual(before);
    expect(reopened.federations().map(({ name }) => name)).toEqual(["library", "shop"]);
    expect(reopened.federation("shop")?.organization_id).toBe("7");
    expect(reopened.federation("gone")).toBeUndefined();
    expect(reopened.index("films")?.synonyms).toEqual({ ny: ["new york"] });
    expect(reopened.index("books")).toBeUndefined();
    expect(reopened.keyWithValue("a")?.status).toBe("inactive");
    await reopened.deleteKeys(reopened.keys().map(({ id }) => id));
    expect((await openCatalog(folder)).keys()).toEqual([]);
  });

  test("keeps names apart that differ only in case", async () => {
    const catalog = await openCatalog(folder);
    for (const name of ["books", "Books", "BOOKS", "bookS"]) await catalog.putIndex(indexNamed(name));
    const files = await readdir(join(folder, "indexes"));
    expect(new Set(files.map((file) => file.toLowerCase())).size).toBe(4);
    await catalog.deleteIndex("Books");
    expect((await openCatalog(folder)).indexes().map((index) => index.schema.name)).toEqual([
      "BOOKS",
      "bookS",
      "books",
    ]);
  });

  test("keeps names of federations apart that differ only in case, and from those of indexes", async () => {
    const catalog = await openCatalog(folder);
    await catalog.putIndex(indexNamed("shop"));
    for (const name of ["shop", "Shop"]) await catalog.putFederation(federationNamed(name));
    await catalog.deleteFederation("shop");
    const reopened = await openCatalog(folder);
    expect(reopened.federations().map(({ name }) => name)).toEqual(["Shop"]);
    expect(reopened.index("shop")).toBeDefined();
  });

  test("opens a folder of before there were federations", async () => {
    const catalog = await openCatalog(folder);
    await catalog.putIndex(indexNamed("books"));
    await catalog.close();
    await rm(join(folder, "federations"), { recursive: true });
    const reopened = await openCatalog(folder);
    expect([reopened.federations(), reopened.indexes().length]).toEqual([[], 1]);
    await reopened.putFederation(federationNamed("shop"));
    expect((await openCatalog(folder)).federation("shop")).toEqual(federationNamed("shop"));
  });

  test("gives the longest name a file name that file systems take", async () => {
    const name = "A".repeat(128);
    expect(entryFileName(name).length).toBeLessThanOrEqual(200);
    const catalog = await openCatalog(folder);
    await catalog.putIndex(indexNamed(name));
    expect((await openCatalog(folder)).index(name)).toBeDefined();
  });

  test("lets nobody but the owner read keys and settings", async () => {
    const catalog = await openCatalog(join(folder, "fresh"));
    await catalog.putIndex(indexNamed("books"));
    await catalog.addKeys([keyNamed("a")]);
    const modes = await Promise.all(
      ["fresh", "fresh/indexes", "fresh/keys.json", "fresh/indexes/books.json"].map(
        async (path) => (await stat(join(folder, path))).mode & 0o777,
      ),
    );
    expect(modes).toEqual([0o700, 0o700, 0o600, 0o600]);
  });

  test("runs overlapping writes in order and loses none", async () => {
    const catalog = await openCatalog(folder);
    const names = Array.from({ length: 20 }, (_, i) => `key${i}`);
    await Promise.all(names.map((name) => catalog.addKeys([keyNamed(name)])));
    await Promise.all([catalog.addKeys([keyNamed("last")]), catalog.deleteKeys([accessKeyId("key3")])]);
    expect((await openCatalog(folder)).keys().map(({ name }) => name)).toEqual([
      ...names.filter((name) => name !== "key3"),
      "last",
    ]);
  });

  describe("damage", () => {
    test("is found by tools that only read, federations included", async () => {
      const catalog = await openCatalog(join(folder, "catalog"));
      await catalog.putIndex(indexNamed("books"));
      await catalog.putFederation(federationNamed("shop"));
      expect(readStoredIndexes(folder)).toMatchObject({ indexes: [{ name: "books" }], damage: [] });
      const file = join(folder, "catalog", "federations", "shop.json");
      await writeFile(file, (await readFile(file)).subarray(1));
      expect(readStoredIndexes(folder).damage.map((damage) => damage.file)).toEqual([file]);
      await rm(join(folder, "catalog", "federations"), { recursive: true });
      expect(readStoredIndexes(folder)).toMatchObject({ indexes: [{ name: "books" }], damage: [] });
    });

    test("what an interrupted write has left is cleared away", async () => {
      const catalog = await openCatalog(folder);
      await catalog.addKeys([keyNamed("a")]);
      await writeFile(join(folder, "keys.json.tmp"), "half");
      await writeFile(join(folder, "indexes", "books.json.tmp"), "half");
      const reopened = await openCatalog(folder);
      expect(reopened.keys()).toHaveLength(1);
      expect(await readdir(folder)).toEqual(["federations", "indexes", "keys.json", "secret.key"]);
      expect(await readdir(join(folder, "indexes"))).toEqual([]);
    });
  });

  describe("a write that fails", () => {
    test("leaves memory and disk as they were, and later writes go on", async () => {
      const catalog = await openCatalog(folder);
      // A folder where the file should come makes the rename fail.
      await mkdir(join(folder, "indexes", "films.json"));
      await expect(catalog.putIndex(indexNamed("films"))).rejects.toMatchObject({
        code: "storage_unavailable",
      });
      expect(catalog.index("films")).toBeUndefined();
      await catalog.putIndex(indexNamed("books"));
      await rm(join(folder, "indexes", "films.json"), { recursive: true });
      expect((await openCatalog(folder)).indexes()).toEqual(catalog.indexes());
    });

    test("after the file has changed takes the change back", async () => {
      const catalog = await openCatalog(folder);
      await catalog.addKeys([keyNamed("a")]);
      await catalog.putIndex(indexNamed("books"));
      await catalog.putFederation(federationNamed("shop"));
      faults.failingFolderSyncs = 1;
      await expect(catalog.deleteKeys([accessKeyId("a")])).rejects.toMatchObject({
        code: "storage_unavailable",
      });
      faults.failingFolderSyncs = 1;
      await expect(catalog.deleteIndex("books")).rejects.toMatchObject({ code: "storage_unavailable" });
      faults.failingFolderSyncs = 1;
      await expect(catalog.putIndex(indexNamed("films"))).rejects.toMatchObject({
        code: "storage_unavailable",
      });
      faults.failingFolderSyncs = 1;
      await expect(
        catalog.putFederation({ ...federationNamed("shop"), friendly_name: "new" }),
      ).rejects.toMatchObject({
        code: "storage_unavailable",
        message: "the federation 'shop' could not be saved, nothing has changed",
      });
      faults.failingFolderSyncs = 1;
      await expect(catalog.deleteFederation("shop")).rejects.toMatchObject({ code: "storage_unavailable" });

      const reopened = await openCatalog(folder);
      for (const seen of [catalog, reopened]) {
        expect(valuesOf(seen)).toEqual(["a"]);
        expect(seen.indexes()).toEqual([indexNamed("books")]);
        expect(seen.federations()).toEqual([federationNamed("shop")]);
      }
      expect(catalog.isSettled).toBe(true);
      await catalog.addKeys([keyNamed("b")]);
      expect(catalog.keys()).toHaveLength(2);
    });

    test("and can't be taken back either makes the catalog refuse changes until a restart", async () => {
      const catalog = await openCatalog(folder);
      await catalog.addKeys([keyNamed("a")]);
      faults.failingFolderSyncs = 2;
      await expect(catalog.deleteKeys([accessKeyId("a")])).rejects.toThrow(/restart/);
      await expect(catalog.putIndex(indexNamed("books"))).rejects.toThrow(/restart/);
      expect(catalog.keyWithValue("a")).toBeDefined();
      expect(catalog.isSettled).toBe(false);
    });
  });

  test("refuses writes after close", async () => {
    const catalog = await openCatalog(folder);
    const running = catalog.addKeys([keyNamed("a")]);
    await catalog.close();
    await running;
    await expect(catalog.addKeys([keyNamed("b")])).rejects.toMatchObject({ code: "shutting_down" });
  });

  test("reports a folder that can't be opened", async () => {
    await writeFile(join(folder, "file"), "");
    await expect(openCatalog(join(folder, "file"))).rejects.toMatchObject({
      code: "storage_unavailable",
    });
  });
});

function federationNamed(name: string): Federation {
  return {
    name,
    friendly_name: name,
    created_at: "2025-01-01T00:00:00.000000Z",
    last_modified: "2025-01-01T00:00:00.000000Z",
    index_configurations: [{ name: "books", weight_multiplier: 1 }],
  };
}

function openCatalog(path: string): Promise<FileCatalog> {
  return FileCatalog.open(path, { keyFile: join(path, "secret.key") });
}

function valuesOf(catalog: FileCatalog): readonly (string | undefined)[] {
  return catalog.keys().map(({ id }) => catalog.valueOfKey(id));
}

function keyNamed(key: string): Omit<AccessKey, "id"> {
  return { key, name: key, permissions: 1, allowed_indexes: ["books"], status: "active" };
}
