import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { CliError } from "../cli-error.js";
import { inputSize } from "../import/input-file.js";

/**
 * The files that hold a source's documents, in order: a folder stands for the files in it by name, but for hidden ones.
 *
 * @throws CliError if one isn't there, or a folder holds none
 */
export async function sourceFiles(
  sources: readonly string[],
  mayBeEmpty: boolean,
): Promise<readonly string[]> {
  const files: string[] = [];
  for (const source of sources) {
    if (!(await isFolder(source))) {
      await inputSize(source);
      files.push(source);
      continue;
    }
    const entries = await readdir(source, { withFileTypes: true });
    const names = entries.filter((entry) => !entry.name.startsWith(".") && !entry.isDirectory());
    if (names.length === 0 && !mayBeEmpty)
      throw new CliError("no_documents", `folder '${source}' holds no file`);
    files.push(...names.map(({ name }) => join(source, name)).sort());
  }
  return files;
}

/** Whether files are what they were: by path, what changes whenever a file does. */
export type FileStates = ReadonlyMap<string, string>;

/** What has no size, such as a pipe, has no state either. */
export async function fileStates(files: readonly string[]): Promise<FileStates> {
  const states = new Map<string, string>();
  for (const file of files) {
    if ((await inputSize(file)) === undefined) continue;
    const { ino, size, mtimeNs } = await stat(file, { bigint: true });
    states.set(file, `${ino} ${size} ${mtimeNs}`);
  }
  return states;
}

/**
 * A source that is being written while it is read is neither what it was nor what it will be.
 *
 * @throws CliError `input_changed`
 */
export async function requireUnchanged(sources: readonly string[], before: FileStates): Promise<void> {
  const now = await fileStates(await sourceFiles(sources, true)).catch(() => new Map<string, string>());
  const changed = [...new Set([...before.keys(), ...now.keys()])].find(
    (file) => before.get(file) !== now.get(file),
  );
  if (changed === undefined) return;
  throw new CliError(
    "input_changed",
    `'${changed}' changed while it was read, so nothing has been written; run it again when it is whole`,
  );
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // What is wrong with it is said where its size is asked for.
    return false;
  }
}

/**
 * Runs a command of the shell and keeps what it writes; it has to end well, as half an answer looks like one with few
 * documents.
 *
 * @param path of the file that is made
 * @throws CliError `command_failed`
 */
export async function keepAnswerOf(command: string, path: string): Promise<void> {
  const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close") as Promise<[number | null, string | null]>;
  await pipeline(child.stdout, createWriteStream(path, { mode: 0o600 }));
  const [code, signal] = await ended;
  if (code === 0) return;
  const how = signal === null ? `with status ${code}` : `by ${signal}`;
  throw new CliError("command_failed", `the command ended ${how}; nothing has changed`);
}
