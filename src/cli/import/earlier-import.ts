import type { FindlingClient } from "../../client/index.js";
import { CliError } from "../cli-error.js";
import type { Connection } from "../connection.js";
import { formatCount } from "../terminal/format-amount.js";
import { ignoreMissingIndex } from "./find-index.js";
import { type ImportProgress, type InputPrefix, readProgressFile } from "./import-progress-file.js";
import { findResumePoint } from "./resume-point.js";

/** What the user wants done about an import that stopped. */
interface AskedOfEarlier {
  readonly index: string;
  readonly resume?: boolean;
  readonly resumeAfter?: number;
  readonly restart?: boolean;
}

/**
 * What an earlier import left, if it is to be gone on with; an import never begins beside it by accident.
 *
 * @throws CliError where it is another import's, or the user has to decide
 */
export async function readEarlierImport(
  path: string,
  options: {
    readonly connection: Connection;
    readonly files: readonly string[];
    readonly asked: AskedOfEarlier;
  },
): Promise<ImportProgress | undefined> {
  const { client, url } = options.connection;
  const { resume, resumeAfter, restart, index } = options.asked;
  const progress = restart === true ? await readIfReadable(path) : await readProgressFile(path);
  if (progress === undefined) {
    if (resume !== true) return undefined;
    throw new CliError("nothing_to_resume", `there is no import to go on with: no progress file '${path}'`);
  }
  // Where nothing is committed, going on and starting over are the same, and need no decision.
  const hasNothing = progress.committed.records === 0 && progress.inDoubt === undefined;
  if (restart === true || hasNothing) {
    const isOfThisIndex = progress.index === index && progress.url === url;
    if (isOfThisIndex) await client.rollbackIndex(index).catch(ignoreMissingIndex);
    return undefined;
  }
  if (progress.index !== index || progress.url !== url || !sameFiles(progress.files, options.files)) {
    throw new CliError(
      "other_import",
      `'${path}' belongs to another import (${progress.files.join(", ")} into '${progress.index}' at ${progress.url}); name another place with --state, or forget it with --restart`,
    );
  }
  if (resume === true || resumeAfter !== undefined) return progress;
  throw new CliError(
    "unfinished_import",
    `an earlier import of this stopped after ${formatCount(progress.committed.records)} documents; go on with --resume, or import all of them (again) with --restart`,
  );
}

/** Where to begin: after what the user says, else after what the earlier import committed, else at the start. */
export async function startAfter(
  earlier: ImportProgress | undefined,
  client: FindlingClient,
  resumeAfter: number | undefined,
): Promise<InputPrefix> {
  const asked = { records: resumeAfter ?? 0, checksum: null };
  if (earlier === undefined) return asked;
  if (resumeAfter === undefined) return await findResumePoint(client, earlier);
  await client.rollbackIndex(earlier.index);
  return asked;
}

/** What is to be forgotten need not be readable. */
async function readIfReadable(path: string): Promise<ImportProgress | undefined> {
  try {
    return await readProgressFile(path);
  } catch (failure) {
    if (failure instanceof CliError) return undefined;
    throw failure;
  }
}

function sameFiles(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((file, position) => file === right[position]);
}
