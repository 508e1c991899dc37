import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FindlingError } from "../../../errors/index.js";
import type { Logger } from "../../../ports/logger.js";
import { BatchWriter } from "./batch-writer.js";
import {
  type BrokenFile,
  batchFileName,
  type LeftBehind,
  makeFolder,
  mend,
  recoverWaitingFolder,
  syncFolder,
  type WaitingBatch,
} from "./waiting-folder.js";

export interface EventQueueLimits {
  /** Bytes of all waiting files together; beyond it nothing is taken. */
  readonly diskBytesMax: number;
  /** Bytes that wait for the disk. */
  readonly memoryBytesMax: number;
  /** A file of at least this many bytes is closed; one insert into the store. */
  readonly fileBytes: number;
}

/** Seconds after which a refused sender may come again: the disk is slow / the store is away. */
const RETRY_AFTER_SLOW_DISK_S = 1;
const RETRY_AFTER_FULL_S = 30;

interface Arrival {
  readonly rows: Buffer;
  readonly eventCount: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface ActiveFile {
  readonly id: string;
  readonly path: string;
  readonly writer: BatchWriter;
}

/**
 * Events that are durable and not in the store yet. All that arrive during one sync share the next.
 * One file is written at a time; a whole one is a batch, which the store takes or doesn't take.
 */
export class EventQueue {
  readonly #folder: string;
  readonly #limits: EventQueueLimits;
  readonly #logger: Logger;
  readonly #batches: WaitingBatch[];
  readonly #damagedFiles: string[];
  #nextSequence: number;
  #isFolderMissing: boolean;
  #arrivals: Arrival[] = [];
  #arrivalBytes = 0;
  #diskBytes = 0;
  #eventCount = 0;
  #active: ActiveFile | null = null;
  /** Files whose writing failed: nothing is written before they are cut to what was acknowledged. */
  readonly #broken: BrokenFile[];
  /** Everything that touches the active file, one after the other. */
  #turn: Promise<void> = Promise.resolve();
  #isWriting = false;
  /** Whether the disk refused what it was given last. */
  #isRefused = false;
  #isClosed = false;

  private constructor(folder: string, limits: EventQueueLimits, logger: Logger, left: LeftBehind) {
    this.#folder = folder;
    this.#limits = limits;
    this.#logger = logger;
    this.#batches = [...left.batches];
    this.#damagedFiles = [...left.damagedFiles];
    this.#broken = [...left.brokenFiles];
    this.#nextSequence = left.nextSequence;
    this.#isFolderMissing = left.isFolderMissing;
    for (const batch of left.batches) {
      this.#diskBytes += batch.size;
      this.#eventCount += batch.eventCount;
    }
    for (const file of left.brokenFiles) {
      this.#diskBytes += file.syncedLength;
      this.#eventCount += file.eventCount;
    }
  }

  /** @throws Error if the folder can't be read or written */
  static async open(folder: string, limits: EventQueueLimits, logger: Logger): Promise<EventQueue> {
    return new EventQueue(folder, limits, logger, await recoverWaitingFolder(folder, logger));
  }

  get waitingEvents(): number {
    return this.#eventCount;
  }

  get waitingBytes(): number {
    return this.#diskBytes;
  }

  get damagedFiles(): readonly string[] {
    return this.#damagedFiles;
  }

  /** Whole files that wait, oldest first, without the one that is being written. */
  get wholeBatches(): readonly WaitingBatch[] {
    return this.#batches;
  }

  /**
   * Resolves once the rows (lines of JSON, each ending in a line feed) are durable.
   *
   * @throws FindlingError as `EventStore.record`
   */
  append(rows: Buffer, eventCount: number): Promise<void> {
    if (this.#isClosed) {
      return Promise.reject(new FindlingError("shutting_down", "usage events are no longer taken"));
    }
    if (this.#arrivalBytes > 0 && this.#arrivalBytes + rows.length > this.#limits.memoryBytesMax) {
      return Promise.reject(tooMany("arrive faster than the disk takes them", RETRY_AFTER_SLOW_DISK_S));
    }
    if (this.#diskBytes + this.#arrivalBytes + rows.length > this.#limits.diskBytesMax) {
      return Promise.reject(tooMany("wait for the event store", RETRY_AFTER_FULL_S));
    }
    return new Promise((resolve, reject) => {
      this.#arrivals.push({ rows, eventCount, resolve, reject });
      this.#arrivalBytes += rows.length;
      if (!this.#isWriting) {
        this.#isWriting = true;
        void this.#inTurn(() => this.#writeArrivals());
      }
    });
  }

  /** The oldest whole batch; if there is none, what is being written becomes one. Null: nothing waits. */
  async oldest(): Promise<WaitingBatch | null> {
    if (this.#batches.length === 0) await this.closeActive();
    return this.#batches[0] ?? null;
  }

  /** Makes a whole batch of everything that is durable now. */
  closeActive(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#sealActive();
      await this.#mendBroken();
    });
  }

  /** Forgets a batch that the store has. */
  async remove(batch: WaitingBatch): Promise<void> {
    await rm(batch.path, { force: true });
    // Even if the folder can't be synced: the file is gone, and where a crash brings it back, it is an uncertain one.
    this.#forget(batch);
    await syncFolder(this.#folder);
  }

  /** Leaves a batch where it is and goes on without it. */
  setAside(batch: WaitingBatch): void {
    this.#damagedFiles.push(batch.path);
    this.#forget(batch);
  }

  /** Takes nothing more; what was taken becomes whole files. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.closeActive().catch((error: unknown) =>
      this.#logger.warn("files of usage events that can't be written now wait for the next start", {}, error),
    );
  }

  #forget(batch: WaitingBatch): void {
    this.#batches.splice(this.#batches.indexOf(batch), 1);
    this.#diskBytes -= batch.size;
    this.#eventCount -= batch.eventCount;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Never rejects: each arrival hears for itself. */
  async #writeArrivals(): Promise<void> {
    while (this.#arrivals.length > 0) {
      const group = this.#takeGroup();
      try {
        await this.#writeGroup(group);
        this.#noteTaken();
        for (const arrival of group) arrival.resolve();
      } catch (error) {
        this.#noteRefused(error);
        const refusal = new FindlingError("storage_unavailable", "the disk does not take usage events now", {
          cause: error,
        });
        for (const arrival of group) arrival.reject(refusal);
      }
    }
    this.#isWriting = false;
  }

  /** Logs the first refusal and the end of all, not each: a disk may stay full for days. */
  #noteRefused(error: unknown): void {
    if (!this.#isRefused) this.#logger.error("usage events could not be written", {}, error);
    this.#isRefused = true;
  }

  #noteTaken(): void {
    if (this.#isRefused) this.#logger.info("the disk takes usage events again");
    this.#isRefused = false;
  }

  /** What goes to the disk with one sync: no more than about a file. */
  #takeGroup(): readonly Arrival[] {
    let count = 0;
    let bytes = 0;
    while (count < this.#arrivals.length && (count === 0 || bytes < this.#limits.fileBytes)) {
      bytes += this.#arrivals[count++]!.rows.length;
    }
    this.#arrivalBytes -= bytes;
    return this.#arrivals.splice(0, count);
  }

  async #writeGroup(group: readonly Arrival[]): Promise<void> {
    await this.#mendBroken();
    const active = (this.#active ??= await this.#createFile());
    const before = active.writer.syncedLength;
    const rows = group.map((arrival) => arrival.rows);
    const eventCount = group.reduce((sum, arrival) => sum + arrival.eventCount, 0);
    try {
      await active.writer.append(rows, eventCount);
    } catch (error) {
      this.#active = null;
      this.#breakOff(active);
      await active.writer.abandon().catch(() => undefined);
      throw error;
    }
    this.#diskBytes += active.writer.syncedLength - before;
    this.#eventCount += eventCount;
    if (active.writer.syncedLength >= this.#limits.fileBytes) await this.#sealActive();
  }

  async #createFile(): Promise<ActiveFile> {
    if (this.#isFolderMissing) await makeFolder(this.#folder);
    this.#isFolderMissing = false;
    const id = randomUUID();
    const path = join(this.#folder, batchFileName(this.#nextSequence++, id));
    const writer = await BatchWriter.create(path, id);
    await syncFolder(dirname(path));
    return { id, path, writer };
  }

  /** Never rejects: a file that can't be closed is broken. */
  async #sealActive(): Promise<void> {
    const active = this.#active;
    if (active === null) return;
    this.#active = null;
    try {
      const { id, path, writer } = active;
      const size = await writer.seal();
      this.#queue({ id, path, syncedLength: writer.syncedLength, eventCount: writer.eventCount }, size);
    } catch (error) {
      this.#logger.warn("a file of usage events could not be closed", {}, error);
      this.#breakOff(active);
      await active.writer.abandon().catch(() => undefined);
    }
  }

  /** @throws Error if the disk doesn't allow it: the next call tries again */
  async #mendBroken(): Promise<void> {
    for (let broken = this.#broken[0]; broken !== undefined; broken = this.#broken[0]) {
      const size = await mend(broken);
      this.#broken.shift();
      if (size > 0) this.#queue(broken, size);
    }
  }

  #breakOff({ id, path, writer: { syncedLength, eventCount } }: ActiveFile): void {
    this.#broken.push({ id, path, syncedLength, eventCount });
  }

  #queue({ id, path, syncedLength, eventCount }: BrokenFile, size: number): void {
    this.#diskBytes += size - syncedLength;
    this.#batches.push({ id, path, size, eventCount, isUncertain: false });
  }
}

function tooMany(what: string, retryAfterSeconds: number): FindlingError {
  return new FindlingError("rate_limited", `too many usage events ${what}; send them later`, {
    retryAfterSeconds,
  });
}
