import type { Analyzer } from "../../analysis/analyzer.js";
import { FindlingError } from "../../errors/index.js";
import type { Directory } from "../directory/directory.js";
import { FileBatch } from "../directory/file-batch.js";
import type { Journal } from "../journal/journal.js";
import type { CanonicalDocument, DocumentId } from "../schema/document.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import type { OpenSegment } from "../segment/open-segment.js";
import type { DocBits, SegmentReader } from "../segment/segment-reader.js";
import { runInSlices } from "../segment/sliced-work.js";
import { BodySegments } from "./body-segments.js";
import type { CommitPoint } from "./commit-point.js";
import { CommitPoints } from "./commit-points.js";
import { deleteEach, forEachMatch } from "./delete-documents.js";
import { describeSegments } from "./described-segment.js";
import { type EncodedDocuments, encodeHere, releaseEncoded } from "./encoded-documents.js";
import { IndexSegments } from "./index-segments.js";
import {
  additionRecord,
  COMMIT_RECORD,
  encodeDeletion,
  type JournalEntry,
  type JournalRecord,
} from "./journal-entries.js";
import type { MergePlan } from "./merge-plan.js";
import type { PendingMemory, PendingMemoryUser } from "./pending-memory.js";
import type { WhileWaiting } from "./rounds-between.js";
import { UnusedFiles } from "./unused-files.js";
import type { WriterSegment } from "./writer-segment.js";

/** A commit begins a new journal where it has so many bytes or more: all of them are read when the index is opened. */
const JOURNAL_LENGTH_MAX = 16 << 20;
/** The same for an index that rests: what has been committed takes the disk's room for nothing, while nothing is pending. */
const RESTING_JOURNAL_LENGTH_MAX = 1 << 20;
/** So many bytes of the journal are committed again, after a crash, in less time than it takes to start. */
const RECOVERED_LENGTH_MAX = 1 << 20;

/** What may be pending. */
type PendingEntry = Exclude<JournalEntry, { readonly kind: "commit" }>;

export interface IndexWriterOptions {
  readonly directory: Directory;
  readonly analyzerOf: (schema: EngineSchema) => Analyzer;
  /** For pending documents, with what writing them to disk takes: they are flushed before they pass it. */
  readonly pendingMemory: PendingMemory;
  /** Awaited before files are deleted that were of use until then: others may be about to open them. */
  readonly beforeDeleting?: () => Promise<void>;
  /** Runs between two other calls of the writer: a flush that others ask for, and what is recovered. */
  readonly barrier: <T>(run: () => Promise<T>) => Promise<T>;
}

/**
 * Takes writes, keeps them pending, commits them or drops them. The caller makes sure that only one
 * call runs at a time. Every change goes to the journal first; `sync` makes it durable.
 *
 * Failures leave the state as it was, with one exception: when it can't be known what the disk
 * holds (a failed sync, a commit point that may or may not be there), the writer refuses everything
 * from then on, and opening the index again finds out.
 */
export class IndexWriter implements PendingMemoryUser {
  readonly schema: EngineSchema;
  readonly #directory: Directory;
  readonly #pendingMemory: PendingMemory;
  readonly #segments: IndexSegments;
  readonly #points: CommitPoints;
  readonly #unused: UnusedFiles;
  readonly #bodies: BodySegments;
  /** Whether something is pending that the journal doesn't have, so that it can't be committed there. */
  #isPastJournal = false;
  #hasPendingWrites = false;
  readonly #barrier: IndexWriterOptions["barrier"];
  #isClosed = false;

  /** For `createIndexWriter` and `openIndexWriter`. */
  constructor(
    options: IndexWriterOptions,
    commitPoint: CommitPoint,
    segments: WriterSegment[],
    journal: Journal,
  ) {
    const { directory } = options;
    const { schema } = commitPoint;
    this.schema = schema;
    this.#directory = directory;
    this.#pendingMemory = options.pendingMemory;
    this.#barrier = options.barrier;
    this.#segments = new IndexSegments(directory, schema, options.analyzerOf(schema), segments);
    this.#bodies = new BodySegments(this.#segments, options.pendingMemory);
    this.#unused = new UnusedFiles(directory, options.beforeDeleting ?? (() => Promise.resolve()));
    this.#points = new CommitPoints(commitPoint, journal, {
      directory,
      segments: this.#segments,
      unused: this.#unused,
    });
  }

  get hasPendingWrites(): boolean {
    return this.#hasPendingWrites;
  }

  /** Why the writer refuses everything; null while all is well. */
  get failure(): FindlingError | null {
    return this.#points.failure;
  }

  get generation(): number {
    return this.#points.generation;
  }

  /** Segments of the last commit as it made them visible, in insertion order. */
  committedSegments(): WriterSegment[] {
    return this.#segments.committed();
  }

  /** Bytes of the committed segments and of the journal. */
  get bytesOnDisk(): number {
    return this.#segments.bytesOnDisk + this.#points.journalSize;
  }

  /** Estimate of the memory that pending documents take, with what writing them to disk takes. */
  get pendingBytes(): number {
    return this.#segments.pendingBytes;
  }

  /** @throws FindlingError `invalid_document` (nothing is added then), `storage_unavailable` */
  async add(ids: readonly DocumentId[], documents: readonly CanonicalDocument[]): Promise<void> {
    const encoded = await runInSlices(encodeHere(this.schema, ids, documents));
    try {
      await this.addEncoded(encoded);
    } finally {
      // Journal and pending documents have copies, and buffers that wait for it are what garbage is collected for.
      releaseEncoded(encoded);
    }
  }

  /** The same for documents that have been encoded under this schema. */
  async addEncoded(encoded: EncodedDocuments): Promise<void> {
    await this.#takeIn(encoded, () => this.#record(additionRecord(encoded)));
  }

  /**
   * Makes a segment of a body before it is recorded, where that is worth it (`BodySegments`). Other calls may run
   * between slices.
   *
   * @returns null where `addEncoded` is the way; else `addWritten` is
   */
  async writeApart(
    encoded: EncodedDocuments,
    between: () => Promise<void> | null,
  ): Promise<WriterSegment | null> {
    if (!this.#bodies.takes(encoded) || this.failure !== null) return null;
    return this.#bodies.write(encoded, this.reserveSegmentName(), between);
  }

  /** As `addEncoded`, for documents that are a segment already. */
  async addWritten(encoded: EncodedDocuments, segment: WriterSegment): Promise<void> {
    try {
      await this.#openAllBefore();
    } catch (error) {
      await this.#discard(segment);
      const isStorage = error instanceof FindlingError && error.code === "storage_unavailable";
      if (!isStorage || this.failure !== null) throw error;
      // The journal may have room all the same, all the more without that segment's files.
      return this.addEncoded(encoded);
    }
    try {
      await this.#record(additionRecord(encoded));
    } catch (error) {
      await this.#discard(segment);
      throw error;
    }
    this.#segments.append(segment);
  }

  /**
   * All segments as a delete must see them, pending ones included: without pending deletes, which
   * `deleteDocs` takes into account. The order is that of insertion.
   */
  async searchableSegments(): Promise<readonly SegmentReader[]> {
    return (await this.allSegments()).map((segment) => segment.reader);
  }

  /** The same with what is pending about each: its stage and its deletes. */
  async allSegments(): Promise<readonly WriterSegment[]> {
    this.#points.refuseAfterFailure();
    await this.#segments.makeSearchable();
    return this.#segments.opened();
  }

  /**
   * Deletes the given documents of each segment of `searchableSegments`, called just before.
   * @returns how many were live until now
   */
  async deleteDocs(matches: readonly DocBits[]): Promise<number> {
    const segments = this.#segments.opened();
    const ids: DocumentId[] = [];
    const collect = (segment: WriterSegment, docId: number): void => {
      if (segment.isLive(docId)) ids.push(segment.reader.documentId(docId));
    };
    await runInSlices(forEachMatch(segments, matches, collect));
    if (ids.length === 0) return 0;
    await this.#record(await runInSlices(encodeDeletion({ kind: "delete", ids })));
    let deleted = 0;
    const remove = (segment: WriterSegment, docId: number): void => {
      if (segment.delete(docId)) deleted++;
    };
    await runInSlices(forEachMatch(segments, matches, remove));
    return deleted;
  }

  async deleteAll(): Promise<number> {
    await this.#segments.makeSearchable();
    const deleted = this.#segments.opened().reduce((sum, segment) => sum + segment.docCount, 0);
    if (deleted === 0) return 0;
    await this.#record(await runInSlices(encodeDeletion({ kind: "delete_all" })));
    for (const segment of this.#segments.opened()) segment.deleteAll();
    return deleted;
  }

  /** Deletes committed and pending documents by their ids; unknown ids are passed over. */
  async deleteIds(ids: readonly DocumentId[]): Promise<void> {
    await this.#record(await runInSlices(encodeDeletion({ kind: "delete", ids })));
    await this.recover({ kind: "delete", ids });
  }

  /** Applies an entry that has no need to be in the journal. */
  replay(entry: PendingEntry): Promise<void> {
    this.#isPastJournal = true;
    return this.recover(entry);
  }

  /** Applies an entry that is in the journal already. */
  async recover(entry: PendingEntry): Promise<void> {
    this.#hasPendingWrites = true;
    switch (entry.kind) {
      case "add": {
        const encoded = await runInSlices(encodeHere(this.schema, entry.ids, entry.documents));
        try {
          return await this.#takeIn(encoded, () => Promise.resolve(), true);
        } finally {
          releaseEncoded(encoded);
        }
      }
      case "delete":
        await this.#segments.makeSearchable();
        return runInSlices(deleteEach(this.#segments.opened(), entry.ids));
      case "delete_all":
        await this.#segments.makeSearchable();
        for (const segment of this.#segments.opened()) segment.deleteAll();
        return;
    }
  }

  /** Makes every write so far durable. */
  async sync(): Promise<void> {
    await this.#points.sync();
  }

  flushSoon(): Promise<void> {
    return this.#barrier(() => (this.#isClosed ? Promise.resolve() : this.flush())).catch(() => undefined);
  }

  /** Makes a segment on disk of the documents that wait in memory; pending as before. */
  async flush(): Promise<void> {
    if (!this.#segments.hasPendingInMemory) return;
    await this.#segments.flush(this.reserveSegmentName());
    await this.#clearPending();
  }

  /**
   * Makes all pending writes visible, durably. False if there were none.
   *
   * @param whileWaiting takes the wait for the disk: what makes segments apart may go on meanwhile
   */
  async commit(whileWaiting: WhileWaiting = (waiting) => waiting): Promise<boolean> {
    this.#points.refuseAfterFailure();
    if (!this.#hasPendingWrites) return false;
    this.#bodies.noteCommit();
    // Images of what was flushed come to be when the memory of what is pending is free again.
    if (this.#segments.hasUnopened) await this.flush();
    if (this.#isPastJournal || this.#points.journalSize > JOURNAL_LENGTH_MAX) {
      await this.#points.alone(() => this.#commitToPoint());
    } else {
      await this.#commitToJournal(async () => {
        await this.#points.append(COMMIT_RECORD);
        return this.#points.journalEntries;
      }, whileWaiting);
    }
    return true;
  }

  /** Commits what has been recovered of the journal: the commit is entry number `entries` of it. */
  async recoverCommit(entries: number): Promise<void> {
    await this.#commitToJournal(
      () => Promise.resolve(entries),
      (waiting) => waiting,
    );
  }

  /** Whether commits or merges have made something visible that no commit point has. */
  get isBehind(): boolean {
    return this.#points.isBehind;
  }

  /** Whether so little is to be committed again after a crash that the next commit point may wait. */
  get isHardlyBehind(): boolean {
    return this.#points.bytesToRecover < RECOVERED_LENGTH_MAX;
  }

  /**
   * Publishes a commit point of what is visible, beside whatever else is written.
   *
   * @throws FindlingError `storage_unavailable`: it is still to be done then, or the writer has failed
   */
  checkpoint(): Promise<void> {
    return this.#points.checkpoint();
  }

  /** Before it is closed: if nothing is pending, whoever opens the index next has no journal to read. */
  async finish(): Promise<void> {
    if (this.failure !== null) return;
    if (this.#hasPendingWrites || this.#points.journalEntries === 0) return this.checkpoint();
    await this.#points.startOver();
  }

  /** Begins a new journal if this one is long, and nothing is pending. */
  async shortenJournal(): Promise<void> {
    if (this.failure !== null || this.#hasPendingWrites) return;
    if (this.#points.journalSize > RESTING_JOURNAL_LENGTH_MAX) await this.#points.startOver();
  }

  /** Drops all pending writes, durably. False if there were none. */
  async rollback(): Promise<boolean> {
    this.#points.refuseAfterFailure();
    if (!this.#hasPendingWrites) return false;
    await this.#points.startOver();
    this.#hasPendingWrites = false;
    this.#isPastJournal = false;
    const files = this.#segments.rollBack();
    await this.#clearPending();
    this.#unused.tidy(files);
    return true;
  }

  /** Name for a segment that a merge will write. */
  reserveSegmentName(): string {
    return this.#points.reserveSegmentName();
  }

  /**
   * Puts a merged segment in place of its inputs, with all deletes that came since the plan. What
   * is visible and what is pending stay as they are. False if the inputs are no longer all there.
   *
   * @param segment belongs to the writer if this resolves to true, and is closed else
   */
  installMerge(plan: MergePlan, segment: OpenSegment): boolean {
    const stale = this.failure === null ? this.#segments.replaceMerged(plan, segment) : null;
    if (stale === null) {
      segment.close();
      this.#points.refuseAfterFailure();
      return false;
    }
    this.#unused.addStale(stale);
    this.#points.fallBehind();
    return true;
  }

  /** Deletes what a merge that wasn't installed has written, unless it isn't known what the disk holds. */
  async discardMerge(plan: MergePlan): Promise<void> {
    if (this.failure === null) await this.#unused.deleteQuietly(plan.outputFiles);
  }

  /** Resolves when files that are of no use any more have been deleted. */
  tidied(): Promise<void> {
    return this.#unused.tidied();
  }

  /** Pending writes stay in the journal. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#segments.close();
    this.#pendingMemory.leave(this);
    await this.#unused.tidied();
    await this.#points.closeJournal();
  }

  async #clearPending(): Promise<void> {
    await this.#segments.clearPending();
    this.#pendingMemory.leave(this);
  }

  /** Makes open segments of all that is pending: documents that came before others stay before them. */
  async #openAllBefore(): Promise<void> {
    if (this.#segments.hasPendingInMemory) {
      await this.#segments.flushUnsynced(this.reserveSegmentName());
      await this.#clearPending();
    }
    await this.#segments.openFlushed();
  }

  /** Deletes a segment that is none of the index's, unless it isn't known what the disk holds. */
  async #discard(segment: WriterSegment): Promise<void> {
    segment.reader.close();
    if (this.failure === null) await this.#unused.deleteQuietly(segment.fileNames);
  }

  async #record(record: JournalRecord): Promise<void> {
    this.#points.refuseAfterFailure();
    await this.#points.append(record);
    this.#hasPendingWrites = true;
  }

  /** Adds documents to the pending ones once there is memory for them, and they are recorded. */
  async #takeIn(
    encoded: EncodedDocuments,
    record: () => Promise<void>,
    isAcknowledged = false,
  ): Promise<void> {
    await this.#pendingMemory.makeRoom(this, encoded.json.length, isAcknowledged);
    try {
      await record();
      await this.#addRecorded(encoded);
    } finally {
      this.#pendingMemory.added(this);
    }
  }

  /** What fails midway leaves documents half added, which no commit may take along. */
  async #addRecorded(encoded: EncodedDocuments): Promise<void> {
    try {
      await runInSlices(this.#segments.add(encoded));
    } catch (error) {
      throw this.#points.failAfter(error);
    }
  }

  /**
   * Makes pending writes visible; they are durable as soon as the journal has the commit behind them.
   *
   * @param record puts it there, unless it is. @returns the number of its entry
   */
  async #commitToJournal(record: () => Promise<number>, whileWaiting: WhileWaiting): Promise<void> {
    await this.#segments.openFlushed();
    const files = new FileBatch(this.#directory);
    const flushed = await this.#segments.writePending(files, this.reserveSegmentName());
    const writing = files.finishUnsynced();
    const opening =
      flushed === null ? Promise.resolve(null) : this.#segments.openWritten(flushed, files, false);
    await Promise.allSettled([writing, opening]);
    let committedEntries: number;
    try {
      await Promise.all([writing, opening]);
      committedEntries = await record();
      await whileWaiting(this.sync());
    } catch (error) {
      await opening.then((opened) => opened?.reader.close()).catch(() => undefined);
      if (this.failure === null) await this.#unused.deleteQuietly(files.names);
      throw error;
    }
    this.#unused.addStale(this.#segments.show(await opening));
    this.#hasPendingWrites = false;
    this.#points.noteCommitted(committedEntries);
    await this.#clearPending();
  }

  /** The same with a commit point and a new journal. */
  async #commitToPoint(): Promise<void> {
    await this.#segments.openFlushed();
    const described = describeSegments(this.#segments.withLiveDocuments(), true, this.generation + 1);
    const files = new FileBatch(this.#directory);
    const flushed = await this.#segments.writePending(files, this.reserveSegmentName());
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
    this.#hasPendingWrites = false;
    this.#isPastJournal = false;
    const dropped = this.#segments.show(opened);
    const current = described.map((each) => ({ ...each, live: each.segment.reader.liveDocs }));
    this.#unused.tidy([...dropped, ...this.#points.notePublished(current)]);
    await this.#clearPending();
  }
}
