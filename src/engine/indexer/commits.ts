import type { Directory } from "../directory/directory.js";
import { FileBatch } from "../directory/file-batch.js";
import type { CommitPoints } from "./commit-points.js";
import { describeSegments } from "./described-segment.js";
import type { IndexSegments } from "./index-segments.js";
import { COMMIT_RECORD } from "./journal-entries.js";
import type { PendingWrites } from "./pending-writes.js";
import type { WhileWaiting } from "./rounds-between.js";
import type { UnusedFiles } from "./unused-files.js";
import type { WriterSegment } from "./writer-segment.js";

/**
 * A commit begins a new journal where the old one is longer than the index, within these bounds: all of it is read when
 * the index is opened after a crash. Whoever waits for such a commit waits for a commit point with all that it names:
 * with 16 MiB always, two of a hundred commits of one document beside a load did, twice to three times as long.
 */
const JOURNAL_LENGTH = { least: 16 << 20, most: 64 << 20 };
/** An index that rests begins one sooner: committed entries take the disk's room for nothing, while nothing is pending. */
const RESTING_JOURNAL_LENGTH_MAX = 1 << 20;

export interface CommitsOptions {
  readonly directory: Directory;
  readonly segments: IndexSegments;
  readonly pending: PendingWrites;
  readonly points: CommitPoints;
  readonly unused: UnusedFiles;
}

/**
 * How pending writes become visible, durably, or are dropped: by an entry in the journal, or with a commit point and a
 * new journal, where the old one is long or hasn't got all of them.
 */
export class Commits {
  readonly #directory: Directory;
  readonly #segments: IndexSegments;
  readonly #pending: PendingWrites;
  readonly #points: CommitPoints;
  readonly #unused: UnusedFiles;

  constructor({ directory, segments, pending, points, unused }: CommitsOptions) {
    this.#directory = directory;
    this.#segments = segments;
    this.#pending = pending;
    this.#points = points;
    this.#unused = unused;
  }

  /** Something is pending. @param whileWaiting takes the wait for the disk */
  async commit(whileWaiting: WhileWaiting): Promise<void> {
    // Images of what was flushed come to be when the memory of what is pending is free again.
    if (this.#segments.hasUnopened) await this.#pending.flushToDisk();
    if (this.#pending.isPastJournal || this.#points.journalSize > this.#journalLengthMax) {
      await this.#points.alone(() => this.#commitToPoint());
    } else {
      await this.#commitToJournal(async () => {
        await this.#points.append(COMMIT_RECORD);
        return this.#points.journalEntries;
      }, whileWaiting);
    }
  }

  get #journalLengthMax(): number {
    return Math.min(JOURNAL_LENGTH.most, Math.max(JOURNAL_LENGTH.least, this.#segments.bytesOnDisk));
  }

  /** Commits what has been recovered of the journal: the commit is entry number `entries` of it. */
  async recover(entries: number): Promise<void> {
    await this.#commitToJournal(
      () => Promise.resolve(entries),
      (waiting) => waiting,
    );
  }

  /** Drops all pending writes. */
  async rollBack(): Promise<void> {
    await this.#points.startOver();
    const files = this.#segments.rollBack();
    await this.#pending.noteSettled();
    this.#unused.tidy(files);
  }

  /** If nothing is pending, whoever opens the index next has no journal to read. */
  async finish(): Promise<void> {
    if (this.#points.failure !== null) return;
    if (this.#pending.exist || this.#points.journalEntries === 0) return this.#points.checkpoint();
    await this.#points.startOver();
  }

  /** Begins a new journal if this one is long, and nothing is pending. */
  async shortenJournal(): Promise<void> {
    if (this.#points.failure !== null || this.#pending.exist) return;
    if (this.#points.journalSize > RESTING_JOURNAL_LENGTH_MAX) await this.#points.startOver();
  }

  /**
   * Makes pending writes visible; they are durable as soon as the journal has the commit behind them.
   *
   * @param record puts it there, unless it is. @returns the number of its entry
   */
  async #commitToJournal(record: () => Promise<number>, whileWaiting: WhileWaiting): Promise<void> {
    await this.#segments.openFlushed();
    const files = new FileBatch(this.#directory);
    const flushed = await this.#segments.writePending(files, this.#points.reserveSegmentName());
    const writing = files.finishUnsynced();
    const opening =
      flushed === null ? Promise.resolve(null) : this.#segments.openWritten(flushed, files, false);
    await Promise.allSettled([writing, opening]);
    let committedEntries: number;
    try {
      await Promise.all([writing, opening]);
      committedEntries = await record();
      await whileWaiting(this.#points.sync());
    } catch (error) {
      await opening.then((opened) => opened?.reader.close()).catch(() => undefined);
      if (this.#points.failure === null) await this.#unused.deleteQuietly(files.names);
      throw error;
    }
    this.#unused.addStale(this.#segments.show(await opening));
    this.#points.noteCommitted(committedEntries);
    await this.#pending.noteSettled();
  }

  /** Commits with a commit point and a new journal. */
  async #commitToPoint(): Promise<void> {
    await this.#segments.openFlushed();
    const generation = this.#points.generation + 1;
    const described = describeSegments(this.#segments.withLiveDocuments(), true, generation);
    const files = new FileBatch(this.#directory);
    const flushed = await this.#segments.writePending(files, this.#points.reserveSegmentName());
    let opened: WriterSegment | null = null;
    const open = async (): Promise<void> => {
      if (flushed !== null) opened = await this.#segments.openWritten(flushed, files, true);
    };
    try {
      await this.#points.publishWithNewJournal(files, described, flushed, open);
    } catch (error) {
      (opened as WriterSegment | null)?.reader.close();
      throw error;
    }
    const dropped = this.#segments.show(opened);
    const current = described.map((each) => ({ ...each, live: each.segment.reader.liveDocs }));
    this.#unused.tidy([...dropped, ...this.#points.notePublished(current)]);
    await this.#pending.noteSettled();
  }
}
