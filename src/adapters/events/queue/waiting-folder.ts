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

/** A file that is to be cut to what was acknowledged, once the disk allows it. */
export interface BrokenFile {
  readonly id: string;
  readonly path: string;
  /** Bytes that are durable. */
  readonly syncedLength: number;
  /** Durable events. */
  readonly eventCount: number;
}

/** The id of the batch in a file of this name; undefined if it is none of waiting events. */
export function batchIdOf(fileName: string): string | undefined {
  return FILE_NAME.exec(fileName)?.[2];
}

/** What an earlier process has left. */
export interface LeftBehind {
  /** It is to be made (`makeFolder`) once there is room for it. */
  readonly isFolderMissing: boolean;
  /** Oldest first. */
  readonly batches: readonly WaitingBatch[];
  /** On a disk that is full or read-only: they wait for it. */
  readonly brokenFiles: readonly BrokenFile[];
  /** Paths; they stay as they are. */
  readonly damagedFiles: readonly string[];
  readonly nextSequence: number;
}

/** Makes the folder if need be, and makes every file in it whole: what was being written is cut to what was acknowledged. */
export async function recoverWaitingFolder(folder: string, logger: Logger): Promise<LeftBehind> {
  if (!(await makeFolder(folder).then(() => true, unlessThereIsNoRoom))) {
    return { isFolderMissing: true, batches: [], brokenFiles: [], damagedFiles: [], nextSequence: 1 };
  }
  const batches: WaitingBatch[] = [];
  const brokenFiles: BrokenFile[] = [];
  const damagedFiles: string[] = [];
  let nextSequence = 1;
  for (const name of (await readdir(folder)).toSorted()) {
    const [, sequence, id] = FILE_NAME.exec(name) ?? [];
    if (sequence === undefined || id === undefined) continue;
    nextSequence = Number(sequence) + 1;
    const path = join(folder, name);
    try {
      const batch = await readBatch(path, id);
      const { eventCount, length } = batch;
      if (!batch.isSealed || eventCount === 0) {
        const broken = { id, path, syncedLength: length, eventCount };
        const size = await mend(broken).catch(unlessThereIsNoRoom);
        if (size === false) brokenFiles.push(broken);
        else if (size > 0) batches.push({ id, path, size, eventCount, isUncertain: true });
      } else {
        batches.push({ id, path, size: length, eventCount, isUncertain: true });
      }
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
      logger.error("a file of usage events is damaged; it is left out and stays where it is", {}, error);
      damagedFiles.push(path);
    }
  }
  await syncFolder(folder);
  return { isFolderMissing: false, batches, brokenFiles, damagedFiles, nextSequence };
}

/** Durably. Does nothing where it is there. */
export async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (made !== undefined) await syncFolder(dirname(made));
}

/** Cuts a file to what was acknowledged. @returns its length; 0: nothing was, and the file is gone */
export async function mend({ id, path, syncedLength, eventCount }: BrokenFile): Promise<number> {
  if (eventCount > 0) return mendBatch(path, id, syncedLength);
  await rm(path, { force: true });
  return 0;
}

function unlessThereIsNoRoom(error: unknown): false {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EROFS" || code === "ENOSPC" || code === "EDQUOT") return false;
  throw error;
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
