import { createWriteStream } from "node:fs";
import { lstat, realpath, rename, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { FindlingClient } from "../../client/index.js";
import { writeJson } from "../../json/exact-json.js";
import { CliError } from "../cli-error.js";
import { type ConnectionOptions, connect } from "../connection.js";
import { everyPage, firstPage, type Page } from "../every-page.js";
import { writeProblem } from "../file-problem.js";
import { formatCounted } from "../terminal/format-amount.js";
import type { Output } from "../terminal/output.js";
import { ProgressBar } from "../terminal/progress-bar.js";

export interface ExportOptions extends ConnectionOptions {
  readonly query: string;
  readonly out?: string;
  readonly gzip?: boolean;
}

/** `findling export INDEX`: the stored fields of every match, one JSON object a line. */
export async function runExport(index: string, options: ExportOptions, output: Output): Promise<void> {
  const { client } = await connect(options);
  // Asked before a file is opened, so that a bad query leaves nothing behind.
  const first = await firstPage(client, index, options.query);
  const bar = new ProgressBar(process.stderr);
  const startedAt = performance.now();
  const isQuiet = output.json || (options.out === undefined && process.stdout.isTTY);
  let written = 0;
  const lines = exportedLines(client, index, first, (documents) => {
    written = documents;
    if (isQuiet) return;
    const seconds = (performance.now() - startedAt) / 1000;
    bar.update({ documents, bytesDone: documents, bytesBefore: 0, bytesTotal: first.count, seconds });
  });
  try {
    await writeLines(lines, options);
  } finally {
    bar.clear();
  }
  // Without --out the documents themselves are the output, and the tally belongs beside it.
  const text = `${formatCounted(written, "document")} exported from '${index}'`;
  if (options.out === undefined) output.note(text);
  else output.result({ index, documents: written, file: options.out }, text);
}

/** @param onPage told how many documents there are so far */
async function* exportedLines(
  client: FindlingClient,
  index: string,
  first: Page,
  onPage: (documents: number) => void,
): AsyncGenerator<string> {
  let documents = 0;
  for await (const page of everyPage(client, index, first)) {
    documents += page.hits.length;
    onPage(documents);
    if (page.hits.length > 0) yield page.hits.map((hit) => `${writeJson(hit.doc)}\n`).join("");
  }
}

/** A file appears under its name only when it is complete; what isn't a file is written to as it is. */
async function writeLines(lines: AsyncGenerator<string>, { out, gzip }: ExportOptions): Promise<void> {
  const source = Readable.from(lines);
  const packers = gzip === true || out?.endsWith(".gz") === true ? [createGzip()] : [];
  if (out === undefined) {
    await pipeline([source, ...packers, process.stdout], { end: false });
    return;
  }
  let partial: string | undefined;
  try {
    const replaced = await replaceableFile(out);
    partial = replaced === undefined ? undefined : `${replaced}.partial`;
    await pipeline([source, ...packers, createWriteStream(partial ?? out)]);
    if (partial !== undefined) await rename(partial, replaced!);
  } catch (failure) {
    if (partial !== undefined) await rm(partial, { force: true });
    if ((failure as NodeJS.ErrnoException).syscall === undefined) throw failure;
    throw new CliError("write_failed", `'${out}' ${writeProblem(failure)}`, failure);
  }
}

/**
 * The file that a path leads to through links, there or not; undefined where it leads to a device, a pipe, a file that
 * this process has been given open, or a place that isn't there yet.
 */
async function replaceableFile(path: string): Promise<string | undefined> {
  if (/^\/(?:dev|proc)\//.test(path)) return undefined;
  try {
    return (await stat(path)).isFile() ? await realpath(path) : undefined;
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== "ENOENT") throw failure;
    return (await isLink(path)) ? undefined : path;
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw failure;
  }
}
