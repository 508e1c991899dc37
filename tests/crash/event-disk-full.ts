/**
 * A process whose files can't grow for a while, as on a full disk: `event-disk-full.ts <folder>`. It
 * prints how many events it had acknowledged and how many are in the store at the end, as JSON.
 * What stands for the full disk is the system's limit of a file's size, so `prlimit` must be there.
 */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { DuckDbDatabase } from "../../src/adapters/events/duckdb/duckdb-database.js";
import { toRow } from "../../src/adapters/events/event-row.js";
import { BASE_TIME } from "../ports/arbitrary-events.js";
import { openTestEventStore } from "../ports/open-test-event-store.js";
import { searchOf } from "../ports/search-event.js";

const EVERYTHING = { from: 0, to: 4e12 };

function limitFiles(bytes: string): void {
  execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${bytes}:unlimited`]);
}

// The signal that comes with a refused write would end the process.
process.on("SIGXFSZ", () => {});
const folder = process.argv[2]!;
const store = await openTestEventStore(folder);
let acknowledged = 0;
const codes = new Set<unknown>();

async function recordAndFlush(): Promise<void> {
  const events = Array.from({ length: 500 }, (_, i) =>
    searchOf(`u${i}`, `term ${Math.random()}`, BASE_TIME + i),
  );
  try {
    await store.record(events);
    acknowledged += events.length;
    await store.flush();
    await store.totals(EVERYTHING);
  } catch (error) {
    codes.add((error as { code?: unknown }).code);
  }
}

for (let round = 0; round < 10; round++) await recordAndFlush();
limitFiles("600000");
for (let round = 0; round < 10; round++) await recordAndFlush();
const wasAvailable = store.status().isAvailable;
limitFiles("unlimited");
// The database may have to be opened again first.
for (let round = 0; round < 3; round++) await recordAndFlush();
await store.flush();
const { events } = await store.totals(EVERYTHING);
await store.close();

// DuckDB gives up on a database whose file it could not rewrite, until that is opened again.
const database = new DuckDbDatabase({ path: join(folder, "events.duckdb"), memoryMb: 128, threads: 1 });
const select = async (sql: string): Promise<unknown> =>
  database.select({ sql, parameters: {} }).catch((error: { cause?: Error }) => String(error.cause));
await database.insert({
  id: randomUUID(),
  rows: [Buffer.from(toRow(searchOf("u1", "a", BASE_TIME)))],
  isUncertain: false,
});
limitFiles("100");
const refusal = await select("FORCE CHECKPOINT");
const afterwards = await select("SELECT 1");
limitFiles("unlimited");
await select("SELECT 1");
const reopened = await select("SELECT count(*) FROM findling_events");
await database.close();

process.stdout.write(
  JSON.stringify({ acknowledged, events, wasAvailable, codes: [...codes], refusal, afterwards, reopened }),
);
