/** "100 Continue" of a request that waits behind another one never gets between its answer's head and body. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { READ, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  await server.createIndex("books");
  await server.addCommitted("books", [{ title: "even" }]);
});
afterAll(() => server.stopAndRemove());

const BODY = '{"query":{"exact":{"ctx":"even"}}}';
const requestTo = (path: string, more = ""): string =>
  `POST ${path} HTTP/1.1\r\nhost: here\r\nauthorization: ${READ}\r\ncontent-type: application/json\r\n` +
  `${more}content-length: ${BODY.length}\r\n\r\n${BODY}`;

// A query string leads to the framework's route.
test.each(["/index/books/search", "/index/books/search?x=1"])(
  "asked for behind another request: %s",
  async (path) => {
    const text = await server.withConnection(async (socket) => {
      let received = "";
      socket.on("data", (bytes: Buffer) => {
        received += bytes.toString("latin1");
      });
      socket.write(requestTo("/index/books/search?x=1") + requestTo(path, "expect: 100-continue\r\n"));
      await expect.poll(() => received.match(/"count":1/g)?.length).toBe(2);
      return received;
    });
    expect(text).not.toMatch(/\r\n\r\nHTTP\/1\.1 100 Continue\r\n\r\n\{/);
    // Nor behind the answer, where nothing is to go on any more.
    expect(text).not.toMatch(/\}HTTP\/1\.1 100 Continue\r\n\r\n$/);
  },
);
