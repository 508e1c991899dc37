// What becomes of an index that there is: replaced, patched, deleted, seen by scope, by many requests at once.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceHarness, TEST_OPTIONS } from "../../../tests/kit/service-harness.js";
import { Authority } from "../authority/authority.js";
import type { Services } from "../create-services.js";

const ADMIN = Authority.unrestricted();
const INGEST = Authority.ofConfiguredKey("ingest", 15);

let harness: ServiceHarness;
let services: Services;
beforeEach(async () => {
  harness = await ServiceHarness.open();
  services = harness.services;
});
afterEach(() => harness.close());

const FIELDS = { id: { type: "text" }, title: { type: "text" } };

describe("replacing", () => {
  beforeEach(() => services.indexes.create({ index: { name: "books", fields: FIELDS } }, ADMIN));

  test("removes documents, committed and pending", async () => {
    await services.documents.add("books", { id: "1" });
    await services.documents.commit("books");
    await services.documents.add("books", { id: "2" });
    expect(await services.indexes.replace("books", { index: { fields: FIELDS } }, INGEST)).toBe(
      "index updated",
    );
    await services.documents.commit("books");
    expect(await services.indexes.stats("books")).toEqual({ document_count: 0 });
  });

  test("takes back what was read, without an admin key, and changes nothing", async () => {
    const fields = { ...FIELDS, at: { type: "datetime" } };
    const ai = { llm_provider: "openai", llm_api_key: "sk-1", search_summary: { model: "m" } };
    const full = {
      name: "full",
      fields,
      time_decay_field: "at",
      language: "de",
      ingestion: { a: [null] },
      ai,
      ai_enabled: true,
    };
    await services.indexes.create({ index: full }, ADMIN);
    const stored = harness.catalog.index("full")?.schema;
    const read = services.indexes.get("full", INGEST);
    expect(read).not.toHaveProperty("ai_enabled");
    for (const authority of [INGEST, ADMIN]) {
      expect(JSON.stringify(services.indexes.get("full", authority))).not.toContain("sk-1");
    }
    await services.indexes.replace("full", { index: JSON.parse(JSON.stringify(read)) }, INGEST);
    expect(harness.catalog.index("full")?.schema).toEqual(stored);
  });

  test("needs the index and its own name", async () => {
    await expect(services.indexes.replace("films", {}, ADMIN)).rejects.toMatchObject({
      code: "index_not_found",
    });
    await expect(
      services.indexes.replace("books", { index: { name: "films", fields: FIELDS } }, ADMIN),
    ).rejects.toMatchObject({ code: "invalid_index" });
  });

  test("asks for bit 16 where ai_enabled is sent, wherever the schema is nested", async () => {
    const index = { fields: FIELDS, ai_enabled: false };
    for (const body of [{ index }, { index: { index } }, index]) {
      await expect(services.indexes.replace("books", body, INGEST)).rejects.toMatchObject({
        code: "insufficient_permissions",
      });
    }
    await services.indexes.replace("books", { index: { ...index, ai_enabled: true } }, ADMIN);
    await services.indexes.replace("books", { index: { fields: FIELDS } }, INGEST);
    expect(services.indexes.get("books", ADMIN).ai_enabled).toBe(true);
  });

  test("creates a missing index where the option says so", async () => {
    await harness.close();
    harness = await ServiceHarness.open({ indexes: { ...TEST_OPTIONS.indexes, putCreates: true } });
    expect(await harness.services.indexes.replace("films", { index: { fields: FIELDS } }, INGEST)).toBe(
      "index created",
    );
    await expect(
      harness.services.indexes.replace("stats", { index: { fields: FIELDS } }, INGEST),
    ).rejects.toMatchObject({
      code: "invalid_index",
    });
  });
});

describe("patching", () => {
  beforeEach(async () => {
    const fields = { ...FIELDS, at: { type: "datetime" } };
    await services.indexes.create({ index: { name: "books", fields } }, ADMIN);
    await services.documents.add("books", { id: "1" });
    await services.documents.commit("books");
  });

  test("changes what is named, keeps the rest and the documents", async () => {
    const before = services.indexes.get("books", ADMIN);
    const patch = {
      weight_multipliers: { title: 2 },
      language: "de",
      time_decay_field: "at",
      name: "books",
      ingestion: { x: 1 },
    };
    expect(await services.indexes.patch("books", patch, INGEST)).toBe("index updated");
    expect(services.indexes.get("books", ADMIN)).toEqual({ ...before, ...patch });
    expect(await services.indexes.stats("books")).toEqual({ document_count: 1 });
    await services.indexes.patch(
      "books",
      { language: null, time_decay_field: null, ingestion: null, exclude_stop_words: null },
      INGEST,
    );
    expect(services.indexes.get("books", ADMIN)).toEqual({ ...before, weight_multipliers: { title: 2 } });
  });

  test("of nothing changes nothing", async () => {
    const before = harness.catalog.index("books");
    for (const body of [{}, []]) await services.indexes.patch("books", body, INGEST);
    expect(harness.catalog.index("books")).toEqual(before);
  });

  test("survives a restart", async () => {
    await services.indexes.patch("books", { exclude_stop_words: false }, INGEST);
    await harness.restart();
    expect(harness.services.indexes.get("books", ADMIN).exclude_stop_words).toBe(false);
  });

  const cases: readonly (readonly [string, unknown, string])[] = [
    ["fields", { fields: FIELDS }, "not_patchable"],
    ["another name", { name: "films" }, "not_patchable"],
    ["a wrapped body", { index: { language: "de" } }, "not_patchable"],
    ["an unknown member next to a good one", { language: "de", languages: ["de"] }, "not_patchable"],
    ["a list", [1], "invalid_request"],
    ["nothing", undefined, "invalid_request"],
    ["an unknown search field", { search_fields: ["no"] }, "invalid_schema"],
    ["a wrong type", { exclude_stop_words: "no" }, "invalid_schema"],
    ["stemming without a language", { enable_language_stemming: true }, "invalid_schema"],
    ["ai that is none", { ai: { llm_provider: "abacus" } }, "invalid_schema"],
  ];
  test.each(cases)("refuses %s and changes nothing", async (_, body, code) => {
    const before = harness.catalog.index("books");
    await expect(services.indexes.patch("books", body, ADMIN)).rejects.toMatchObject({ code });
    expect(harness.catalog.index("books")).toEqual(before);
  });

  test("refuses to clear a language that stemming needs", async () => {
    await services.indexes.patch("books", { language: "en", enable_language_stemming: true }, INGEST);
    await expect(services.indexes.patch("books", { language: null }, INGEST)).rejects.toMatchObject({
      code: "invalid_schema",
    });
  });

  test("asks for bit 16 before it asks whether the index exists", async () => {
    await expect(services.indexes.patch("films", { ai_enabled: true }, INGEST)).rejects.toMatchObject({
      code: "insufficient_permissions",
    });
    await expect(services.indexes.patch("films", { nonsense: 1 }, INGEST)).rejects.toMatchObject({
      code: "index_not_found",
    });
  });

  test("takes the catalog back where the back end fails", async () => {
    const before = harness.catalog.index("books");
    harness.backend.failNext("updateIndex");
    await expect(services.indexes.patch("books", { language: "de" }, INGEST)).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    expect(harness.catalog.index("books")).toEqual(before);
  });
});

describe("deleting", () => {
  test("takes index, documents and storage away", async () => {
    await services.indexes.create({ index: { name: "books", fields: FIELDS } }, ADMIN);
    expect(await services.indexes.delete("books")).toBe("index deleted");
    expect(() => services.indexes.get("books", ADMIN)).toThrow(/does not exist/);
    await expect(services.indexes.delete("books")).rejects.toMatchObject({ code: "index_not_found" });
    expect(harness.backend.storageIds).toEqual([]);
  });

  test("succeeds where only the old storage can't be removed", async () => {
    await services.indexes.create({ index: { name: "books", fields: FIELDS } }, ADMIN);
    harness.backend.failNext("dropIndex");
    await services.indexes.delete("books");
    expect(harness.logger.lines).toMatchObject([{ level: "warn" }]);
    await harness.restart();
    expect(harness.backend.storageIds).toEqual([]);
  });
});

describe("a write of the catalog that fails", () => {
  // A folder where the file should come makes the rename fail.
  test("leaves no index and no storage behind", async () => {
    const inTheWay = join(harness.catalogFolder, "indexes", "books.json");
    await mkdir(inTheWay);
    await expect(
      services.indexes.create({ index: { name: "books", fields: FIELDS } }, ADMIN),
    ).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    expect(harness.backend.storageIds).toEqual([]);
    expect(services.indexes.list(ADMIN)).toEqual({ index_names: [] });
    await rm(inTheWay, { recursive: true });
    await services.indexes.create({ index: { name: "books", fields: FIELDS } }, ADMIN);
  });
});

describe("scope", () => {
  test("filters lists and counts", async () => {
    for (const name of ["b", "a", "C"])
      await services.indexes.create({ index: { name, fields: FIELDS } }, ADMIN);
    await services.documents.add("a", [{ id: "1" }, { id: "2" }]);
    await services.documents.commit("a");
    const scoped = Authority.ofKey({
      id: "k",
      name: "",
      permissions: 1,
      allowed_indexes: ["a", "gone"],
      status: "active",
    });
    expect(services.indexes.list(ADMIN)).toEqual({ index_names: ["C", "a", "b"] });
    expect(services.indexes.list(scoped)).toEqual({ index_names: ["a"] });
    expect(await services.indexes.allStats(ADMIN)).toEqual({
      index_count: 3,
      indices: [{ C: { document_count: 0 } }, { a: { document_count: 2 } }, { b: { document_count: 0 } }],
      total_document_count: 2,
    });
    expect(await services.indexes.allStats(scoped)).toEqual({
      index_count: 1,
      indices: [{ a: { document_count: 2 } }],
      total_document_count: 2,
    });
  });
});

test("overlapping creates, replaces, writes and deletes end in one consistent state", async () => {
  const jobs: Promise<unknown>[] = [];
  for (let i = 0; i < 15; i++) {
    const index = { name: "books", fields: FIELDS };
    jobs.push(services.indexes.create({ index, override_if_exists: i % 2 === 0 }, ADMIN));
    jobs.push(services.documents.add("books", [{ id: String(i) }]));
    jobs.push(services.indexes.replace("books", { index }, ADMIN));
    jobs.push(services.documents.commit("books"));
    jobs.push((async () => services.search.search("books", { query: { exact: { ctx: "*" } } }))());
    if (i % 4 === 3) jobs.push(services.indexes.delete("books"));
  }
  const outcomes = await Promise.allSettled(jobs);
  const codes = new Set(
    outcomes.flatMap((job) => (job.status === "rejected" ? [(job.reason as { code: string }).code] : [])),
  );
  for (const code of codes) expect(["index_exists", "index_not_found"]).toContain(code);
  expect(harness.backend.storageIds).toEqual(harness.catalog.indexes().map((index) => index.storageId));
});
