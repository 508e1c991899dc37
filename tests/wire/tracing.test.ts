// Properties: with an OTLP endpoint every request is a trace that goes on with the caller's; a search's parts, each call
// of a language model and each request to another server are its spans, and whoever is asked gets the trace's context.
// The metrics of /metrics go out too. Neither terms, prompts nor keys are in it, unless texts are asked for.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FakeChatServer } from "../kit/fake-chat-server.js";
import { OtlpReceiver, type ReceivedSpan } from "../kit/otlp-receiver.js";
import { ADMIN_KEY, ServerProcess } from "../setup/server-process.js";

const CALLER = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const TRACEPARENT = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
const PLENTY = { timeout: 60_000, interval: 50 };

interface Traced {
  readonly server: ServerProcess;
  readonly receiver: OtlpReceiver;
  readonly folder: string;
}

let model: FakeChatServer;
let plain: Traced;
beforeAll(async () => {
  model = await FakeChatServer.start();
  plain = await start();
});
afterAll(async () => {
  await stop(plain);
  await model.close();
});

async function start(environment: NodeJS.ProcessEnv = {}): Promise<Traced> {
  const receiver = await OtlpReceiver.start();
  const folder = await mkdtemp(join(tmpdir(), "findling-tracing-"));
  const server = await ServerProcess.start(folder, {
    FINDLING_LLM_ALLOWED_BASE_URLS: model.origin,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-collector=ours",
    OTEL_SERVICE_NAME: "shop-search",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_BSP_SCHEDULE_DELAY: "50",
    OTEL_METRIC_EXPORT_INTERVAL: "300",
    ...environment,
  });
  const fields = { id: { type: "text" }, title: { type: "text" }, kind: { type: "facet" } };
  const index = { name: "books", fields, ai_enabled: true, ai: model.ai() };
  await server.request("POST", "/index", { index });
  await server.request("POST", "/index/books/documents", [
    { id: "1", title: "unmentionable things", kind: "/a" },
    { id: "2", title: "unmentionable ends", kind: "/b" },
  ]);
  await server.request("POST", "/index/books/commit");
  return { server, receiver, folder };
}

async function stop({ server, receiver, folder }: Traced): Promise<void> {
  await server.stop();
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
}

const FOUND = { query: { fuzzy: { ctx: "unmentionable" } }, highlight: true };

async function send(
  { server }: Traced,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<{ readonly text: string; readonly requestId: string | null }> {
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: { authorization: ADMIN_KEY, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return { text, requestId: response.headers.get("x-request-id") };
}

/** All spans of the request, once its own, which ends last, has come; the server's first, the others by their start. */
async function spansOf({ receiver }: Traced, requestId: string | null): Promise<readonly ReceivedSpan[]> {
  const own = (): ReceivedSpan | undefined =>
    receiver.spans.find(({ attributes }) => attributes["findling.request_id"] === requestId);
  await expect.poll(own, PLENTY).toBeDefined();
  const root = own()!;
  const others = receiver.spans.filter(({ parentId }) => parentId === root.spanId);
  return [root, ...others.toSorted((a, b) => Number(a.startNanos - b.startNanos))];
}

/** Names of a search's parts, whether or not it waited for a thread. */
function partsOf(spans: readonly ReceivedSpan[]): readonly string[] {
  return spans.slice(1).flatMap(({ name }) => (name === "wait" ? [] : [name]));
}

test("a search is a span with the caller's as its parent, and its parts are spans within it", async () => {
  const { requestId } = await send(plain, "/index/books/search", FOUND, { traceparent: TRACEPARENT });
  const spans = await spansOf(plain, requestId);
  const root = spans[0]!;
  expect(root).toMatchObject({
    traceId: CALLER.traceId,
    parentId: CALLER.spanId,
    name: "POST /index/:index_name/search",
    kind: 2,
    status: 0,
    attributes: {
      "http.request.method": "POST",
      "http.route": "/index/:index_name/search",
      "http.response.status_code": 200,
      "url.path": "/index/books/search",
      "url.scheme": "http",
    },
    resource: {
      "service.name": "shop-search",
      "deployment.environment.name": "test",
      "telemetry.sdk.language": "nodejs",
    },
  });
  expect(partsOf(spans)).toEqual(["parse", "plan", "search", "fetch", "highlight"]);
  for (const part of spans.slice(1)) {
    expect(part).toMatchObject({ traceId: CALLER.traceId, kind: 1 });
    expect(part.startNanos).toBeGreaterThanOrEqual(root.startNanos);
    expect(part.endNanos).toBeGreaterThanOrEqual(part.startNanos);
    expect(part.endNanos).toBeLessThanOrEqual(root.endNanos);
  }
  const search = spans.find(({ name }) => name === "search")!;
  expect(search.attributes).toEqual({
    "findling.index": "books",
    "findling.search.count": 2,
    "findling.search.hits": 2,
  });
});

test("its answer is the one that it has without traces", async () => {
  const { text } = await send(plain, "/index/books/search", FOUND);
  const { data } = JSON.parse(text) as { data: object };
  expect(data).not.toHaveProperty("profile");
  const profiled = await send(plain, "/index/books/search", { ...FOUND, profile: true });
  expect(JSON.parse(profiled.text)).toHaveProperty("data.profile.phases");
});

test("a search without a caller's trace begins one, of whichever way it comes", async () => {
  for (const path of ["/index/books/search", "/index/books/search/"]) {
    const { requestId } = await send(plain, path, FOUND);
    const spans = await spansOf(plain, requestId);
    expect(spans[0]).toMatchObject({ parentId: "", name: "POST /index/:index_name/search" });
    expect(spans[0]!.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(partsOf(spans)).toEqual(["parse", "plan", "search", "fetch", "highlight"]);
  }
});

test("a caller's trace that isn't sampled isn't recorded", async () => {
  const before = await send(plain, "/index/books/search", FOUND, {
    traceparent: `00-${CALLER.traceId}-00000000000000ff-00`,
  });
  const after = await send(plain, "/index/books/search", FOUND);
  await spansOf(plain, after.requestId);
  const ids = plain.receiver.spans.map(({ attributes }) => attributes["findling.request_id"]);
  expect(ids).not.toContain(before.requestId);
});

test("a federation's search has the same parts", async () => {
  await plain.server.request("POST", "/federation", {
    name: "all",
    index_configurations: [{ name: "books" }],
  });
  const { requestId } = await send(plain, "/federation/all/search", FOUND);
  const spans = await spansOf(plain, requestId);
  expect(spans[0]).toMatchObject({ name: "POST /federation/:federation_name/search" });
  expect(partsOf(spans)).toEqual(["parse", "plan", "search", "fetch", "highlight"]);
  expect(spans.find(({ name }) => name === "search")!.attributes).toMatchObject({
    "findling.federation": "all",
    "findling.search.count": 2,
  });
});

test("requests that fail are traced with their status, keys in paths masked, unknown paths without a route", async () => {
  const { server, receiver } = plain;
  await server.request("GET", `/auth/key/${ADMIN_KEY}`);
  await server.request("GET", "/nowhere/at/all");
  expect((await server.request("GET", "/index/%zz")).status).toBe(400);
  const of = (name: string): ReceivedSpan | undefined =>
    receiver.spans.find((span) => span.name === name && span.kind === 2);
  await expect.poll(() => of("GET /auth/key/:key"), PLENTY).toBeDefined();
  expect(of("GET /auth/key/:key")!.attributes["url.path"]).toBe("/auth/key/********");
  await expect.poll(() => of("GET"), PLENTY).toBeDefined();
  expect(of("GET")!.attributes).toMatchObject({ "http.response.status_code": 404 });
  expect(of("GET")!.attributes).not.toHaveProperty("http.route");
});

test("a summary's call of a model is a span, and the provider gets it as its parent", async () => {
  const { requestId } = await send(plain, "/index/books/search/summary", FOUND, { traceparent: TRACEPARENT });
  const spans = await spansOf(plain, requestId);
  const own = (): ReceivedSpan | undefined =>
    plain.receiver.spans.find(
      ({ name, parentId }) => name === "chat fake-model" && parentId === spans[0]!.spanId,
    );
  await expect.poll(own, PLENTY).toBeDefined();
  const call = own()!;
  expect(call).toMatchObject({
    traceId: CALLER.traceId,
    kind: 3,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "llamacpp",
      "gen_ai.request.model": "fake-model",
      "gen_ai.usage.input_tokens": 100,
      "gen_ai.usage.output_tokens": 10,
      "findling.model.attempts": 1,
      "findling.model.outcome": "done",
    },
  });
  expect(spans.map(({ name }) => name)).toContain("search");
  expect(model.replies.at(-1)!.request.traceparent).toBe(`00-${CALLER.traceId}-${call.spanId}-01`);
});

test("metrics go out under the names that /metrics has", async () => {
  const searches = (): number =>
    plain.receiver.points
      .filter(
        ({ metric, attributes }) =>
          metric === "findling_search_duration_seconds" && attributes["kind"] === "index",
      )
      .map(({ bucketCounts = [] }) => bucketCounts.reduce((sum, count) => sum + count, 0))
      .at(-1) ?? 0;
  await send(plain, "/index/books/search", FOUND);
  const { text } = await (async () => {
    const response = await fetch(`${plain.server.url}/metrics`, { headers: { authorization: ADMIN_KEY } });
    return { text: await response.text() };
  })();
  const counted = Number(/^findling_search_duration_seconds_count\{kind="index"\} (\d+)$/m.exec(text)?.[1]);
  expect(counted).toBeGreaterThan(0);
  await expect.poll(searches, PLENTY).toBe(counted);
  const names = new Set(plain.receiver.points.map(({ metric }) => metric));
  for (const [, name] of text.matchAll(/^# TYPE (\S+) /gm)) {
    // Those without series have nothing to tell.
    if (new RegExp(`^${name}(_count)?[ {]`, "m").test(text)) expect(names).toContain(name);
  }
});

test("exporters do as the variables of OpenTelemetry say", async () => {
  expect(plain.receiver.headers.length).toBeGreaterThan(0);
  for (const headers of plain.receiver.headers) {
    expect(headers["x-collector"]).toBe("ours");
    expect(headers["content-type"]).toBe("application/x-protobuf");
  }
});

test("nothing that was stored, asked, said or secret has gone out", () => {
  const all = Buffer.concat(plain.receiver.bodies).toString("latin1");
  expect(all).toContain("books");
  for (const secret of ["unmentionable", "A summary", "BEGIN DOCUMENT", ADMIN_KEY, ADMIN_KEY.slice(0, 12)])
    expect(all).not.toContain(secret);
});

describe("where texts are asked for", () => {
  let telling: Traced;
  beforeAll(async () => {
    telling = await start({ FINDLING_TRACE_TEXTS: "true", OTEL_METRICS_EXPORTER: "none" });
  });
  afterAll(() => stop(telling));

  test("spans hold the search's body, the prompt and what the model said, and still no key", async () => {
    const { requestId } = await send(telling, "/index/books/search/summary", FOUND);
    await spansOf(telling, requestId);
    const named = (name: string): ReceivedSpan | undefined =>
      telling.receiver.spans.find((span) => span.name === name);
    await expect.poll(() => named("chat fake-model"), PLENTY).toBeDefined();
    const { attributes } = named("chat fake-model")!;
    expect(attributes["gen_ai.input.messages"]).toContain("unmentionable things");
    expect(attributes["gen_ai.output.messages"]).toBe(
      JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: "A summary." }] }]),
    );
    await send(telling, "/index/books/search", FOUND);
    await expect
      .poll(() => telling.receiver.spans.map((span) => span.attributes["findling.search.body"]), PLENTY)
      .toContain(JSON.stringify(FOUND));
    expect(Buffer.concat(telling.receiver.bodies).toString("latin1")).not.toContain(ADMIN_KEY);
    expect(telling.receiver.points).toEqual([]);
  });
});

describe("starting", () => {
  const startWith = async (environment: NodeJS.ProcessEnv): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), "findling-tracing-"));
    try {
      const server = await ServerProcess.start(folder, environment);
      const { status } = await server.request("GET", "/healthcheck");
      expect(await server.stop()).toBe(0);
      return `answered ${status}\n${server.output}`;
    } catch (error) {
      return String(error);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };

  test("with a collector that is away goes on, and the log says so", async () => {
    const output = await startWith({
      // Nobody listens there.
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      OTEL_BSP_SCHEDULE_DELAY: "10",
      OTEL_EXPORTER_OTLP_TIMEOUT: "500",
    });
    expect(output).toContain("answered 200");
    expect(output).toContain("OpenTelemetry can't export");
  });

  test("without the SDK says what to install", async () => {
    const hook = `export async function resolve(name, context, next) {
      if (name.startsWith("@opentelemetry/"))
        throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
      return next(name, context);
    }`;
    const register = `import { register } from "node:module"; register("data:text/javascript,${encodeURIComponent(hook)}");`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(register)}`;
    const output = await startWith({ NODE_OPTIONS, OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" });
    expect(output).toContain("npm install @opentelemetry/api@1.9");
    expect(await startWith({ NODE_OPTIONS })).toContain("answered 200");
  });

  test("with a protocol that isn't spoken says which is", async () => {
    const output = await startWith({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
      OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    });
    expect(output).toContain("OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc'");
  });
});
