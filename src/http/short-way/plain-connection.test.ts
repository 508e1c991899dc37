// Properties: a connection over which nothing comes is refused, one that rests for long is closed, and one whose
// answer isn't there yet is neither; what waits, or is given to Node, isn't touched by what others read meanwhile.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ROUTE_TABLE } from "../../contract/route-table.js";
import { PlainConnection } from "./plain-connection.js";
import { PlainRoute } from "./plain-head.js";
import { PlainHeads } from "./routed-heads.js";

const LIMIT_MS = 60;
const requestOf = (body: string): string =>
  `POST /index/books/search HTTP/1.1\r\nhost: here\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const TEXT = requestOf("{}");

let server: Server;
let events: string[];
let connection: PlainConnection | null;
/** What the requests that are answered here say. */
let bodies: string[];
/** What was left to Node. */
let given: Buffer[];
/** Long where a request comes: however busy the machine, it isn't taken for silence. */
let firstMs: number;
/** Whether answers come later. */
let isSlow: boolean;
beforeEach(async () => {
  const seen: string[] = [];
  events = seen;
  connection = null;
  const answered: string[] = [];
  bodies = answered;
  const left: Buffer[] = [];
  given = left;
  isSlow = false;
  firstMs = 60_000;
  const row = ROUTE_TABLE.find(({ operationId }) => operationId === "searchIndex")!;
  const heads = new PlainHeads([new PlainRoute({ row, handler: () => "" })]);
  server = createServer((socket) => {
    connection = new PlainConnection(socket, {
      heads,
      restingMs: LIMIT_MS,
      firstMs,
      clientOf: () => ({}),
      answer(asked, _head, bodyText) {
        seen.push("answered");
        answered.push(bodyText);
        if (isSlow) asked.begin();
        else socket.write("answer");
        return true;
      },
      giveToNode(_left, bytes) {
        seen.push("given");
        left.push(bytes);
      },
      refuseSilence(silent) {
        seen.push("refused");
        silent.end("refused");
      },
      forget: () => seen.push("forgotten"),
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  connection?.socket.destroy();
  server.close();
});

async function connected(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").resume();
  await once(socket, "connect");
  return socket;
}

test("silence is refused, and what comes after it isn't looked at", async () => {
  firstMs = LIMIT_MS;
  const socket = await connected();
  socket.once("data", () => socket.write(TEXT));
  await once(socket, "close");
  await expect.poll(() => events).toEqual(["refused", "forgotten"]);
});

test("who is refused and doesn't close is forgotten", async () => {
  firstMs = LIMIT_MS;
  const socket = connect({ port: (server.address() as AddressInfo).port, allowHalfOpen: true }).resume();
  await expect.poll(() => events).toEqual(["refused", "forgotten"]);
  socket.destroy();
});

test("a connection that rests is closed", async () => {
  const socket = await connected();
  socket.write(TEXT);
  await once(socket, "close");
  await expect.poll(() => events).toEqual(["answered", "forgotten"]);
});

test("one that waits for an answer isn't, and what comes meanwhile waits, too", async () => {
  isSlow = true;
  const socket = await connected();
  socket.write(TEXT);
  await expect.poll(() => events).toEqual(["answered"]);
  await pause(2 * LIMIT_MS);
  socket.write(TEXT);
  await expect.poll(() => connection!.socket.bytesRead).toBe(2 * TEXT.length);
  await pause(LIMIT_MS);
  expect(events).toEqual(["answered"]);
  isSlow = false;
  connection!.done();
  expect(events).toEqual(["answered", "answered"]);
  await once(socket, "close");
});

test("what waits or is given to Node stays as it came, whatever others send meanwhile", async () => {
  isSlow = true;
  const waiting = await connected();
  waiting.write(requestOf('"first"'));
  await expect.poll(() => bodies).toEqual(['"first"']);
  const first = connection!;
  const before = first.socket.bytesRead;
  waiting.write(requestOf('"later"'));
  await expect.poll(() => first.socket.bytesRead).toBe(before + requestOf('"later"').length);
  const cut = await connected();
  cut.write("GET /healthcheck HTTP/1.1\r\n");
  await expect.poll(() => events).toContain("given");
  const other = await connected();
  other.write(requestOf('"other"'));
  await expect.poll(() => bodies).toEqual(['"first"', '"other"']);
  first.done();
  expect(bodies).toEqual(['"first"', '"other"', '"later"']);
  expect(given.map(String)).toEqual(["GET /healthcheck HTTP/1.1\r\n"]);
  for (const socket of [waiting, cut, other]) socket.destroy();
});
