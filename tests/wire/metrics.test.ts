// Properties: /metrics is Prometheus' text format; it counts requests by operation, searches, documents, and what
// summaries cost in calls, time and tokens; it is for admin keys over all indexes; nothing that clients name
// makes a series of its own but a bounded number of models, and neither names, terms nor keys are in it.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Exposition, readExposition } from "../kit/exposition.js";
import { type ChatReply, FakeChatServer } from "../kit/fake-chat-server.js";
import { expectError } from "./expect-error.js";
import { SummaryStream } from "./summary-stream.js";
import { ADMIN, INGEST, READ, WireServer } from "./wire-server.js";

let model: FakeChatServer;
let server: WireServer;
beforeAll(async () => {
  model = await FakeChatServer.start();
  server = await WireServer.start({ llmAllowedBaseUrls: [model.origin] });
  await server.createIndex("secret-books", { ai_enabled: true, ai: model.ai() });
});
afterAll(async () => {
  await server.stopAndRemove();
  await model.close();
});

async function metrics(): Promise<Exposition> {
  const { text, status } = await server.get("/metrics");
  expect(status, text).toBe(200);
  return readExposition(text);
}

/** How much each series has grown over what is done, without those that haven't. */
async function grown(run: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  const before = (await metrics()).samples;
  await run();
  const after = (await metrics()).samples;
  return Object.fromEntries(
    [...after]
      .map(([series, value]) => [series, value - (before.get(series) ?? 0)] as const)
      .filter(([series, growth]) => series.startsWith("findling_") && growth !== 0),
  );
}

const requestCount = (operation: string, method: string, status: string): string =>
  `findling_http_request_duration_seconds_count{operation="${operation}",method="${method}",status="${status}"}`;
const FOUND = { query: { fuzzy: { ctx: "unmentionable" } } };

async function summarize(body: object = FOUND): Promise<void> {
  await (await SummaryStream.open(server, "secret-books", body)).end();
}

test("is of the content type that Prometheus asks for, and this request is the one that runs", async () => {
  const answer = await server.get("/metrics");
  expect(answer.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
  const { samples } = readExposition(answer.text);
  expect(samples.get("findling_http_requests_running")).toBe(1);
  expect(samples.get("findling_indexes")).toBe(1);
  expect(samples.get("findling_events_waiting")).toBeGreaterThanOrEqual(0);
  expect(samples.get("process_resident_memory_bytes")).toBeGreaterThan(0);
  expect([...samples.keys()]).toContainEqual(
    expect.stringMatching(/^findling_info\{version="\d+\.\d+\.\d+"\}$/),
  );
});

test("counts documents, searches and their time, and requests by operation", async () => {
  const growth = await grown(async () => {
    await server.addCommitted("secret-books", [
      { id: "1", title: "unmentionable things" },
      { id: "2", title: "unmentionable ends" },
      { id: "3", title: "more" },
    ]);
    await server.delete("/index/secret-books/documents", { id: "3" });
    await server.post("/index/secret-books/commit");
    expect((await server.post("/index/secret-books/search", FOUND, READ)).json.data.count).toBe(2);
    expectError(await server.post("/index/secret-books/search", { query: { exact: { ctx: "(" } } }), 400);
    await server.post("/federation", { name: "all", index_configurations: [{ name: "secret-books" }] });
    await server.post("/federation/all/search", FOUND);
  });
  expect(growth).toMatchObject({
    findling_documents_added_total: 3,
    findling_documents_removed_total: 1,
    'findling_search_duration_seconds_count{kind="index"}': 1,
    'findling_search_duration_seconds_count{kind="federation"}': 1,
    [requestCount("addDocuments", "POST", "2xx")]: 1,
    [requestCount("commitIndex", "POST", "2xx")]: 2,
    [requestCount("searchIndex", "POST", "2xx")]: 1,
    [requestCount("searchIndex", "POST", "4xx")]: 1,
    [requestCount("getMetrics", "GET", "2xx")]: 1,
  });
  expect(growth['findling_search_duration_seconds_sum{kind="index"}']).toBeGreaterThan(0);
});

test("tells what the caches of searches take and answer, in search threads too", async () => {
  const search = (ctx: string): Promise<unknown> =>
    server.post("/index/secret-books/search", { query: { fuzzy: { ctx } } });
  const first = await grown(() => search("unmentionabel"));
  expect(first).toMatchObject({
    'findling_search_cache_misses_total{cache="expanded_words"}': expect.toSatisfy((misses) => misses > 0),
    'findling_search_cache_bytes{cache="expanded_words"}': expect.toSatisfy((bytes) => bytes > 0),
  });
  const again = await grown(() => search("unmentionabel"));
  expect(again).toMatchObject({
    'findling_search_cache_hits_total{cache="expanded_words"}': expect.toSatisfy((hits) => hits > 0),
  });
});

describe("summaries", () => {
  const labels = 'provider="llamacpp",model="fake-model"';

  test("a call counts with its time and its tokens, an answer without one by its reason", async () => {
    const called = await grown(() => summarize());
    expect(called).toMatchObject({
      'findling_search_duration_seconds_count{kind="summary"}': 1,
      [`findling_model_call_duration_seconds_count{${labels},outcome="done"}`]: 1,
      [`findling_model_call_attempts_total{${labels}}`]: 1,
      [`findling_model_call_tokens_sum{${labels},direction="input"}`]: 100,
      [`findling_model_call_tokens_count{${labels},direction="input"}`]: 1,
      [`findling_model_call_tokens_sum{${labels},direction="output"}`]: 10,
      [requestCount("summarizeSearch", "POST", "2xx")]: 1,
    });
    const without = await grown(async () => {
      await summarize();
      await summarize();
      await summarize({ query: { fuzzy: { ctx: "zzzzzzzzzz" } } });
    });
    expect(without).toMatchObject({
      'findling_summaries_without_call_total{reason="cached"}': 2,
      'findling_summaries_without_call_total{reason="empty"}': 1,
    });
    expect(Object.keys(without)).not.toContainEqual(expect.stringContaining("model_call"));
  });

  test("a call that fails counts under the error's code", async () => {
    model.answer = (reply) => reply.refuse(401, "{}");
    const growth = await grown(() => summarize({ query: { fuzzy: { ctx: "unmentionable ends" } } }));
    const failed = `findling_model_call_duration_seconds_count{${labels},outcome="model_refused"}`;
    expect(growth).toMatchObject({ [failed]: 1 });
    expect(Object.keys(growth)).not.toContainEqual(expect.stringContaining("tokens"));
  });

  test("a reader that leaves counts as aborted", async () => {
    const begun = new Promise<ChatReply>((resolve) => {
      model.answer = async (reply) => {
        await reply.say("so ");
        resolve(reply);
      };
    });
    const request = requestCount("summarizeSearch", "POST", "aborted");
    const call = `findling_model_call_duration_seconds_count{${labels},outcome="given_up"}`;
    const growth = await grown(async () => {
      const stream = await SummaryStream.open(server, "secret-books", {
        query: { fuzzy: { ctx: "things" } },
      });
      const { closed } = await begun;
      stream.leave();
      await closed;
      // Request and call end each by itself.
      const isTold = async (): Promise<boolean> => {
        const { samples } = await metrics();
        return samples.has(request) && samples.has(call);
      };
      while (!(await isTold()));
    });
    expect(growth).toMatchObject({ [request]: 1, [call]: 1 });
  });
});

describe("what clients make up makes no series", () => {
  test("a thousand names of indexes and paths, and methods that nobody knows", async () => {
    for (let i = 0; i < 3; i++) await server.post("/index/absent/search", FOUND);
    await server.send("PROPFIND", "/nowhere");
    await server.get("/nowhere");
    await server.send("OPTIONS", "/index");
    await server.get("/docs/api");
    await server.get("/index/%zz");
    const ours = async (): Promise<readonly string[]> =>
      [...(await metrics()).samples.keys()].filter((series) => series.startsWith("findling_"));
    const before = await ours();
    for (let from = 0; from < 1_000; from += 50) {
      const names = Array.from({ length: 50 }, (_, i) => `absent-${from + i}`);
      await Promise.all(names.map((name) => server.post(`/index/${name}/search`, FOUND)));
      await Promise.all(names.map((name) => server.get(`/nowhere/${name}`)));
    }
    for (const method of ["PROPFIND", "LOCK", "MKCOL", "SEARCH"]) await server.send(method, "/nowhere");
    expect(await ours()).toEqual(before);
    expect(before).toEqual(
      expect.arrayContaining([
        requestCount("searchIndex", "POST", "4xx"),
        requestCount("none", "other", "4xx"),
        requestCount("none", "OPTIONS", "2xx"),
        requestCount("documentation", "GET", "2xx"),
      ]),
    );
  });

  test("nothing of what is stored, searched or secret is in it", async () => {
    const key = (await server.post("/auth/key", { permissions: 1, allowed_indexes: ["secret-books"] })).json
      .data;
    await server.post("/index/secret-books/search", FOUND, key.key);
    await server.get(`/auth/key/${key.key}`);
    const { text } = await server.get("/metrics");
    for (const word of ["secret-books", "unmentionable", "absent", "nowhere", ADMIN, INGEST, READ, key.key]) {
      expect(text).not.toContain(word);
    }
  });
});

describe("who may read it", () => {
  const keyOf = async (body: object): Promise<string> => (await server.post("/auth/key", body)).json.data.key;

  test("keys with permission 32 whose scope is every index, and no others", async () => {
    expectError(await server.send("GET", "/metrics"), 401, "missing_key");
    for (const key of [READ, INGEST]) {
      expectError(await server.get("/metrics", key), 403, "insufficient_permissions");
    }
    const scoped = await keyOf({ permissions: 32, allowed_indexes: ["secret-books"] });
    expectError(await server.get("/metrics", scoped), 403, "index_not_allowed");
    const monitoring = await keyOf({ permissions: 32, allowed_indexes: ["*"] });
    expect((await server.get("/metrics", `Bearer ${monitoring}`)).status).toBe(200);
  });

  test("everybody where authentication is off", async () => {
    const open = await WireServer.start({ auth: false });
    try {
      const answer = await open.send("GET", "/metrics");
      expect(answer.status).toBe(200);
      expect(readExposition(answer.text).samples.get("findling_indexes")).toBe(0);
    } finally {
      await open.stopAndRemove();
    }
  });
});

test("tells nothing of events where measuring is off", async () => {
  const off = await WireServer.start({ measure: false });
  try {
    expect((await off.get("/metrics")).text).not.toContain("findling_event");
  } finally {
    await off.stopAndRemove();
  }
});
