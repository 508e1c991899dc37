import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sentBody } from "../../../tests/kit/sent-body.js";
import { ServiceHarness, TEST_OPTIONS } from "../../../tests/kit/service-harness.js";
import type { Services } from "../create-services.js";
import { Authority } from "../keys/authority.js";

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

describe("creating", () => {
  test("fills in every default and shows field members in alphabetical order", async () => {
    const fields = {
      id: { type: "text", indexed: false },
      title: { type: "text", fast: true },
      hidden: { type: "text", indexed: false, required: true },
      category: { type: "facet", indexed: false, multi: true },
      active: { type: "bool" },
      price: { type: "f64", fast: false },
      count: { type: "u64", precision: "seconds" },
      created_at: { type: "datetime", stored: false },
      raw: { type: "json" },
    };
    expect(await services.indexes.create({ index: { name: "books", fields, nonsense: 1 } }, ADMIN)).toBe(
      "index created",
    );
    const view = services.indexes.get("books", ADMIN);
    expect(view).toEqual({
      name: "books",
      fields: {
        id: { indexed: false, multi: false, required: false, stored: true, type: "text" },
        title: { indexed: true, multi: false, required: false, stored: true, type: "text" },
        hidden: { indexed: false, multi: false, required: true, stored: true, type: "text" },
        category: { indexed: true, multi: true, required: false, stored: true, type: "facet" },
        active: { fast: true, indexed: true, multi: false, required: false, stored: true, type: "bool" },
        price: { fast: false, indexed: true, multi: false, required: false, stored: true, type: "f64" },
        count: { fast: true, indexed: true, multi: false, required: false, stored: true, type: "u64" },
        created_at: {
          fast: true,
          indexed: true,
          multi: false,
          precision: "seconds",
          required: false,
          stored: false,
          type: "datetime",
        },
        raw: { fast: false, indexed: false, multi: false, required: false, stored: true, type: "json" },
      },
      search_fields: ["title"],
      weight_multipliers: {},
      enable_language_stemming: false,
      exclude_stop_words: true,
      auto_commit_delay: 0,
      ai_enabled: false,
    });
    for (const field of Object.values(view.fields)) {
      expect(Object.keys(field)).toEqual(Object.keys(field).toSorted());
    }
  });

  test("takes the schema nested once, nested twice or bare", async () => {
    await services.indexes.create({ index: { name: "once", fields: FIELDS } }, ADMIN);
    await services.indexes.create(
      { index: { name: "ignored", index: { name: "twice", fields: FIELDS } } },
      ADMIN,
    );
    await services.indexes.create({ name: "bare", fields: FIELDS }, ADMIN);
    expect(services.indexes.list(ADMIN)).toEqual({ index_names: ["bare", "once", "twice"] });
  });

  test("takes empty arrays for empty maps and null for absent", async () => {
    const index = {
      name: "books",
      fields: { title: { type: "text", multi: null }, gone: null },
      weight_multipliers: [],
      language: null,
      search_fields: null,
      ai: null,
      ai_enabled: null,
      ingestion: null,
    };
    await services.indexes.create({ index, override_if_exists: null }, ADMIN);
    expect(Object.keys(services.indexes.get("books", ADMIN).fields)).toEqual(["title"]);
    expect(services.indexes.get("books", ADMIN)).not.toHaveProperty("language");
  });

  test("on a taken name changes nothing without the flag and starts anew with it", async () => {
    await services.indexes.create({ index: { name: "books", fields: FIELDS } }, ADMIN);
    await services.documents.add("books", { id: "1" });
    await services.documents.commit("books");
    await harness.catalog.putIndex({
      ...harness.catalog.index("books")!,
      custom_stopwords: ["foo"],
      synonyms: { a: ["b"] },
    });
    const other = { name: "books", fields: { text: { type: "text" } } };
    await expect(services.indexes.create({ index: other }, ADMIN)).rejects.toMatchObject({
      code: "index_exists",
    });
    expect(await services.indexes.stats("books")).toEqual({ document_count: 1 });

    expect(await services.indexes.create({ index: other, override_if_exists: true }, ADMIN)).toBe(
      "index updated",
    );
    expect(await services.indexes.stats("books")).toEqual({ document_count: 0 });
    expect(Object.keys(services.indexes.get("books", ADMIN).fields)).toEqual(["text"]);
    expect(harness.catalog.index("books")).toMatchObject({
      custom_stopwords: ["foo"],
      synonyms: { a: ["b"] },
    });
    expect(harness.backend.storageIds).toEqual([harness.catalog.index("books")?.storageId]);
  });

  test("keeps a scoped caller from naming an index outside its scope", async () => {
    const scoped = Authority.ofKey({
      key: "k",
      name: "",
      permissions: 31,
      allowed_indexes: ["mine"],
      status: "active",
    });
    await expect(
      services.indexes.create({ index: { name: "books", fields: FIELDS } }, scoped),
    ).rejects.toMatchObject({
      code: "index_not_allowed",
    });
    await services.indexes.create({ index: { name: "mine", fields: FIELDS } }, scoped);
  });
});

describe("what can't be an index", () => {
  const cases: readonly (readonly [string, unknown, string, string])[] = [
    ["no body", undefined, "invalid_index", "'index'"],
    ["a text", "books", "invalid_index", "'index'"],
    ["no schema", {}, "invalid_index", "is missing"],
    ["a schema that is none", { index: 5 }, "invalid_index", "a number"],
    ["no name", { index: { fields: FIELDS } }, "invalid_index", "'name'"],
    ["a name with a slash", indexWith({ name: "a/b" }), "invalid_index", "the name of an index"],
    ["a name with a dot", indexWith({ name: ".." }), "invalid_index", "the name of an index"],
    ["a name of 129 letters", indexWith({ name: "a".repeat(129) }), "invalid_index", "128"],
    ["a name that is no text", indexWith({ name: 5 }), "invalid_schema", "'index.name' must be a string"],
    ["the name stats", indexWith({ name: "stats" }), "invalid_index", "'stats'"],
    ["no fields", { index: { name: "books" } }, "invalid_schema", "'index.fields' is missing"],
    ["empty fields", indexWith({ fields: {} }), "invalid_schema", "at least one field"],
    ["empty fields of PHP", indexWith({ fields: [] }), "invalid_schema", "at least one field"],
    [
      "fields that are a list",
      indexWith({ fields: ["title"] }),
      "invalid_schema",
      "'index.fields' must be an object",
    ],
    ["a field without a type", withField({}), "invalid_schema", "'index.fields.f.type' is missing"],
    ["an unknown type", withField({ type: "txt" }), "invalid_schema", "did you mean 'text'?"],
    [
      "a flag that is no boolean",
      withField({ type: "text", multi: "yes" }),
      "invalid_schema",
      "'index.fields.f.multi'",
    ],
    [
      "an unknown precision",
      withField({ type: "datetime", precision: "days" }),
      "invalid_schema",
      "precision",
    ],
    ["a field called _id", indexWith({ fields: { _id: { type: "text" } } }), "invalid_schema", "reserved"],
    [
      "a field called __proto__",
      indexWith(JSON.parse('{"fields":{"__proto__":{"type":"text"}}}') as object),
      "invalid_schema",
      "reserved",
    ],
    [
      "a field name with a space",
      indexWith({ fields: { "a b": { type: "text" } } }),
      "invalid_schema",
      "'a b'",
    ],
    [
      "an unknown search field",
      indexWith({ search_fields: ["titel"] }),
      "invalid_schema",
      "did you mean 'title'?",
    ],
    [
      "constructor as a search field",
      indexWith({ search_fields: ["constructor"] }),
      "invalid_schema",
      "no field",
    ],
    [
      "a search field that is a number",
      withField({ type: "u64" }, { search_fields: ["f"] }),
      "invalid_schema",
      "not text",
    ],
    [
      "a search field without index",
      withField({ type: "text", indexed: false }, { search_fields: ["f"] }),
      "invalid_schema",
      "not indexed",
    ],
    [
      "a weight of an unknown field",
      indexWith({ weight_multipliers: { no: 1 } }),
      "invalid_schema",
      "no field 'no'",
    ],
    [
      "a weight above 100",
      indexWith({ weight_multipliers: { title: 101 } }),
      "invalid_schema",
      "at most 100",
    ],
    ["a weight below 0", indexWith({ weight_multipliers: { title: -1 } }), "invalid_schema", "at least 0"],
    ["a language in capitals", indexWith({ language: "EN" }), "invalid_schema", "two lower-case letters"],
    [
      "stemming without language",
      indexWith({ enable_language_stemming: true }),
      "invalid_schema",
      "needs a 'language'",
    ],
    [
      "stemming without stemmer",
      indexWith({ enable_language_stemming: true, language: "xx" }),
      "invalid_schema",
      "no stemmer",
    ],
    ["a negative delay", indexWith({ auto_commit_delay: -1 }), "invalid_schema", "'index.auto_commit_delay'"],
    [
      "a delay in words",
      indexWith({ auto_commit_delay: "1" }),
      "invalid_schema",
      "must be a number, not a string",
    ],
    ["decay on text", indexWith({ time_decay_field: "title" }), "invalid_schema", "datetime"],
    [
      "decay on a slow date",
      withField({ type: "datetime", fast: false }, { time_decay_field: "f" }),
      "invalid_schema",
      "fast",
    ],
    ["decay on nothing", indexWith({ time_decay_field: "no" }), "invalid_schema", "no field 'no'"],
    [
      "a flag in words",
      { index: { name: "books", fields: FIELDS }, override_if_exists: "yes" },
      "invalid_request",
      "override_if_exists",
    ],
    ["settings nested too deep", indexWith({ ingestion: nested(200) }), "invalid_schema", "levels deep"],
  ];
  test.each(cases)("%s", async (_, body, code, message) => {
    const error: unknown = await services.indexes.create(body, ADMIN).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code });
    expect((error as Error).message).toContain(message);
    expect(services.indexes.list(ADMIN)).toEqual({ index_names: [] });
    expect(harness.backend.storageIds).toEqual([]);
  });

  test("the identifier may be a search field though it says that it has no index", async () => {
    const fields = { id: { type: "text", indexed: false } };
    await services.indexes.create({ index: { name: "books", fields, search_fields: ["id", "id"] } }, ADMIN);
    expect(services.indexes.get("books", ADMIN).search_fields).toEqual(["id"]);
  });
});

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
      key: "k",
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
    jobs.push((async () => services.search.search("books", sentBody({ query: { exact: { ctx: "*" } } })))());
    if (i % 4 === 3) jobs.push(services.indexes.delete("books"));
  }
  const outcomes = await Promise.allSettled(jobs);
  const codes = new Set(
    outcomes.flatMap((job) => (job.status === "rejected" ? [(job.reason as { code: string }).code] : [])),
  );
  for (const code of codes) expect(["index_exists", "index_not_found"]).toContain(code);
  expect(harness.backend.storageIds).toEqual(harness.catalog.indexes().map((index) => index.storageId));
});

function indexWith(members: object): unknown {
  return { index: { name: "books", fields: FIELDS, ...members } };
}

function withField(field: object, members: object = {}): unknown {
  return { index: { name: "books", fields: { f: field }, ...members } };
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}
