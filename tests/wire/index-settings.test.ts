// Contract 3.2, 4.1, 4.2, 4.4: what an index's settings and fields mean, and the ai block, seen from outside.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectError, expectPlainSuccess } from "./expect-error.js";
import { ADMIN, INGEST, type ParsedJson, type WireAnswer, WireServer } from "./wire-server.js";

let server: WireServer;
let name = "";
let count = 0;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());
beforeEach(() => {
  name = `settings-${++count}`;
});

const FIELDS = { id: { type: "text" }, title: { type: "text" } };
const SECRET = "sk-the-secret-of-these-tests";
const OPENAI = { llm_provider: "openai", llm_api_key: SECRET };

const view = async (key: string = ADMIN): Promise<ParsedJson> =>
  (await server.get(`/index/${name}`, key)).json.data;
const create = (index: object): Promise<WireAnswer> =>
  server.post("/index", { index: { name, fields: FIELDS, ...index } });
const override = (index: object): Promise<WireAnswer> =>
  server.post("/index", { override_if_exists: true, index: { name, fields: FIELDS, ...index } });
const put = (index: object, key: string = ADMIN): Promise<WireAnswer> =>
  server.put(`/index/${name}`, { index: { fields: FIELDS, ...index } }, key);
const patch = (body: object, key: string = ADMIN): Promise<WireAnswer> =>
  server.patch(`/index/${name}`, body, key);

describe("bodies as PHP and others send them (1.1, 4.1)", () => {
  test("[] is {}, null is absent, unknown members are neither stored nor refused", async () => {
    const body = {
      index: {
        name,
        fields: { id: { type: "text", color: "red", indexed: null }, title: { type: "text" }, gone: null },
        weight_multipliers: [],
        search_fields: null,
        language: null,
        auto_commit_delay: null,
        time_decay_field: null,
        ai: null,
        ai_enabled: null,
        whatever: { deep: [1] },
      },
      another: 1,
    };
    expect((await server.post("/index", body)).status).toBe(200);
    const stored = await view();
    expect(Object.keys(stored.fields)).toEqual(["id", "title"]);
    expect(stored.fields.id).toEqual({
      indexed: true,
      multi: false,
      required: false,
      stored: true,
      type: "text",
    });
    expect(stored).toMatchObject({ weight_multipliers: {}, search_fields: ["title"], ai_enabled: false });
    for (const absent of ["whatever", "language", "time_decay_field", "ai", "ingestion"])
      expect(stored).not.toHaveProperty(absent);
    expect((await patch({ weight_multipliers: [] }, INGEST)).status).toBe(200);
  });

  test("fields keep the order in which they were sent; what was set comes back as it was", async () => {
    const settings = {
      fields: {
        z: { type: "text" },
        a: { type: "text" },
        id: { type: "text" },
        m: { type: "datetime", precision: "nanoseconds" },
      },
      search_fields: ["a", "z"],
      weight_multipliers: { z: 0, a: 100, m: 1.5 },
      language: "de",
      enable_language_stemming: true,
      exclude_stop_words: false,
      auto_commit_delay: 0.25,
      time_decay_field: "m",
      ingestion: { any: [null, { thing: 1.5 }] },
    };
    expectPlainSuccess(await create(settings), "index created");
    const { ai_enabled: enabled, name: stored, fields, ...rest } = await view();
    const { fields: sent, ...others } = settings;
    expect([enabled, stored, Object.keys(fields)]).toEqual([false, name, Object.keys(sent)]);
    expect(rest).toEqual(others);
  });
});

describe("4.1 search_fields and weights", () => {
  test("by default every indexed text field but id, in schema order", async () => {
    await create({
      fields: {
        b: { type: "text" },
        id: { type: "text" },
        off: { type: "text", indexed: false },
        a: { type: "text", multi: true },
        n: { type: "u64" },
        k: { type: "facet" },
      },
    });
    expect((await view()).search_fields).toEqual(["b", "a"]);
  });

  test("[] is allowed: unfielded parts match nothing, fielded ones as ever", async () => {
    await create({ search_fields: [] });
    await server.addCommitted(name, [{ id: "1", title: "word" }]);
    expect(await server.idsOf(name, "word")).toEqual([]);
    expect(await server.idsOf(name, "title:word")).toEqual(["1"]);
    expect(
      (await server.post(`/index/${name}/search`, { query: { fuzzy: { ctx: "word" } } })).json.data.count,
    ).toBe(0);
  });

  test("id may be listed; a PATCH replaces lists and maps as a whole", async () => {
    await create({ weight_multipliers: { title: 2 } });
    await server.addCommitted(name, [{ id: "abc-1", title: "word" }]);
    expect(await server.idsOf(name, "abc-1")).toEqual([]);
    await patch({ search_fields: ["id"], weight_multipliers: { id: 3 } });
    expect(await view()).toMatchObject({ search_fields: ["id"], weight_multipliers: { id: 3 } });
    expect((await view()).weight_multipliers).not.toHaveProperty("title");
    expect(await server.idsOf(name, "abc-1")).toEqual(["abc-1"]);
    expect(await server.idsOf(name, "word")).toEqual([]);
  });
});

describe("4.2 field definitions", () => {
  test("id is one whole case-sensitive value, whatever indexed says", async () => {
    for (const indexed of [true, false]) {
      name = `settings-${++count}`;
      await create({ fields: { id: { type: "text", indexed }, title: { type: "text" } } });
      await server.addCommitted(name, [{ id: "Ab c-1" }, { id: "Ab" }]);
      expect(await server.idsOf(name, 'id:"Ab c-1"')).toEqual(["Ab c-1"]);
      expect(await server.idsOf(name, "id:Ab")).toEqual(["Ab"]);
      expect(await server.idsOf(name, "id:ab")).toEqual([]);
    }
  });

  test("an id of another type is a field like any other", async () => {
    await create({ fields: { id: { type: "u64" }, title: { type: "text" } } });
    await server.addCommitted(name, [{ id: 7 }, { id: 12 }]);
    expect(await server.idsOf(name, "id:>7")).toEqual([12]);
    expect((await server.delete(`/index/${name}/documents`, { id: "7" })).json.data.num_removed).toBe(1);
  });

  test("a facet is always indexed; fast means nothing on text and facet", async () => {
    await create({
      fields: { title: { type: "text", fast: false }, kind: { type: "facet", indexed: false, fast: true } },
    });
    const { fields } = await view();
    expect(fields.kind).toEqual({
      indexed: true,
      multi: false,
      required: false,
      stored: true,
      type: "facet",
    });
    expect(fields.title).not.toHaveProperty("fast");
    await server.addCommitted(name, [{ title: "one", kind: "/a" }]);
    const answer = await server.post(`/index/${name}/search`, {
      query: { exact: { ctx: "kind:/a" } },
      order_by: "title",
    });
    expect(answer.json.data.count).toBe(1);
  });

  test("bytes and json are kept and returned, and cannot be queried, ordered by or deleted by", async () => {
    await create({ fields: { id: { type: "text" }, blob: { type: "bytes" }, raw: { type: "json" } } });
    const [id] = await server.addCommitted(name, [{ id: "1", blob: "aGk=", raw: { a: [null, 1.5, "x"] } }]);
    const { doc } = (await server.get(`/index/${name}/documents/${id}`)).json.data;
    expect(doc).toEqual({ id: "1", blob: "aGk=", raw: { a: [null, 1.5, "x"] } });
    for (const field of ["blob", "raw"]) {
      const search = (body: object) =>
        server.post(`/index/${name}/search`, { query: { exact: { ctx: "*" } }, ...body });
      expectError(await search({ query: { exact: { ctx: `${field}:x` } } }), 400, "field_not_indexed");
      expectError(await search({ order_by: field }), 400, "invalid_order_by");
      expectError(
        await server.delete(`/index/${name}/documents`, { [field]: "x" }),
        400,
        "field_not_indexed",
      );
      expectError(await patch({ search_fields: [field] }), 400, "invalid_schema");
    }
  });

  test("stored: false is not returned, still searchable, and kept over an update of settings", async () => {
    await create({
      fields: {
        id: { type: "text" },
        title: { type: "text", stored: false },
        n: { type: "u64", stored: false },
      },
    });
    await server.addCommitted(name, [{ id: "1", title: "hidden word", n: 5 }]);
    const answer = await server.post(`/index/${name}/search`, {
      query: { exact: { ctx: "word AND n:5" } },
      order_by: "n",
    });
    expect(answer.json.data.hits[0].doc).toEqual({ id: "1" });
  });

  test("required: a document without a value is refused, null, [] and a list of nulls included", async () => {
    await create({ fields: { id: { type: "text" }, tags: { type: "text", multi: true, required: true } } });
    for (const document of [{}, { tags: null }, { tags: [] }, { tags: [null] }]) {
      expectError(await server.post(`/index/${name}/documents`, document), 400, "invalid_document");
    }
    expect((await server.post(`/index/${name}/documents`, { tags: [null, "x"] })).status).toBe(200);
  });

  test("datetime precisions: values are cut to them for comparing and in answers", async () => {
    const at = "2024-05-06T07:08:09.123456789Z";
    const precisions = {
      seconds: "2024-05-06T07:08:09Z",
      milliseconds: "2024-05-06T07:08:09.123Z",
      microseconds: "2024-05-06T07:08:09.123456Z",
      nanoseconds: at,
    };
    await create({
      fields: Object.fromEntries(
        Object.keys(precisions).map((precision) => [precision, { type: "datetime", precision }]),
      ),
    });
    await server.addCommitted(name, [
      Object.fromEntries(Object.keys(precisions).map((precision) => [precision, at])),
    ]);
    const { hits } = (await server.post(`/index/${name}/search`, { query: { exact: { ctx: "*" } } })).json
      .data;
    expect(hits[0].doc).toEqual(precisions);
    for (const precision of Object.keys(precisions)) {
      expect(await server.idsOf(name, `${precision}:${at}`), precision).toHaveLength(1);
      const beyond = precision === "nanoseconds" ? 0 : 1;
      expect(await server.idsOf(name, `${precision}:<${at}`), precision).toHaveLength(beyond);
    }
  });
});

describe("the ai block (3.2, 4.4)", () => {
  test("is shown to every caller with its secret masked, and put back by any of them", async () => {
    await create({ ai_enabled: true, ai: { ...OPENAI, search_summary: { model: "m" } } });
    for (const key of [ADMIN, INGEST]) {
      const shown = await view(key);
      expect(shown.ai).toEqual({
        llm_provider: "openai",
        llm_api_key: "********",
        search_summary: {
          model: "m",
          role: expect.stringContaining("helpful assistant"),
          character_limit: 500,
          max_results: 5,
          document_trim_length: 1000,
          temperature: 0.2,
        },
      });
      expect((await server.put(`/index/${name}`, { index: shown }, key)).status).toBe(200);
      expect(await view(key)).toEqual(shown);
    }
    expect((await view()).ai_enabled).toBe(true);
  });

  test("POST with the flag takes ai and ai_enabled from the body alone; a masked secret stays where it went", async () => {
    await create({ ai_enabled: true, ai: OPENAI });
    expect((await override({ ai_enabled: true, ai: { ...OPENAI, llm_api_key: "********" } })).status).toBe(
      200,
    );
    expect(await view()).toMatchObject({ ai_enabled: true, ai: { llm_api_key: "********" } });
    for (const moved of [
      { llm_base_url: "http://localhost:11434" },
      { llm_region: "eu" },
      { llm_provider: "anthropic" },
    ]) {
      const ai = { ...OPENAI, ...moved, llm_api_key: "********" };
      for (const answer of [await override({ ai }), await put({ ai }), await patch({ ai })]) {
        expectError(answer, 400, "invalid_schema");
      }
    }
    expect((await override({})).status).toBe(200);
    expect((await view()).ai_enabled).toBe(false);
    expect(await view()).not.toHaveProperty("ai");
    for (const answer of [
      await override({ ai: { ...OPENAI, llm_api_key: "********" } }),
      await patch({ ai: { ...OPENAI, llm_api_key: "********" } }),
    ]) {
      expectError(answer, 400, "invalid_schema");
    }
  });

  test("PATCH: ai replaces the whole block and leaves ai_enabled; ai_enabled: false keeps ai; null removes it", async () => {
    await create({ ai: { ...OPENAI, search_summary: { model: "m", role: "r" } } });
    await patch({ ai: { llm_provider: "ollama", search_summary: { model: "n" } } }, INGEST);
    const replaced = (await view()).ai;
    expect(replaced).toMatchObject({ llm_provider: "ollama", search_summary: { model: "n" } });
    expect(replaced).not.toHaveProperty("llm_api_key");
    expect(replaced.search_summary.role).not.toBe("r");
    expect((await view()).ai_enabled).toBe(false);
    await patch({ ai_enabled: true });
    await patch({ auto_commit_delay: 0 }, INGEST);
    expect(await view()).toMatchObject({ ai_enabled: true, ai: replaced });
    await patch({ ai_enabled: false });
    expect(await view()).toMatchObject({ ai_enabled: false, ai: replaced });
    await patch({ ai: null }, INGEST);
    expect(await view()).not.toHaveProperty("ai");
  });

  const summary = (more: object) => ({ ...OPENAI, search_summary: { model: "m", ...more } });
  const rule = { rule_name: "r", detect_keywords: ["k"], order: 1 };
  test.each<[object]>([
    [{}],
    [{ llm_provider: "nobody" }],
    [{ llm_provider: "OpenAI", llm_api_key: SECRET }],
    [{ llm_provider: "openai" }],
    [{ llm_provider: "openai", llm_api_key: "" }],
    [{ llm_provider: "anthropic" }],
    [{ llm_provider: "google" }],
    [{ llm_provider: "mistral" }],
    [{ llm_provider: "xai" }],
    [{ llm_provider: "bedrock" }],
    [{ llm_provider: "llamacpp" }],
    [{ llm_provider: "llamacpp", llm_base_url: "http://evil.example" }],
    [{ llm_provider: "ollama", llm_base_url: "file:///etc/passwd" }],
    [{ llm_provider: "ollama", llm_base_url: "http://user:pass@localhost:11434" }],
    [{ ...OPENAI, llm_base_url: "https://evil.example/v1" }],
    [{ ...OPENAI, search_summary: {} }],
    [summary({ model: "" })],
    [summary({ temperature: 1.1 })],
    [summary({ temperature: -0.1 })],
    [summary({ temperature: "0.2" })],
    [summary({ character_limit: 0 })],
    [summary({ max_results: -1 })],
    [summary({ document_trim_length: 1.5 })],
    [summary({ additional_prompt_instructions: [{ order: 1 }] })],
    [summary({ additional_prompt_instructions: [{ custom_instruction: "x" }] })],
    [summary({ keyword_rules: [{ ...rule, rule_name: null }] })],
    [summary({ keyword_rules: [{ ...rule, detect_keywords: null }] })],
    [summary({ keyword_rules: [{ ...rule, detect_keywords: [""] }] })],
    [summary({ keyword_rules: [{ ...rule, order: null }] })],
  ])("refuses %j", async (ai) => {
    await create({});
    for (const answer of [await patch({ ai }), await put({ ai }), await override({ ai })]) {
      expectError(answer, 400, "invalid_schema");
      expect(answer.text).not.toContain(SECRET);
    }
    expect(await view()).not.toHaveProperty("ai");
  });

  test.each<[object]>([
    [{ llm_provider: "ollama" }],
    [{ llm_provider: "ollama", llm_base_url: "http://localhost:11434/api" }],
    [{ llm_provider: "llamacpp", llm_base_url: "http://localhost:11434" }],
    [{ llm_provider: "bedrock", llm_region: "eu-central-1" }],
    [summary({ temperature: 0, keyword_rules: [rule, rule], additional_prompt_instructions: [] })],
    [summary({ temperature: 1, empty_state_message: "nothing on \u0024{searchTopic}" })],
  ])("takes %j", async (ai) => {
    await create({});
    expectPlainSuccess(await patch({ ai }, INGEST), "index updated");
    const { llm_api_key: _, ...shown } = ai as Record<string, unknown>;
    expect((await view()).ai).toMatchObject(shown);
  });

  test("no answer and no log line ever holds the secret", async () => {
    await create({ ai: OPENAI });
    const unknown = { ...OPENAI, llm_provider: "nobody" };
    for (const answer of [
      await server.get(`/index/${name}`),
      await patch({ ai: unknown }),
      await override({ ai: unknown }),
    ]) {
      expect(answer.text).not.toContain(SECRET);
    }
    expect(server.logLines.join("")).not.toContain(SECRET);
  });
});
