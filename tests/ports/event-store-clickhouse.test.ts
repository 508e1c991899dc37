/** The event store on ClickHouse's own engine; what differs from a real server is named in `chdb/chdb-bridge.ts`. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { createClient } from "@clickhouse/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ClickHouseDatabase } from "../../src/adapters/events/clickhouse/clickhouse-database.js";
import { toRow } from "../../src/adapters/events/event-row.js";
import type { Logger } from "../../src/ports/logger.js";
import { BASE_TIME } from "./arbitrary-events.js";
import { ChdbServer, findChdb } from "./chdb/chdb-server.js";
import { eventStoreSuite } from "./event-store-suite.js";
import { openTestEventStore } from "./open-test-event-store.js";
import { searchOf } from "./search-event.js";

const chdb = findChdb();
const title = "folder" in chdb ? "on chDB" : `skipped, as there is no chDB: ${chdb.reason}`;

describe.skipIf(!("folder" in chdb))(title, () => {
  const folder = mkdtempSync(join(tmpdir(), "findling-events-"));
  const everything = { from: 0, to: 4e12 };
  let server: ChdbServer;

  const startServer = async (port = 0): Promise<ChdbServer> =>
    ChdbServer.start("folder" in chdb ? chdb.folder : "", join(folder, "chdb"), port);

  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    await server?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  eventStoreSuite("ClickHouse", (storeFolder) => openTestEventStore(storeFolder, { url: server.url }));

  describe("a batch", () => {
    let database: ClickHouseDatabase;

    beforeAll(() => {
      database = new ClickHouseDatabase({ url: server.url });
    });
    beforeEach(async () => {
      await database.deleteWhere({ sql: "1 = 1", parameters: {} });
    });
    afterAll(() => database.close());

    async function count(): Promise<number> {
      const [row] = await database.select({ sql: "SELECT count(*) FROM findling_events", parameters: {} });
      return Number(row![0]);
    }

    function insert(id: string, isUncertain: boolean): Promise<void> {
      // In a month of its own each, as a batch must be one part whatever times it spans.
      const rows = [0, 40, 400].map((days) =>
        Buffer.from(toRow(searchOf("u1", "a", BASE_TIME + days * 86_400_000))),
      );
      return database.insert({ id, rows, isUncertain });
    }

    async function keepTokens(window: number): Promise<void> {
      const client = createClient({
        url: `http://127.0.0.1:${server.port}`,
        username: "findling",
        password: "secret",
        database: "findling",
      });
      await client.command({
        query: `ALTER TABLE findling_events MODIFY SETTING non_replicated_deduplication_window = ${window}`,
      });
      await client.close();
    }

    test("whose earlier attempt comes in after the table was asked goes in once, by its token", async () => {
      const id = randomUUID();
      await insert(id, false);
      await insert(id, false);
      expect(await count()).toBe(3);
    });

    test("whose token the server has long forgotten goes in once, as the table is asked", async () => {
      await keepTokens(1);
      try {
        const [first, ...others] = Array.from({ length: 4 }, () => randomUUID());
        await insert(first!, false);
        for (const id of others) await insert(id, false);
        await insert(first!, true);
        expect(await count()).toBe(12);
        // The question isn't what keeps the first attempt from going in.
        await insert(randomUUID(), true);
        expect(await count()).toBe(15);
      } finally {
        await keepTokens(1000);
      }
    });
  });

  test("while it is away, events wait and questions are refused; then they go in once", async () => {
    const store = await openTestEventStore(join(folder, "away"), { url: server.url });
    await store.deleteBefore(4e12);
    await store.record([searchOf("u1", "a", BASE_TIME)]);
    await store.flush();
    const { port } = server;
    await server.kill();
    await store.record([searchOf("u1", "b", BASE_TIME + 1)]);
    await expect(store.totals(everything)).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(store.deleteUser("u1")).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(store.status()).toMatchObject({ isAvailable: false, waitingEvents: 1 });
    server = await startServer(port);
    await store.flush();
    expect((await store.totals(everything)).events).toBe(2);
    expect(store.status()).toMatchObject({ isAvailable: true, waitingEvents: 0 });
    await store.close();
  });

  test("a wrong password is said, and neither it nor the URL is in any error or log line", async () => {
    const lines: string[] = [];
    const keep = (...what: unknown[]): void => void lines.push(inspect(what, { depth: 9 }));
    const logger: Logger = { info: keep, warn: keep, error: keep };
    const url = server.url.replace("secret", "hush-hush");
    const store = await openTestEventStore(join(folder, "wrong"), { url, logger });
    await store.record([searchOf("u1", "a", BASE_TIME)]);
    await store.flush().catch(keep);
    await store.totals(everything).catch(keep);
    await store.close();
    expect(lines.join()).toMatch(/516.*[Aa]uthentication/);
    expect(lines.join()).not.toContain("hush");
    expect(lines.length).toBeGreaterThan(2);
  });
});

test.each(["ftp://h:1/d", "http://h:8123/d/e", "http://u:hush@h:8123/da-ta", "not a url at all"])(
  "the URL %s is refused without being repeated",
  (url) => {
    const attempt = (): unknown => new ClickHouseDatabase({ url });
    expect(attempt).toThrow(/must be of the form http:/);
    expect(attempt).not.toThrow(new RegExp(url.slice(7, 12)));
  },
);
