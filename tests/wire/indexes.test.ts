// Contract 3.1, 3.2, 4.1, 4.2: health and indexes.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError, expectPlainSuccess } from "./expect-error.js";
import { ADMIN, INGEST, WireServer } from "./wire-server.js";

let server: WireServer;
let name = "";
let count = 0;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());

/** A name that no other test uses. */
function fresh(): string {
  return (name = `index-${++count}`);
}

const FIELDS = {
  id: { type: "text" },
  title: { type: "text" },
  year: { type: "u64" },
  kind: { type: "facet" },
};

describe("3.1 health", () => {
  test("a sentence, without a key, and whatever key is sent", async () => {
    expectPlainSuccess(await server.send("GET", "/healthcheck"), "service is healthy");
    expectPlainSuccess(await server.send("GET", "/healthcheck", { key: "unknown" }), "service is healthy");
  });
});

describe("3.2 POST /index", () => {
  test("creates an empty index where the name is free", async () => {
    expectPlainSuccess(
      await server.post("/index", { index: { name: fresh(), fields: FIELDS } }),
      "index created",
    );
    expectPlainSuccess(await server.get(`/index/${name}/stats`), { document_count: 0 });
    expect((await server.get("/index")).json.data.index_names).toContain(name);
  });

  test("409 on a taken name without the flag; nothing changes", async () => {
    await server.createIndex(fresh());
    await server.addCommitted(name, [{ id: "1", title: "kept" }]);
    for (const flag of [{}, { override_if_exists: false }, { override_if_exists: null }]) {
      expectError(
        await server.post("/index", { ...flag, index: { name, fields: FIELDS } }),
        409,
        "index_exists",
      );
    }
    expectPlainSuccess(await server.get(`/index/${name}/stats`), { document_count: 1 });
    expect((await server.get(`/index/${name}`)).json.data.fields).not.toHaveProperty("year");
  });

  test("with the flag: schema replaced, documents and pending writes dropped", async () => {
    await server.createIndex(fresh());
    await server.addCommitted(name, [{ id: "1", title: "old" }]);
    await server.post(`/index/${name}/documents`, { id: "2", title: "pending" });
    const body = { override_if_exists: true, index: { name, fields: FIELDS } };
    expectPlainSuccess(await server.post("/index", body), "index updated");
    expectPlainSuccess(await server.post(`/index/${name}/commit`), "commit complete");
    expectPlainSuccess(await server.get(`/index/${name}/stats`), { document_count: 0 });
    expect((await server.get(`/index/${name}`)).json.data.fields).toHaveProperty("year");
  });

  test("takes the index nested twice, and bare at the top level", async () => {
    const nested = { index: { name: fresh(), index: { name, fields: FIELDS } } };
    expectPlainSuccess(await server.post("/index", nested), "index created");
    expectPlainSuccess(await server.post("/index", { name: fresh(), fields: FIELDS }), "index created");
  });

  test("needs permission 16: an ingest key gets 403", async () => {
    expectError(await server.post("/index", { index: { name: fresh(), fields: FIELDS } }, INGEST), 403);
  });

  test.each([
    [{ name: "stats" }, "invalid_index"],
    [{ name: "" }, "invalid_index"],
    [{ name: "-x" }, "invalid_index"],
    [{ name: "a b" }, "invalid_index"],
    [{ name: "a/b" }, "invalid_index"],
    [{ name: "ü" }, "invalid_index"],
    [{ name: "x".repeat(129) }, "invalid_index"],
    [{ name: undefined }, undefined],
    [{ name: 5 }, undefined],
    [{ fields: undefined }, undefined],
    [{ fields: {} }, "invalid_schema"],
    [{ fields: [] }, "invalid_schema"],
    [{ fields: [FIELDS] }, "invalid_schema"],
    [{ fields: { _id: { type: "text" } } }, "invalid_schema"],
    [{ fields: { "1st": { type: "text" } } }, "invalid_schema"],
    [{ fields: { "a b": { type: "text" } } }, "invalid_schema"],
    [{ fields: { a: { type: "string" } } }, "invalid_schema"],
    [{ fields: { a: {} } }, "invalid_schema"],
    [{ fields: { a: "text" } }, "invalid_schema"],
    [{ fields: { a: null } }, "invalid_schema"],
    [{ fields: { a: { type: "text", indexed: "yes" } } }, "invalid_schema"],
    [{ fields: { a: { type: "datetime", precision: "weeks" } } }, "invalid_schema"],
    [{ search_fields: ["nope"] }, "invalid_schema"],
    [{ search_fields: ["year"] }, "invalid_schema"],
    [{ search_fields: "title" }, "invalid_schema"],
    [{ weight_multipliers: { nope: 1 } }, "invalid_schema"],
    [{ weight_multipliers: { title: 101 } }, "invalid_schema"],
    [{ weight_multipliers: { title: -1 } }, "invalid_schema"],
    [{ language: "english" }, "invalid_schema"],
    [{ enable_language_stemming: true }, "invalid_schema"],
    [{ auto_commit_delay: -1 }, "invalid_schema"],
    [{ auto_commit_delay: "1" }, "invalid_schema"],
    [{ time_decay_field: "title" }, "invalid_schema"],
    [{ time_decay_field: "nope" }, "invalid_schema"],
    [{ exclude_stop_words: 1 }, "invalid_schema"],
    [{ ai_enabled: "yes" }, "invalid_schema"],
  ] as const)("400 for %j", async (change, code) => {
    const before = (await server.get("/index")).json.data;
    const index = { name: fresh(), fields: FIELDS, ...change };
    expectError(await server.post("/index", { index }), 400, code);
    expect((await server.get("/index")).json.data).toEqual(before);
  });

  test.each(["a", "0", "A-b_c", "x".repeat(128), "constructor", "__x".slice(2), "documents"])(
    "takes the name %s",
    async (free) => {
      expectPlainSuccess(
        await server.post("/index", { index: { name: free, fields: FIELDS } }),
        "index created",
      );
      expect((await server.get(`/index/${free}`)).json.data.name).toBe(free);
      expectPlainSuccess(await server.delete(`/index/${free}`), "index deleted");
    },
  );
});

describe("3.2 GET", () => {
  test("the schema has every default filled in, field members in alphabetical order, nothing unset", async () => {
    await server.createIndex(fresh(), {
      fields: {
        id: { type: "text", indexed: false },
        title: { type: "text" },
        at: { type: "datetime" },
        on: { type: "bool" },
      },
    });
    const answer = await server.get(`/index/${name}`, INGEST);
    expect(Object.keys(answer.json)).toEqual(["status", "data"]);
    const { data } = answer.json;
    expect(data).toEqual({
      name,
      fields: {
        id: expect.objectContaining({ type: "text" }),
        title: { indexed: true, multi: false, required: false, stored: true, type: "text" },
        at: {
          fast: true,
          indexed: true,
          multi: false,
          precision: "seconds",
          required: false,
          stored: true,
          type: "datetime",
        },
        on: { fast: true, indexed: true, multi: false, required: false, stored: true, type: "bool" },
      },
      search_fields: ["title"],
      weight_multipliers: {},
      enable_language_stemming: false,
      exclude_stop_words: true,
      auto_commit_delay: 0,
    });
    for (const field of Object.values<object>(data.fields)) {
      expect(Object.keys(field)).toEqual(Object.keys(field).toSorted());
    }
  });

  test("ai_enabled is shown to holders of bit 16 only", async () => {
    await server.createIndex(fresh());
    expect((await server.get(`/index/${name}`, ADMIN)).json.data.ai_enabled).toBe(false);
    expect((await server.get(`/index/${name}`, INGEST)).json.data).not.toHaveProperty("ai_enabled");
  });

  test("PUT accepts everything GET returned, with an ingest key", async () => {
    await server.createIndex(fresh(), {
      fields: { ...FIELDS, at: { type: "datetime", precision: "nanoseconds" }, raw: { type: "json" } },
      weight_multipliers: { title: 2 },
      language: "en",
      enable_language_stemming: true,
      time_decay_field: "at",
      ingestion: { any: ["thing", null] },
      auto_commit_delay: 2.5,
    });
    const before = (await server.get(`/index/${name}`, INGEST)).json.data;
    expectPlainSuccess(await server.put(`/index/${name}`, { index: before }, INGEST), "index updated");
    expect((await server.get(`/index/${name}`, INGEST)).json.data).toEqual(before);
  });

  test("404 for what is missing", async () => {
    for (const path of ["/index/none", "/index/none/stats", "/index/__proto__", "/index/constructor/stats"]) {
      expectError(await server.get(path), 404, "index_not_found");
    }
  });

  test("GET /index and /index/stats are sorted by name and counted", async () => {
    const { index_names: names } = (await server.get("/index")).json.data;
    expect(names).toEqual(names.toSorted());
    const { data } = (await server.get("/index/stats")).json;
    expect(data.index_count).toBe(names.length);
    expect(data.indices.map((each: object) => Object.keys(each))).toEqual(
      names.map((each: string) => [each]),
    );
    const counts = data.indices.flatMap((each: object) => Object.values(each));
    expect(data.total_document_count).toBe(
      counts.reduce((sum: number, each: { document_count: number }) => sum + each.document_count, 0),
    );
  });
});

describe("3.2 PUT", () => {
  test("replaces the schema and removes all documents and pending writes", async () => {
    await server.createIndex(fresh());
    await server.addCommitted(name, [{ id: "1", title: "old" }]);
    await server.post(`/index/${name}/documents`, { id: "2", title: "pending" });
    expectPlainSuccess(
      await server.put(`/index/${name}`, { index: { fields: FIELDS } }, INGEST),
      "index updated",
    );
    await server.post(`/index/${name}/commit`);
    expectPlainSuccess(await server.get(`/index/${name}/stats`), { document_count: 0 });
    expect((await server.get(`/index/${name}`)).json.data.fields).toHaveProperty("year");
  });

  test("a name in the body must be the path's; the flag is ignored", async () => {
    await server.createIndex(fresh());
    expectError(await server.put(`/index/${name}`, { index: { name: "else", fields: FIELDS } }), 400);
    const body = { override_if_exists: false, index: { name, fields: FIELDS } };
    expectPlainSuccess(await server.put(`/index/${name}`, body), "index updated");
  });

  test("404 on a missing index, unless the option creates it", async () => {
    expectError(await server.put("/index/none", { index: { fields: FIELDS } }), 404, "index_not_found");
    const creating = await WireServer.start({ putCreates: true });
    try {
      expect(
        (await creating.put("/index/new", { index: { name: "new", fields: FIELDS } }, INGEST)).status,
      ).toBe(200);
      expect((await creating.get("/index")).json.data.index_names).toEqual(["new"]);
    } finally {
      await creating.stopAndRemove();
    }
  });

  test("ai_enabled stays as it was if omitted; ai: omitted keeps, null removes, a masked key keeps the secret", async () => {
    const ai = { llm_provider: "openai", llm_api_key: "sk-secret-of-the-tests" };
    await server.createIndex(fresh(), { ai_enabled: true, ai });
    const shown = (await server.get(`/index/${name}`)).json.data;
    expect(shown).toMatchObject({
      ai_enabled: true,
      ai: { llm_provider: "openai", llm_api_key: "********" },
    });
    await server.put(`/index/${name}`, { index: { fields: FIELDS } }, INGEST);
    expect((await server.get(`/index/${name}`)).json.data).toMatchObject({ ai_enabled: true, ai: shown.ai });
    expect(
      (await server.put(`/index/${name}`, { index: { fields: FIELDS, ai: shown.ai } }, INGEST)).status,
    ).toBe(200);
    await server.put(`/index/${name}`, { index: { fields: FIELDS, ai: null } }, INGEST);
    expect((await server.get(`/index/${name}`)).json.data).not.toHaveProperty("ai");
    expect(server.logLines.join("")).not.toContain("sk-secret-of-the-tests");
  });
});

describe("3.2 PATCH", () => {
  test("changes settings at once and keeps the documents", async () => {
    await server.createIndex(fresh(), { fields: FIELDS });
    await server.addCommitted(name, [{ id: "1", title: "the house" }]);
    const change = {
      search_fields: [],
      weight_multipliers: { title: 3 },
      auto_commit_delay: 9,
      exclude_stop_words: false,
    };
    expectPlainSuccess(await server.patch(`/index/${name}`, change, INGEST), "index updated");
    expect((await server.get(`/index/${name}`)).json.data).toMatchObject(change);
    expectPlainSuccess(await server.get(`/index/${name}/stats`), { document_count: 1 });
    expect(await server.idsOf(name, "house")).toEqual([]);
    expect(await server.idsOf(name, "title:the")).toEqual(["1"]);
  });

  test("{} and a name equal to the path change nothing", async () => {
    await server.createIndex(fresh());
    const before = (await server.get(`/index/${name}`)).json.data;
    for (const body of [{}, [], { name }]) {
      expectPlainSuccess(await server.patch(`/index/${name}`, body, INGEST), "index updated");
    }
    expect((await server.get(`/index/${name}`)).json.data).toEqual(before);
  });

  test.each([
    { fields: FIELDS },
    { name: "else" },
    { index: {} },
    { whatever: 1 },
    { index: { search_fields: [] } },
  ])("any other member is 400 and nothing changes: %j", async (body) => {
    await server.createIndex(fresh());
    const before = (await server.get(`/index/${name}`)).json.data;
    const answer = await server.patch(`/index/${name}`, { auto_commit_delay: 7, ...body });
    expectError(answer, 400);
    expect((await server.get(`/index/${name}`)).json.data).toEqual(before);
  });

  test("null clears language, time_decay_field, ingestion and ai; elsewhere it counts as absent", async () => {
    await server.createIndex(fresh(), {
      fields: { ...FIELDS, at: { type: "datetime" } },
      language: "en",
      time_decay_field: "at",
      ingestion: 1,
      auto_commit_delay: 5,
      weight_multipliers: { title: 2 },
    });
    const nulls = {
      language: null,
      time_decay_field: null,
      ingestion: null,
      auto_commit_delay: null,
      weight_multipliers: null,
    };
    expectPlainSuccess(await server.patch(`/index/${name}`, nulls), "index updated");
    const { data } = (await server.get(`/index/${name}`)).json;
    for (const cleared of ["language", "time_decay_field", "ingestion"])
      expect(data).not.toHaveProperty(cleared);
    expect(data).toMatchObject({ auto_commit_delay: 5, weight_multipliers: { title: 2 } });
  });

  test("the resulting schema must be valid", async () => {
    await server.createIndex(fresh(), { language: "en", enable_language_stemming: true });
    expectError(await server.patch(`/index/${name}`, { language: null }), 400, "invalid_schema");
    expectPlainSuccess(
      await server.patch(`/index/${name}`, { language: null, enable_language_stemming: false }),
      "index updated",
    );
  });
});

describe("3.2 DELETE", () => {
  test("deletes the index; 404 if it is missing", async () => {
    await server.createIndex(fresh());
    expectPlainSuccess(await server.delete(`/index/${name}`, undefined, INGEST), "index deleted");
    expectError(await server.delete(`/index/${name}`), 404, "index_not_found");
    expectError(await server.get(`/index/${name}`), 404, "index_not_found");
    await server.createIndex(name);
    expectPlainSuccess(await server.get(`/index/${name}/stats`), { document_count: 0 });
  });
});

test("indexes and their settings outlive a restart", async () => {
  await server.createIndex(fresh(), { weight_multipliers: { title: 4 } });
  await server.addCommitted(name, [{ id: "1", title: "lasting" }]);
  const before = (await server.get(`/index/${name}`)).json.data;
  const { folder } = server;
  await server.stop();
  server = await WireServer.start({}, { folder });
  expect((await server.get(`/index/${name}`)).json.data).toEqual(before);
  expect(await server.idsOf(name, "title:lasting")).toEqual(["1"]);
});
