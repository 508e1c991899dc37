// Answers of megabytes are made and sent in pieces, so that others are answered in between, whichever way they go; they
// say and hold the same as short ones, and who leaves in the middle leaves nothing behind.
import { once } from "node:events";
import { connect, Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { PIECE_BYTES } from "../../src/http/answers/answer-pieces.js";
import { ADMIN, type ParsedJson, READ, WireServer } from "./wire-server.js";

const DOCUMENTS = 8;
const TEXT_LENGTH = 600_000;
/** What a head takes beside its first piece. */
const HEAD_BYTES_MAX = 2_048;

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  await server.createIndex("papers");
  await server.post("/federation", {
    name: "library",
    index_configurations: [{ name: "papers", weight_multiplier: 1 }],
  });
  for (let i = 0; i < DOCUMENTS; i++) {
    const title = `long ü ${String(i)} `.repeat(TEXT_LENGTH / 9).slice(0, TEXT_LENGTH);
    await server.post("/index/papers/documents", [{ id: String(i), title }]);
  }
  await server.post("/index/papers/commit");
});
afterAll(() => server.stopAndRemove());
afterEach(() => vi.restoreAllMocks());

const WAYS: Readonly<Record<string, { readonly path: string; readonly isInTwo?: true }>> = {
  "straight off the socket": { path: "/index/papers/search" },
  "by Node's server": { path: "/index/papers/search", isInTwo: true },
  "by the framework": { path: "/index/papers/search/" },
  "of a federation": { path: "/federation/library/search" },
};

/** A search over a connection of its own. */
async function ask(way: string, body: object): Promise<Socket> {
  const { path, isInTwo } = WAYS[way]!;
  const text = JSON.stringify(body);
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${READ}\r\ncontent-length: ${text.length}\r\n\r\n`;
  const socket = connect(server.running.address.port, "127.0.0.1");
  if (isInTwo === true) {
    socket.write(head);
    // What follows comes by itself.
    await new Promise((sent) => setTimeout(sent, 20));
    socket.write(text);
  } else {
    socket.write(head + text);
  }
  return socket;
}

interface Answer {
  readonly head: string;
  readonly body: Buffer;
}

async function answerOf(socket: Socket): Promise<Answer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let needed = Infinity;
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (needed === Infinity) {
      const beginning = Buffer.concat(chunks).toString("latin1");
      const end = beginning.indexOf("\r\n\r\n");
      const length = /content-length: (\d+)/.exec(beginning)?.[1];
      if (end >= 0) needed = end + 4 + Number(length);
    }
    if (bytes >= needed) break;
  }
  const all = Buffer.concat(chunks);
  const end = all.indexOf("\r\n\r\n");
  return { head: all.toString("latin1", 0, end), body: all.subarray(end + 4) };
}

function dataOf({ body }: Answer): ParsedJson {
  const { status, data } = JSON.parse(body.toString());
  const { time_taken: _time, ...rest } = data;
  return { status, ...rest };
}

/** The longest piece that is written to a socket from now on, but for requests. */
function longestWrites(): { readonly bytes: number } {
  const seen = { bytes: 0 };
  const write = Socket.prototype.write;
  vi.spyOn(Socket.prototype, "write").mockImplementation(function (this: Socket, ...rest: unknown[]) {
    seen.bytes = Math.max(seen.bytes, (rest[0] as { readonly length: number }).length);
    return Reflect.apply(write, this, rest) as boolean;
  });
  return seen;
}

const WORDS = { query: { exact: { ctx: "long" } } };

describe.each(Object.keys(WAYS))("a search's answer sent %s", (way) => {
  test.each([
    ["", {}],
    ["with explanations", { explain: true }],
    ["with a cursor", { cursor: true, limit: DOCUMENTS - 1 }],
  ])("comes in pieces, and whole: %s", async (_kind, more) => {
    const short = [];
    // One document at a time is short.
    for (let offset = 0; offset < DOCUMENTS; offset++) {
      const { cursor: _cursor, ...rest } = more as { readonly cursor?: true };
      const answer = await answerOf(await ask(way, { ...WORDS, ...rest, limit: 1, offset }));
      const { explanation: _, ...hit } = dataOf(answer).hits[0];
      short.push(hit);
    }
    const longest = longestWrites();
    // Once more where it is remembered, and kept.
    for (let i = 0; i < 3; i++) {
      const answer = await answerOf(await ask(way, { ...WORDS, ...more }));
      expect(answer.head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(answer.head.match(/content-length/gi)).toHaveLength(1);
      expect(answer.head).not.toMatch(/transfer-encoding/i);
      const { hits, count } = dataOf(answer);
      expect(count).toBe(DOCUMENTS);
      expect(hits.map(({ explanation: _, ...hit }: ParsedJson) => hit)).toEqual(short.slice(0, hits.length));
      expect(
        hits.every(({ explanation }: ParsedJson) => "explain" in more === (explanation !== undefined)),
      ).toBe(true);
      expect(hits.length).toBeGreaterThanOrEqual(DOCUMENTS - 1);
    }
    expect(longest.bytes).toBeLessThanOrEqual(PIECE_BYTES + HEAD_BYTES_MAX);
    expect(longest.bytes).toBeGreaterThanOrEqual(PIECE_BYTES);
  });

  test("leaves nothing behind where the reader leaves in the middle", async () => {
    const socket = await ask(way, WORDS);
    await once(socket, "data");
    socket.pause();
    socket.destroy();
    await expect.poll(() => requestsInProgress()).toBe(1);
    const next = await ask(way, { ...WORDS, limit: 1 });
    expect(dataOf(await answerOf(next)).count).toBe(DOCUMENTS);
  });

  test("is followed by answers to what was asked on the same connection meanwhile", async () => {
    const { path } = WAYS[way]!;
    const request = (limit: number): string => {
      const text = JSON.stringify({ ...WORDS, limit });
      return `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${READ}\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
    };
    const socket = connect(server.running.address.port, "127.0.0.1");
    socket.write(request(DOCUMENTS) + request(0) + request(DOCUMENTS));
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > 2 * DOCUMENTS * TEXT_LENGTH + 2_000) break;
    }
    const text = Buffer.concat(chunks).toString("latin1");
    expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3);
    expect(text.match(/"hits":\[\]/g)).toHaveLength(1);
  });
});

/** This one included. */
async function requestsInProgress(): Promise<number> {
  const { text } = await server.get("/metrics", ADMIN);
  return Number(/^findling_http_requests_running (\d+)/m.exec(text)?.[1]);
}
