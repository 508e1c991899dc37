// An answer that is a file: its head waits for the first bytes, so that failing before them is an error
// answer; failing after them breaks the connection; whoever leaves ends the making.
import { type FastifyInstance, fastify } from "fastify";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ByteStream, sendByteStream } from "./streamed-answers.js";

let app: FastifyInstance;
let url: string;
let chunks: () => AsyncGenerator<Uint8Array>;
let ended: Promise<void>;
let hasEnded: () => void;

beforeEach(async () => {
  ended = new Promise((resolve) => (hasEnded = resolve));
  app = fastify({ forceCloseConnections: true });
  app.get("/file", (_request, reply) =>
    sendByteStream(
      reply,
      new ByteStream({ contentType: "text/x", fileName: "a.x", chunks: watched(chunks()) }),
    ),
  );
  url = `${await app.listen({ host: "127.0.0.1", port: 0 })}/file`;
});
afterEach(() => app.close());

async function* watched(source: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } finally {
    hasEnded();
  }
}

async function* failingAfter(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield bytes(text);
  await new Promise((resolve) => setTimeout(resolve, 20));
  throw new Error("the store is away");
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("is sent whole, under its name", async () => {
  chunks = async function* () {
    yield bytes("one");
    yield bytes("two");
  };
  const response = await fetch(url);
  expect(response.headers.get("content-type")).toBe("text/x");
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="a.x"');
  expect(await response.text()).toBe("onetwo");
  await ended;
});

test("may be empty", async () => {
  chunks = async function* () {};
  const response = await fetch(url);
  expect([response.status, await response.text()]).toEqual([200, ""]);
});

test("fails as an answer before its first bytes", async () => {
  chunks = () => failingAfter([]);
  expect((await fetch(url)).status).toBe(500);
});

test("breaks off after them, so that nobody takes a part for the whole", async () => {
  chunks = () => failingAfter(["one"]);
  const response = await fetch(url);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
});

test("ends with whoever asked for it", async () => {
  chunks = async function* () {
    for (;;) yield bytes("x".repeat(100_000));
  };
  const wish = new AbortController();
  const response = await fetch(url, { signal: wish.signal });
  expect(response.status).toBe(200);
  wish.abort();
  await ended;
});
