import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JudgedDocument } from "./cranfield.js";
import { RANKING_DEPTH } from "./metrics.js";

export interface PeerJob {
  /** As the peer's ranker names it. */
  readonly analysis: string;
  readonly documents: readonly JudgedDocument[];
  readonly queries: readonly string[];
}

export interface PeerAnswer {
  readonly version: string;
  /** By query: ids, best first. */
  readonly rankings: readonly (readonly string[])[];
}

const OUTPUT_BYTES_MAX = 2 ** 30;

/**
 * Has another engine's process rank queries; see `tantivy_ranker.py` and `LuceneRanker.java` for what it
 * is told.
 *
 * @param command the process, to which analysis, two file names and a limit are added
 * @param folder for the two files
 */
export function rankByPeer(command: readonly string[], job: PeerJob, folder: string): PeerAnswer {
  const documents = join(folder, "documents.tsv");
  const queries = join(folder, "queries.txt");
  const rows = job.documents.map(({ id, title, text }) => [id, title, text].map(onOneLine).join("\t"));
  writeFileSync(documents, rows.map((row) => `${row}\n`).join(""));
  writeFileSync(queries, job.queries.map((query) => `${onOneLine(query)}\n`).join(""));
  const [program, ...options] = command;
  const output = execFileSync(
    program!,
    [...options, job.analysis, documents, queries, String(RANKING_DEPTH)],
    { encoding: "utf8", maxBuffer: OUTPUT_BYTES_MAX, stdio: ["ignore", "pipe", "inherit"] },
  );
  const [version, ...lines] = output.split("\n");
  const rankings = lines
    .slice(0, job.queries.length)
    .map((line) => line.split(" ").filter((id) => id !== ""));
  if (rankings.length !== job.queries.length) {
    throw new Error(`${program} answered ${rankings.length} of ${job.queries.length} queries`);
  }
  return { version: version ?? "", rankings };
}

const onOneLine = (text: string): string => text.replace(/\s+/g, " ");
