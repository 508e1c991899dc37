import { mkdir, open, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CorruptionError } from "../../../errors/index.js";
import type { Logger } from "../../../ports/logger.js";
import { mendBatch } from "./batch-writer.js";
import { readBatch } from "./read-batch.js";

/** A whole file of events that wait. */
export interface WaitingBatch {
  readonly id: string;
  readonly path: string;
  /** Bytes of the file. */
  readonly size: number;
  readonly eventCount: number;
  /** Whether the store may have it already: an earlier attempt, maybe another process's, was not heard of. */
  isUncertain: boolean;
}

/** Order of writing, then the batch's id: the order holds across restarts. */
const FILE_NAME = /^([0-9]{12})-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.events$/;

export function batchFileName(sequence: number, batchId: string): string {
  return `${String(sequence).padStart(12, "0")}-${batchId}.events`;
}

/** What an earlier process has left. */
export interface LeftBehind {
  /** Oldest first. */
  readonly batches: readonly WaitingBatch[];
  /** Paths; they stay as they are. */
  readonly damagedFiles: readonly string[];
  readonly nextSequence: number;
}

/** Makes the folder if need be, and makes every file in it whole: what was being written is cut to what was acknowledged. */
export async function recoverWaitingFolder(folder: string, logger: Logger): Promise<LeftBehind> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) await syncFolder(dirname(made));
  const batches: WaitingBatch[] = [];
  const damagedFiles: string[] = [];
  let nextSequence = 1;
  for (const name of (await readdir(folder)).toSorted()) {
    const [, sequence, id] = FILE_NAME.exec(name) ?? [];
    if (sequence === undefined || id === undefined) continue;
    nextSequence = Number(sequence) + 1;
    const path = join(folder, name);
    try {
      const batch = await readBatch(path, id);
      const size = batch.isSealed ? batch.length : await mend(path, id, batch.length, batch.eventCount);
      if (batch.eventCount === 0) await rm(path, { force: true });
      else batches.push({ id, path, size, eventCount: batch.eventCount, isUncertain: true });
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
      logger.error("a file of usage events is damaged; it is left out and stays where it is", {}, error);
      damagedFiles.push(path);
    }
  }
  await syncFolder(folder);
  return { batches, damagedFiles, nextSequence };
}

async function mend(path: string, id: string, length: number, eventCount: number): Promise<number> {
  return eventCount === 0 ? 0 : mendBatch(path, id, length);
}

/** Makes the creation and removal of its files outlive a crash of the machine. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
