// What a request to create an index makes of it: every default, every spelling, and what is refused by name.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceHarness } from "../../../tests/kit/service-harness.js";
import { Authority } from "../authority/authority.js";
import type { Services } from "../create-services.js";

const ADMIN = Authority.unrestricted();

let harness: ServiceHarness;
let services: Services;
beforeEach(async () => {
  harness = await ServiceHarness.open();
  services = harness.services;
});
afterEach(() => harness.close());

const FIELDS = { id: { type: "text" }, title: { type: "text" } };

function textFields(count: number): Record<string, { type: string }> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, { type: "text" }]));
}

describe("creating", () => {
  test("takes as many fields as may be", async () => {
    await services.indexes.create({ index: { name: "wide", fields: textFields(2_000) } }, ADMIN);
    expect(Object.keys(services.indexes.get("wide", ADMIN).fields)).toHaveLength(2_000);
  });

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
      id: "k",
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
    ["a name that is no text", indexWith({ name: 5 }), "invalid_schema", "'name' must be a string"],
    ["the name stats", indexWith({ name: "stats" }), "invalid_index", "'stats'"],
    ["no fields", { index: { name: "books" } }, "invalid_schema", "'fields' is missing"],
    ["empty fields", indexWith({ fields: {} }), "invalid_schema", "at least one field"],
    [
      "too many fields",
      indexWith({ fields: textFields(2_001) }),
      "invalid_schema",
      "names 2001 fields, at most 2000",
    ],
    [
      "too many weights",
      indexWith({
        weight_multipliers: Object.fromEntries(Object.keys(textFields(2_001)).map((name) => [name, 1])),
      }),
      "invalid_schema",
      "names 2001 fields, at most 2000",
    ],
    [
      "too many fields to search",
      indexWith({ search_fields: Object.keys(textFields(2_001)) }),
      "invalid_schema",
      "names 2001 fields, at most 2000",
    ],
    ["empty fields of PHP", indexWith({ fields: [] }), "invalid_schema", "at least one field"],
    [
      "fields that are a list",
      indexWith({ fields: ["title"] }),
      "invalid_schema",
      "'fields' must be an object",
    ],
    ["a field without a type", withField({}), "invalid_schema", "'fields.f.type' is missing"],
    ["an unknown type", withField({ type: "txt" }), "invalid_schema", "did you mean 'text'?"],
    [
      "a flag that is no boolean",
      withField({ type: "text", multi: "yes" }),
      "invalid_schema",
      "'fields.f.multi'",
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
    ["a negative delay", indexWith({ auto_commit_delay: -1 }), "invalid_schema", "'auto_commit_delay'"],
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
