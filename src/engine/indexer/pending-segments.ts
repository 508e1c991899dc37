import type { Analyzer } from "../../analysis/analyzer.js";
import type { NewFiles } from "../directory/directory.js";
import { MemoryDirectory } from "../directory/memory-directory.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { openSegment } from "../segment/open-segment.js";
import type { SegmentFiles } from "../segment/segment-files.js";
import type { SlicedWork } from "../segment/sliced-work.js";
import type { EncodedDocuments } from "./encoded-documents.js";
import { TieredMergePolicy } from "./merge-policy.js";
import { SegmentBuilder } from "./segment-builder.js";
import { mergeSegments } from "./segment-merger.js";
import { WriterSegment } from "./writer-segment.js";

/** What an open segment takes besides its files and its image, in all and for each field: 30 KB with five, measured. */
const SEGMENT_BYTES = 10 << 10;
const FIELD_BYTES = 4 << 10;

/** A builder that takes no more is hardly more than the buffers it begins with. */
const SPARSE_BYTES_MAX = 1 << 20;

/**
 * Documents added since the last flush to disk: a builder, and small segments in memory. A builder
 * can't be searched, so a delete turns it into a small segment first; those are merged among
 * themselves by tiers, so that a client that deletes and adds in turn costs O(n log n), not O(n²).
 */
export class PendingSegments {
  readonly #schema: EngineSchema;
  readonly #analyzer: Analyzer;
  readonly #policy = new TieredMergePolicy({ segmentsPerTier: 4, floorBytes: 1 << 14 });
  readonly #memory = new MemoryDirectory();
  /** Null while no document waits in it: its tables take some hundred kilobytes. */
  #builder: SegmentBuilder | null = null;
  #segments: WriterSegment[] = [];
  #named = 0;

  constructor(schema: EngineSchema, analyzer: Analyzer) {
    this.#schema = schema;
    this.#analyzer = analyzer;
  }

  /** Segments in memory, in insertion order; the builder's documents are not among them. */
  get segments(): readonly WriterSegment[] {
    return this.#segments;
  }

  get isEmpty(): boolean {
    return this.#segments.length === 0 && (this.#builder?.docCount ?? 0) === 0;
  }

  /** Estimate of the memory that pending documents take. */
  get bytesUsed(): number {
    let bytes = this.#builder?.bytesUsed ?? 0;
    const objects = SEGMENT_BYTES + FIELD_BYTES * this.#schema.fields.length;
    for (const { bytes: files, reader } of this.#segments) bytes += files + reader.bytesInMemory + objects;
    return bytes;
  }

  /**
   * Makes a small segment in memory of few documents that wait in a builder.
   *
   * @returns whether all that waits takes half of the memory at most now
   */
  async condense(): Promise<boolean> {
    if (this.#builder === null || this.#builder.docCount === 0) return false;
    if (this.#builder.bytesUsed > SPARSE_BYTES_MAX) return false;
    const before = this.bytesUsed;
    await this.makeSearchable();
    return this.bytesUsed <= before / 2;
  }

  /** Documents that can't be searched yet; null if there are none. They are behind all others. */
  get builder(): SegmentBuilder | null {
    return this.#builder;
  }

  /** Documents `from` to `to` of these. */
  add(encoded: EncodedDocuments, from: number, to: number): void {
    // A body's builder beside it has more to build.
    this.#builder ??= new SegmentBuilder(this.#schema, this.#analyzer, true);
    this.#builder.addEncoded(encoded, from, to);
  }

  /** Turns the builder into a segment in memory, so that every pending document can be searched. */
  async makeSearchable(): Promise<void> {
    if (this.#builder === null || this.#builder.docCount === 0) return;
    const name = this.#nextName();
    const files = await this.#builder.write(this.#memory, name);
    const reader = await openSegment(this.#memory, name, this.#schema, null, {
      lending: (work) => this.lendingMemory(work),
    });
    const segment = new WriterSegment(reader, "memory", files.bytes, null);
    for (const docId of this.#builder.dropped) segment.delete(docId);
    this.#segments.push(segment);
    this.#dropBuilder();
    await this.#mergeInMemory();
  }

  /**
   * Writes everything as one segment of the given name. It is still here, too: `clear` forgets it.
   *
   * @returns null if no live document is left, and nothing was written
   */
  async write(files: NewFiles, name: string): Promise<SegmentFiles | null> {
    // A file holds none that are deleted.
    if (this.#segments.length > 0 || (this.#builder?.dropped.size ?? 0) > 0) await this.makeSearchable();
    const live = this.#segments.filter((segment) => segment.docCount > 0);
    if (live.length > 0) {
      const views = live.map((segment) => segment.view());
      return mergeSegments(files, this.#schema, views, name);
    }
    if (this.#builder === null || this.#builder.docCount === 0) return null;
    return this.#builder.write(files, name);
  }

  /** Work that borrows memory of the documents that wait, if there are any. */
  lendingMemory<T>(work: SlicedWork<T>): SlicedWork<T> {
    return this.#builder === null ? work : this.#builder.lendingMemory(work);
  }

  /** Drops everything. */
  async clear(): Promise<void> {
    const dropped = this.#segments;
    this.#segments = [];
    this.#dropBuilder();
    for (const segment of dropped) await this.#forget(segment);
  }

  #dropBuilder(): void {
    this.#builder?.close();
    this.#builder = null;
  }

  async #mergeInMemory(): Promise<void> {
    for (;;) {
      const range = this.#policy.nextMerge(
        this.#segments.map((segment) => ({
          liveBytes: (segment.bytes * segment.docCount) / segment.maxDoc,
          imageBytes: (segment.reader.bytesInMemory * segment.docCount) / segment.maxDoc,
          maxDoc: segment.maxDoc,
          deletedCount: segment.deletedCount,
        })),
      );
      if (range === null) return;
      const inputs = this.#segments.slice(range.start, range.end);
      const live = inputs.filter((segment) => segment.docCount > 0);
      const merged: WriterSegment[] = [];
      if (live.length > 0) {
        const name = this.#nextName();
        const views = live.map((segment) => segment.view());
        const files = await mergeSegments(this.#memory, this.#schema, views, name);
        const reader = await openSegment(this.#memory, name, this.#schema, null);
        merged.push(new WriterSegment(reader, "memory", files.bytes, null));
      }
      this.#segments.splice(range.start, inputs.length, ...merged);
      for (const input of inputs) await this.#forget(input);
    }
  }

  async #forget(segment: WriterSegment): Promise<void> {
    segment.reader.close();
    for (const file of segment.reader.fileNames) await this.#memory.delete(file);
  }

  #nextName(): string {
    this.#named++;
    return `m${this.#named}`;
  }
}
