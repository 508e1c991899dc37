/**
 * Properties: whatever moment a process dies at, every event that it acknowledged is in the store
 * afterwards, and none is there twice; the same when ClickHouse dies, or is away for a while.
 * Method: a real process records and flushes, and is killed with SIGKILL at a random moment; the next
 * one goes on in the same folder. `FINDLING_TEST_EVENT_CRASHES=200` runs longer.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventStore } from "../../src/ports/event-store.js";
import { ChdbServer, findChdb } from "../ports/chdb/chdb-server.js";
import { openTestEventStore } from "../ports/open-test-event-store.js";

const CRASHES = Number(process.env["FINDLING_TEST_EVENT_CRASHES"] ?? 6);
const RECORDER = fileURLToPath(new URL("event-recorder.ts", import.meta.url));
const TIMEOUT_MS = 300_000 + CRASHES * 10_000;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "findling-event-crash-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A process that records, and what it has acknowledged so far. */
class Recorder {
  readonly acknowledged: string[] = [];
  readonly #process: ChildProcess;

  private constructor(process_: ChildProcess) {
    this.#process = process_;
  }

  static async start(storeFolder: string, prefix: string, url = ""): Promise<Recorder> {
    const process_ = spawn(process.execPath, ["--import", "tsx", RECORDER, storeFolder, prefix, url], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const recorder = new Recorder(process_);
    const lines = createInterface(process_.stdout);
    const [first] = (await Promise.race([once(lines, "line"), once(process_, "exit")])) as [unknown];
    expect(first).toBe("ready");
    lines.on("line", (line) => recorder.acknowledged.push(...line.split(" ")));
    return recorder;
  }

  async untilAcknowledged(count: number): Promise<void> {
    const deadline = performance.now() + 100_000;
    while (this.acknowledged.length < count) {
      if (performance.now() > deadline) throw new Error("nothing is acknowledged any more");
      await pause(20);
    }
  }

  async kill(): Promise<void> {
    const ended = Promise.all([once(this.#process, "exit"), once(this.#process.stdout!, "close")]);
    this.#process.kill("SIGKILL");
    await ended;
  }
}

async function storedIds(store: EventStore): Promise<readonly string[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.export({ from: 0, to: 4e12 }, "ndjson")) chunks.push(chunk);
  const lines = Buffer.concat(chunks).toString().split("\n").slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as { eventId: string }).eventId);
}

/** A store that has only just come back may refuse for a moment; events wait meanwhile, and are tried again. */
async function flushed(store: EventStore): Promise<void> {
  const deadline = performance.now() + 100_000;
  for (;;) {
    try {
      return await store.flush();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(250);
    }
  }
}

/** Every event that was acknowledged is there, and none is there twice. */
async function judge(storeFolder: string, acknowledged: readonly string[], url?: string): Promise<void> {
  const store = await openTestEventStore(storeFolder, { url });
  try {
    await flushed(store);
    const ids = await storedIds(store);
    const distinct = new Set(ids);
    expect(
      acknowledged.filter((id) => !distinct.has(id)),
      "lost",
    ).toEqual([]);
    expect(ids.length - distinct.size, "counted twice").toBe(0);
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(store.status()).toMatchObject({ waitingEvents: 0, waitingBytes: 0, damagedFiles: [] });
    expect(readdirSync(join(storeFolder, "waiting"))).toEqual([]);
  } finally {
    await store.close();
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test(
  `DuckDB: nothing is lost or doubled by ${CRASHES} kills`,
  async () => {
    const storeFolder = join(folder, "duckdb");
    const acknowledged: string[] = [];
    for (let crash = 0; crash < CRASHES; crash++) {
      const recorder = await Recorder.start(storeFolder, `r${crash}`);
      const isJudged = crash % 3 === 2;
      // Else there might be nothing to lose yet.
      if (isJudged) await recorder.untilAcknowledged(1);
      await pause(Math.random() * 1500);
      await recorder.kill();
      acknowledged.push(...recorder.acknowledged);
      if (isJudged) await judge(storeFolder, acknowledged);
    }
    await judge(storeFolder, acknowledged);
  },
  TIMEOUT_MS,
);

const chdb = findChdb();
const title = "folder" in chdb ? "ClickHouse" : `ClickHouse: skipped, as there is no chDB: ${chdb.reason}`;

describe.skipIf(!("folder" in chdb))(title, () => {
  let server: ChdbServer;

  const start = async (port = 0): Promise<ChdbServer> =>
    ChdbServer.start("folder" in chdb ? chdb.folder : "", join(folder, "chdb"), port);

  afterAll(() => server?.kill());

  test(
    `nothing is lost or doubled by ${CRASHES} kills of the server or of ClickHouse, or while it is away`,
    async () => {
      server = await start();
      const { port, url } = server;
      const storeFolder = join(folder, "clickhouse");
      const acknowledged: string[] = [];
      for (let crash = 0; crash < CRASHES; crash++) {
        const recorder = await Recorder.start(storeFolder, `r${crash}`, url);
        await pause(300 + Math.random() * 1200);
        if (crash % 3 !== 0) {
          await server.kill();
          // Recording goes on while ClickHouse is away.
          await recorder.untilAcknowledged(recorder.acknowledged.length + 1);
          server = await start(port);
          await pause(Math.random() * 1500);
        }
        await recorder.kill();
        acknowledged.push(...recorder.acknowledged);
      }
      await judge(storeFolder, acknowledged, url);
    },
    TIMEOUT_MS,
  );
});
