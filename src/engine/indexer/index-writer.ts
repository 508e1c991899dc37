import type { Analyzer } from "../../analysis/analyzer.js";
import type { FindlingError } from "../../errors/index.js";
import type { FileOwner } from "../bytes/file-owner.js";
import type { Directory } from "../directory/directory.js";
import type { Journal } from "../journal/journal.js";
import type { CanonicalDocument, DocumentId } from "../schema/document.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import type { OpenSegment } from "../segment/open-segment.js";
import type { DocBits, SegmentReader } from "../segment/segment-reader.js";
import { BodySegments } from "./body-segments.js";
import type { CommitPoint } from "./commit-point.js";
import { CommitPoints } from "./commit-points.js";
import { Commits } from "./commits.js";
import type { EncodedDocuments, Replacing } from "./encoded-documents.js";
import { ExpectedCommits } from "./expected-commits.js";
import type { GivenWay } from "./giving-way.js";
import type { HeldCommit } from "./held-commit.js";
import { IndexSegments } from "./index-segments.js";
import type { MergePlan } from "./merge-plan.js";
import type { PendingMemory } from "./pending-memory.js";
import { type PendingEntry, PendingWrites } from "./pending-writes.js";
import type { WhileWaiting } from "./rounds-between.js";
import { UnusedFiles } from "./unused-files.js";
import type { WriterSegment } from "./writer-segment.js";

/** So many bytes of the journal are committed again, after a crash, in less time than it takes to start. */
const RECOVERED_LENGTH_MAX = 8 << 20;

export interface IndexWriterOptions {
  readonly directory: Directory;
  /** Which index it is: what is made says so, and what is opened must not say otherwise. Default: any. */
  readonly owner?: FileOwner | undefined;
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
export class IndexWriter {
  readonly schema: EngineSchema;
  readonly #segments: IndexSegments;
  readonly #unused: UnusedFiles;
  readonly #points: CommitPoints;
  readonly #bodies: BodySegments;
  readonly #pending: PendingWrites;
  readonly #commits: Commits;
  readonly #expected = new ExpectedCommits();
  readonly #barrier: IndexWriterOptions["barrier"];

  /** For `createIndexWriter` and `openIndexWriter`. */
  constructor(
    options: IndexWriterOptions,
    commitPoint: CommitPoint,
    segments: WriterSegment[],
    journal: Journal,
  ) {
    const { directory, analyzerOf, pendingMemory, beforeDeleting, barrier } = options;
    const { schema } = commitPoint;
    this.schema = schema;
    this.#segments = new IndexSegments(directory, schema, analyzerOf(schema), segments);
    this.#unused = new UnusedFiles(directory, beforeDeleting ?? (() => Promise.resolve()));
    const files = { directory, segments: this.#segments, unused: this.#unused };
    this.#points = new CommitPoints(commitPoint, journal, files);
    const stored = { ...files, points: this.#points };
    this.#bodies = new BodySegments(this.#segments, pendingMemory);
    this.#pending = new PendingWrites({ ...stored, schema, memory: pendingMemory, barrier });
    this.#commits = new Commits({ ...stored, pending: this.#pending });
    this.#barrier = barrier;
  }

  get hasPendingWrites(): boolean {
    return this.#pending.exist;
  }

  /** Why the writer refuses everything; null while all is well. */
  get failure(): FindlingError | null {
    return this.#points.failure;
  }

  /** Segments of the last commit as it made them visible, in insertion order. */
  committedSegments(): WriterSegment[] {
    return this.#segments.committed();
  }

  /** Bytes of the committed segments and of the journal. */
  get bytesOnDisk(): number {
    return this.#segments.bytesOnDisk + this.#points.journalSize;
  }

  /** @throws FindlingError `invalid_document` (nothing is added then), `storage_unavailable` */
  async add(
    ids: readonly DocumentId[],
    documents: readonly CanonicalDocument[],
    replacing: Replacing = {},
  ): Promise<GivenWay> {
    const given = await this.#pending.add(ids, documents, replacing);
    this.#noteWrite();
    return given;
  }

  /** Adds documents that have been encoded under this schema. */
  async addEncoded(encoded: EncodedDocuments): Promise<GivenWay> {
    const given = await this.#pending.addEncoded(encoded);
    this.#noteWrite();
    return given;
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
  addWritten(encoded: EncodedDocuments, segment: WriterSegment): Promise<GivenWay> {
    return this.#pending.addWritten(encoded, segment);
  }

  /**
   * All segments as a delete must see them, pending ones included: without pending deletes, which
   * `deleteDocs` takes into account. The order is that of insertion.
   */
  async searchableSegments(): Promise<readonly SegmentReader[]> {
    return (await this.allSegments()).map((segment) => segment.reader);
  }

  /** All segments, with what is pending about each: its stage and its deletes. */
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
    const deleted = await this.#pending.deleteDocs(matches);
    this.#noteWrite();
    return deleted;
  }

  /** @returns how many were live until now */
  deleteAll(): Promise<number> {
    return this.#pending.deleteAll();
  }

  /** Deletes committed and pending documents by their ids; unknown ids are passed over. */
  deleteIds(ids: readonly DocumentId[]): Promise<void> {
    return this.#pending.deleteIds(ids);
  }

  /** Applies an entry that has no need to be in the journal. */
  replay(entry: PendingEntry): Promise<void> {
    return this.#pending.replay(entry);
  }

  /** Applies an entry that is in the journal already. */
  recover(entry: PendingEntry): Promise<void> {
    return this.#pending.recover(entry);
  }

  /** Makes every write so far durable. */
  sync(): Promise<void> {
    return this.#points.sync();
  }

  /** Makes a segment on disk of the documents that wait in memory; pending as before. */
  flush(): Promise<void> {
    return this.#pending.flushToDisk();
  }

  /**
   * Makes all pending writes visible, durably. False if there were none.
   *
   * @param whileWaiting takes the wait for the disk: what makes segments apart may go on meanwhile
   */
  async commit(whileWaiting: WhileWaiting = (waiting) => waiting): Promise<boolean> {
    this.#points.refuseAfterFailure();
    if (!this.hasPendingWrites) return false;
    this.#bodies.noteCommit();
    await this.#commits.commit(whileWaiting);
    // Only now: each write would become a segment for commits that come and fail.
    this.#expected.noteCommit();
    return true;
  }

  /** Commits what has been recovered of the journal: the commit is entry number `entries` of it. */
  recoverCommit(entries: number): Promise<void> {
    return this.#commits.recover(entries);
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

  /** See `CommitPoints.hold`. */
  hold(): Promise<HeldCommit> {
    return this.#points.hold();
  }

  /** Before it is closed: if nothing is pending, whoever opens the index next has no journal to read. */
  finish(): Promise<void> {
    return this.#commits.finish();
  }

  /** Begins a new journal if this one is long, and nothing is pending. */
  shortenJournal(): Promise<void> {
    return this.#commits.shortenJournal();
  }

  /** Drops all pending writes, durably. False if there were none. */
  async rollback(): Promise<boolean> {
    this.#points.refuseAfterFailure();
    if (!this.hasPendingWrites) return false;
    await this.#commits.rollBack();
    this.#expected.noteRollback();
    return true;
  }

  /**
   * Does what a commit would do before it waits for the disk, if one is expected: whoever is told that a document was
   * added takes a while to ask for its commit. Behind the write, which is acknowledged before.
   */
  #noteWrite(): void {
    this.#expected.noteWrite();
    if (!this.#expected.isNext) return;
    const prepare = async (): Promise<void> => {
      if (this.#expected.isNext) await this.#pending.prepareCommit();
    };
    // What fails is tried again by the commit, which tells.
    void this.#barrier(prepare).catch(() => undefined);
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
    this.#pending.close();
    this.#segments.close();
    await this.#unused.tidied();
    await this.#points.closeJournal();
  }
}
