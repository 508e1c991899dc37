/** The event store on ClickHouse's own engine; what differs from a real server is named in `chdb/chdb-bridge.ts`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { ChdbServer, findChdb } from "./chdb/chdb-server.js";
import { eventStoreSuite } from "./event-store-suite.js";
import { openTestEventStore } from "./open-test-event-store.js";

const chdb = findChdb();
const title = "folder" in chdb ? "on chDB" : `skipped, as there is no chDB: ${chdb.reason}`;

describe.skipIf(!("folder" in chdb))(title, () => {
  const folder = mkdtempSync(join(tmpdir(), "findling-events-"));
  let server: ChdbServer;

  beforeAll(async () => {
    if ("folder" in chdb) server = await ChdbServer.start(chdb.folder, join(folder, "chdb"));
  });
  afterAll(async () => {
    await server?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  eventStoreSuite("ClickHouse", () => openTestEventStore(join(folder, "measure"), { url: server.url }));
});
