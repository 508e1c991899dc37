import type { Analyzer } from "../../analysis/analyzer.js";
import { FindlingError } from "../../errors/index.js";
import { releaseBuffer } from "../bytes/release-buffer.js";
import type { Directory } from "../directory/directory.js";
import { FileBatch } from "../directory/file-batch.js";
import { Journal } from "../journal/journal.js";
import type { CanonicalDocument, DocumentId } from "../schema/document.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { type OpenSegment, openSegment } from "../segment/open-segment.js";
import type { SegmentFiles } from "../segment/segment-files.js";
import type { DocBits, SegmentReader } from "../segment/segment-reader.js";
import { runInSlices, type SlicedWork } from "../segment/sliced-work.js";
import { type CommitPoint, type CommittedSegment, journalName, segmentName } from "./commit-point.js";
import { CommitPoints } from "./commit-points.js";
import { deleteEach, forEachMatch } from "./delete-documents.js";
import {
  type DescribedSegment,
  describeSegments,
  unsyncedFilesOf,
  writeLiveDocs,
} from "./described-segment.js";
import { documentOf, type EncodedDocuments, encodeDocuments, jsonOf } from "./encoded-documents.js";
import { FlushedSegments } from "./flushed-segments.js";
import {
  additionRecord,
  COMMIT_RECORD,
  encodeDeletion,
  type JournalEntry,
  type JournalRecord,
} from "./journal-entries.js";
import { type MergePlan, mergedWriterSegment } from "./merge-plan.js";
import type { PendingMemory, PendingMemoryUser } from "./pending-memory.js";
import { PendingSegments } from "./pending-segments.js";
import { WriterSegment } from "./writer-segment.js";

/** Documents added between two pauses; a power of two. */
const DOCUMENTS_PER_STEP = 16;
/** A commit begins a new journal where it has so many bytes or more: all of them are read when the index is opened. */
const JOURNAL_LENGTH_MAX = 16 << 20;

/** What may be pending. */
type PendingEntry = Exclude<JournalEntry, { readonly kind: "commit" }>;

export interface IndexWriterOptions {
  readonly directory: Directory;
  readonly analyzerOf: (schema: EngineSchema) => Analyzer;
  /** For pending documents, with what writing them to disk takes: they are flushed before they pass it. */
  readonly pendingMemory: PendingMemory;
  /** Awaited before files are deleted that were of use until then: others may be about to open them. */
  readonly beforeDeleting?: () => Promise<void>;
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
  readonly #pending: PendingSegments;
  /** Committed segments, then those flushed since that are open, in insertion order. */
  #segments: WriterSegment[];
  /** Those behind them. */
  readonly #flushed: FlushedSegments;
  readonly #points: CommitPoints;
  /** Whether something is visible that no commit point has. */
  #isBehind = false;
  #nextSegment: number;
  #journal: Journal;
  #journalGeneration: number;
  /** Entries of the journal that have been committed. */
  #committedEntries: number;
  /** Whether something is pending that the journal doesn't have, so that it can't be committed there. */
  #isPastJournal = false;
  #hasPendingWrites = false;
  #flushSoon: () => Promise<void> = () => Promise.resolve();
  #failure: FindlingError | null = null;

  /** For `createIndexWriter` and `openIndexWriter`. */
  constructor(
    options: IndexWriterOptions,
    commitPoint: CommitPoint,
    segments: WriterSegment[],
    journal: Journal,
  ) {
    this.schema = commitPoint.schema;
    this.#directory = options.directory;
    this.#pendingMemory = options.pendingMemory;
    this.#points = new CommitPoints(commitPoint, {
      directory: options.directory,
      beforeDeleting: options.beforeDeleting ?? (() => Promise.resolve()),
      fail: (error) => this.#fail(error),
    });
    this.#pending = new PendingSegments(commitPoint.schema, options.analyzerOf(commitPoint.schema));
    this.#segments = segments;
    this.#flushed = new FlushedSegments(options.directory, commitPoint.schema);
    this.#nextSegment = commitPoint.nextSegment;
    this.#journal = journal;
    this.#committedEntries = commitPoint.committedEntries;
    this.#journalGeneration = Number.parseInt(commitPoint.journal.slice("journal-".length), 16);
  }

  get hasPendingWrites(): boolean {
    return this.#hasPendingWrites;
  }

  /** Why the writer refuses everything; null while all is well. */
  get failure(): FindlingError | null {
    return this.#failure;
  }

  get generation(): number {
    return this.#points.newest.generation;
  }

  /** Segments of the last commit as it made them visible, in insertion order. */
  committedSegments(): WriterSegment[] {
    return this.#segments.filter((segment) => segment.stage === "committed");
  }

  /** Bytes of the committed segments and of the journal. */
  get bytesOnDisk(): number {
    const unopened = this.#journal.size + this.#flushed.bytes;
    return this.#segments.reduce((bytes, segment) => bytes + segment.bytes, unopened);
  }

  /** Estimate of the memory that pending documents take, with what writing them to disk takes. */
  get pendingBytes(): number {
    return this.#pending.bytesUsed;
  }

  /** @throws FindlingError `invalid_document` (nothing is added then), `storage_unavailable` */
  async add(ids: readonly DocumentId[], documents: readonly CanonicalDocument[]): Promise<void> {
    const encoded = await runInSlices(encodeDocuments(this.schema, ids, documents));
    try {
      await this.addEncoded(encoded);
    } finally {
      // Journal and pending documents have copies, and buffers that wait for it are what garbage is collected for.
      releaseBuffer(encoded.json.buffer);
    }
  }

  /** The same for documents that have been encoded under this schema. */
  async addEncoded(encoded: EncodedDocuments): Promise<void> {
    await this.#takeIn(encoded, () => this.#record(additionRecord(encoded)));
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
    this.#refuseAfterFailure();
    await this.#makeSearchable();
    return this.#allSegments();
  }

  /**
   * Deletes the given documents of each segment of `searchableSegments`, called just before.
   * @returns how many were live until now
   */
  async deleteDocs(matches: readonly DocBits[]): Promise<number> {
    const segments = this.#allSegments();
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
    await this.#makeSearchable();
    const deleted = this.#allSegments().reduce((sum, segment) => sum + segment.docCount, 0);
    if (deleted === 0) return 0;
    await this.#record(await runInSlices(encodeDeletion({ kind: "delete_all" })));
    for (const segment of this.#allSegments()) segment.deleteAll();
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
        const encoded = await runInSlices(encodeDocuments(this.schema, entry.ids, entry.documents));
        return this.#takeIn(encoded, () => Promise.resolve());
      }
      case "delete":
        await this.#makeSearchable();
        return runInSlices(deleteEach(this.#allSegments(), entry.ids));
      case "delete_all":
        await this.#makeSearchable();
        for (const segment of this.#allSegments()) segment.deleteAll();
        return;
    }
  }

  /** Makes every write so far durable. */
  async sync(): Promise<void> {
    this.#refuseAfterFailure();
    try {
      await this.#journal.sync();
    } catch (error) {
      throw this.#fail(error);
    }
  }

  flushSoon(): Promise<void> {
    return this.#flushSoon();
  }

  /** How to flush when others want the memory; until it is set, they have to do without. */
  onFlushWanted(flushSoon: () => Promise<void>): void {
    this.#flushSoon = flushSoon;
  }

  /** Makes a segment on disk of the documents that wait in memory; pending as before. */
  async flush(): Promise<void> {
    if (this.#pending.isEmpty) return;
    const files = new FileBatch(this.#directory);
    const name = this.reserveSegmentName();
    const written = await this.#pending.write(files, name);
    if (written !== null) {
      await files.finish();
      this.#flushed.add(name, written.bytes);
    }
    await this.#clearPending();
  }

  /** Makes all pending writes visible, durably. False if there were none. */
  async commit(): Promise<boolean> {
    this.#refuseAfterFailure();
    if (!this.#hasPendingWrites) return false;
    // Images of what was flushed come to be when the memory of what is pending is free again.
    if (!this.#flushed.isEmpty) await this.flush();
    if (this.#isPastJournal || this.#journal.size > JOURNAL_LENGTH_MAX) {
      await this.#points.alone(() => this.#commitToPoint());
    } else {
      await this.#commitToJournal(async () => {
        await this.#journal.append(COMMIT_RECORD.kind, COMMIT_RECORD.payload);
        return this.#journal.entryCount;
      });
    }
    return true;
  }

  /** Commits what has been recovered of the journal: the commit is entry number `entries` of it. */
  async recoverCommit(entries: number): Promise<void> {
    await this.#commitToJournal(() => Promise.resolve(entries));
  }

  /** Whether commits or merges have made something visible that no commit point has. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /**
   * Publishes a commit point of what is visible, beside whatever else is written.
   *
   * @throws FindlingError `storage_unavailable`: it is still to be done then, or the writer has failed
   */
  checkpoint(): Promise<void> {
    return this.#points.alone(async () => {
      if (this.#failure !== null || !this.#isBehind) return;
      this.#isBehind = false;
      const { newest } = this.#points;
      const generation = newest.generation + 1;
      const described = describeSegments(this.committedSegments(), false, generation);
      const commitPoint: CommitPoint = {
        ...newest,
        generation,
        committedEntries: this.#committedEntries,
        nextSegment: this.#nextSegment,
        segments: described.map(({ description }) => description),
      };
      const stale = this.#points.takeStale();
      const files = new FileBatch(this.#directory);
      await writeLiveDocs(files, described);
      const writing = files.names.length === 0 ? Promise.resolve() : files.finish();
      const [syncing, staging] = [this.#syncFilesOf(described), this.#points.stage(commitPoint)];
      await Promise.allSettled([writing, syncing, staging]);
      try {
        const staged = await staging;
        await Promise.all([writing, syncing]);
        await this.#points.publish(commitPoint, staged);
      } catch (error) {
        this.#isBehind = true;
        this.#points.addStale(stale);
        await staging.then((staged) => staged.discard()).catch(() => undefined);
        if (this.#failure === null) await this.#points.deleteQuietly(files.names);
        throw error;
      }
      this.#points.tidy([...stale, ...this.#notePublished(described)]);
    });
  }

  /** Before it is closed: if nothing is pending, whoever opens the index next has no journal to read. */
  async finish(): Promise<void> {
    if (this.#failure !== null) return;
    if (this.#hasPendingWrites || this.#journal.entryCount === 0) return this.checkpoint();
    await this.#points.alone(() => this.#startOver());
  }

  /** Drops all pending writes, durably. False if there were none. */
  async rollback(): Promise<boolean> {
    this.#refuseAfterFailure();
    if (!this.#hasPendingWrites) return false;
    await this.#points.alone(() => this.#startOver());
    const flushed = this.#segments.filter((segment) => segment.stage !== "committed");
    this.#segments = this.committedSegments();
    for (const segment of this.#segments) segment.rolledBack();
    for (const segment of flushed) segment.reader.close();
    const unopenedFiles = this.#flushed.fileNames;
    this.#flushed.clear();
    await this.#clearPending();
    this.#points.tidy([...flushed.flatMap(filesOf), ...unopenedFiles]);
    return true;
  }

  /** Name for a segment that a merge will write. */
  reserveSegmentName(): string {
    return segmentName(this.#nextSegment++);
  }

  /**
   * Puts a merged segment in place of its inputs, with all deletes that came since the plan. What
   * is visible and what is pending stay as they are. False if the inputs are no longer all there.
   *
   * @param segment belongs to the writer if this resolves to true, and is closed else
   */
  installMerge(plan: MergePlan, segment: OpenSegment): boolean {
    const inputs = plan.inputs.map((input) => input.segment);
    const start = this.#segments.indexOf(inputs[0]!);
    const unchanged = start >= 0 && inputs.every((input, i) => this.#segments[start + i] === input);
    if (this.#failure !== null || !unchanged) {
      segment.close();
      this.#refuseAfterFailure();
      return false;
    }
    const merged = mergedWriterSegment(plan, segment);
    this.#segments.splice(start, inputs.length, ...(merged === null ? [] : [merged]));
    for (const input of inputs) input.reader.close();
    if (merged === null) segment.close();
    this.#points.addStale([...inputs.flatMap(filesOf), ...(merged === null ? plan.outputFiles : [])]);
    this.#isBehind = true;
    return true;
  }

  /** Deletes what a merge that wasn't installed has written, unless it isn't known what the disk holds. */
  async discardMerge(plan: MergePlan): Promise<void> {
    if (this.#failure === null) await this.#points.deleteQuietly(plan.outputFiles);
  }

  /** Resolves when files that are of no use any more have been deleted. */
  tidied(): Promise<void> {
    return this.#points.tidied();
  }

  /** Pending writes stay in the journal. */
  async close(): Promise<void> {
    for (const segment of this.#allSegments()) segment.reader.close();
    this.#pendingMemory.leave(this);
    await this.#points.tidied();
    await this.#journal.close();
  }

  async #makeSearchable(): Promise<void> {
    await this.#openFlushedSegments();
    await this.#pending.makeSearchable();
  }

  async #openFlushedSegments(): Promise<void> {
    await this.#flushed.open((segment) => this.#segments.push(segment));
  }

  async #clearPending(): Promise<void> {
    await this.#pending.clear();
    this.#pendingMemory.leave(this);
  }

  #allSegments(): WriterSegment[] {
    return [...this.#segments, ...this.#pending.segments];
  }

  async #record({ kind, payload }: JournalRecord): Promise<void> {
    this.#refuseAfterFailure();
    await this.#journal.append(kind, payload);
    this.#hasPendingWrites = true;
  }

  /** Adds documents to the pending ones once there is memory for them, and they are recorded. */
  async #takeIn(encoded: EncodedDocuments, record: () => Promise<void>): Promise<void> {
    await this.#pendingMemory.makeRoom(this, encoded.json.length);
    try {
      await record();
      await runInSlices(this.#addAll(encoded));
    } finally {
      this.#pendingMemory.added(this);
    }
  }

  *#addAll(encoded: EncodedDocuments): SlicedWork {
    const { ids } = encoded;
    for (let i = 0; i < ids.length; i++) {
      this.#pending.add(ids[i]!, documentOf(encoded, i), jsonOf(encoded, i));
      if ((i & (DOCUMENTS_PER_STEP - 1)) === DOCUMENTS_PER_STEP - 1) yield;
    }
  }

  /**
   * Makes pending writes visible; they are durable as soon as the journal has the commit behind them.
   *
   * @param record puts it there, unless it is. @returns the number of its entry
   */
  async #commitToJournal(record: () => Promise<number>): Promise<void> {
    await this.#openFlushedSegments();
    const files = new FileBatch(this.#directory);
    const flushed = await this.#pending.write(files, this.reserveSegmentName());
    const writing = files.finishUnsynced();
    const opening = flushed === null ? Promise.resolve(null) : this.#openFlushed(flushed, files, false);
    await Promise.allSettled([writing, opening]);
    let committedEntries: number;
    try {
      await Promise.all([writing, opening]);
      committedEntries = await record();
      await this.sync();
    } catch (error) {
      await opening.then((opened) => opened?.reader.close()).catch(() => undefined);
      if (this.#failure === null) await this.#points.deleteQuietly(files.names);
      throw error;
    }
    this.#points.addStale(this.#show(await opening));
    this.#committedEntries = committedEntries;
    this.#isBehind = true;
    await this.#clearPending();
  }

  /** The same with a commit point and a new journal. */
  async #commitToPoint(): Promise<void> {
    await this.#openFlushedSegments();
    const kept = this.#segments.filter((segment) => segment.docCount > 0);
    const described = describeSegments(kept, true, this.generation + 1);
    const files = new FileBatch(this.#directory);
    const flushed = await this.#pending.write(files, this.reserveSegmentName());
    let opened: WriterSegment | null = null;
    const open = async (): Promise<void> => {
      if (flushed !== null) opened = await this.#openFlushed(flushed, files, true);
    };
    try {
      await this.#startTransaction(files, described, flushed, open);
    } catch (error) {
      (opened as WriterSegment | null)?.reader.close();
      throw error;
    }
    const dropped = this.#show(opened);
    const current = described.map((each) => ({ ...each, live: each.segment.reader.liveDocs }));
    this.#points.tidy([...dropped, ...this.#notePublished(current)]);
    await this.#clearPending();
  }

  /** A commit point of what is visible, with a new journal. */
  async #startOver(): Promise<void> {
    const described = describeSegments(this.committedSegments(), false, this.generation + 1);
    await this.#startTransaction(new FileBatch(this.#directory), described, null, () => Promise.resolve());
    this.#points.tidy(this.#notePublished(described));
  }

  /**
   * What was pending is visible from now on.
   *
   * @param opened a segment more
   * @returns files of segments without documents left, which are closed
   */
  #show(opened: WriterSegment | null): string[] {
    const dropped = this.#segments.filter((segment) => segment.docCount === 0);
    this.#segments = this.#segments.filter((segment) => segment.docCount > 0);
    if (opened !== null) this.#segments.push(opened);
    for (const segment of this.#segments) segment.committed();
    for (const segment of dropped) segment.reader.close();
    this.#hasPendingWrites = false;
    return dropped.flatMap(filesOf);
  }

  /** A commit point names these. @returns files with live documents that are of no use any more */
  #notePublished(described: readonly DescribedSegment[]): string[] {
    return described.flatMap(({ segment, description: { liveDocsFile }, live }) => {
      const stale = segment.published(liveDocsFile, live);
      // Merged away meanwhile: the next commit point doesn't name it.
      if (liveDocsFile !== null && !this.#segments.includes(segment)) this.#points.addStale([liveDocsFile]);
      return stale;
    });
  }

  /**
   * Writes files with a new, empty journal, all together and with a commit point that names them, which is
   * published once they are durable. On a failure that is sure to have changed nothing, the files are deleted.
   *
   * @param described what the commit consists of, besides the segment that is written
   * @param open opens what is being written; nothing is published before that has succeeded
   */
  async #startTransaction(
    files: FileBatch,
    described: readonly DescribedSegment[],
    flushed: SegmentFiles | null,
    open: () => Promise<void>,
  ): Promise<void> {
    const name = journalName(++this.#journalGeneration);
    await writeLiveDocs(files, described);
    const beginJournal = await Journal.prepare(files, name);
    const segments = described.map(({ description }) => description);
    if (flushed !== null) segments.push(describeFlushed(flushed));
    const commitPoint: CommitPoint = {
      generation: this.generation + 1,
      journal: name,
      committedEntries: 0,
      nextSegment: this.#nextSegment,
      segments,
      schema: this.schema,
    };
    const stale = this.#points.takeStale();
    const [writing, syncing] = [files.finish(), this.#syncFilesOf(described)];
    const [staging, opening] = [this.#points.stage(commitPoint), open()];
    let journal: Journal | null = null;
    // Nothing may be under way any more when it is undone.
    await Promise.allSettled([writing, syncing, staging, opening]);
    try {
      const staged = await staging;
      await Promise.all([writing, syncing, opening]);
      journal = await beginJournal(this.#directory);
      const previous = { journal: this.#journal, name: this.#points.newest.journal };
      await this.#points.publish(commitPoint, staged);
      this.#journal = journal;
      this.#committedEntries = 0;
      this.#hasPendingWrites = false;
      this.#isPastJournal = false;
      this.#isBehind = false;
      this.#points.tidy([previous.name, ...stale], () => previous.journal.close());
    } catch (error) {
      this.#points.addStale(stale);
      await Promise.allSettled([staging.then((staged) => staged.discard()), journal?.close()]);
      if (this.#failure === null) await this.#points.deleteQuietly(files.names);
      throw error;
    }
  }

  /** What can't be synced may be lost without the system knowing: only the journal has it for sure then. */
  async #syncFilesOf(described: readonly DescribedSegment[]): Promise<void> {
    try {
      await this.#directory.syncFiles(unsyncedFilesOf(described));
    } catch (error) {
      throw this.#fail(error);
    }
  }

  async #openFlushed(
    { name, bytes }: SegmentFiles,
    files: FileBatch,
    isDurable: boolean,
  ): Promise<WriterSegment> {
    const reader = await openSegment(files, name, this.schema, null);
    return new WriterSegment(reader, "flushed", bytes, null, isDurable);
  }

  #fail(error: unknown): FindlingError {
    this.#failure = new FindlingError(
      "storage_unavailable",
      `writing to ${this.#directory.description} failed, and the index must be opened again before it takes writes`,
      { cause: error, ...(error instanceof Error ? { details: error.message } : {}) },
    );
    return this.#failure;
  }

  #refuseAfterFailure(): void {
    if (this.#failure !== null) throw this.#failure;
  }
}

/** The files of a segment: those written with it, and its live documents. */
export function filesOf(segment: WriterSegment): string[] {
  return segment.liveDocsFile === null
    ? [...segment.reader.fileNames]
    : [...segment.reader.fileNames, segment.liveDocsFile];
}

/** Opens the segments that a commit point names. */
export async function openCommittedSegments(
  directory: Directory,
  commitPoint: CommitPoint,
): Promise<WriterSegment[]> {
  const segments: WriterSegment[] = [];
  try {
    for (const { name, liveDocsFile, bytes } of commitPoint.segments) {
      const reader = await openSegment(directory, name, commitPoint.schema, liveDocsFile);
      segments.push(new WriterSegment(reader, "committed", bytes, liveDocsFile));
    }
    return segments;
  } catch (error) {
    for (const segment of segments) segment.reader.close();
    throw error;
  }
}

/** A segment that is being written, without deletes. */
function describeFlushed({ name, maxDoc, bytes }: SegmentFiles): CommittedSegment {
  return { name, maxDoc, deletedCount: 0, liveDocsFile: null, bytes };
}
