/** `npm run bench -- ingest`: whether the memory budget holds through a load ten times as long. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { debianCorpus } from "../corpus.js";
import { Part } from "../summaries/part.js";
import { ServerUnderTest } from "../summaries/server-under-test.js";
import { megabytes, row, TABLE_HEAD } from "./figure-rows.js";
import type { LoadCommand, LoadResult } from "./load-process.js";
import { createIndex, packagesFrom } from "./packages-index.js";
import { WatchedIndex } from "./watched-index.js";

export interface IngestOptions {
  /** MiB. */
  readonly budget: number;
  /** Length of the load's JSON, in budgets. */
  readonly budgets: number;
  readonly commitEvery: number;
  readonly dist: string;
}

const GOAL = 1.15;

/** Documents of one request, and of the load that starts a server's threads and has their code compiled. */
const BATCH = 1000;
const FEW_DOCUMENTS = 4 * BATCH;

/** Nothing runs beside the load. At rest the same server has opened the same index and taken a few documents. */
export async function benchmarkIngest(options: IngestOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "findling-ingest-"));
  const load = new Part<LoadCommand>("../writing/load-process.ts");
  const start = (): Promise<ServerUnderTest> =>
    ServerUnderTest.start({
      dist: resolve(options.dist),
      dataFolder: folder,
      profile: undefined,
      environment: { FINDLING_MEMORY_BUDGET_MB: String(options.budget) },
    });
  const budgetBytes = options.budget * 2 ** 20;
  const documents = documentsOf(options.budgets * budgetBytes);
  const lines = [`\n${documents} documents, budget ${megabytes(budgetBytes)}\n`, ...TABLE_HEAD];
  let server = await start();
  const watched = new WatchedIndex(server.pid, folder);
  try {
    await createIndex(server);
    const before = watched.look();
    const { commitEvery } = options;
    const run = (from: number, to: number): Promise<LoadResult> =>
      load.ask<LoadResult>(packagesFrom(server, from, to, { batch: BATCH, connections: 4, commitEvery }));
    const { bytes, refused, progress } = await run(0, documents);
    const { seconds } = progress.at(-1)!;
    const peak = watched.peakResidentBytes;
    await watched.untilMerged();
    const peakMerged = watched.peakResidentBytes;
    watched.stop();
    lines.push(
      row("JSON sent", `${megabytes(bytes)}, ${(bytes / budgetBytes).toFixed(1)} budgets`),
      row("documents a second", (documents / seconds).toFixed(0)),
      row("refused for want of memory (429)", String(refused)),
      row(
        "resident before, peak through the load, until merged",
        [before.residentBytes, peak, peakMerged].map(megabytes).join(", "),
      ),
    );
    await server.stop();
    server = await start();
    await run(0, FEW_DOCUMENTS);
    const resting = new WatchedIndex(server.pid, folder);
    await resting.untilMerged();
    resting.stop();
    const rest = Math.min(...resting.looks.map(({ residentBytes }) => residentBytes));
    lines.push(
      row(
        `peak beyond the same server at rest (${megabytes(rest)}); goal ${megabytes(GOAL * budgetBytes)}`,
        [peak, peakMerged].map((bytes) => beyond(bytes - rest, budgetBytes)).join("; until merged "),
      ),
    );
  } finally {
    watched.stop();
    await server.stop();
    await load.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write(`${lines.join("\n")}\n`);
}

const beyond = (bytes: number, budgetBytes: number): string =>
  `${megabytes(bytes)}, ${(bytes / budgetBytes).toFixed(2)} budgets`;

/** How many of Debian's packages, over and over, are so many bytes of JSON. */
function documentsOf(bytes: number): number {
  const corpus = gunzipSync(readFileSync(debianCorpus().file)).toString();
  const count = corpus.split("\n").filter((line) => line !== "").length;
  return Math.ceil((bytes * count) / Buffer.byteLength(corpus));
}
