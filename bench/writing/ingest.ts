/** `npm run bench -- ingest`: whether the memory budget holds through a load ten times as long. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { debianCorpus } from "../corpus.js";
import { Part } from "../summaries/part.js";
import { KEY, ServerUnderTest } from "../summaries/server-under-test.js";
import { megabytes, row, TABLE_HEAD } from "./figure-rows.js";
import type { LoadCommand, LoadResult } from "./load-process.js";
import { commitOneByOne } from "./one-document-commits.js";
import { createIndex, INDEX } from "./packages-index.js";
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

/** Nothing runs beside the load; at rest the same index has been opened and searched, and nothing else done. */
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
    const { bytes, refused, progress } = await load.ask<LoadResult>({
      url: `${server.url}/index/${INDEX}`,
      key: KEY,
      corpus: debianCorpus().file,
      from: 0,
      to: documents,
      batch: 1000,
      connections: 4,
      commitEvery: options.commitEvery,
    });
    const { seconds } = progress.at(-1)!;
    await watched.untilMerged();
    const peak = watched.peakResidentBytes;
    watched.stop();
    lines.push(
      row("JSON sent", `${megabytes(bytes)}, ${(bytes / budgetBytes).toFixed(1)} budgets`),
      row("documents a second", (documents / seconds).toFixed(0)),
      row("refused for want of memory (429)", String(refused)),
      row("resident before, peak until merged", [before.residentBytes, peak].map(megabytes).join(", ")),
    );
    await server.stop();
    server = await start();
    await commitOneByOne(server, INDEX, 3);
    const rest = server.residentMegabytes() * 1e6;
    lines.push(
      row(
        `peak beyond the same server at rest (${megabytes(rest)}); goal ${megabytes(GOAL * budgetBytes)}`,
        `${megabytes(peak - rest)}, ${((peak - rest) / budgetBytes).toFixed(2)} budgets`,
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

/** How many of Debian's packages, over and over, are so many bytes of JSON. */
function documentsOf(bytes: number): number {
  const corpus = gunzipSync(readFileSync(debianCorpus().file)).toString();
  const count = corpus.split("\n").filter((line) => line !== "").length;
  return Math.ceil((bytes * count) / Buffer.byteLength(corpus));
}
