import type { Analyzer } from "../../analysis/analyzer.js";
import { FindlingError } from "../../errors/index.js";
import { releaseBuffer } from "../bytes/release-buffer.js";
import type { Directory, StagedFile } from "../directory/directory.js";
import { FileBatch } from "../directory/file-batch.js";
import { Journal } from "../journal/journal.js";
import type { CanonicalDocument, DocumentId } from "../schema/document.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { encodeLiveDocs } from "../segment/live-docs.js";
import { type OpenSegment, openSegment } from "../segment/open-segment.js";
import type { SegmentFiles } from "../segment/segment-files.js";
import type { DocBits, SegmentReader } from "../segment/segment-reader.js";
import { runInSlices, type SlicedWork } from "../segment/sliced-work.js";
import {
  type CommitPoint,
  type CommittedSegment,
  commitPointName,
  encodeCommitPoint,
  hexadecimal,
  journalName,
  segmentName,
} from "./commit-point.js";
import { deleteEach, forEachMatch } from "./delete-documents.js";
import { documentOf, type EncodedDocuments, encodeDocuments, jsonOf } from "./encoded-documents.js";
import { FlushedSegments } from "./flushed-segments.js";
import { additionRecord, encodeDeletion, type JournalEntry, type JournalRecord } from "./journal-entries.js";
import { installMergedSegment, type MergePlan } from "./merge-plan.js";
import type { PendingMemory, PendingMemoryUser } from "./pending-memory.js";
import { PendingSegments } from "./pending-segments.js";
import { WriterSegment } from "./writer-segment.js";

/** Documents added between two pauses; a power of two. */
const DOCUMENTS_PER_STEP = 16;

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
  readonly #beforeDeleting: () => Promise<void>;
  readonly #pending: PendingSegments;
  /** Committed segments, then those flushed since that are open, in insertion order. */
  #segments: WriterSegment[];
  /** Those behind them. */
  readonly #flushed: FlushedSegments;
  #commitPoint: CommitPoint;
  #nextSegment: number;
  #journal: Journal;
  #journalGeneration: number;
  #hasPendingWrites = false;
  #flushSoon: () => Promise<void> = () => Promise.resolve();
  /** Deleting what is of no use any more, which nobody waits for. */
  #tidying: Promise<void> = Promise.resolve();
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
    this.#beforeDeleting = options.beforeDeleting ?? (() => Promise.resolve());
    this.#pending = new PendingSegments(commitPoint.schema, options.analyzerOf(commitPoint.schema));
    this.#segments = segments;
    this.#flushed = new FlushedSegments(options.directory, commitPoint.schema);
    this.#commitPoint = commitPoint;
    this.#nextSegment = commitPoint.nextSegment;
    this.#journal = journal;
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
    return this.#commitPoint.generation;
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
    await this.replay({ kind: "delete", ids });
  }

  /** Applies an entry that is in the journal already, or has no need to be: recovery, rewriting. */
  async replay(entry: JournalEntry): Promise<void> {
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

  /** Publishes all pending writes. False if there were none. */
  async commit(): Promise<boolean> {
    this.#refuseAfterFailure();
    if (!this.#hasPendingWrites) return false;
    await this.#openFlushedSegments();
    const generation = this.#commitPoint.generation + 1;
    const kept = this.#segments.filter((segment) => segment.docCount > 0);
    const dropped = this.#segments.filter((segment) => segment.docCount === 0);
    const staleFiles = dropped.flatMap(filesOf);
    const files = new FileBatch(this.#directory);
    const flushed = await this.#pending.write(files, this.reserveSegmentName());
    const liveDocsFiles = new Map<WriterSegment, string | null>();
    for (const segment of kept) {
      let file = segment.liveDocsFile;
      if (segment.hasPendingDeletes) {
        if (file !== null) staleFiles.push(file);
        file = `${segment.name}.live-${hexadecimal(generation)}`;
        await files.write(file, [encodeLiveDocs(segment.live!, segment.maxDoc)]);
      }
      liveDocsFiles.set(segment, file);
    }
    const segments = kept.map((segment) => describe(segment, liveDocsFiles.get(segment) ?? null));
    if (flushed !== null) segments.push(describeFlushed(flushed));
    let opened: WriterSegment | null = null;
    const open = async (): Promise<void> => {
      if (flushed !== null) opened = await this.#openFlushed(flushed, files);
    };
    try {
      await this.#startTransaction(files, segments, open);
    } catch (error) {
      (opened as WriterSegment | null)?.reader.close();
      throw error;
    }
    if (opened !== null) kept.push(opened);
    for (const segment of kept) segment.committed(liveDocsFiles.get(segment) ?? null);
    for (const segment of dropped) segment.reader.close();
    this.#segments = kept;
    await this.#clearPending();
    this.#tidy(staleFiles);
    return true;
  }

  /** Drops all pending writes, durably. False if there were none. */
  async rollback(): Promise<boolean> {
    this.#refuseAfterFailure();
    if (!this.#hasPendingWrites) return false;
    const { segments } = this.#commitPoint;
    await this.#startTransaction(new FileBatch(this.#directory), segments, () => Promise.resolve());
    const flushed = this.#segments.filter((segment) => segment.stage !== "committed");
    this.#segments = this.committedSegments();
    for (const segment of this.#segments) segment.rolledBack();
    for (const segment of flushed) segment.reader.close();
    const unopenedFiles = this.#flushed.fileNames;
    this.#flushed.clear();
    await this.#clearPending();
    this.#tidy([...flushed.flatMap(filesOf), ...unopenedFiles]);
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
  async installMerge(plan: MergePlan, segment: OpenSegment): Promise<boolean> {
    let isInstalled = false;
    try {
      isInstalled = await this.#installMerge(plan, segment);
    } finally {
      if (!isInstalled) segment.close();
    }
    return isInstalled;
  }

  async #installMerge(plan: MergePlan, mergedSegment: OpenSegment): Promise<boolean> {
    this.#refuseAfterFailure();
    const inputs = plan.inputs.map((input) => input.segment);
    const start = this.#segments.indexOf(inputs[0]!);
    const unchanged = start >= 0 && inputs.every((input, i) => this.#segments[start + i] === input);
    if (!unchanged) return false;
    const generation = this.#commitPoint.generation + 1;
    const merged = await installMergedSegment(this.#directory, plan, mergedSegment, generation);
    const mergedList = merged === null ? [] : [merged.description];
    const segments = this.committedSegments().flatMap((segment) => {
      if (segment === inputs[0]) return mergedList;
      return inputs.includes(segment) ? [] : [this.#committedDescription(segment)];
    });
    try {
      const commitPoint = { ...this.#commitPoint, generation, nextSegment: this.#nextSegment, segments };
      const staged = await this.#stage(commitPoint);
      await this.#publish(commitPoint, staged).catch(async (error: unknown) => {
        await staged.discard();
        throw error;
      });
    } catch (error) {
      if (this.#failure === null) await this.#deleteQuietly(merged?.writtenFiles ?? []);
      throw error;
    }
    this.#segments.splice(start, inputs.length, ...(merged === null ? [] : [merged.segment]));
    for (const input of inputs) input.reader.close();
    if (merged === null) mergedSegment.close();
    this.#tidy([...inputs.flatMap(filesOf), ...(merged === null ? plan.outputFiles : [])]);
    return true;
  }

  /** Deletes what a merge that wasn't installed has written, unless it isn't known what the disk holds. */
  async discardMerge(plan: MergePlan): Promise<void> {
    if (this.#failure === null) await this.#deleteQuietly(plan.outputFiles);
  }

  /** Resolves when files that are of no use any more have been deleted. */
  tidied(): Promise<void> {
    return this.#tidying;
  }

  /** Pending writes stay in the journal. */
  async close(): Promise<void> {
    for (const segment of this.#allSegments()) segment.reader.close();
    this.#pendingMemory.leave(this);
    await this.#tidying;
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

  #committedDescription(segment: WriterSegment): CommittedSegment {
    return this.#commitPoint.segments.find((committed) => committed.name === segment.name)!;
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
   * Writes files with a new, empty journal, all together and with a commit point that names them, which is
   * published once they are durable. On a failure that is sure to have changed nothing, the files are deleted.
   *
   * @param segments what the commit consists of
   * @param open opens what is being written; nothing is published before that has succeeded
   */
  async #startTransaction(
    files: FileBatch,
    segments: readonly CommittedSegment[],
    open: () => Promise<void>,
  ): Promise<void> {
    const name = journalName(++this.#journalGeneration);
    const beginJournal = await Journal.prepare(files, name);
    const commitPoint: CommitPoint = {
      generation: this.#commitPoint.generation + 1,
      journal: name,
      nextSegment: this.#nextSegment,
      segments,
      schema: this.schema,
    };
    const [writing, staging, opening] = [files.finish(), this.#stage(commitPoint), open()];
    let journal: Journal | null = null;
    // Nothing may be under way any more when it is undone.
    await Promise.allSettled([writing, staging, opening]);
    try {
      const staged = await staging;
      await Promise.all([writing, opening]);
      journal = await beginJournal(this.#directory);
      const previous = { journal: this.#journal, name: this.#commitPoint.journal };
      await this.#publish(commitPoint, staged);
      this.#journal = journal;
      this.#hasPendingWrites = false;
      this.#tidy([previous.name], previous.journal);
    } catch (error) {
      await Promise.allSettled([staging.then((staged) => staged.discard()), journal?.close()]);
      if (this.#failure === null) await this.#deleteQuietly(files.names);
      throw error;
    }
  }

  #stage(commitPoint: CommitPoint): Promise<StagedFile> {
    return this.#directory.stage(commitPointName(commitPoint.generation), encodeCommitPoint(commitPoint));
  }

  /** Either the commit point is durable when this returns, or nothing has changed, or the writer has failed. */
  async #publish(commitPoint: CommitPoint, staged: StagedFile): Promise<void> {
    const name = commitPointName(commitPoint.generation);
    try {
      await staged.publish();
    } catch (error) {
      const names = await this.#directory.list().catch(() => null);
      throw names === null || names.includes(name) ? this.#fail(error) : error;
    }
    const previous = commitPointName(this.#commitPoint.generation);
    this.#commitPoint = commitPoint;
    this.#tidy([previous]);
  }

  async #openFlushed({ name, bytes }: SegmentFiles, files: FileBatch): Promise<WriterSegment> {
    const reader = await openSegment(files, name, this.schema, null);
    return new WriterSegment(reader, "flushed", bytes, null);
  }

  /** Deletes files behind the back of whoever committed, in the order of the calls; closes a journal first. */
  #tidy(names: readonly string[], journal?: Journal): void {
    this.#tidying = this.#tidying.then(async () => {
      await journal?.close().catch(() => undefined);
      await this.#beforeDeleting();
      await this.#deleteQuietly(names);
    });
  }

  /** What can't be deleted now is deleted when the index is opened again. */
  async #deleteQuietly(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#directory.delete(name).catch(() => undefined);
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

function describe(segment: WriterSegment, liveDocsFile: string | null): CommittedSegment {
  return {
    name: segment.name,
    maxDoc: segment.maxDoc,
    deletedCount: segment.deletedCount,
    liveDocsFile,
    bytes: segment.bytes,
  };
}
