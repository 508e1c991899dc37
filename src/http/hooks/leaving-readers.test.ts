// A reader that leaves before the head of a stream closes the stream, which Fastify takes for its failure: that isn't
// a request that failed.
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { Readable } from "node:stream";
import { type FastifyInstance, fastify } from "fastify";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isLeaving, ResponseCaller } from "./request-client.js";

let app: FastifyInstance;
let stream: Readable;
let asked: Promise<void>;
let thrown: Promise<{ readonly error: unknown; readonly isOfLeaving: boolean }>;

beforeEach(async () => {
  app = fastify({ forceCloseConnections: true });
  asked = new Promise((resolve) => {
    app.post("/", (_request, reply) => {
      resolve();
      return reply.send(stream);
    });
  });
  thrown = new Promise((resolve) => {
    app.setErrorHandler((error, _request, reply) => {
      resolve({ error, isOfLeaving: isLeaving(error, new ResponseCaller(reply.raw)) });
      return reply.code(500).send("failed");
    });
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
});
afterEach(() => app.close());

test("a reader that leaves before the first piece has left", async () => {
  stream = new Readable({ read: () => undefined });
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  // Of a request that was read to its end Node doesn't say that it was aborted.
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 4\r\n\r\nread");
  await asked;
  socket.destroy();
  await once(socket, "close");
  expect(await thrown).toMatchObject({ isOfLeaving: true });
  expect(stream.destroyed).toBe(true);
});

test("a stream that breaks off under a reader that waits has failed", async () => {
  stream = new Readable({ read: () => stream.destroy() });
  const { port } = app.server.address() as AddressInfo;
  expect((await fetch(`http://127.0.0.1:${port}/`, { method: "POST" })).status).toBe(500);
  expect(await thrown).toMatchObject({ error: { code: "ERR_STREAM_PREMATURE_CLOSE" }, isOfLeaving: false });
});

test.each([new Error("away"), null, "text"])("whoever leaves doesn't hide another failure: %s", (error) => {
  expect(isLeaving(error, { isGone: true, whenGone: () => () => undefined })).toBe(false);
});
