/** The port's suite on a server that speaks S3, and what a store and a network may do wrong. */
import { once } from "node:events";
import { type ClientRequest, createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openObjectStore } from "../../../src/adapters/object-stores/open-object-store.js";
import type { ObjectStore } from "../../../src/ports/object-store.js";
import { MotoServer, pythonOrReason } from "./moto-server.js";
import { bytesOf, keysOf, objectStoreSuite } from "./object-store-suite.js";

const found = pythonOrReason();
const title = "python" in found ? "a bucket" : `skipped, as there is no S3 server: ${found.reason}`;

type Fate = "pass" | "503" | "reset" | "reset after" | "half a body" | "half an upload";

describe.skipIf(!("python" in found))(title, () => {
  let moto: MotoServer;
  let proxy: Server;
  let plan: (method: string, url: string) => Fate = () => "pass";
  let buckets = 0;
  let puts: Promise<unknown> = Promise.resolve();

  beforeAll(async () => {
    if ("python" in found) moto = await MotoServer.start(found.python);
    proxy = createServer((incoming, answer) => {
      const chunks: Buffer[] = [];
      const fate = plan(incoming.method!, incoming.url!);
      incoming.on("error", () => undefined);
      incoming.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        if (fate === "half an upload") incoming.socket.destroy();
      });
      incoming.on("end", () => {
        if (fate === "reset") return void incoming.socket.destroy();
        if (fate === "503") return void answer.writeHead(503).end("<Error><Code>SlowDown</Code></Error>");
        const { connection: _, ...headers } = incoming.headers;
        const body = Buffer.concat(chunks);
        if (incoming.method !== "PUT") return void forward();
        // A store looks for the object and puts it in one; moto's threads do it one after the other.
        puts = puts.then(() => once(forward(), "close")).catch(() => undefined);
        function forward(): ClientRequest {
          const onwards = request(
            moto.origin + incoming.url!,
            { method: incoming.method!, headers },
            (reply) => {
              const parts: Buffer[] = [];
              reply.on("data", (part: Buffer) => parts.push(part));
              reply.on("end", () => {
                if (fate === "reset after") return void incoming.socket.destroy();
                const told = Buffer.concat(parts);
                const sent =
                  incoming.method === "HEAD"
                    ? reply.headers
                    : { ...reply.headers, "content-length": told.length };
                answer.writeHead(reply.statusCode!, sent);
                if (fate !== "half a body") return void answer.end(told);
                answer.write(told.subarray(0, told.length >> 1), () => incoming.socket.destroy());
              });
            },
          );
          onwards.on("error", () => incoming.socket.destroy());
          onwards.end(body);
          return onwards;
        }
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  }, 120_000);
  afterAll(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await moto?.stop();
  });
  afterEach(() => {
    plan = () => "pass";
  });

  async function open(prefix = "/some/prefix"): Promise<ObjectStore> {
    const bucket = `bucket-${++buckets}`;
    const origin = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const created = await fetch(`${origin}/${bucket}`, { method: "PUT" });
    expect(created.status).toBe(200);
    return openObjectStore(`s3://${bucket}${prefix}`, {
      AWS_ENDPOINT_URL_S3: origin,
      AWS_ACCESS_KEY_ID: "testing",
      AWS_SECRET_ACCESS_KEY: "testing-secret",
    });
  }

  objectStoreSuite(() => open(), 1_050);

  test("keys without a prefix are as good", async () => {
    const store = await open("");
    await store.put("a/b", new Uint8Array(5));
    expect(await keysOf(store, "a/")).toEqual(["a/b"]);
  });

  test.each(["503", "reset", "reset after", "half an upload"] as const)(
    "what fails with '%s' once is done all the same",
    async (fate) => {
      const store = await open();
      const content = new Uint8Array(200_000).fill(7);
      const failed = new Set<string>();
      plan = (method, url) => {
        const request = `${method} ${url}`;
        if (failed.has(request)) return "pass";
        failed.add(request);
        return fate;
      };
      expect(await store.put("a/b", content)).toBe(true);
      expect(await bytesOf(store, "a/b")).toEqual(content);
      expect((await store.head("a/b"))!.bytes).toBe(content.length);
      expect(await keysOf(store, "a")).toEqual(["a/b"]);
      await store.delete("a/b");
      plan = () => "pass";
      expect(await store.head("a/b")).toBeNull();
      expect(failed.size).toBeGreaterThan(4);
    },
  );

  test("a body that ends early is an error, never a shorter object", async () => {
    const store = await open();
    await store.put("a", new Uint8Array(100_000));
    plan = (method) => (method === "GET" ? "half a body" : "pass");
    await expect(bytesOf(store, "a")).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  test("a bucket that isn't there is told apart from an object that isn't, without credentials", async () => {
    const { port } = proxy.address() as AddressInfo;
    const store = await openObjectStore("s3://no-such-bucket/x", {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: "testing",
      AWS_SECRET_ACCESS_KEY: "testing-secret",
    });
    for (const fail of [() => store.put("a", new Uint8Array(1)), () => keysOf(store, "")]) {
      const error = await fail().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "storage_unavailable" });
      expect(JSON.stringify(error) + String(error)).not.toContain("testing-secret");
    }
  });
});
