/** The event store on DuckDB, and what can befall its file. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BASE_TIME } from "./arbitrary-events.js";
import { eventStoreSuite } from "./event-store-suite.js";
import { openTestEventStore } from "./open-test-event-store.js";
import { searchOf } from "./search-event.js";

eventStoreSuite("DuckDB", (folder) => openTestEventStore(folder));

describe("DuckDB's file", () => {
  const everything = { from: 0, to: 4e12 };
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "findling-events-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test("if it is damaged, questions say so, and events wait until it is whole again", async () => {
    const before = await openTestEventStore(folder);
    await before.record([searchOf("u1", "a", BASE_TIME)]);
    await before.close();
    const file = join(folder, "events.duckdb");
    const bytes = readFileSync(file);
    writeFileSync(file, Buffer.alloc(bytes.length, 7));

    const store = await openTestEventStore(folder);
    await store.record([searchOf("u1", "b", BASE_TIME + 1)]);
    await expect(store.totals(everything)).rejects.toMatchObject({ code: "storage_corrupt" });
    await expect(store.flush()).rejects.toMatchObject({ code: "storage_corrupt" });
    expect(store.status()).toMatchObject({ isAvailable: false, waitingEvents: 1 });

    writeFileSync(file, bytes);
    await store.flush();
    expect((await store.totals(everything)).events).toBe(2);
    expect(store.status()).toMatchObject({ isAvailable: true, waitingEvents: 0 });
    await store.close();
  });

  test("is refused if a newer Findling has written it", async () => {
    const before = await openTestEventStore(folder);
    await before.record([searchOf("u1", "a", BASE_TIME)]);
    await before.close();
    const instance = await DuckDBInstance.create(join(folder, "events.duckdb"));
    const connection = await instance.connect();
    await connection.run("INSERT INTO findling_schema VALUES (999, 0)");
    connection.closeSync();
    instance.closeSync();

    const store = await openTestEventStore(folder);
    await expect(store.totals(everything)).rejects.toThrow(/schema version 999.*use a newer/);
    await store.close();
  });

  test("is not made before there is something to keep or to ask", async () => {
    mkdirSync(join(folder, "idle"));
    const store = await openTestEventStore(join(folder, "idle"));
    await store.flush();
    await store.close();
    expect(() => readFileSync(join(folder, "idle", "events.duckdb"))).toThrow(/ENOENT/);
  });
});
