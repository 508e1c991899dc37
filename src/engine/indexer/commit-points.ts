import { FindlingError } from "../../errors/index.js";
import type { Directory, StagedFile } from "../directory/directory.js";
import { FileBatch } from "../directory/file-batch.js";
import { isWantOfDescriptors } from "../directory/storage-error.js";
import { Journal } from "../journal/journal.js";
import type { SegmentFiles } from "../segment/segment-files.js";
import {
  type CommitPoint,
  type CommittedSegment,
  commitPointName,
  encodeCommitPoint,
  filesOfCommit,
  journalName,
  segmentName,
} from "./commit-point.js";
import {
  type DescribedSegment,
  describeSegments,
  unsyncedFilesOf,
  writeLiveDocs,
} from "./described-segment.js";
import { encodeDetached, filesNamed, type HeldCommit, segmentFilesOf } from "./held-commit.js";
import type { IndexSegments } from "./index-segments.js";
import type { JournalRecord } from "./journal-entries.js";
import type { UnusedFiles } from "./unused-files.js";

export interface CommitPointsOptions {
  readonly directory: Directory;
  readonly segments: IndexSegments;
  readonly unused: UnusedFiles;
}

/**
 * What an index is sure to have after a crash: its newest commit point and the journal of what came after it, and
 * how others take their place, one at a time.
 *
 * When it can't be known what the disk holds, or memory hasn't what the journal has, everything is refused from then on
 * (`failure`).
 */
export class CommitPoints {
  readonly #directory: Directory;
  readonly #segments: IndexSegments;
  readonly #unused: UnusedFiles;
  #newest: CommitPoint;
  #journal: Journal;
  #journalGeneration: number;
  /** Entries of the journal that have been committed. */
  #committedEntries: number;
  #nextSegment: number;
  /** Bytes of the journal up to the last commit, and to the one that the newest commit point has. */
  #committedLength = 0;
  #namedLength = 0;
  /** Whether something is visible that no commit point has. */
  #isBehind = false;
  #turn: Promise<unknown> = Promise.resolve();
  #failure: FindlingError | null = null;

  constructor(newest: CommitPoint, journal: Journal, { directory, segments, unused }: CommitPointsOptions) {
    this.#newest = newest;
    this.#journal = journal;
    this.#directory = directory;
    this.#segments = segments;
    this.#unused = unused;
    this.#nextSegment = newest.nextSegment;
    this.#committedEntries = newest.committedEntries;
    this.#journalGeneration = Number.parseInt(newest.journal.slice("journal-".length), 16);
  }

  get generation(): number {
    return this.#newest.generation;
  }

  /** Why everything is refused; null while all is well. */
  get failure(): FindlingError | null {
    return this.#failure;
  }

  /**
   * Refuses everything from now on, as what is in memory isn't what the journal holds.
   *
   * @returns what to throw
   */
  failAfter(error: unknown): FindlingError {
    return this.#fail(error);
  }

  refuseAfterFailure(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  /** Bytes of the journal. */
  get journalSize(): number {
    return this.#journal.size;
  }

  /** Bytes of the journal that are committed, and would have to be read again after a crash. */
  get bytesToRecover(): number {
    return this.#committedLength - this.#namedLength;
  }

  /** Entries of the journal. */
  get journalEntries(): number {
    return this.#journal.entryCount;
  }

  /** Puts an entry into the journal; `sync` makes it durable. */
  async append({ kind, payload }: JournalRecord): Promise<void> {
    try {
      await this.#journal.append(kind, payload);
    } catch (error) {
      // A sync that nobody waited for.
      throw this.#journal.failure === null ? error : this.#fail(error);
    }
  }

  /** Makes the whole journal durable. */
  async sync(): Promise<void> {
    this.refuseAfterFailure();
    try {
      await this.#journal.sync();
    } catch (error) {
      throw this.#fail(error);
    }
  }

  closeJournal(): Promise<void> {
    return this.#journal.close();
  }

  /** A name that no segment has or had. */
  reserveSegmentName(): string {
    return segmentName(this.#nextSegment++);
  }

  /** Whether commits or merges have made something visible that no commit point has. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Other segments are visible than the newest commit point has. */
  fallBehind(): void {
    this.#isBehind = true;
  }

  /** What the journal's entries up to this number say is visible. */
  noteCommitted(entries: number): void {
    this.#committedEntries = entries;
    this.#committedLength = this.#journal.size;
    this.#isBehind = true;
  }

  /** Runs what makes a commit point after all others that do. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Publishes a commit point of what is visible, beside whatever else is written.
   *
   * @throws FindlingError `storage_unavailable`: it is still to be done then, or the writer has failed
   */
  checkpoint(): Promise<void> {
    return this.alone(() => this.#catchUp());
  }

  async #catchUp(): Promise<void> {
    if (this.#failure !== null || !this.#isBehind) return;
    this.#isBehind = false;
    const generation = this.generation + 1;
    const committedLength = this.#committedLength;
    const described = describeSegments(this.#segments.committed(), false, generation);
    const commitPoint: CommitPoint = {
      ...this.#newest,
      generation,
      journalSalt: this.#journal.salt,
      committedEntries: this.#committedEntries,
      nextSegment: this.#nextSegment,
      segments: described.map(({ description }) => description),
    };
    const stale = this.#unused.takeStale();
    const files = new FileBatch(this.#directory);
    await writeLiveDocs(files, described);
    const writing = files.names.length === 0 ? Promise.resolve() : files.finish();
    const [syncing, staging] = [this.#syncFilesOf(described), this.#stage(commitPoint)];
    await Promise.allSettled([writing, syncing, staging]);
    try {
      const staged = await staging;
      await Promise.all([writing, syncing]);
      await this.#publish(commitPoint, staged);
      this.#namedLength = committedLength;
    } catch (error) {
      this.#isBehind = true;
      await staging.then((staged) => staged.discard()).catch(() => undefined);
      if (this.#failure === null) await this.#unused.deleteQuietly(files.names);
      this.#keepNamed(stale);
      throw error;
    }
    this.#unused.tidy([...stale, ...this.notePublished(described)]);
  }

  /**
   * Keeps the files of the last commit as they are until they are let go of; a commit point of it is published first,
   * where there is none. Writes, commits and merges go on.
   *
   * @throws FindlingError `storage_unavailable` where no commit point can be published
   */
  hold(): Promise<HeldCommit> {
    return this.alone(async () => {
      await this.#catchUp();
      this.refuseAfterFailure();
      const commitPoint = this.#newest;
      const files = segmentFilesOf(commitPoint);
      return { commit: encodeDetached(commitPoint), files, release: this.#unused.hold(filesNamed(files)) };
    });
  }

  /** Publishes a commit point of what is visible, with a new journal: what was pending is in neither. */
  startOver(): Promise<void> {
    return this.alone(async () => {
      const described = describeSegments(this.#segments.committed(), false, this.generation + 1);
      const files = new FileBatch(this.#directory);
      await this.publishWithNewJournal(files, described, null, () => Promise.resolve());
      this.#unused.tidy(this.notePublished(described));
    });
  }

  /**
   * Writes files with a new, empty journal, all together and with a commit point that names them, which is
   * published once they are durable. On a failure that is sure to have changed nothing, the files are deleted.
   * To be called in turn (`alone`).
   *
   * @param described what the commit consists of, besides the segment that is written
   * @param flushed that segment
   * @param open opens what is being written; nothing is published before that has succeeded
   */
  async publishWithNewJournal(
    files: FileBatch,
    described: readonly DescribedSegment[],
    flushed: SegmentFiles | null,
    open: () => Promise<void>,
  ): Promise<void> {
    const name = journalName(++this.#journalGeneration);
    await writeLiveDocs(files, described);
    const prepared = await Journal.prepare(files, name);
    const segments = described.map(({ description }) => description);
    if (flushed !== null) segments.push(describeFlushed(flushed));
    const commitPoint: CommitPoint = {
      owner: this.#newest.owner,
      generation: this.generation + 1,
      journal: name,
      journalSalt: prepared.salt,
      committedEntries: 0,
      nextSegment: this.#nextSegment,
      segments,
      schema: this.#newest.schema,
    };
    const stale = this.#unused.takeStale();
    const [writing, syncing] = [files.finish(), this.#syncFilesOf(described)];
    const [staging, opening] = [this.#stage(commitPoint), open()];
    let journal: Journal | null = null;
    // Nothing may be under way any more when it is undone.
    await Promise.allSettled([writing, syncing, staging, opening]);
    try {
      const staged = await staging;
      await Promise.all([writing, syncing, opening]);
      journal = await prepared.begin(this.#directory);
      const previous = { journal: this.#journal, name: this.#newest.journal };
      await this.#publish(commitPoint, staged);
      this.#journal = journal;
      this.#committedEntries = 0;
      [this.#committedLength, this.#namedLength] = [0, 0];
      this.#isBehind = false;
      this.#unused.tidy([previous.name, ...stale], () => previous.journal.close());
    } catch (error) {
      await Promise.allSettled([staging.then((staged) => staged.discard()), journal?.close()]);
      if (this.#failure === null) await this.#unused.deleteQuietly(files.names);
      this.#keepNamed(stale);
      throw error;
    }
  }

  /** A commit point names these. @returns files with live documents that are of no use any more */
  notePublished(described: readonly DescribedSegment[]): string[] {
    return described.flatMap(({ segment, description: { liveDocsFile }, live }) => {
      const stale = segment.published(liveDocsFile, live);
      // Merged away meanwhile: the next commit point doesn't name it.
      if (liveDocsFile !== null && !this.#segments.has(segment)) this.#unused.addStale([liveDocsFile]);
      return stale;
    });
  }

  /**
   * After a commit point that couldn't be published: the next one may find room on a full disk only once files are
   * gone, so those that the newest doesn't name either go now, as they would if the index were opened again. What is
   * in them the journal has, or nobody needs.
   */
  #keepNamed(stale: readonly string[]): void {
    const named = filesOfCommit(this.#newest);
    // Which one is the newest isn't known any more once all has failed.
    const mustStay = (name: string): boolean => this.#failure !== null || named.has(name);
    this.#unused.addStale(stale.filter(mustStay));
    this.#unused.tidy(stale.filter((name) => !mustStay(name)));
  }

  #stage(commitPoint: CommitPoint): Promise<StagedFile> {
    return this.#directory.stage(commitPointName(commitPoint.generation), encodeCommitPoint(commitPoint));
  }

  /** Either the commit point is durable when this returns, or nothing has changed, or the index has failed. */
  async #publish(commitPoint: CommitPoint, staged: StagedFile): Promise<void> {
    const name = commitPointName(commitPoint.generation);
    try {
      await staged.publish();
    } catch (error) {
      const names = await this.#directory.list().catch(() => null);
      throw names === null || names.includes(name) ? this.#fail(error) : error;
    }
    const previous = commitPointName(this.#newest.generation);
    this.#newest = commitPoint;
    this.#unused.tidy([previous]);
  }

  /**
   * What can't be synced may be lost without the system knowing: only the journal has it for sure then. What can't be
   * opened for it has been left alone, and is synced by a later commit point.
   */
  async #syncFilesOf(described: readonly DescribedSegment[]): Promise<void> {
    try {
      await this.#directory.syncFiles(unsyncedFilesOf(described));
    } catch (error) {
      throw isWantOfDescriptors(error) ? error : this.#fail(error);
    }
  }

  /** It can't be known any more what holds. @returns what to throw */
  #fail(error: unknown): FindlingError {
    this.#failure = new FindlingError(
      "storage_unavailable",
      `writing to ${this.#directory.description} failed, and the index must be opened again before it takes writes`,
      { cause: error, ...(error instanceof Error ? { details: error.message } : {}) },
    );
    return this.#failure;
  }
}

/** A segment that is being written, without deletes. */
function describeFlushed({ name, owner, maxDoc, bytes }: SegmentFiles): CommittedSegment {
  return { name, owner, isBound: true, maxDoc, deletedCount: 0, liveDocsFile: null, bytes };
}
