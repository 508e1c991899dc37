import type { Analyzer } from "../../analysis/analyzer.js";
import type { Directory, NewFiles } from "../directory/directory.js";
import { FileBatch } from "../directory/file-batch.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { type OpenSegment, openSegment } from "../segment/open-segment.js";
import type { SegmentFiles } from "../segment/segment-files.js";
import { runInSlices, type SlicedWork } from "../segment/sliced-work.js";
import { makeWantedTries } from "../segment/wanted-tries.js";
import type { DocumentKeys } from "./document-keys.js";
import type { EncodedDocuments } from "./encoded-documents.js";
import { FlushedSegments } from "./flushed-segments.js";
import { findGivingWay, type GivingWay } from "./giving-way.js";
import { type MergePlan, mergedWriterSegment } from "./merge-plan.js";
import { PendingSegments } from "./pending-segments.js";
import { SegmentBuilder } from "./segment-builder.js";
import { WriterSegment } from "./writer-segment.js";

/** Documents added between two pauses. */
const DOCUMENTS_PER_STEP = 16;

/**
 * All segments of an index in insertion order, visible and pending: committed ones, behind them those flushed to
 * disk since, and last the documents that wait in memory.
 */
export class IndexSegments {
  readonly #directory: Directory;
  readonly #schema: EngineSchema;
  readonly #analyzer: Analyzer;
  /** Committed segments, then those flushed since that are open. */
  #opened: WriterSegment[];
  /** Those behind them. */
  readonly #flushed: FlushedSegments;
  /** And behind those. */
  readonly #pending: PendingSegments;

  constructor(
    directory: Directory,
    schema: EngineSchema,
    analyzer: Analyzer,
    committed: readonly WriterSegment[],
  ) {
    this.#directory = directory;
    this.#schema = schema;
    this.#analyzer = analyzer;
    this.#opened = [...committed];
    this.#flushed = new FlushedSegments(directory, schema);
    this.#pending = new PendingSegments(schema, analyzer);
  }

  /** Segments of the last commit as it made them visible. */
  committed(): WriterSegment[] {
    return this.#opened.filter((segment) => segment.stage === "committed");
  }

  /** All that are open; after `makeSearchable` that is all there are. */
  opened(): WriterSegment[] {
    return [...this.#opened, ...this.#pending.segments];
  }

  /** Whether a segment is one of those on disk, and not merged away or dropped. */
  has(segment: WriterSegment): boolean {
    return this.#opened.includes(segment);
  }

  /** Those of the next commit, besides the documents in memory; `openFlushed` comes before. */
  withLiveDocuments(): WriterSegment[] {
    return this.#opened.filter((segment) => segment.docCount > 0);
  }

  get hasUnopened(): boolean {
    return !this.#flushed.isEmpty;
  }

  get hasPendingInMemory(): boolean {
    return !this.#pending.isEmpty;
  }

  get bytesOnDisk(): number {
    return this.#opened.reduce((bytes, segment) => bytes + segment.bytes, this.#flushed.bytes);
  }

  /** Estimate of the memory that pending documents take, with what writing them to disk takes. */
  get pendingBytes(): number {
    return this.#pending.bytesUsed;
  }

  /** Looks for what gives way to documents that are about to be added; whatever was flushed is open. */
  findGivingWay(keys: DocumentKeys): SlicedWork<GivingWay> {
    return findGivingWay(keys, this.opened(), this.#pending.builder);
  }

  /**
   * Deletes what gives way, pending, once those that take its place are among these.
   *
   * @param added where they are: a segment of their own, or the builder, behind so many documents
   */
  giveWay({ inSegments, inBuilder, overwritten }: GivingWay, added: WriterSegment | number): void {
    for (const { segment, docIds } of inSegments) for (const docId of docIds) segment.delete(docId);
    const { builder } = this.#pending;
    for (const docId of inBuilder) builder?.drop(docId);
    for (const place of overwritten) {
      if (typeof added === "number") builder?.drop(added + place);
      else added.delete(place);
    }
  }

  /** Documents in memory that can't be searched yet. */
  get docsInBuilder(): number {
    return this.#pending.builder?.docCount ?? 0;
  }

  /** Adds documents to those in memory. */
  add(encoded: EncodedDocuments): SlicedWork {
    return inSteps(encoded, (from, to) => this.#pending.add(encoded, from, to));
  }

  /**
   * Makes an open segment of documents alone, which isn't synced: it is none of these before `append`. On failure no
   * file is left.
   *
   * @param between other work that goes before the next slice, and may change these segments
   */
  async writeApart(
    encoded: EncodedDocuments,
    name: string,
    between: () => Promise<void> | null,
  ): Promise<WriterSegment> {
    const builder = new SegmentBuilder(this.#schema, this.#analyzer);
    try {
      const adding = inSteps(encoded, (from, to) => builder.addEncoded(encoded, from, to));
      await runInSlices(adding, between);
      const files = new FileBatch(this.#directory);
      return await this.#writeUnsynced(files, await builder.write(files, name, between), builder);
    } finally {
      builder.close();
    }
  }

  /** Puts a segment of `writeApart` behind all others, which are open: nothing waits in memory. Pending from now on. */
  append(segment: WriterSegment): void {
    this.#opened.push(segment);
  }

  async makeSearchable(): Promise<void> {
    await this.openFlushed();
    await this.#pending.makeSearchable();
  }

  async openFlushed(): Promise<void> {
    await this.#flushed.open(this.#committedReaders(), (segment) => this.#opened.push(segment));
  }

  #committedReaders(): OpenSegment[] {
    return this.committed().map(({ reader }) => reader);
  }

  /** Has few documents in memory take less of it. @returns whether that was worth it */
  condensePending(): Promise<boolean> {
    return this.#pending.condense();
  }

  /** Makes a segment on disk of the documents in memory, which are still here, too: `clearPending` forgets them. */
  async flush(name: string): Promise<void> {
    const files = new FileBatch(this.#directory);
    const written = await this.#pending.write(files, name);
    if (written === null) return;
    await files.finish();
    this.#flushed.add(name, written.bytes);
  }

  /** Makes a segment of the documents in memory without a sync, which is open then. */
  async flushUnsynced(name: string): Promise<void> {
    await this.openFlushed();
    const files = new FileBatch(this.#directory);
    const written = await this.#pending.write(files, name);
    if (written !== null) this.#opened.push(await this.#writeUnsynced(files, written));
  }

  /** Writes a segment into files of the caller's: it is none of these before `show`. Null if it has no documents. */
  writePending(files: NewFiles, name: string): Promise<SegmentFiles | null> {
    return this.#pending.write(files, name);
  }

  /** Opens what `writePending` wrote. @param documents as they were written: their memory is borrowed */
  async openWritten(
    { name, bytes }: SegmentFiles,
    files: FileBatch,
    isDurable: boolean,
    documents: SegmentBuilder | PendingSegments = this.#pending,
  ): Promise<WriterSegment> {
    const reader = await openSegment(files, name, this.#schema, null, {
      lending: (work) => documents.lendingMemory(work),
    });
    await runInSlices(documents.lendingMemory(makeWantedTries(reader, this.#committedReaders())));
    return new WriterSegment(reader, "flushed", bytes, null, isDurable);
  }

  async #writeUnsynced(
    files: FileBatch,
    written: SegmentFiles,
    documents: SegmentBuilder | PendingSegments = this.#pending,
  ): Promise<WriterSegment> {
    await files.finishUnsynced();
    try {
      return await this.openWritten(written, files, false, documents);
    } catch (error) {
      for (const name of files.names) await this.#directory.delete(name).catch(() => undefined);
      throw error;
    }
  }

  /** Forgets the documents in memory. */
  clearPending(): Promise<void> {
    return this.#pending.clear();
  }

  /**
   * What was pending is visible from now on.
   *
   * @param written a segment more, of the documents in memory
   * @returns files of segments without documents left, which are closed
   */
  show(written: WriterSegment | null): string[] {
    const dropped = this.#opened.filter((segment) => segment.docCount === 0);
    this.#opened = this.#opened.filter((segment) => segment.docCount > 0);
    if (written !== null) this.#opened.push(written);
    for (const segment of this.#opened) segment.committed();
    for (const segment of dropped) segment.reader.close();
    return dropped.flatMap((segment) => segment.fileNames);
  }

  /** Forgets what is pending, but for the documents in memory. @returns files of segments, which are closed */
  rollBack(): string[] {
    const flushed = this.#opened.filter((segment) => segment.stage !== "committed");
    this.#opened = this.committed();
    for (const segment of this.#opened) segment.rolledBack();
    for (const segment of flushed) segment.reader.close();
    const unopenedFiles = this.#flushed.fileNames;
    this.#flushed.clear();
    return [...flushed.flatMap((segment) => segment.fileNames), ...unopenedFiles];
  }

  /**
   * Puts a merged segment in place of its inputs, which are closed, with all deletes that came since the plan.
   *
   * @param merged is closed if nothing of it is alive any more
   * @returns files that are of no use any more; null if the inputs are no longer all there, and nothing was done
   */
  replaceMerged(plan: MergePlan, merged: OpenSegment): string[] | null {
    const inputs = plan.inputs.map((input) => input.segment);
    const start = this.#opened.indexOf(inputs[0]!);
    const unchanged = start >= 0 && inputs.every((input, i) => this.#opened[start + i] === input);
    if (!unchanged) return null;
    const replacement = mergedWriterSegment(plan, merged);
    this.#opened.splice(start, inputs.length, ...(replacement === null ? [] : [replacement]));
    for (const input of inputs) input.reader.close();
    if (replacement === null) merged.close();
    const unusedOutput = replacement === null ? plan.outputFiles : [];
    return [...inputs.flatMap((segment) => segment.fileNames), ...unusedOutput];
  }

  close(): void {
    for (const segment of this.opened()) segment.reader.close();
  }
}

function* inSteps({ ids }: EncodedDocuments, add: (from: number, to: number) => void): SlicedWork {
  for (let from = 0; from < ids.length; from += DOCUMENTS_PER_STEP) {
    add(from, Math.min(from + DOCUMENTS_PER_STEP, ids.length));
    yield;
  }
}
