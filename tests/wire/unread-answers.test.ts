// Answers that nobody reads don't take unbounded memory, whichever way they are sent: beyond the bound those who have
// been reading for longest are cut off, and everybody else is answered whole.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { READ, WireServer } from "./wire-server.js";

/** An answer is far more than the system takes for a reader that doesn't read, and two of them are the bound. */
const DOCUMENTS = 20;
const TITLE = "unread ".repeat(130_000);
const ANSWER_BYTES_MIN = DOCUMENTS * TITLE.length;

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start({ bodyMemoryMb: Math.ceil((2.5 * ANSWER_BYTES_MIN) / 2 ** 20) });
  await server.createIndex("papers");
  for (let i = 0; i < DOCUMENTS; i++) await server.post("/index/papers/documents", [{ title: TITLE }]);
  await server.post("/index/papers/commit");
});
afterAll(() => server.stopAndRemove());

const BODY = JSON.stringify({ query: { exact: { ctx: "*" } }, limit: DOCUMENTS });
const headOf = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${READ}\r\ncontent-length: ${BODY.length}\r\n\r\n`;

const WAYS: Readonly<Record<string, readonly string[]>> = {
  "straight off the socket": [headOf("/index/papers/search") + BODY],
  "by Node's server": [headOf("/index/papers/search"), BODY],
  "by the framework": [headOf("/index/papers/search/") + BODY],
};

/** A connection on which an answer has begun to arrive, and isn't read. */
async function asked(pieces: readonly string[]): Promise<Socket> {
  const socket = connect(server.running.address.port, "127.0.0.1");
  for (const piece of pieces) {
    socket.write(piece);
    // The next one comes by itself.
    await new Promise((sent) => setTimeout(sent, 20));
  }
  await once(socket, "readable");
  return socket;
}

/** How much there is to read, until the answer is whole or broken off. */
async function readAll(socket: Socket): Promise<number> {
  let bytes = 0;
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes >= ANSWER_BYTES_MIN) break;
    }
  } catch {
    // Reset.
  }
  socket.destroy();
  return bytes;
}

test.each(Object.entries(WAYS))("sent %s", async (_way, pieces) => {
  const sockets: Socket[] = [];
  for (let i = 0; i < 5; i++) sockets.push(await asked(pieces));
  const search = await server.post("/index/papers/search", { query: { exact: { ctx: "absent" } } }, READ);
  expect(search.status).toBe(200);
  const isWhole: boolean[] = [];
  for (const socket of sockets) isWhole.push((await readAll(socket)) >= ANSWER_BYTES_MIN);
  expect(isWhole).toEqual([false, false, false, true, true]);
});

test("several on one connection, asked for at once, are made one after the other", async () => {
  const path = "/index/papers/search";
  const many = await asked([(headOf(path) + BODY).repeat(8)]);
  const other = await asked([headOf(path) + BODY]);
  expect(await readAll(other)).toBeGreaterThanOrEqual(ANSWER_BYTES_MIN);
  expect(await readAll(many)).toBeGreaterThanOrEqual(ANSWER_BYTES_MIN);
});
