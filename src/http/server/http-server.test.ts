// Property: a sender that falls silent in the middle of a body is answered 408 and cut off; one that goes on, however
// slowly, is answered as any other.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ServiceHarness, TEST_OPTIONS } from "../../../tests/kit/service-harness.js";
import { routeHandlers } from "../routes/route-handlers.js";
import { HttpServer } from "./http-server.js";

const SILENCE_MS = 300;

let harness: ServiceHarness;
let server: HttpServer;
let port: number;
let socket: Socket;
let text: string;
const logged: string[] = [];
beforeEach(async () => {
  logged.length = 0;
  harness = await ServiceHarness.open({ keys: { ...TEST_OPTIONS.keys, authenticationEnabled: false } });
  const { services } = harness;
  server = await HttpServer.create({
    keys: services.keys,
    handlers: routeHandlers(services, { endpoint: null, origins: [] }),
    logger: pino({}, { write: (line: string) => logged.push(line) }),
    metrics: services.metrics,
    tracing: services.tracing,
    corsOrigins: ["*"],
    trustedProxies: [],
    bodyLimits: { documents: 1 << 20, standard: 1 << 20 },
    bodiesBytesMax: 1 << 24,
    answersBytesMax: 1 << 24,
    bodySilenceMs: SILENCE_MS,
    timers: { now: () => performance.now(), after: () => ({ cancel: () => undefined }) },
    tls: null,
    hasConsole: false,
    manual: { search: () => Promise.resolve([]), close: () => Promise.resolve() },
    version: "0.0.0",
  });
  ({ port } = await server.listen("127.0.0.1", 0));
  text = "";
  socket = connect(port, "127.0.0.1");
  socket.setEncoding("latin1").on("data", (piece: string) => (text += piece));
});
afterEach(async () => {
  socket.destroy();
  await server.stop(0);
  await harness.close();
});

const BODY = '{"query":{"exact":{"ctx":"*"}}}';

test.each([
  ["POST /index/books/search", `content-length: ${BODY.length}`, BODY.slice(0, 9)],
  ["POST /index/books/search", "transfer-encoding: chunked", "3\r\n[{}\r\n"],
  ["POST /index/books/documents", "content-length: 100000", '[{"id":'],
  ["POST /index/books/documents", "content-length: 100000", ""],
])("%s with %s", async (line, length, begun) => {
  const closed = once(socket, "close");
  socket.write(`${line} HTTP/1.1\r\nhost: here\r\n${length}\r\n\r\n${begun}`);
  await closed;
  expect(text).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(JSON.parse(text.slice(text.indexOf("\r\n\r\n")))).toMatchObject({
    status: 408,
    message: "the request did not arrive completely in time",
    data: { code: "invalid_request" },
  });
  await expect.poll(() => logged.filter((each) => each.includes('"status":408'))).toHaveLength(1);
});

test("who goes on is answered, though all of it takes longer", async () => {
  socket.write(`POST /index/books/search HTTP/1.1\r\nhost: here\r\ncontent-length: ${BODY.length}\r\n\r\n`);
  for (const character of BODY) {
    socket.write(character);
    await pause(SILENCE_MS / 10);
  }
  await expect.poll(() => text).toMatch(/^HTTP\/1\.1 404 /);
});
