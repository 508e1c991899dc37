// The specification's state table of `ai_enabled` and `ai`, contract 3.2 and 4.4: who may change what,
// what is kept and what replaced, by every way of writing, in whatever order; secrets included.
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openLlmApiKey } from "../../src/adapters/catalog/index-secrets.js";
import { readStoredIndexes } from "../../src/adapters/catalog/read-data-folder.js";
import { SecretKeyRing } from "../../src/adapters/catalog/secret-key-ring.js";
import { expectError } from "./expect-error.js";
import { ADMIN, INGEST, type ParsedJson, READ, type WireAnswer, WireServer } from "./wire-server.js";

let server: WireServer;
let name = "";
let count = 0;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());
beforeEach(() => {
  name = `table-${++count}`;
});

const FIELDS = { id: { type: "text" }, title: { type: "text" } };
const MASK = "********";
const OPENAI = { llm_provider: "openai", llm_api_key: "sk-of-openai" };

const WAYS = ["POST", "PUT", "PATCH"] as const;
type Way = (typeof WAYS)[number];

/** Writes settings by each way of writing; POST replaces the index. */
function write(way: Way, settings: object, key: string = ADMIN): Promise<WireAnswer> {
  if (way === "PATCH") return server.patch(`/index/${name}`, settings, key);
  if (way === "PUT") return server.put(`/index/${name}`, { index: { fields: FIELDS, ...settings } }, key);
  return server.post(
    "/index",
    { override_if_exists: true, index: { name, fields: FIELDS, ...settings } },
    key,
  );
}

const view = async (): Promise<ParsedJson> => (await server.get(`/index/${name}`)).json.data;

/** The secret as a request to the model would carry it, read from the disk. */
async function storedSecret(): Promise<string | undefined> {
  const keys = await SecretKeyRing.open({ keyFile: join(server.folder, "secret.key") });
  const { entry, catalogFile } = readStoredIndexes(server.folder).indexes.find((each) => each.name === name)!;
  return entry.schema.ai && openLlmApiKey(name, entry.schema.ai, { keys, file: catalogFile });
}

describe("index AI switch", () => {
  test("a new index starts off unless the body says true", async () => {
    await server.createIndex(name, { ai: OPENAI });
    expect((await view()).ai_enabled).toBe(false);
    name = `${name}-on`;
    await server.createIndex(name, { ai_enabled: true });
    expect((await view()).ai_enabled).toBe(true);
  });

  test.each(WAYS)("off to on and back by %s with an admin key", async (way) => {
    await server.createIndex(name, { ai: OPENAI });
    expect((await write(way, { ai_enabled: true })).status).toBe(200);
    expect((await view()).ai_enabled).toBe(true);
    expect((await write(way, { ai_enabled: false })).status).toBe(200);
    expect((await view()).ai_enabled).toBe(false);
  });

  test.each(["PUT", "PATCH"] as const)("switched off by %s, ai and its secret are kept", async (way) => {
    await server.createIndex(name, { ai_enabled: true, ai: { ...OPENAI, search_summary: { model: "m" } } });
    const { ai } = await view();
    await write(way, { ai_enabled: false });
    expect(await view()).toMatchObject({ ai_enabled: false, ai });
    expect(await storedSecret()).toBe(OPENAI.llm_api_key);
    await write(way, { ai_enabled: true });
    expect(await view()).toMatchObject({ ai_enabled: true, ai });
  });

  test.each(["PUT", "PATCH"] as const)("%s that omits it, or sends null, leaves it as it is", async (way) => {
    for (const before of [true, false]) {
      name = `${name}-${before}`;
      await server.createIndex(name, { ai_enabled: before });
      for (const settings of [{}, { ai_enabled: null }, { ai: OPENAI }, { ai: null }]) {
        expect((await write(way, settings, INGEST)).status).toBe(200);
        expect((await view()).ai_enabled).toBe(before);
      }
    }
  });

  test.each(WAYS)("%s with it needs the permission, whether or not it would change", async (way) => {
    for (const before of [true, false]) {
      name = `${name}-${before}`;
      await server.createIndex(name, { ai_enabled: before, ai: OPENAI });
      for (const key of [INGEST, READ]) {
        for (const value of [true, false, "yes"]) {
          const answer = await write(way, { ai_enabled: value, ai: null }, key);
          expectError(answer, 403, "insufficient_permissions");
        }
      }
      expect(await view()).toMatchObject({ ai_enabled: before, ai: { llm_api_key: MASK } });
    }
  });

  test.each(WAYS)("%s refuses what is neither true nor false, and changes nothing", async (way) => {
    await server.createIndex(name, { ai_enabled: true, ai: OPENAI });
    for (const value of ["true", 1, 0, [], {}]) {
      expectError(await write(way, { ai_enabled: value, ai: null }), 400, "invalid_schema");
    }
    expect(await view()).toMatchObject({ ai_enabled: true, ai: { llm_provider: "openai" } });
  });
});

describe("index AI config", () => {
  test("PATCH that omits it preserves it, secret included", async () => {
    await server.createIndex(name, { ai: { ...OPENAI, search_summary: { model: "m", role: "r" } } });
    const { ai } = await view();
    for (const settings of [{}, { auto_commit_delay: 5 }, { language: "de" }, { ai_enabled: true }]) {
      expect((await write("PATCH", settings)).status).toBe(200);
    }
    expect((await view()).ai).toEqual(ai);
    expect(await storedSecret()).toBe(OPENAI.llm_api_key);
  });

  test("PATCH that includes it replaces all of it, with an ingest key, on or off", async () => {
    for (const enabled of [true, false]) {
      name = `${name}-${enabled}`;
      await server.createIndex(name, {
        ai_enabled: enabled,
        ai: { ...OPENAI, llm_region: "eu", search_summary: { model: "m", empty_state_message: "none" } },
      });
      expect((await write("PATCH", { ai: { llm_provider: "ollama" } }, INGEST)).status).toBe(200);
      expect(await view()).toMatchObject({ ai_enabled: enabled });
      expect((await view()).ai).toEqual({ llm_provider: "ollama" });
      expect(await storedSecret()).toBeUndefined();
    }
  });

  test("settings of the model that change need no new secret, those of its place do", async () => {
    await server.createIndex(name, { ai: OPENAI });
    const masked = { ...OPENAI, llm_api_key: MASK };
    const changed = { ...masked, search_summary: { model: "other" } };
    expect((await write("PATCH", { ai: changed }, INGEST)).status).toBe(200);
    expect(await storedSecret()).toBe(OPENAI.llm_api_key);
    for (const moved of [
      { llm_region: "eu" },
      { llm_base_url: "http://localhost:11434" },
      { llm_provider: "xai" },
    ]) {
      expectError(await write("PATCH", { ai: { ...changed, ...moved } }, INGEST), 400, "invalid_schema");
      const sent = { ...changed, ...moved, llm_api_key: "sk-anew" };
      expect((await write("PATCH", { ai: sent }, INGEST)).status).toBe(200);
      expect(await storedSecret()).toBe("sk-anew");
      await write("PATCH", { ai: OPENAI }, INGEST);
    }
  });

  test("a read key may change neither", async () => {
    await server.createIndex(name, { ai: OPENAI });
    for (const way of WAYS) {
      expectError(await write(way, { ai: null }, READ), 403, "insufficient_permissions");
    }
    expect(await storedSecret()).toBe(OPENAI.llm_api_key);
  });
});

// Every sequence of writes against a model that is the state table's few lines.
describe("whatever the order", () => {
  interface Model {
    enabled: boolean;
    provider: string | undefined;
    secret: string | undefined;
  }
  const AI = {
    absent: undefined,
    null: null,
    openai: { llm_provider: "openai", llm_api_key: "sk-one" },
    xai: { llm_provider: "xai", llm_api_key: "sk-two" },
    ollama: { llm_provider: "ollama" },
    masked: { llm_provider: "openai", llm_api_key: MASK },
    lacking: { llm_provider: "google" },
  } as const;
  const step = fc.record({
    way: fc.constantFrom(...WAYS),
    byAdmin: fc.boolean(),
    enabled: fc.constantFrom(undefined, true, false, null),
    ai: fc.constantFrom(...(Object.keys(AI) as (keyof typeof AI)[])),
  });

  /** What the table says a write leads to: the next state, or the status of its refusal. */
  function next(
    model: Model,
    { way, byAdmin, enabled, ai }: typeof step extends fc.Arbitrary<infer S> ? S : never,
  ): Model | number {
    const switches = enabled === true || enabled === false;
    if (!byAdmin && (way === "POST" || switches)) return 403;
    const kept = way === "POST" ? { enabled: false, provider: undefined, secret: undefined } : model;
    const isOn = switches ? enabled : kept.enabled;
    if (ai === "absent" || (ai === "null" && way === "POST")) return { ...kept, enabled: isOn };
    if (ai === "null") return { enabled: isOn, provider: undefined, secret: undefined };
    if (ai === "lacking") return 400;
    if (ai === "masked") {
      return model.provider === "openai" ? { enabled: isOn, provider: "openai", secret: model.secret } : 400;
    }
    const written: { llm_provider: string; llm_api_key?: string } = AI[ai];
    return { enabled: isOn, provider: written.llm_provider, secret: written.llm_api_key };
  }

  test("the index is what the table says", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        name = `table-${++count}`;
        await server.createIndex(name);
        let model: Model = { enabled: false, provider: undefined, secret: undefined };
        for (const each of steps) {
          const settings = { ai_enabled: each.enabled, ai: AI[each.ai] };
          const answer = await write(each.way, settings, each.byAdmin ? ADMIN : INGEST);
          const expected = next(model, each);
          expect(answer.status, answer.text).toBe(typeof expected === "number" ? expected : 200);
          if (typeof expected !== "number") model = expected;
          const { ai_enabled: enabled, ai } = await view();
          expect([enabled, ai?.llm_provider, ai?.llm_api_key]).toEqual([
            model.enabled,
            model.provider,
            model.secret === undefined ? undefined : MASK,
          ]);
          expect(await storedSecret()).toBe(model.secret);
        }
        await server.delete(`/index/${name}`);
      }),
      { numRuns: 40 },
    );
  });
});
