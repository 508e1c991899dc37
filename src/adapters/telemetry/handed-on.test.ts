// Property: whoever is asked within a traced request gets its trace, with the call's own span as the parent; outside of
// one, and behind its end, nothing is handed on.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { RequestTrace } from "../../ports/tracing.js";
import { ClickHouseDatabase } from "../events/clickhouse/clickhouse-database.js";
import { Cluster } from "../opensearch/cluster.js";
import { OtlpTracing } from "./otlp-tracing.js";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const exporter = new InMemorySpanExporter();
const tracing = new OtlpTracing({
  tracer: new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer("test"),
  propagator: new W3CTraceContextPropagator(),
  scheme: "http",
  recordsTexts: false,
});

let server: Server;
let url: string;
const received: IncomingMessage[] = [];
beforeAll(async () => {
  server = createServer((message, response) => {
    received.push(message);
    message.resume().on("end", () => {
      response.writeHead(200, { "content-type": "application/json" }).end("[0]\n");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  received.length = 0;
  exporter.reset();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function beginRequest(): RequestTrace {
  return tracing.beginRequest({
    id: "r-1",
    method: "POST",
    route: "/index/:index_name/search",
    path: "/index/books/search",
    headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-01`, tracestate: "vendor=1" },
  });
}

function headersOf(name: string): readonly unknown[] {
  return received.map(({ headers }) => headers[name]);
}

test("OpenSearch", async () => {
  const cluster = new Cluster({ urls: [url], tracing });
  try {
    const request = beginRequest();
    await request.run(() => cluster.request("POST", "/findling-secret-name/_search", { body: { size: 1 } }));
    const [call] = exporter.getFinishedSpans();
    expect(call).toMatchObject({
      name: "POST _search",
      attributes: { "db.system.name": "opensearch", "db.operation.name": "_search" },
    });
    expect(headersOf("traceparent")).toEqual([`00-${TRACE}-${call!.spanContext().spanId}-01`]);
    expect(headersOf("tracestate")).toEqual(["vendor=1"]);
    request.end({ status: 200, isWhole: true });
    await request.run(() => cluster.request("GET", "/_cluster/health"));
    await cluster.request("GET", "/_cluster/health");
    expect(headersOf("traceparent").slice(1)).toEqual([undefined, undefined]);
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual([
      "POST _search",
      "POST /index/:index_name/search",
    ]);
  } finally {
    await cluster.close();
  }
});

test("ClickHouse", async () => {
  const database = new ClickHouseDatabase({
    url: `${url.replace("//", "//user:password@")}/events`,
    tracing,
  });
  try {
    const request = beginRequest();
    // What it asks first, to get its tables, is answered as nonsense; it is asked all the same.
    await request.run(() => database.select({ sql: "SELECT 1", parameters: {} }).catch(() => undefined));
    await request.run(() => database.select({ sql: "SELECT 2", parameters: {} }).catch(() => undefined));
    request.end({ status: 200, isWhole: true });
    const calls = exporter.getFinishedSpans().filter(({ name }) => name === "SELECT");
    expect(calls).toHaveLength(2);
    const sent = headersOf("traceparent").filter((header) => header !== undefined);
    expect(sent).toEqual(calls.map((call) => `00-${TRACE}-${call.spanContext().spanId}-01`));
  } finally {
    await database.close();
  }
});

test("a call that fails says by which code, and a request that fails is an error", () => {
  const request = beginRequest();
  request.run(() => tracing.beginCall("chat m", {}).end({}, "model_refused"));
  request.end({ status: 503, isWhole: false });
  const [call, own] = exporter.getFinishedSpans();
  expect(call).toMatchObject({ status: { code: 2 }, attributes: { "error.type": "model_refused" } });
  expect(own).toMatchObject({
    status: { code: 2 },
    attributes: { "error.type": "503", "findling.aborted": true, "http.response.status_code": 503 },
  });
});
