import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { FindlingClient, SearchBody } from "../../client/index.js";
import { CliError } from "../cli-error.js";
import { type ConnectionOptions, connect } from "../connection.js";
import { EXIT } from "../exit-codes.js";
import { formatCount, formatCounted } from "../terminal/format-amount.js";
import type { Output } from "../terminal/output.js";
import { ProgressBar } from "../terminal/progress-bar.js";

export interface ExportOptions extends ConnectionOptions {
  readonly query: string;
  readonly out?: string;
  readonly gzip?: boolean;
}

/** The server's greatest `limit` by default. */
const PAGE_SIZE = 200;
const PAGE_TIMEOUT_MS = 300_000;

/** `findling export INDEX`: the stored fields of every match, one JSON object a line. */
export async function runExport(index: string, options: ExportOptions, output: Output): Promise<void> {
  const { client } = await connect(options);
  // In order of insertion, or of rank where the query ranks: sorting by a field at every page takes thrice as long.
  const body: SearchBody = { query: { exact: { ctx: options.query } } };
  // Asked before a file is opened, so that a bad query leaves nothing behind.
  const { count } = await client.searchIndex(index, { ...body, limit: 0 });
  const tally = new ExportTally(count);
  const bar = new ProgressBar(process.stderr);
  const startedAt = performance.now();
  const isQuiet = output.json || (options.out === undefined && process.stdout.isTTY);
  const lines = exportedLines(client, index, body, tally, () => {
    if (isQuiet) return;
    const { documents } = tally;
    const seconds = (performance.now() - startedAt) / 1000;
    bar.update({ documents, bytesDone: documents, bytesBefore: 0, bytesTotal: count, seconds });
  });
  try {
    await writeLines(lines, options);
  } finally {
    bar.clear();
  }
  if (tally.hasChanged) {
    throw new CliError(
      EXIT.failed,
      "changed_meanwhile",
      `${formatCount(tally.documents)} documents written, but '${index}' changed during the export, so some may be missing or doubled; export it again while nothing is committed`,
    );
  }
  // Without --out the documents themselves are the output, and the tally belongs beside it.
  const text = `${formatCounted(tally.documents, "document")} exported from '${index}'`;
  if (options.out === undefined) output.note(text);
  else output.result({ index, documents: tally.documents, file: options.out }, text);
}

/** Counts what was written against what was promised. */
class ExportTally {
  readonly #expected: number;
  documents = 0;
  hasOtherCount = false;

  constructor(expected: number) {
    this.#expected = expected;
  }

  addPage(documents: number, count: number): void {
    this.documents += documents;
    this.hasOtherCount ||= count !== this.#expected;
  }

  get hasChanged(): boolean {
    return this.hasOtherCount || this.documents !== this.#expected;
  }
}

async function* exportedLines(
  client: FindlingClient,
  index: string,
  body: SearchBody,
  tally: ExportTally,
  onPage: () => void,
): AsyncGenerator<string> {
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const page = await client.searchIndex(
      index,
      { ...body, limit: PAGE_SIZE, offset },
      { timeoutMs: PAGE_TIMEOUT_MS },
    );
    tally.addPage(page.hits.length, page.count);
    onPage();
    if (page.hits.length > 0) yield page.hits.map((hit) => `${JSON.stringify(hit.doc)}\n`).join("");
    if (page.hits.length < PAGE_SIZE) return;
  }
}

/** A file appears under its name only when it is complete. */
async function writeLines(lines: AsyncGenerator<string>, { out, gzip }: ExportOptions): Promise<void> {
  const source = Readable.from(lines);
  const packers = gzip === true || out?.endsWith(".gz") === true ? [createGzip()] : [];
  if (out === undefined) {
    await pipeline([source, ...packers, process.stdout], { end: false });
    return;
  }
  const partial = `${out}.partial`;
  try {
    await pipeline([source, ...packers, createWriteStream(partial)]);
    await rename(partial, out);
  } catch (failure) {
    await rm(partial, { force: true });
    const { code, syscall } = failure as NodeJS.ErrnoException;
    if (syscall === undefined) throw failure;
    throw new CliError(
      EXIT.failed,
      "write_failed",
      `'${out}' can't be written (${code ?? "unknown reason"})`,
      failure,
    );
  }
}
