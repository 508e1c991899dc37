import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Cluster } from "./cluster.js";

/** What takes requests and never answers. */
let silent: Server;
let cluster: Cluster;

beforeEach(async () => {
  silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  cluster = new Cluster({ urls: [`http://127.0.0.1:${port}`], requestTimeoutMs: 3_600_000 });
});
afterEach(async () => {
  await cluster.close();
  silent.closeAllConnections();
  await new Promise((resolve) => silent.close(resolve));
});

test("a process that ends gives up what is under way and what it asks afterwards", async () => {
  const underWay = cluster.request("GET", "/");
  const refused = expect(underWay).rejects.toMatchObject({ code: "storage_unavailable" });
  await once(silent, "request");
  cluster.endWithin(20);
  await refused;
  await expect(cluster.request("GET", "/", { timeoutMs: 3_600_000 })).rejects.toMatchObject({
    code: "storage_unavailable",
  });
});
