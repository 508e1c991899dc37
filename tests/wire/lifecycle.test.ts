// Starting and stopping: what a start refuses, what a stop finishes (contract 1.6: 503 while shutting down).
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ADMIN, WireServer } from "./wire-server.js";

describe("starting", () => {
  test("tells where it listens", async () => {
    const server = await WireServer.start();
    try {
      const { address, url } = server.running;
      expect(url).toBe(`http://127.0.0.1:${address.port}`);
      expect((await fetch(`${url}/healthcheck`)).status).toBe(200);
    } finally {
      await server.stopAndRemove();
    }
  });

  test("refuses a port in use in one sentence, and leaves the folder free and without keys", async () => {
    const folder = mkdtempSync(join(tmpdir(), "findling-wire-"));
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as AddressInfo;
    const keyless = { adminKey: undefined, ingestKey: undefined, readKey: undefined };
    const start = WireServer.start({ ...keyless, port }, { folder });
    await expect(start).rejects.toMatchObject({
      code: "invalid_configuration",
      message: expect.stringContaining(`port ${port}`),
    });
    await new Promise((resolve) => other.close(resolve));
    const second = await WireServer.start(keyless, { folder });
    expect(second.running.createdKeys).toHaveLength(3);
    await second.stopAndRemove();
  });

  test("refuses a folder that another server holds, and the other goes on", async () => {
    const server = await WireServer.start();
    try {
      await expect(WireServer.start({}, { folder: server.folder })).rejects.toMatchObject({
        code: "storage_locked",
      });
      expect((await server.send("GET", "/healthcheck")).status).toBe(200);
    } finally {
      await server.stopAndRemove();
    }
  });

  test("refuses to start where the catalog is lost, rather than clear its data away", async () => {
    const server = await WireServer.start();
    await server.createIndex("books");
    await server.addCommitted("books", [{ id: "1" }]);
    await server.stop();
    rmSync(join(server.folder, "catalog"), { recursive: true });
    const start = WireServer.start({}, { folder: server.folder });
    await expect(start).rejects.toMatchObject({
      code: "storage_corrupt",
      file: join(server.folder, "catalog"),
    });
    // Twice: the refusal itself must not leave an empty catalog behind.
    await expect(WireServer.start({}, { folder: server.folder })).rejects.toMatchObject({
      code: "storage_corrupt",
    });
    rmSync(server.folder, { recursive: true });
  });
});

describe("stopping", () => {
  test("finishes the running request, refuses new ones with 503 and Retry-After, and loses nothing", async () => {
    const server = await WireServer.start();
    await server.createIndex("books");
    const body = JSON.stringify([{ id: "slow" }]);
    const slow = new SlowRequest(server.running.address.port, "/index/books/documents", body);
    await slow.sendHalf();
    // A connection that is open already, as a client's pool has them.
    const idle = await openConnection(server.running.address.port);

    const stopped = server.running.stop();
    const refused = await answerOn(idle, "GET /healthcheck HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused.toLowerCase()).toMatch(/\r\nretry-after: [1-9]/);
    expect(refused.toLowerCase()).toContain("\r\nconnection: close");
    expect(refused).toContain('"code":"shutting_down"');

    expect(await slow.finish()).toMatch(/^HTTP\/1\.1 200 /);
    await stopped;

    const again = await WireServer.start({}, { folder: server.folder });
    await again.post("/index/books/commit");
    expect(await again.idsOf("books", "*")).toEqual(["slow"]);
    await again.stopAndRemove();
  });

  test("cuts off what does not finish in time", async () => {
    const server = await WireServer.start({ stopTimeoutSeconds: 0.05 });
    await server.createIndex("books");
    const slow = new SlowRequest(server.running.address.port, "/index/books/documents", '[{"id":"1"}]');
    await slow.sendHalf();
    await server.running.stop();
    expect(await slow.answer()).toBe("");
    expect(server.logLines.join("")).toContain("requests still running are cut off");
    await server.stopAndRemove();
  });

  test("with nothing running takes no time-out, whatever connections are open", async () => {
    const server = await WireServer.start({ stopTimeoutSeconds: 600 });
    await server.send("GET", "/healthcheck");
    const idle = await openConnection(server.running.address.port);
    const closed = new Promise((resolve) => idle.on("close", resolve));
    await server.running.stop();
    await closed;
    await server.stopAndRemove();
  });

  test("can be asked for twice", async () => {
    const server = await WireServer.start();
    await Promise.all([server.running.stop(), server.running.stop()]);
    await server.stopAndRemove();
  });

  test("cancels a scheduled automatic commit, which the next start takes up", async () => {
    const server = await WireServer.start();
    await server.createIndex("books", { auto_commit_delay: 1.2 });
    await server.post("/index/books/documents", { id: "1" });
    await server.stop();
    const before = performance.now();
    const again = await WireServer.start({}, { folder: server.folder });
    const early = await again.idsOf("books", "*");
    // On a busy machine the time may be up by then.
    if (performance.now() - before < 1200) expect(early).toEqual([]);
    await expect.poll(() => again.idsOf("books", "*"), { interval: 50 }).toEqual(["1"]);
    await again.stopAndRemove();
  });
});

/** A POST whose body stops half-way until it is told to go on. */
class SlowRequest {
  readonly #socket: Socket;
  readonly #path: string;
  readonly #body: string;
  #text = "";

  constructor(port: number, path: string, body: string) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.setEncoding("utf8").on("data", (chunk: string) => (this.#text += chunk));
    this.#socket.on("error", () => {});
    this.#path = path;
    this.#body = body;
  }

  /** Resolves once the server has surely seen the head: it answers `100 Continue`. */
  async sendHalf(): Promise<void> {
    const head = [
      `POST ${this.#path} HTTP/1.1`,
      "Host: x",
      `Authorization: ${ADMIN}`,
      `Content-Length: ${this.#body.length}`,
      "Expect: 100-continue",
    ];
    this.#socket.write(`${head.join("\r\n")}\r\n\r\n${this.#body.slice(0, 5)}`);
    await expect.poll(() => this.#text, { interval: 5 }).toContain("100 Continue");
    this.#text = "";
  }

  async finish(): Promise<string> {
    this.#socket.write(this.#body.slice(5));
    return this.answer();
  }

  async answer(): Promise<string> {
    if (!this.#socket.closed) await new Promise((resolve) => this.#socket.once("close", resolve));
    return this.#text;
  }
}

async function openConnection(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  await answerOn(socket, "GET /healthcheck HTTP/1.1\r\nHost: x\r\n\r\n");
  return socket;
}

/** Sends a request and resolves with the answer once its JSON is complete. */
function answerOn(socket: Socket, request: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const onData = (chunk: Buffer): void => {
      text += chunk.toString("utf8");
      if (!text.endsWith("}")) return;
      socket.off("data", onData);
      resolve(text);
    };
    socket.on("data", onData);
    socket.write(request);
  });
}
