// Many requests in one piece are answered in order, one a turn of the event loop: others are answered in between.
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { READ, WireServer } from "./wire-server.js";

const REQUESTS = 300;

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  await server.createIndex("books");
  await server.addCommitted("books", [{ id: "1", title: "one" }]);
});
afterAll(() => server.stopAndRemove());

test.each(["/index/books/search", "/index/books/search/"])("%s", async (path) => {
  const body = JSON.stringify({ query: { exact: { ctx: "one" } } });
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: ${READ}\r\ncontent-length: ${body.length}\r\n\r\n`;
  const unknown = "GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n";
  let isDone = false;
  let turns = 0;
  const countTurn = (): void => {
    turns++;
    if (!isDone) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  const socket = connect(server.running.address.port, "127.0.0.1");
  socket.write((head + body).repeat(REQUESTS) + unknown);
  let text = "";
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    text += chunk.toString("latin1");
    if (text.includes("HTTP/1.1 404") && text.endsWith("}")) break;
  }
  isDone = true;
  expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(REQUESTS);
  expect(text.match(/"document_id"/g)).toHaveLength(REQUESTS);
  expect(turns).toBeGreaterThan(REQUESTS);
});
