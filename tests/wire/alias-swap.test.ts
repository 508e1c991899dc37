// An alias swapped back and forth beneath searches on real sockets: no error, and each answer from one index.
import type { Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ParsedJson, READ, WireServer } from "./wire-server.js";

/** By index its number of documents, so that an answer of two would have another. */
const COUNTS: Readonly<Record<string, number>> = { products_v1: 30, products_v2: 50 };
const CONNECTIONS = 4;
/** Searches that are under way on one connection. */
const PIPELINED = 50;
const SEARCHES_MIN = 4_000;
const SWAPS_MIN = 20;

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  for (const [name, count] of Object.entries(COUNTS)) {
    await server.createIndex(name);
    const documents = Array.from({ length: count }, (_, i) => ({ id: String(i), title: `shirt ${i}` }));
    await server.addCommitted(name, documents);
  }
  await server.put("/alias/products", { index: "products_v1" });
});
afterAll(() => server.stopAndRemove());

const BODY = JSON.stringify({ query: { exact: { ctx: "shirt" } }, limit: 100 });
const REQUEST = [
  "POST /index/products/search HTTP/1.1",
  "host: localhost",
  `authorization: ${READ}`,
  "content-type: application/json",
  `content-length: ${Buffer.byteLength(BODY)}`,
  "",
  BODY,
].join("\r\n");

/** Takes the answers that are whole off what has arrived. */
function takeAnswers(received: Buffer): {
  readonly answers: { status: number; json: ParsedJson }[];
  readonly rest: Buffer;
} {
  const answers = [];
  let at = 0;
  for (;;) {
    const headEnd = received.indexOf("\r\n\r\n", at);
    if (headEnd < 0) break;
    const head = received.toString("latin1", at, headEnd);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    const end = headEnd + 4 + length;
    if (!(end <= received.length)) break;
    const json = JSON.parse(received.toString("utf8", headEnd + 4, end)) as ParsedJson;
    answers.push({ status: Number(head.slice(9, 12)), json });
    at = end;
  }
  return { answers, rest: received.subarray(at) };
}

function ask(socket: Socket, see: (status: number, json: ParsedJson) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let rest: Buffer = Buffer.alloc(0);
    let left = PIPELINED;
    const onData = (chunk: Buffer): void => {
      const taken = takeAnswers(Buffer.concat([rest, chunk]));
      rest = taken.rest;
      left -= taken.answers.length;
      for (const { status, json } of taken.answers) see(status, json);
      if (left > 0) return;
      socket.off("data", onData);
      socket.off("error", reject);
      resolve();
    };
    socket.on("data", onData);
    socket.once("error", reject);
    socket.write(REQUEST.repeat(PIPELINED));
  });
}

test("the swap of an alias beneath searches costs none of them anything", async () => {
  const seen = new Map<string, number>();
  const wrong: unknown[] = [];
  let searches = 0;
  let swaps = 0;
  const see = (status: number, json: ParsedJson): void => {
    searches++;
    const sources = new Set<string>(
      json?.data?.hits?.map((hit: { source_index: string }) => hit.source_index),
    );
    const [source = "none"] = sources;
    seen.set(source, (seen.get(source) ?? 0) + 1);
    const count = COUNTS[source];
    const isRight =
      status === 200 && sources.size === 1 && json.data.count === count && json.data.hits.length === count;
    if (!isRight) wrong.push({ status, sources: [...sources], count: json?.data?.count });
  };
  const isEnough = (): boolean => searches >= SEARCHES_MIN && swaps >= SWAPS_MIN && seen.size === 2;
  const searching = Array.from({ length: CONNECTIONS }, () =>
    server.withConnection(async (socket) => {
      while (!isEnough() && wrong.length === 0) await ask(socket, see);
    }),
  );
  while (!isEnough() && wrong.length === 0) {
    const index = swaps % 2 === 0 ? "products_v2" : "products_v1";
    const answer = await server.post("/alias/swap", [{ alias: "products", index }]);
    expect(answer.status, answer.text).toBe(200);
    swaps++;
  }
  await Promise.all(searching);
  expect(wrong).toEqual([]);
  expect([...seen.keys()].sort()).toEqual(Object.keys(COUNTS));
});
