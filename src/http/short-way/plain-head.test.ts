// Property: a head is read only where there is one way to read it, and then as Node's parser reads it.
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, test } from "vitest";
import { plainHead } from "./plain-head.js";

const lines = (...headers: string[]): string =>
  ["POST /index/books/search HTTP/1.1", ...headers].join("\r\n");
const LENGTH = "content-length: 12";
const HOST = "Host: here:80";

test("what is read is what Node reads", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const text = lines(
    HOST,
    "Authorization:key, with=all;of it",
    LENGTH,
    "X-Sc-User-Id: a:b",
    "connection: Keep-Alive",
  );
  try {
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, "127.0.0.1");
    const read = new Promise<IncomingMessage>((resolve) => server.once("request", resolve));
    socket.write(`${text}\r\n\r\n123456789012`);
    const { url, headers } = await read;
    expect(plainHead(text)).toEqual({ url, headers, bodyLength: 12 });
    socket.destroy();
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test.each([
  ["no host", lines(LENGTH)],
  ["two hosts", lines(HOST, "host: there", LENGTH)],
  ["what is no host", lines("Host: here, there", LENGTH)],
  ["no length", lines(HOST)],
  ["no body", lines(HOST, "content-length: 0")],
  ["a length with a sign", lines(HOST, "content-length: +12")],
  ["a length with a zero ahead", lines(HOST, "content-length: 012")],
  ["two lengths in one", lines(HOST, "content-length: 12, 12")],
  ["a long body", lines(HOST, "content-length: 4097")],
  ["a length twice", lines(HOST, LENGTH, LENGTH)],
  ["any header twice", lines(HOST, LENGTH, "x-a: 1", "X-A: 2")],
  ["chunks", lines(HOST, LENGTH, "Transfer-Encoding: chunked")],
  ["an expectation", lines(HOST, LENGTH, "expect: 100-continue")],
  ["an upgrade", lines(HOST, LENGTH, "upgrade: h2c")],
  ["a compressed body", lines(HOST, LENGTH, "content-encoding: gzip")],
  ["a connection to be closed", lines(HOST, LENGTH, "connection: close")],
  ["a header of the connection's", lines(HOST, LENGTH, "connection: keep-alive, x-a")],
  ["a folded line", lines(HOST, LENGTH, "x-a: 1", " 2")],
  ["a space before the colon", lines(HOST, "content-length : 12")],
  ["a space behind the value", lines(HOST, "content-length: 12 ")],
  ["two spaces before the value", lines(HOST, "content-length:  12")],
  ["a tab", lines(HOST, LENGTH, "x-a:\t1")],
  ["nothing in a header", lines(HOST, LENGTH, "x-a: ")],
  ["a line feed alone", lines(HOST, `${LENGTH}\nx-a: 1`)],
  ["a carriage return alone", lines(HOST, LENGTH, "x-a: 1\r2")],
  ["a character that isn't ASCII", lines(HOST, LENGTH, "x-a: é")],
  ["an empty line", lines(HOST, "", LENGTH)],
  ["a name that isn't one", lines(HOST, LENGTH, "__proto__: 1")],
  ["another method", lines(HOST, LENGTH).replace("POST", "GET")],
  ["small letters", lines(HOST, LENGTH).replace("POST", "post")],
  ["an older version", lines(HOST, LENGTH).replace("1.1", "1.0")],
  ["a query", lines(HOST, LENGTH).replace("search", "search?a")],
  ["an escaped path", lines(HOST, LENGTH).replace("books", "b%6foks")],
  ["a whole address", lines(HOST, LENGTH).replace("/index", "http://here/index")],
  ["two spaces in the first line", lines(HOST, LENGTH).replace("POST ", "POST  ")],
  ["nothing", ""],
])("%s is left to Node", (_case, text) => {
  expect(plainHead(text)).toBeNull();
});
