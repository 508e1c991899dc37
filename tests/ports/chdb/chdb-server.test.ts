import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ChdbServer, findChdb } from "./chdb-server.js";

const chdb = findChdb();
const title = "folder" in chdb ? "ClickHouse's bridge" : `skipped, as there is no chDB: ${chdb.reason}`;

describe.skipIf(!("folder" in chdb))(title, () => {
  let folder: string;
  let server: ChdbServer;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "findling-chdb-"));
    server = await ChdbServer.start("folder" in chdb ? chdb.folder : "", folder);
  });

  afterAll(async () => {
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  test("outlives a client that is killed in the middle of a body", async () => {
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    socket.write("POST /?query=SELECT HTTP/1.1\r\nHost: bridge\r\nContent-Length: 1000\r\n\r\nhalf");
    // An answer to another request says that the bridge has read what was sent before.
    expect((await fetch(`http://127.0.0.1:${server.port}/ping`)).status).toBe(200);
    socket.resetAndDestroy();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await fetch(`http://127.0.0.1:${server.port}/ping`)).status).toBe(200);
  });
});
