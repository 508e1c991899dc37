// Contract 3.6 on the wire: a real server, and a model behind a socket that does what the tests want.
import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FindlingClient } from "../../src/client/index.js";
import { type ChatReply, FakeChatServer, saying } from "../kit/fake-chat-server.js";
import { expectError } from "./expect-error.js";
import { SummaryStream } from "./summary-stream.js";
import { INGEST, READ, WireServer, type WireSettings } from "./wire-server.js";

let model: FakeChatServer;
let server: WireServer;
let count = 0;
let index = "";

async function start(settings: WireSettings = {}): Promise<void> {
  server = await WireServer.start({ llmAllowedBaseUrls: [model.origin], ...settings });
}
beforeAll(async () => {
  model = await FakeChatServer.start();
  await start();
});
afterAll(async () => {
  await server.stopAndRemove();
  await model.close();
});
beforeEach(async () => {
  index = `books-${++count}`;
  await createIndex();
});
afterEach(() => {
  model.answer = (reply) => saying(reply, ["A summary."]);
  model.replies.length = 0;
});

async function createIndex(summary: object = {}): Promise<void> {
  await server.createIndex(index, { ai_enabled: true, ai: model.ai(summary) });
  await server.addCommitted(index, [
    { id: "1", title: "winter boots" },
    { id: "2", title: "summer boots" },
  ]);
}

const FOUND = { query: { fuzzy: { ctx: "boots" } } };
const open = (
  body: object = FOUND,
  options?: Parameters<typeof SummaryStream.open>[3],
): Promise<SummaryStream> => SummaryStream.open(server, index, body, options);

/** The model's side of the next call. */
function nextReply(): Promise<ChatReply> {
  return new Promise((resolve) => {
    model.answer = resolve;
  });
}

describe("what the model was asked", () => {
  test("is told to an operator who asks for it, and to nobody else", async () => {
    const stream = await (await open({ ...FOUND, model_call: true })).end();
    const asked = model.replies[0]!.request;
    const call = stream.events.find(({ name }) => name === "model_call")?.data;
    expect(call).toMatchObject({
      provider: "llamacpp",
      model: "fake-model",
      system: asked.system,
      prompt: asked.prompt,
      input_tokens: 100,
      output_tokens: 10,
    });
    const refused = await open({ ...FOUND, model_call: true }, { key: READ });
    expect(refused.status).toBe(403);
    await refused.end();
  });
});

describe("the stream", () => {
  test("is these bytes under these headers, and then the connection is closed", async () => {
    model.answer = (reply) => saying(reply, ['Two\npairs of "boots" \u2028']);
    const stream = await (await open()).end();
    expect(stream.text).toBe(
      [
        'event: metadata\ndata: {"results_count":2,"cached":false}\n\n',
        'event: delta\ndata: {"content":"Two\\npairs of \\"boots\\" "}\n\n',
        'event: delta\ndata: {"content":"\u2028"}\n\n',
        'event: done\ndata: {"results_count":2}\n\n',
      ].join(""),
    );
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      "access-control-allow-origin": "*",
      "access-control-allow-headers": expect.stringContaining("Authorization"),
      "transfer-encoding": "chunked",
      connection: "close",
      "x-request-id": expect.any(String),
    });
  });

  test("begins before the model has been heard, whatever it does", async () => {
    const reply = nextReply();
    const stream = await open();
    await stream.until(({ events }) => events.length > 0);
    expect(stream.events).toEqual([{ name: "metadata", data: { results_count: 2, cached: false } }]);
    await (await reply).say("Boots, ");
    await stream.until(({ summary }) => summary !== "");
    expect(stream.summary).toBe("Boots,");
    await saying(await reply, ["many."]);
    expect((await stream.end()).summary).toBe("Boots, many.");
  });

  test("comes from the cache the second time, the sources too", async () => {
    const first = await (await open({ ...FOUND, sources: true })).end();
    const second = await (await open({ ...FOUND, sources: true })).end();
    expect([first.summary, second.summary]).toEqual(["A summary.", "A summary."]);
    expect(second.events[0]!.data).toEqual({ results_count: 2, cached: true });
    const sources = second.events.at(-2)!;
    expect(sources.name).toBe("sources");
    expect(sources).toEqual(first.events.at(-2));
    expect(sources.data["sources"]).toHaveLength(2);
    expect(model.replies).toHaveLength(1);
  });

  test("sends the documents to the model, and its key only if there is one", async () => {
    await (await open()).end();
    expect(model.replies[0]!.request).toMatchObject({
      path: "/v1/chat/completions",
      authorization: undefined,
    });
    expect(model.replies[0]!.request.prompt).toContain("title: summer boots");
  });

  test("is logged once per call, with tokens; the rule's name is in the log and nowhere else", async () => {
    const rule = { rule_name: "rule-of-the-log", detect_keywords: ["oo"], order: 1 };
    await server.patch(`/index/${index}`, { ai: model.ai({ keyword_rules: [rule] }) });
    const stream = await (await open()).end();
    expect(JSON.stringify([stream.text, stream.headers, model.replies])).not.toContain("rule-of-the-log");
    const lines = server.logLines.filter((line) => line.includes("rule-of-the-log"));
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        index,
        ai_provider: "llamacpp",
        model: "fake-model",
        outcome: "done",
        input_tokens: 100,
        output_tokens: 10,
      }),
    ]);
  });
});

describe("a model that fails", () => {
  test("midway: what came stays, then one honest error", async () => {
    const reply = nextReply();
    const stream = await open();
    await (await reply).say("Half a summary and ");
    await stream.until(({ summary }) => summary !== "");
    (await reply).reset();
    await stream.end();
    expect(stream.events.slice(1)).toEqual([
      { name: "delta", data: { content: "Half a summary and" } },
      { name: "error", data: { message: expect.stringMatching(/^the language model/) } },
    ]);
    expect(stream.isBroken).toBe(false);
    expect(model.replies.length).toBeLessThan(2);
  });

  test("midway, in good order but without a reason to finish: what the filters held back comes before the error", async () => {
    const reply = nextReply();
    const stream = await open();
    await (await reply).say("See [the last words");
    (await reply).breakOff();
    await stream.end();
    const told = stream.events.slice(1).map(({ name }) => name);
    expect(told.at(-1)).toBe("error");
    expect(stream.summary).toBe("See [the last words");
  });

  test.each([401, 404, 400])("with %i: an error without a word of the provider's", async (status) => {
    model.answer = (reply) => reply.refuse(status, '{"error":{"message":"word of the provider"}}');
    const stream = await (await open()).end();
    expect(stream.status).toBe(200);
    expect(stream.events.map(({ name }) => name)).toEqual(["metadata", "error"]);
    expect(stream.text).not.toContain("word of the provider");
    expect(model.replies).toHaveLength(1);
  });

  test("with 503 first is asked again", async () => {
    model.answer = (reply) => {
      model.answer = (second) => saying(second, ["At last."]);
      reply.refuse(503, "{}");
    };
    expect((await (await open()).end()).summary).toBe("At last.");
    expect(model.replies).toHaveLength(2);
  });
});

describe("readers", () => {
  test("that leave: the model's connection is closed", async () => {
    const reply = nextReply();
    const stream = await open();
    await (await reply).say("On and on ");
    await stream.until(({ summary }) => summary !== "");
    stream.leave();
    await (await reply).closed;
  });

  test("that leave at any moment, before the head too, leave nothing behind", async () => {
    model.answer = (reply) => reply.say("On and on ");
    const body = JSON.stringify(FOUND);
    for (let i = 0; i < 40; i++) {
      const socket = connect(server.running.address.port, "127.0.0.1");
      socket.on("error", () => undefined);
      const path = i % 4 === 0 ? "/api/search/summary" : `/index/${index}/search/summary`;
      const sent = i % 4 === 0 ? JSON.stringify({ indexName: index, searchQuery: FOUND }) : body;
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${READ}\r\ncontent-length: ${sent.length}\r\n\r\n${sent}`,
      );
      await new Promise((resume) => setTimeout(resume, i));
      socket.destroy();
      await once(socket, "close");
    }
    await Promise.all(model.replies.map(({ closed }) => closed));
    model.answer = (reply) => saying(reply, ["A summary."]);
    expect((await (await open()).end()).summary).toBe("A summary.");
    const levels = server.logLines.map((line) => (JSON.parse(line) as { level: unknown }).level);
    expect(levels).not.toContain("error");
    expect(levels).not.toContain(50);
  });

  test("with the client library get the events one by one", async () => {
    const client = new FindlingClient({ url: server.running.url, key: READ });
    const names: string[] = [];
    for await (const { name } of await client.summarizeSearch(index, { ...FOUND, sources: true })) {
      if (names.at(-1) !== name) names.push(name);
    }
    expect(names).toEqual(["metadata", "delta", "sources", "done"]);
    expect(await client.getCapabilities(index)).toMatchObject({ ai: { enabled: true } });
    await server.patch(`/index/${index}`, { ai_enabled: false });
    await expect(client.summarizeSearch(index, FOUND)).rejects.toMatchObject({
      status: 400,
      code: "ai_disabled",
    });
  });

  test("that ask the same share one call, and each gets all of it", async () => {
    const reply = nextReply();
    const streams = [await open(), await open({ ...FOUND, limit: 5 }), await open()];
    await (await reply).say("For all ");
    await Promise.all(streams.map((stream) => stream.until(({ summary }) => summary !== "")));
    streams[0]!.leave();
    const late = await open();
    await saying(await reply, ["of you."]);
    for (const stream of [...streams.slice(1), late])
      expect((await stream.end()).summary).toBe("For all of you.");
    expect(model.replies).toHaveLength(1);
  });

  test("that are slow hold nobody up and miss nothing", async () => {
    index = `${index}-long`;
    await createIndex({ character_limit: 90_000 });
    const pieces = Array.from({ length: 1_500 }, (_, i) => `piece ${i} of many words, `);
    model.answer = (reply) => saying(reply, pieces);
    const slow = await open();
    slow.pause();
    const quick = await open();
    expect((await quick.end()).summary).toBe(pieces.join(""));
    slow.resume();
    expect((await slow.end()).summary).toBe(pieces.join(""));
    expect(model.replies).toHaveLength(1);
  });
});

describe("before the stream, errors are JSON", () => {
  test("in the order of the contract", async () => {
    const ask = (body: unknown, key = READ) => server.post(`/index/${index}/search/summary`, body, key);
    const wrong = { query: { exact: { ctx: "nofield:x" } } };
    expectError(await server.post("/index/absent/search/summary", {}), 404, "index_not_found");
    expectError(await ask("{", READ), 400, "invalid_json");
    expectError(await ask({}), 400, "invalid_request");
    expectError(await ask(wrong), 400, "unknown_field");
    await server.patch(`/index/${index}`, { ai_enabled: false });
    expectError(await ask(wrong), 400, "ai_disabled");
    await server.patch(`/index/${index}`, { ai_enabled: true, ai: { llm_provider: "ollama" } });
    expectError(await ask({}), 400, "summary_not_configured");
    const bare = `${index}-bare`;
    await server.createIndex(bare, { ai_enabled: true });
    expectError(await server.post(`/index/${bare}/search/summary`, {}, READ), 400, "ai_not_configured");
    expect(model.replies).toEqual([]);
  });

  test("budgets: 429 with Retry-After; cached and empty answers cost nothing", async () => {
    await server.stopAndRemove();
    await start({ summaryCallsPerKey: 1 });
    try {
      await createIndex();
      const before = performance.now();
      expect((await (await open()).end()).summary).toBe("A summary.");
      expect((await (await open()).end()).summary).toBe("A summary.");
      await (await open({ query: "absent" })).end();
      const refused = await server.post(`/index/${index}/search/summary`, { query: "summer" });
      expectError(refused, 429, "rate_limited");
      // A minute after the call.
      const passedSeconds = (performance.now() - before) / 1000;
      expect(Number(refused.headers["retry-after"])).toBeGreaterThan(59 - passedSeconds);
      expect((await (await open({ query: "summer" }, { key: READ })).end()).summary).toBe("A summary.");
    } finally {
      await server.stopAndRemove();
      await start();
    }
  });

  test("strict permission: bit 64, or all of 63", async () => {
    await server.stopAndRemove();
    await start({ strictSummaryPermission: true });
    try {
      await createIndex();
      for (const key of [READ, INGEST]) {
        const refused = await server.post(`/index/${index}/search/summary`, FOUND, key);
        expectError(refused, 403, "insufficient_permissions");
        expect((await server.get(`/index/${index}/capabilities`, key)).status).toBe(200);
      }
      for (const permissions of [65, 63]) {
        const { key } = (await server.post("/auth/key", { permissions, allowed_indexes: [index] })).json.data;
        expect((await (await open(FOUND, { key })).end()).summary).toBe("A summary.");
      }
    } finally {
      await server.stopAndRemove();
      await start();
    }
  });
});

test("a stop ends running streams with an error, whatever the model does", async () => {
  await server.stopAndRemove();
  await start({ stopTimeoutSeconds: 0.2 });
  await createIndex();
  const reply = nextReply();
  const stream = await open();
  await (await reply).say("On and on ");
  await stream.until(({ summary }) => summary !== "");
  const stopped = server.stopAndRemove();
  await stream.end();
  expect(stream.isBroken).toBe(false);
  expect(stream.events.at(-1)).toEqual({
    name: "error",
    data: { message: expect.stringContaining("shutting down") },
  });
  await (await reply).closed;
  await stopped;
  await start();
});

test("any body is answered by a JSON error or by a stream with an end", async () => {
  const clause = fc.record(
    {
      fuzzy: fc.oneof(
        fc.record({ ctx: fc.oneof(fc.constantFrom("boots", "", "*"), fc.string()) }),
        fc.anything(),
      ),
      exact: fc.record({ ctx: fc.oneof(fc.constantFrom("boots", "id:1", "x:y", "["), fc.string()) }),
      occur: fc.constantFrom("must", "should", "no"),
    },
    { requiredKeys: [] },
  );
  const body = fc.record(
    {
      query: fc.oneof(clause, fc.array(clause, { maxLength: 3 }), fc.string(), fc.jsonValue()),
      limit: fc.oneof(fc.integer({ min: -1, max: 300 }), fc.jsonValue()),
      offset: fc.integer({ min: -1, max: 3 }),
      order_by: fc.constantFrom("title", "id", "none", null),
      fields: fc.oneof(fc.constant(["title"]), fc.jsonValue()),
      sources: fc.oneof(fc.boolean(), fc.jsonValue()),
    },
    { requiredKeys: ["query"] },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(body, fc.jsonValue()), async (sent) => {
      const answer = await server.post(`/index/${index}/search/summary`, sent);
      if (answer.status !== 200) {
        expectError(answer, 400);
        return;
      }
      expect(answer.text).toMatch(/^event: metadata\n.*\n\n/);
      expect(answer.text).toMatch(/\nevent: done\ndata: \{"results_count":[0-2]\}\n\n$/);
    }),
    { numRuns: 150 },
  );
});

describe("capabilities", () => {
  test("tell what is configured, switched on or not, at the top level too", async () => {
    const shown = async (settings: object): Promise<unknown> => {
      await server.patch(`/index/${index}`, settings);
      const { json } = await server.get(`/index/${index}/capabilities`, READ);
      expect(json.ai).toEqual(json.data.ai);
      return Object.values(json.data.ai as object);
    };
    expect(await shown({})).toEqual([true, true, true, true]);
    expect(await shown({ ai_enabled: false })).toEqual([false, true, true, true]);
    expect(await shown({ ai: { llm_provider: "ollama" } })).toEqual([false, false, true, false]);
    await server.put(`/index/${index}`, { index: { fields: { id: { type: "text" } }, ai: null } });
    expect(await shown({ ai_enabled: true })).toEqual([true, false, false, false]);
    expectError(await server.get("/index/absent/capabilities"), 404, "index_not_found");
  });
});

describe("the summary box of the browser SDK", () => {
  const box = (searchQuery: unknown, key = READ, indexName: unknown = index) =>
    server.post("/api/search/summary", { indexName, searchQuery, summaryInstructionsPrompt: "shout" }, key);

  test("gets plain text, whatever else it sends", async () => {
    const answer = await box(FOUND);
    expect(answer).toMatchObject({ status: 200, text: "A summary." });
    expect(answer.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(model.replies[0]!.request.prompt).not.toContain("shout");
    expect((await box(FOUND)).text).toBe("A summary.");
    expect(model.replies).toHaveLength(1);
  });

  test("gets 403 where summaries are not enabled for index or key, and any other error as it is", async () => {
    const { key } = (await server.post("/auth/key", { permissions: 1, allowed_indexes: ["other"] })).json
      .data;
    expectError(await box(FOUND, key), 403, "index_not_allowed");
    expectError(await box({}), 400, "invalid_request");
    expectError(await box(FOUND, READ, 7), 400, "invalid_request");
    expectError(await box(FOUND, READ, "absent"), 404, "index_not_found");
    model.answer = (reply) => reply.refuse(401, "{}");
    expectError(await box(FOUND), 502, "model_refused");
    await server.patch(`/index/${index}`, { ai_enabled: false });
    expectError(await box(FOUND), 403, "insufficient_permissions");
  });

  test("sees a text that breaks off, and its leaving ends the call", async () => {
    const replies: ChatReply[] = [];
    model.answer = async (reply) => {
      replies.push(reply);
      await reply.say("Half a text, ");
    };
    const open = async (signal?: AbortSignal) => {
      const response = await fetch(`${server.running.url}/api/search/summary`, {
        method: "POST",
        headers: { authorization: READ, "content-type": "application/json" },
        body: JSON.stringify({ indexName: index, searchQuery: FOUND }),
        ...(signal !== undefined && { signal }),
      });
      const reader = response.body!.getReader();
      expect(Buffer.from((await reader.read()).value!).toString()).toBe("Half a text,");
      return reader;
    };
    const broken = await open();
    replies[0]!.reset();
    await expect(
      (async () => {
        while (!(await broken.read()).done);
      })(),
    ).rejects.toThrow();
    const leaving = new AbortController();
    await open(leaving.signal);
    leaving.abort();
    await replies[1]!.closed;
  });
});

test("a commit makes the summary anew, a write alone does not", async () => {
  const isCached = async (): Promise<unknown> => (await (await open()).end()).events[0]!.data["cached"];
  expect([await isCached(), await isCached()]).toEqual([false, true]);
  await server.post(`/index/${index}/documents`, [{ id: "3", title: "boots" }]);
  expect(await isCached()).toBe(true);
  await server.post(`/index/${index}/commit`);
  expect([await isCached(), await isCached()]).toEqual([false, true]);
});
