import { open, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CliError } from "../cli-error.js";
import { readProblem, writeProblem } from "../file-problem.js";
import { inputSize } from "./input-file.js";

/** A prefix of the input: this many records, with this checksum. */
export interface InputPrefix {
  readonly records: number;
  /** The checksum of the records' bytes; null where the user gave the number. */
  readonly checksum: string | null;
}

/** Writes that were under way when the file was written. */
export interface WritesInDoubt {
  /** Where the input stands if they have been committed. */
  readonly upTo: InputPrefix;
  /**
   * Internal id of one of their documents: they are all committed if it can be read. Null where a
   * request of an index that commits by itself has been sent and not answered.
   */
  readonly documentId: string | null;
}

/** How far an import has come, in a form that outlives the importer (`.findling-import-NAME.json`). */
export interface ImportProgress {
  readonly version: 1;
  readonly url: string;
  readonly index: string;
  readonly files: readonly string[];
  /** Everything in it is committed, or was bad and skipped. */
  readonly committed: InputPrefix;
  readonly inDoubt?: WritesInDoubt;
}

/** Beside the first file, or in the current folder for standard input and other pipes. */
export async function progressFilePath(files: readonly string[], index: string): Promise<string> {
  const [first] = files;
  const isFile = first !== undefined && (await inputSize(first)) !== undefined;
  const folder = isFile ? dirname(first) : ".";
  return join(folder, `.findling-import-${index}.json`);
}

/** @throws CliError if there is a file that isn't such a one */
export async function readProgressFile(path: string): Promise<ImportProgress | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CliError(
      "progress_file",
      `progress file '${path}' ${readProblem(failure)}; name another with --state`,
      failure,
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!isImportProgress(value)) {
    throw new CliError(
      "progress_file",
      `'${path}' is not a progress file of an import; remove it or name another with --state`,
    );
  }
  return value;
}

/** Replaces the file as a whole; when this resolves it is on disk. */
export async function writeProgressFile(path: string, progress: ImportProgress): Promise<void> {
  const temporary = join(dirname(path), `${basename(path)}.new`);
  try {
    const file = await open(temporary, "w", 0o600);
    try {
      await file.writeFile(`${JSON.stringify(progress)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (failure) {
    throw new CliError(
      "progress_file",
      `progress file '${path}' ${writeProblem(failure)}; name another place with --state`,
      failure,
    );
  }
}

export async function removeProgressFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

function isImportProgress(value: unknown): value is ImportProgress {
  if (typeof value !== "object" || value === null) return false;
  const progress = value as Partial<Record<keyof ImportProgress, unknown>>;
  return (
    progress.version === 1 &&
    typeof progress.url === "string" &&
    typeof progress.index === "string" &&
    Array.isArray(progress.files) &&
    isPrefix(progress.committed) &&
    (progress.inDoubt === undefined || isPrefix((progress.inDoubt as Partial<WritesInDoubt> | null)?.upTo))
  );
}

function isPrefix(value: unknown): boolean {
  return typeof value === "object" && value !== null && Number.isSafeInteger((value as InputPrefix).records);
}
