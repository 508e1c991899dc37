// Bodies that are compressed, end too early or go wrong on the way: refused or dropped, and nothing of them is added.
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { ADMIN, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());
beforeEach(async () => {
  await server.delete("/index/books");
  await server.createIndex("books");
  await server.addCommitted("books", [{ id: "kept", title: "kept" }]);
});

const json = { "content-type": "application/json" };

async function expectUnchanged(): Promise<void> {
  expect((await server.post("/index/books/commit")).status).toBe(200);
  expect(await server.idsOf("books", "*")).toEqual(["kept"]);
  expect(server.logLines.filter((line) => line.includes("request failed"))).toEqual([]);
}

describe("compressed bodies", () => {
  const whole = gzipSync('{"id":"1"}');
  test.each<[string, string, Uint8Array]>([
    ["deflate", "deflate", whole],
    ["an encoding nobody knows", "zip", whole],
    ["two of them", "gzip, gzip", whole],
  ])("%s: 415 that says so", async (_case, encoding, body) => {
    const headers = { ...json, "content-encoding": encoding };
    const answer = await server.send("POST", "/index/books/documents", { key: ADMIN, body, headers });
    expectError(answer, 415, "unsupported_media_type");
    expect(answer.json.message).toContain("Content-Encoding");
    await expectUnchanged();
  });

  test("identity is no encoding", async () => {
    const headers = { ...json, "content-encoding": "identity" };
    const answer = await server.send("POST", "/index/books/documents", {
      key: ADMIN,
      body: '{"id":"1"}',
      headers,
    });
    expect(answer.status).toBe(200);
  });
});

describe("bodies that end too early or go wrong on the way", () => {
  const head = (...lines: string[]): string =>
    ["POST /index/books/documents HTTP/1.1", "Host: x", `Authorization: ${ADMIN}`, ...lines, "", ""].join(
      "\r\n",
    );

  test.each<[string, string]>([
    ["chunked, cut inside of a chunk", `${head("Transfer-Encoding: chunked")}20\r\n[{"id":"cut"`],
    ["chunked, cut between chunks", `${head("Transfer-Encoding: chunked")}e\r\n[{"id":"cut"}]\r\n`],
    [
      "chunked, cut before the last line",
      `${head("Transfer-Encoding: chunked")}e\r\n[{"id":"cut"}]\r\n0\r\n`,
    ],
    ["a length that is not reached", `${head("Content-Length: 500")}[{"id":"cut"}]`],
  ])("%s: nothing is added", async (_case, bytes) => {
    const { socket, text } = await open(bytes);
    await seen();
    socket.destroy();
    await seen();
    expect(await text).not.toContain('"success":true');
    await expectUnchanged();
  });

  test.each<[string, string]>([
    ["a chunk size that is no number", `${head("Transfer-Encoding: chunked")}zz\r\n[]\r\n0\r\n\r\n`],
    ["a chunk longer than it says", `${head("Transfer-Encoding: chunked")}2\r\n[{"id":"cut"}]\r\n0\r\n\r\n`],
    ["a chunk size beyond all bounds", `${head("Transfer-Encoding: chunked")}ffffffffffffffffff\r\n[`],
    ["a length and chunks", `${head("Content-Length: 3", "Transfer-Encoding: chunked")}2\r\n[]\r\n0\r\n\r\n`],
    ["two lengths", `${head("Content-Length: 2", "Content-Length: 3")}[]`],
    ["an unknown transfer encoding", `${head("Transfer-Encoding: gzip")}[]`],
  ])("%s: 400 and the connection ends", async (_case, bytes) => {
    const { text } = await open(bytes);
    expect(await text).toMatch(/^(HTTP\/1\.1 400 |$)/);
    await expectUnchanged();
  });

  /** Time enough for the server to take in what has been sent: it answers another request after it. */
  async function seen(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) await server.send("GET", "/healthcheck");
  }

  async function open(bytes: string): Promise<{ socket: Socket; text: Promise<string> }> {
    const socket = connect(server.running.address.port, "127.0.0.1");
    socket.setEncoding("utf8").on("error", () => {});
    let received = "";
    socket.on("data", (chunk: string) => (received += chunk));
    const text = new Promise<string>((resolve) => socket.on("close", () => resolve(received)));
    await new Promise((resolve) => socket.write(bytes, resolve));
    return { socket, text };
  }
});
