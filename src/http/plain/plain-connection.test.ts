// Properties: a connection over which nothing comes is refused, one that rests for long is closed, and one whose
// answer isn't there yet is neither.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ROUTE_TABLE } from "../../contract/route-table.js";
import { PlainRoute } from "../plain-route.js";
import { PlainConnection } from "./plain-connection.js";
import { PlainHeads } from "./plain-heads.js";
import { SharedReading } from "./shared-reading.js";

const LIMIT_MS = 60;
const TEXT = "POST /index/books/search HTTP/1.1\r\nhost: here\r\ncontent-length: 2\r\n\r\n{}";

let server: Server;
let events: string[];
let connection: PlainConnection | null;
/** Long where a request comes: however busy the machine, it isn't taken for silence. */
let firstMs: number;
/** Whether answers come later. */
let isSlow: boolean;
beforeEach(async () => {
  const seen: string[] = [];
  events = seen;
  connection = null;
  isSlow = false;
  firstMs = 60_000;
  const row = ROUTE_TABLE.find(({ operationId }) => operationId === "searchIndex")!;
  const heads = new PlainHeads([new PlainRoute({ row, handler: () => "" })]);
  server = createServer((socket) => {
    connection = new PlainConnection(socket, {
      heads,
      reading: new SharedReading(),
      restingMs: LIMIT_MS,
      firstMs,
      clientOf: () => ({}),
      answer(asked) {
        seen.push("answered");
        if (isSlow) asked.begin();
        else socket.write("answer");
        return true;
      },
      giveToNode: () => seen.push("given"),
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
  await vi.waitFor(() => expect(events).toEqual(["refused", "forgotten"]));
});

test("who is refused and doesn't close is forgotten", async () => {
  firstMs = LIMIT_MS;
  const socket = connect({ port: (server.address() as AddressInfo).port, allowHalfOpen: true }).resume();
  await vi.waitFor(() => expect(events).toEqual(["refused", "forgotten"]));
  socket.destroy();
});

test("a connection that rests is closed", async () => {
  const socket = await connected();
  socket.write(TEXT);
  await once(socket, "close");
  await vi.waitFor(() => expect(events).toEqual(["answered", "forgotten"]));
});

test("one that waits for an answer isn't, and what comes meanwhile waits, too", async () => {
  isSlow = true;
  const socket = await connected();
  socket.write(TEXT);
  await pause(2 * LIMIT_MS);
  socket.write(TEXT);
  await pause(LIMIT_MS);
  expect(events).toEqual(["answered"]);
  isSlow = false;
  connection!.done();
  expect(events).toEqual(["answered", "answered"]);
  await once(socket, "close");
});
