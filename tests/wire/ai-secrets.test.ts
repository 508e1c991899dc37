// A marked API key, and the key that encrypts it, occur in no answer, no log line and no file, in
// whatever form; a lost, other or damaged key costs nothing but the secret.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { decodeCatalogFile, encodeCatalogFile } from "../../src/adapters/catalog/catalog-file.js";
import { FileCatalog } from "../../src/adapters/catalog/file-catalog.js";
import { FakeChatServer, saying } from "../kit/fake-chat-server.js";
import { filesBelow } from "../kit/files-below.js";
import { formsOf, tracesOf } from "../kit/secret-traces.js";
import { expectError } from "./expect-error.js";
import { SummaryStream } from "./summary-stream.js";
import { ADMIN, INGEST, type WireAnswer, WireServer, type WireSettings } from "./wire-server.js";

const CANARY = "sk-canary-Zq7/+Wx9~4f1b2c3d5e6a7b8c";
const AI = { llm_provider: "openai", llm_api_key: CANARY, search_summary: { model: "m" } };
const MASKED = { ...AI, llm_api_key: "********" };
const SECRET_KEY = "5eC2".repeat(16);
const OTHER_KEY = "0ff3".repeat(16);

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "findling-canary-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A server on the folder that is stopped afterwards; everything it has logged is returned. */
async function during(settings: WireSettings, work: (server: WireServer) => Promise<void>): Promise<string> {
  const server = await WireServer.start({ logLevel: "trace", ...settings }, { folder });
  try {
    await work(server);
  } finally {
    await server.stop();
  }
  return server.logLines.join("");
}

function expectNoTraceInFiles(secret: string): void {
  const files = filesBelow(folder);
  expect(files.size).toBeGreaterThan(3);
  for (const [file, bytes] of files) expect([file, tracesOf(secret, bytes)]).toEqual([file, []]);
}

/** What the server would send to the model. */
async function secretWith(configuredKey?: string): Promise<string | undefined> {
  const keyFile = join(folder, "secret.key");
  const catalog = await FileCatalog.open(join(folder, "catalog"), { keyFile, configuredKey });
  await catalog.close();
  return catalog.openLlmApiKey("books", catalog.index("books")!.schema.ai!);
}

const FIELDS = { id: { type: "text" }, title: { type: "text" } };
const indexFile = (): string => join(folder, "catalog", "indexes", "books.json");

test("the search for traces finds every form, at any place", () => {
  for (const before of ["", "a", "ab", "abc"]) {
    const around = `${before}${CANARY}xyz`;
    const texts = ["hex", "base64", "base64url"].map((form) =>
      Buffer.from(around).toString(form as BufferEncoding),
    );
    for (const bytes of [around, Buffer.from(around, "utf16le"), ...texts]) {
      expect(tracesOf(CANARY, bytes)).not.toEqual([]);
    }
  }
  for (const [name, form] of formsOf(CANARY)) expect(tracesOf(CANARY, form)).toContain(name);
  expect(tracesOf(CANARY, "sk-canary-Zq7 and nothing else")).toEqual([]);
});

describe.each([
  ["the operator's key", SECRET_KEY],
  ["a key made beside the data", undefined],
])("with %s", (_, secretKey) => {
  test("the secret is in no answer, log line or file through an index's whole life", async () => {
    const answers: WireAnswer[] = [];
    const log = await during({ secretKey }, async (server) => {
      const send = async (method: string, path: string, body?: unknown, key = ADMIN): Promise<void> => {
        const answer = await server.send(method, path, { key, body });
        answers.push(answer);
        if (method !== "GET") expectNoTraceInFiles(CANARY);
      };
      await send("POST", "/index", { index: { name: "books", fields: FIELDS, ai_enabled: true, ai: AI } });
      await send("POST", "/index/books/documents", [{ id: "1", title: "a book of canaries" }]);
      await send("POST", "/index/books/commit");
      await send("PATCH", "/index/books", { ai: AI, ai_enabled: false }, ADMIN);
      await send("PATCH", "/index/books", { ai: MASKED }, INGEST);
      await send("PATCH", "/index/books", { ai: AI, language: "de", enable_language_stemming: true });
      await send("POST", "/index/books/stopwords", ["the"]);
      await send("PUT", "/index/books", { index: { fields: FIELDS, ai: AI } }, INGEST);
      await send("POST", "/index", {
        override_if_exists: true,
        index: { name: "books", fields: FIELDS, ai: MASKED },
      });
      await send("POST", "/federation", { name: "shop", index_configurations: [{ name: "books" }] });
      for (const path of [
        "/index",
        "/index/books",
        "/index/stats",
        "/index/books/stats",
        "/index/books/capabilities",
        "/federation",
        "/federation/shop",
        "/auth/key",
        "/openapi.json",
        "/docs",
        "/docs/api",
      ]) {
        for (const key of [ADMIN, INGEST]) await send("GET", path, undefined, key);
      }
      await send("POST", "/index/books/search", { query: { exact: { ctx: CANARY } } });
      await send("POST", "/index/books/search/summary", { query: { exact: { ctx: "book" } } });
      expect(answers.slice(0, 9).map(({ status }) => status)).toEqual(Array(9).fill(200));
    });
    for (const answer of answers) {
      for (const secret of [CANARY, SECRET_KEY]) {
        expect(tracesOf(secret, answer.text + JSON.stringify(answer.headers))).toEqual([]);
      }
    }
    expect(log).toContain("/index/books");
    for (const secret of [CANARY, SECRET_KEY]) expect(tracesOf(secret, log)).toEqual([]);
    if (secretKey !== undefined) expectNoTraceInFiles(secretKey);
    expect(await secretWith(secretKey)).toBe(CANARY);
  });
});

test("nor in an answer or log line to bodies that are wrong in whatever way", async () => {
  const log = await during({ bodyLimitMb: 0.01 }, async (server) => {
    await server.createIndex("books", { ai: AI });
    const json = JSON.stringify({ ai: AI });
    const bodies: unknown[] = [
      json.slice(0, -1),
      json.slice(0, json.indexOf(CANARY) + CANARY.length),
      `${json}x`,
      json.replace(`"${CANARY}"`, CANARY),
      json.replace(`"${CANARY}"`, `"${CANARY}`),
      `{"ai":{"llm_provider":"openai","llm_api_key":"${CANARY}","llm_api_key":"${CANARY}"}}`,
      { ai: CANARY },
      { ai: [CANARY] },
      { ai: { ...AI, llm_api_key: [CANARY] } },
      { ai: { ...AI, llm_api_key: { value: CANARY } } },
      { ai: { ...AI, llm_provider: CANARY } },
      { ai: { ...AI, llm_provider: "llamacpp" } },
      { ai: { ...AI, llm_base_url: `https://user:${CANARY}@evil.example` } },
      { ai: { ...AI, llm_base_url: `https://evil.example/?key=${CANARY}` } },
      { ai: { ...AI, search_summary: { model: [CANARY] } } },
      { ai: { ...AI, search_summary: CANARY } },
      { ai: AI, ai_enabled: CANARY },
      { ai: AI, language: "xx-not-a-language" },
      { llm_api_key: CANARY },
      { index: { ai: AI } },
      { ai: AI, filler: "x".repeat(20_000) },
    ];
    for (const body of bodies) {
      for (const method of ["PATCH", "PUT"]) {
        const isJson = typeof body !== "string";
        const sent =
          method === "PUT" && isJson ? { index: { fields: { id: 7 }, ...(body as object) } } : body;
        const headers = { "content-type": "application/json" };
        const answer = await server.send(method, "/index/books", { key: ADMIN, body: sent, headers });
        expect([400, 413], answer.text).toContain(answer.status);
        expect([answer.text, tracesOf(CANARY, answer.text)]).toEqual([answer.text, []]);
      }
    }
    expect((await server.get("/index/books")).json.data.ai.llm_provider).toBe("openai");
  });
  expect(tracesOf(CANARY, log)).toEqual([]);
  expectNoTraceInFiles(CANARY);
});

test("nor when summaries are made with it: well, refused with the key in the answer, broken off, echoed", async () => {
  const model = await FakeChatServer.start();
  const ai = { ...AI, llm_base_url: `${model.origin}/v1` };
  const texts: string[] = [];
  try {
    const log = await during({ llmAllowedBaseUrls: [model.origin] }, async (server) => {
      await server.createIndex("books", { ai_enabled: true, ai });
      await server.addCommitted("books", [{ id: "1", title: "a book of canaries" }]);
      const summary = async (answer: FakeChatServer["answer"]): Promise<void> => {
        model.answer = answer;
        const body = { query: { fuzzy: { ctx: `canaries ${texts.length}` } }, sources: true };
        const stream = await (await SummaryStream.open(server, "books", body)).end();
        texts.push(stream.text + stream.summary + JSON.stringify(stream.headers));
        expectNoTraceInFiles(CANARY);
      };
      await summary((reply) => saying(reply, ["A book."]));
      for (const status of [400, 401, 429, 500]) {
        await summary((reply) => reply.refuse(status, `{"error":{"message":"wrong key ${CANARY}"}}`));
      }
      await summary((reply) => reply.refuse(401, CANARY));
      await summary(async (reply) => {
        await reply.say("Half a book, ");
        reply.reset();
      });
      await summary((reply) => saying(reply, ["The key is ", CANARY, "."]));
      await summary((reply) => saying(reply, [...`The key is ${CANARY}.`]));
      expect(texts[0]).toContain("A book");
      for (const text of texts.slice(1)) expect(text).toContain("event: error");
      for (const { request } of model.replies) expect(request.authorization).toBe(`Bearer ${CANARY}`);
      expect(model.replies.length).toBeGreaterThan(texts.length);
    });
    for (const text of [...texts, log]) expect(tracesOf(CANARY, text)).toEqual([]);
    expect(log).toContain('"outcome":"model_refused"');
  } finally {
    await model.close();
  }
});

describe("another key", () => {
  test("leaves index, searches and every other setting as they were; the old key or a new value mends it", async () => {
    await during({ secretKey: SECRET_KEY }, async (server) => {
      await server.createIndex("books", { ai_enabled: true, ai: AI });
      await server.addCommitted("books", [{ id: "1", title: "a book" }]);
    });
    const log = await during({ secretKey: OTHER_KEY }, async (server) => {
      expect(await server.idsOf("books", "book")).toEqual(["1"]);
      const shown = (await server.get("/index/books")).json.data;
      expect(shown).toMatchObject({ ai_enabled: true, ai: MASKED });
      expect((await server.patch("/index/books", { auto_commit_delay: 7 })).status).toBe(200);
      expect((await server.patch("/index/books", { ai: shown.ai })).status).toBe(200);
      expect(
        (await server.patch("/index/books", { language: "en", enable_language_stemming: true })).status,
      ).toBe(200);
      expect(await server.idsOf("books", "books")).toEqual(["1"]);
    });
    expect(log).toMatch(/"index":"books".*encrypted with a secret key that is not at hand/);
    await expect(secretWith(OTHER_KEY)).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await secretWith(SECRET_KEY)).toBe(CANARY);

    await during({ secretKey: OTHER_KEY }, async (server) => {
      const ai = { ...AI, llm_api_key: "sk-a-new-one" };
      expect((await server.patch("/index/books", { ai }, INGEST)).status).toBe(200);
    });
    expect(await secretWith(OTHER_KEY)).toBe("sk-a-new-one");
    expect(await during({ secretKey: OTHER_KEY }, async () => undefined)).not.toContain("encrypted with");
  });

  test("a bad one stops the start with a sentence, a damaged file costs the secret while it is so", async () => {
    await during({}, (server) => server.createIndex("books", { ai: AI }));
    await expect(during({ secretKey: "x" }, async () => undefined)).rejects.toMatchObject({
      code: "invalid_configuration",
    });
    const keyFile = join(folder, "secret.key");
    const sound = readFileSync(keyFile);
    writeFileSync(keyFile, sound.subarray(0, 20));
    expect(await during({}, async () => undefined)).toContain(`file '${keyFile}' is damaged`);
    writeFileSync(keyFile, sound);
    await during({}, async () => undefined);
    expect(await secretWith()).toBe(CANARY);
  });
});

test("a folder of before encryption is encrypted by the start, and nothing else of it changes", async () => {
  await during({}, (server) => server.createIndex("books", { ai_enabled: true }));
  const entry = decodeCatalogFile("index", readFileSync(indexFile()), indexFile()) as {
    schema: object;
  };
  const before = { ...entry, schema: { ...entry.schema, ai: AI as object } };
  writeFileSync(indexFile(), encodeCatalogFile("index", before));
  await during({}, async (server) => {
    expectNoTraceInFiles(CANARY);
    expect((await server.get("/index/books")).json.data).toMatchObject({ ai_enabled: true, ai: MASKED });
    expect((await server.patch("/index/books", { ai: MASKED })).status).toBe(200);
    expectError(await server.patch("/index/books", { ai: { ...MASKED, llm_provider: "xai" } }), 400);
  });
  expect(await secretWith()).toBe(CANARY);
  const after = decodeCatalogFile("index", readFileSync(indexFile()), indexFile()) as typeof before;
  const { llm_api_key: secret, search_summary: summary, ...ai } = after.schema.ai as Record<string, unknown>;
  expect({ ...after, schema: { ...after.schema, ai: AI } }).toEqual(before);
  expect([secret, summary, ai]).toEqual([
    { sealed: expect.stringMatching(/^v1\./) },
    expect.objectContaining({ model: "m" }),
    { llm_provider: "openai" },
  ]);
});
