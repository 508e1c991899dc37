/**
 * Property: an answer that waits for the end of the turn is sent once it is overdue, before more requests of the turn
 * are handled, whatever becomes of these. The turn and its clock are the test's: sockets are real, and what arrives
 * over them is handed over by hand.
 */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ServiceHarness, TEST_OPTIONS } from "../../../tests/kit/service-harness.js";
import { PrometheusMetrics } from "../../adapters/metrics/prometheus-metrics.js";
import { ROUTE_TABLE } from "../../contract/route-table.js";
import { FindlingError } from "../../errors/index.js";
import { NO_TRACING } from "../../ports/tracing.js";
import { WrittenAnswer } from "../answers/envelope.js";
import type { JsonWriter } from "../answers/json-writer.js";
import { UnreadAnswers } from "../answers/unread-answers.js";
import { BodyBudget } from "../body/body-budget.js";
import { RequestHooks } from "../hooks/request-hooks.js";
import type { RouteAnswer } from "../routes/route-handler.js";
import { PlainRoute } from "./plain-head.js";
import { ShortWay } from "./short-way.js";

class Empty extends WrittenAnswer {
  override writeTo(writer: JsonWriter): void {
    writer.ascii("{}");
  }
}

/** What is asked for by the index's name, and how long it takes. */
const HANDLERS: Readonly<Record<string, { readonly tookMs: number; answer(): RouteAnswer }>> = {
  quick: { tookMs: 0.1, answer: () => new Empty() },
  inThread: { tookMs: 4, answer: () => new Promise(() => undefined) },
  inOnePiece: { tookMs: 4, answer: () => ({}) },
  refused: {
    tookMs: 4,
    answer() {
      throw new FindlingError("index_not_found", "there is no such index");
    },
  },
};

let harness: ServiceHarness;
let server: Server;
let connections: ShortWay;
let nowMs: number;
/** Names as their requests are handled, and "sent" as the first connection gets its answer. */
let log: string[];
let clients: Socket[];
beforeEach(async () => {
  harness = await ServiceHarness.open({ keys: { ...TEST_OPTIONS.keys, authenticationEnabled: false } });
  nowMs = 1_000;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  log = [];
  clients = [];
  server = createServer((_, response) => {
    log.push("node");
    response.end();
  });
  const row = ROUTE_TABLE.find(({ operationId }) => operationId === "searchIndex")!;
  const handler = ({
    parameters,
  }: {
    readonly parameters: Readonly<Record<string, string>>;
  }): RouteAnswer => {
    const name = parameters["index_name"]!;
    log.push(name);
    const { tookMs, answer } = HANDLERS[name]!;
    nowMs += tookMs;
    return answer();
  };
  const { catalog, eventStore } = harness;
  const hooks = new RequestHooks({
    keys: harness.services.keys,
    logger: pino({ level: "silent" }),
    metrics: new PrometheusMetrics({ catalog, eventStore, version: "0.0.0" }),
    tracing: NO_TRACING,
    corsOrigins: ["*"],
    trustedProxies: [],
  });
  const nodes = server.listeners("connection");
  connections = new ShortWay({
    routes: [new PlainRoute({ row, handler })],
    hooks,
    budget: new BodyBudget(1 << 20),
    restingMs: 60_000,
    firstMs: 60_000,
    unread: new UnreadAnswers(1 << 20),
    isStopping: () => false,
    node: {
      server,
      begin(socket, bytes) {
        for (const listener of nodes) Reflect.apply(listener, server, [socket]);
        socket.emit("data", bytes);
      },
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const client of clients) client.destroy();
  connections.closeAll();
  server.closeAllConnections();
  server.close();
  await harness.close();
});

/** The server's end of a new connection. */
async function connection(): Promise<Socket> {
  const arrived = once(server, "connection") as Promise<[Socket]>;
  clients.push(connect((server.address() as AddressInfo).port, "127.0.0.1").resume());
  const [socket] = await arrived;
  return socket;
}

function textOf(name: string): string {
  if (name === "node") return "GET / HTTP/1.1\r\nhost: here\r\n\r\n";
  return `POST /index/${name}/search HTTP/1.1\r\nhost: here\r\ncontent-length: 2\r\n\r\n{}`;
}

test.each([
  { behind: ["inThread"], before: 1 },
  { behind: ["refused"], before: 1 },
  { behind: ["inOnePiece", "quick"], before: 1 },
  { behind: ["inOnePiece", "inThread"], before: 1 },
  { behind: ["inOnePiece", "node"], before: 1 },
  { behind: ["node", "inThread", ...Array<string>(29).fill("inThread")], before: 2 },
])("is sent before what comes behind $behind.0 in the same turn", async ({ behind, before }) => {
  const names = ["quick", ...behind];
  const sockets: Socket[] = [];
  for (const _ of names) sockets.push(await connection());
  const first = sockets[0]!;
  const write = first.write.bind(first);
  vi.spyOn(first, "write").mockImplementation((...given: Parameters<Socket["write"]>) => {
    log.push("sent");
    return write(...given);
  });
  for (const [at, socket] of sockets.entries()) socket.emit("data", Buffer.from(textOf(names[at]!)));
  expect(log).toEqual(["quick", ...behind.slice(0, before), "sent", ...behind.slice(before)]);
});

test("waits where nothing dear comes behind it", async () => {
  const sockets = [await connection(), await connection()];
  for (const socket of sockets) {
    socket.emit("data", Buffer.from(textOf("quick")));
    expect(socket.bytesWritten).toBe(0);
  }
  await new Promise((resolve) => setImmediate(resolve));
  for (const socket of sockets) expect(socket.bytesWritten).toBeGreaterThan(0);
});
