/**
 * The door to Findling's full-text engine: a durable index of JSON documents in a folder.
 *
 * ```ts
 * const index = await Index.create(await FileDirectory.open("books", { create: true }), defineSchema({ title: "text", year: "u64" }));
 * await index.add([{ title: "The Winter's Tale", year: 1623 }]);
 * await index.commit();
 * index.search({ query: { kind: "term", field: "title", term: "winter" } }).hits;
 * ```
 */
import { createAnalyzer } from "../analysis/create-analyzer.js";
import { FindlingError } from "../errors/index.js";
import { releaseBuffer } from "./bytes/release-buffer.js";
import type { Directory } from "./directory/directory.js";
import { CheckpointAlarm } from "./indexer/checkpoint-alarm.js";
import { DocumentsEncoding, type EncodedDocuments, encodeDocuments } from "./indexer/encoded-documents.js";
import { IndexRewrite } from "./indexer/index-rewrite.js";
import type { IndexWriter, IndexWriterOptions } from "./indexer/index-writer.js";
import { type MergePlan, planMerge } from "./indexer/merge-plan.js";
import { type MergePolicy, TieredMergePolicy } from "./indexer/merge-policy.js";
import { type MergeRunner, runMerge } from "./indexer/merge-runner.js";
import { MergeScheduler } from "./indexer/merge-scheduler.js";
import { createIndexWriter, openIndexWriter } from "./indexer/open-index-writer.js";
import { PendingMemory } from "./indexer/pending-memory.js";
import { SettlingMergePolicy } from "./indexer/settling-merge-policy.js";
import { WriteQueue } from "./indexer/write-queue.js";
import type { CanonicalDocument, DocumentId } from "./schema/document.js";
import { DocumentIdSource } from "./schema/document-ids.js";
import type { EngineSchema } from "./schema/engine-schema.js";
import { type KeptValueMatch, keptValueMatcher } from "./search/kept-value-match.js";
import type { Query } from "./search/query.js";
import type {
  CollectionStatistics,
  EngineSearchResult,
  Explanation,
  SearchOptions,
} from "./search/search-types.js";
import { Searcher } from "./search/searcher.js";
import { SegmentStatisticsCache } from "./search/statistics/segment-statistics.js";
import { type OpenSegment, openSharedSegment } from "./segment/open-segment.js";
import type { DocBits } from "./segment/segment-reader.js";
import type { SharedSegment } from "./segment/shared-segment.js";
import { runInSlices, type SlicedWork } from "./segment/sliced-work.js";
import type { HeldSearcher } from "./snapshot/snapshot-follower.js";

export type { Analyzer, AnalyzerSettings, Token } from "../analysis/analyzer.js";
export { tokensOf } from "../analysis/analyzer.js";
export { createAnalyzer } from "../analysis/create-analyzer.js";
export { releaseBuffer } from "./bytes/release-buffer.js";
export type { Directory } from "./directory/directory.js";
export { FileDirectory } from "./directory/file-directory.js";
export { MemoryDirectory } from "./directory/memory-directory.js";
export type { EncodedDocuments } from "./indexer/encoded-documents.js";
export type { IndexRewrite } from "./indexer/index-rewrite.js";
export { mayRunBeside } from "./indexer/merge-plan.js";
export { TieredMergePolicy } from "./indexer/merge-policy.js";
export { type MergeRunner, type MergeTask, runMerge } from "./indexer/merge-runner.js";
export { PendingMemory } from "./indexer/pending-memory.js";
export { type CheckReport, checkIndex } from "./inspect/check-index.js";
export { glanceAtIndex, type IndexGlance } from "./inspect/glance-at-index.js";
export {
  type DocumentInspection,
  type IndexInspection,
  inspectDocument,
  inspectIndex,
  inspectTerm,
  inspectTerms,
  type TermEntry,
  type TermInspection,
} from "./inspect/inspect-index.js";
export { compareSortValues, type SortValue } from "./schema/compare-sort-values.js";
export { defineSchema } from "./schema/define-schema.js";
export type { CanonicalDocument, CanonicalValue, DocumentId } from "./schema/document.js";
export { DocumentIdSource } from "./schema/document-ids.js";
export type { EngineField, EngineSchema, FieldKind } from "./schema/engine-schema.js";
export { compareSortKeys } from "./search/collectors/compare-sort-keys.js";
export { RunMerge } from "./search/collectors/run-merge.js";
export type { KeptValueMatch } from "./search/kept-value-match.js";
export type { Query } from "./search/query.js";
export { type SearchInterrupt, searchTimeout, TimeLimit } from "./search/search-interrupt.js";
export type {
  CollectionStatistics,
  EngineHit,
  EngineSearchResult,
  Explanation,
  FacetNode,
  HitBytes,
  OrderKey,
  RankedHit,
  RankedHits,
  RankedResult,
  SearchOptions,
  SortKey,
  TimeDecay,
} from "./search/search-types.js";
export { Searcher } from "./search/searcher.js";
export { CombinedStatistics } from "./search/statistics/combined-statistics.js";
export type { SharedSegment } from "./segment/shared-segment.js";
export { type SharedSnapshot, shareSnapshot } from "./snapshot/shared-snapshot.js";
export { type HeldSearcher, SnapshotFollower } from "./snapshot/snapshot-follower.js";

/** Reads documents: yields some, or undefined where it only pauses; returns what else there is to say of them. */
export type DocumentReading<T> = Generator<readonly CanonicalDocument[] | undefined, T, undefined>;

export interface IndexOptions {
  /** Pending documents beyond this many bytes are flushed to disk. Default 32 MiB. */
  readonly memoryBudgetBytes?: number;
  /** Instead of a budget of its own: one that several indexes share. */
  readonly pendingMemory?: PendingMemory;
  readonly mergePolicy?: MergePolicy;
  /**
   * Milliseconds without a commit after which the index rests: its segments are merged further then than while
   * it is written (`SettlingMergePolicy`), and it is searched the quicker. Default: never.
   */
  readonly restAfterMs?: number;
  /**
   * Milliseconds from a commit or merge to the commit point that names what it made; one that can't be written is
   * tried again after 8 times as many, then 16, up to 240. Default 250. Null: commit points are made when somebody
   * waits for them only (`merge`, `settled`).
   */
  readonly checkpointAfterMs?: number | null;
  /** Writes that may wait at a time; more are refused as `rate_limited`. Default: no limit. */
  readonly waitingWritesMax?: number;
  /** Where merges run. Default: in this thread. */
  readonly mergeRunner?: MergeRunner;
  /**
   * Told of merges that failed, and of commit points: the inputs stay, commits stay in the journal. Merges are
   * tried again after the next commit, commit points after a while.
   */
  readonly onMergeError?: (error: unknown) => void;
  /** Told whenever searches see another state, right after it has come to be; also while it closes. Must not throw. */
  readonly onSearcher?: (searcher: Searcher) => void;
  /** Awaited before files of states that searches saw are deleted. */
  readonly beforeDeleting?: () => Promise<void>;
  /** Takes the folder's write lock. Default true; false when the caller holds a lock over many indexes. */
  readonly lock?: boolean;
}

const DEFAULT_MEMORY_BUDGET_BYTES = 32 << 20;
/** Of an index's images, what one merge may make while it is written, however small the memory budget is. */
const MERGED_SHARE = 1 / 8;

const CHECKPOINT_AFTER_MS = 250;

const SETTLING: MergePolicy = new SettlingMergePolicy();

/** Whose scratch space it is where whoever writes an index searches it: search threads count from 2. */
const WRITER_THREAD_NUMBER = 1;

/**
 * A named collection of documents under one schema. Writes are pending until `commit`, which makes
 * all of them visible and durable at once, or `rollback`, which drops them. A write that has
 * resolved is on disk: after a crash it is pending again. Searches see the last commit.
 *
 * Calls may overlap; writes take effect in the order of the calls, but for `addInBulk`, which only
 * `deleteAll` and `rollback` never overtake. Failures are `FindlingError`s
 * and leave things as they were.
 */
export class Index {
  readonly schema: EngineSchema;
  readonly #directory: Directory;
  readonly #writer: IndexWriter;
  readonly #queue: WriteQueue;
  readonly #pendingMemory: PendingMemory;
  readonly #mergePolicy: MergePolicy;
  readonly #restAfterMs: number | null;
  #restAlarm: ReturnType<typeof setTimeout> | undefined;
  #isAtRest = false;
  readonly #checkpoints: CheckpointAlarm;
  readonly #mergeRunner: MergeRunner;
  readonly #merges: MergeScheduler;
  readonly #onMergeError: (error: unknown) => void;
  readonly #onSearcher: (searcher: Searcher) => void;
  readonly #lock: { release(): Promise<void> } | null;
  #searcher: Searcher;
  /** The searcher's segments, held open for it: the writer lets go of its own before there is a new searcher. */
  #searched: readonly OpenSegment[];
  /** What a snapshot has counted serves the next one where segments are the same. */
  readonly #statistics = new SegmentStatisticsCache();
  readonly #ids = new DocumentIdSource();
  #commits = 0;
  /** No merge begins while there are any. */
  #mergeHolds = 0;
  #isClosed = false;

  private constructor(
    directory: Directory,
    writer: IndexWriter,
    lock: { release(): Promise<void> } | null,
    pendingMemory: PendingMemory,
    options: IndexOptions,
  ) {
    this.schema = writer.schema;
    this.#pendingMemory = pendingMemory;
    this.#directory = directory;
    this.#writer = writer;
    this.#queue = new WriteQueue(() => writer.sync(), options.waitingWritesMax);
    this.#mergePolicy = options.mergePolicy ?? new TieredMergePolicy();
    this.#restAfterMs = options.restAfterMs ?? null;
    this.#mergeRunner = options.mergeRunner ?? ((task) => runMerge(directory, task));
    this.#onMergeError = options.onMergeError ?? (() => undefined);
    this.#onSearcher = options.onSearcher ?? (() => undefined);
    this.#merges = new MergeScheduler({
      plan: (underWay) => this.#queue.barrier(() => Promise.resolve(this.#planMerge(underWay))),
      run: (plan) => this.#runMerge(plan),
      install: (plan, merged) => this.#queue.barrier(() => this.#installMerge(plan, merged)),
      discard: (plan) => this.#queue.barrier(() => this.#discardMerge(plan)),
      onError: this.#onMergeError,
    });
    const { checkpointAfterMs = CHECKPOINT_AFTER_MS } = options;
    this.#checkpoints = new CheckpointAlarm({
      afterMs: checkpointAfterMs,
      checkpoint: () => writer.checkpoint(),
      isWanted: () => writer.isBehind && writer.failure === null,
      onError: this.#onMergeError,
    });
    this.#lock = lock;
    writer.onFlushWanted(() => this.#queue.barrier(() => writer.flush()).catch(() => undefined));
    this.#searched = retained(writer);
    this.#searcher = new Searcher(this.#searched, this.schema, this.#statistics);
    this.#awaitRest();
    this.#checkpoints.soon();
  }

  /** @throws FindlingError `index_exists`, `storage_locked`, `storage_unavailable` */
  static create(directory: Directory, schema: EngineSchema, options: IndexOptions = {}): Promise<Index> {
    return Index.#start(directory, options, (writerOptions) => createIndexWriter(writerOptions, schema));
  }

  /** @throws CorruptionError naming the file; FindlingError `index_not_found`, `storage_locked`, `storage_unavailable` */
  static open(directory: Directory, options: IndexOptions = {}): Promise<Index> {
    return Index.#start(directory, options, openIndexWriter);
  }

  /** Adds documents, pending; resolves with their ids in order once they are durable. */
  add(documents: readonly CanonicalDocument[]): Promise<readonly DocumentId[]> {
    const ids = this.#ids.next(documents.length);
    return this.#write(async () => {
      await this.#writer.add(ids, documents);
      return ids;
    });
  }

  /** The same for documents of `encodeForAdding`, under this index's schema. */
  addEncoded(encoded: EncodedDocuments): Promise<readonly DocumentId[]> {
    return this.#write(async () => {
      await this.#writer.addEncoded(encoded);
      return encoded.ids;
    });
  }

  /**
   * The same for many documents, which are read when their turn has come: few of them are in memory at a
   * time. Other writes and commits that come before all has been read go first, as do those that come while
   * other bulks are written.
   *
   * @param reading all or none: if it throws, nothing is added
   * @param bytesExpected of the documents' JSON
   */
  addInBulk<T>(
    reading: DocumentReading<T>,
    bytesExpected: number,
  ): Promise<{ readonly ids: readonly DocumentId[]; readonly outcome: T }> {
    if (this.#isClosed) return Promise.reject(closedError(this.#directory));
    return this.#queue.bulk(this.#readAndEncode(reading, bytesExpected), async ({ encoded, outcome }) => {
      try {
        await this.#writer.addEncoded(encoded);
        return { ids: encoded.ids, outcome };
      } finally {
        // Journal and pending documents have copies.
        releaseBuffer(encoded.json.buffer);
      }
    });
  }

  /** Deletes committed and pending documents that match, pending; resolves with how many, once durable. */
  deleteByQuery(query: Query): Promise<number> {
    return this.#write(async () => {
      const segments = await this.#writer.searchableSegments();
      return this.#writer.deleteDocs(new Searcher(segments, this.schema).matchingDocs(query));
    });
  }

  /**
   * Deletes documents whose kept value of a field matches, or any of its values if it has several.
   * Reads every document: for fields that have no index.
   */
  deleteByKeptValue(field: string, match: KeptValueMatch): Promise<number> {
    return this.#write(async () => {
      const matches = keptValueMatcher(match, createAnalyzer(this.schema.analyzer));
      const found: DocBits[] = [];
      for (const segment of await this.#writer.searchableSegments()) {
        const bits = new Uint32Array((segment.maxDoc + 31) >>> 5);
        const isStored = segment.field(field)?.stored === true;
        for (let docId = 0; docId < segment.maxDoc; docId++) {
          const json = isStored ? segment.storedJson(docId) : segment.unstoredJson(docId);
          const value = (JSON.parse(json) as Record<string, unknown>)[field];
          const values = Array.isArray(value) ? value : value === undefined ? [] : [value];
          if (values.some(matches)) bits[docId >>> 5]! |= 1 << (docId & 31);
          if ((docId & 255) === 255) await new Promise((resume) => setImmediate(resume));
        }
        found.push(bits);
      }
      return this.#writer.deleteDocs(found);
    });
  }

  deleteAll(): Promise<number> {
    return this.#behindAll(() => this.#writer.deleteAll());
  }

  /** Makes all pending writes visible and durable, atomically. */
  commit(): Promise<void> {
    return this.#barrier(() => this.#commitNow());
  }

  /** Drops all pending writes, durably. */
  rollback(): Promise<void> {
    return this.#behindAll(async () => {
      await this.#writer.rollback();
    });
  }

  get hasPendingWrites(): boolean {
    return this.#writer.hasPendingWrites;
  }

  /** Set once the disk failed in a way that only opening the index again can clear up; searches go on. */
  get failure(): FindlingError | null {
    return this.#writer.failure;
  }

  /** Commits since it was opened, of those that changed anything. Merges leave what searches find as it is. */
  get commits(): number {
    return this.#commits;
  }

  /** Committed documents. */
  get documentCount(): number {
    return this.#writer.committedSegments().reduce((count, segment) => count + segment.reader.docCount, 0);
  }

  get bytesOnDisk(): number {
    return this.#writer.bytesOnDisk;
  }

  get segmentCount(): number {
    return this.#writer.committedSegments().length;
  }

  /** Images of the committed segments: their index files, unfolded. Documents are read as needed. */
  get bytesInMemory(): number {
    return this.#writer.committedSegments().reduce((bytes, { reader }) => bytes + reader.bytesInMemory, 0);
  }

  /** Whether nothing is under way: no write, no merge, no rewrite. */
  get isSettled(): boolean {
    return this.#queue.isIdle && this.#merges.isIdle && this.#mergeHolds === 0;
  }

  /** A snapshot of the last commit, for use before the next `await`: later commits may close its files. */
  get searcher(): Searcher {
    this.#refuseClosed();
    return this.#searcher;
  }

  /**
   * A snapshot of the last commit to go on using, whatever is committed, merged or closed meanwhile. The
   * disk space of files that were deleted since is free again only after the release.
   */
  holdSearcher(): HeldSearcher {
    this.#refuseClosed();
    let held = this.#searched.map((segment) => segment.retain());
    return {
      searcher: this.#searcher,
      release() {
        for (const segment of held) segment.close();
        held = [];
      },
    };
  }

  search(
    options: Partial<SearchOptions> & { readonly query: Query },
    statistics?: CollectionStatistics,
  ): EngineSearchResult {
    return this.searcher.search({ offset: 0, limit: 10, ...options }, statistics);
  }

  /** The stored document as JSON text; null if it is not there. */
  document(documentId: DocumentId): string | null {
    return this.searcher.document(documentId);
  }

  explain(query: Query, documentId: DocumentId): Explanation | null {
    return this.searcher.explain(query, documentId);
  }

  /** Runs all merges that the policy wants now; resolves when none is left, and a commit point names what they made. */
  async merge(): Promise<void> {
    this.#refuseClosed();
    this.#merges.start();
    await this.#merges.idle();
    await this.#checkpoints.now();
  }

  /**
   * Begins to copy this index into an empty one whose schema differs in the analysis only. This one
   * stays as it is and goes on taking writes, but merges nothing until the rewrite is closed.
   */
  async rewriteInto(target: Index): Promise<IndexRewrite> {
    this.#refuseClosed();
    this.#mergeHolds++;
    await this.#merges.idle();
    return new IndexRewrite(
      { writer: this.#writer, barrier: (run) => this.#barrier(run) },
      {
        writer: target.#writer,
        barrier: (run) => target.#barrier(run),
        commit: () => target.#commitNow(),
      },
      () => {
        this.#mergeHolds--;
        if (!this.#isClosed) this.#merges.start();
      },
    );
  }

  /** Resolves when neither a write nor a merge is under way. */
  async idle(): Promise<void> {
    await this.#queue.idle();
    await this.#merges.idle();
    await this.#queue.idle();
  }

  /** The same once a commit point names what is visible, and files that are of no use any more are gone. */
  async settled(): Promise<void> {
    await this.idle();
    await this.#checkpoints.now();
    await this.#writer.tidied();
  }

  /** Finishes writes and merges, leaves pending writes in the journal, releases files and lock. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#restAlarm);
    this.#checkpoints.close();
    await this.idle();
    await this.#writer.finish().catch(this.#onMergeError);
    for (const segment of this.#searched) segment.close();
    try {
      await this.#writer.close();
    } finally {
      await this.#lock?.release();
    }
  }

  static async #start(
    directory: Directory,
    options: IndexOptions,
    openWriter: (options: IndexWriterOptions) => Promise<IndexWriter>,
  ): Promise<Index> {
    const lock = options.lock === false ? null : await directory.lock();
    try {
      const pendingMemory =
        options.pendingMemory ?? new PendingMemory(options.memoryBudgetBytes ?? DEFAULT_MEMORY_BUDGET_BYTES);
      const writer = await openWriter({
        directory,
        analyzerOf: (schema) => createAnalyzer(schema.analyzer),
        pendingMemory,
        ...(options.beforeDeleting === undefined ? {} : { beforeDeleting: options.beforeDeleting }),
      });
      return new Index(directory, writer, lock, pendingMemory, options);
    } catch (error) {
      await lock?.release();
      throw error;
    }
  }

  *#readAndEncode<T>(
    reading: DocumentReading<T>,
    bytesExpected: number,
  ): SlicedWork<{ readonly encoded: EncodedDocuments; readonly outcome: T }> {
    const encoding = new DocumentsEncoding(this.schema, bytesExpected);
    for (;;) {
      const step = reading.next();
      if (step.done === true) {
        return { encoded: encoding.end(this.#ids.next(encoding.count)), outcome: step.value };
      }
      if (step.value !== undefined) yield* encoding.add(step.value);
      yield;
    }
  }

  #write<T>(run: () => Promise<T>): Promise<T> {
    return this.#isClosed ? Promise.reject(closedError(this.#directory)) : this.#queue.write(run);
  }

  #behindAll<T>(run: () => Promise<T>): Promise<T> {
    return this.#isClosed ? Promise.reject(closedError(this.#directory)) : this.#queue.behindAll(run);
  }

  #barrier<T>(run: () => Promise<T>): Promise<T> {
    return this.#isClosed ? Promise.reject(closedError(this.#directory)) : this.#queue.barrier(run);
  }

  async #commitNow(): Promise<void> {
    if (!(await this.#writer.commit())) return;
    this.#commits++;
    this.#searchLastCommit();
    this.#merges.start();
    this.#awaitRest();
    this.#checkpoints.soon();
  }

  #awaitRest(): void {
    this.#isAtRest = false;
    clearTimeout(this.#restAlarm);
    if (this.#restAfterMs === null || this.segmentCount === 0) return;
    this.#restAlarm = setTimeout(() => {
      this.#isAtRest = true;
      this.#merges.start();
    }, this.#restAfterMs);
    this.#restAlarm.unref();
  }

  #searchLastCommit(): void {
    const previous = this.#searched;
    this.#searched = retained(this.#writer);
    this.#searcher = new Searcher(this.#searched, this.schema, this.#statistics);
    for (const segment of previous) segment.close();
    this.#onSearcher(this.#searcher);
  }

  #planMerge(underWay: readonly MergePlan[]): MergePlan | null {
    if (this.#writer.failure !== null || this.#isClosed || this.#mergeHolds > 0) return null;
    // A large index has more and more segments of the same size else.
    const imageBytesMax = Math.max(this.#pendingMemory.mergeBytesMax, this.bytesInMemory * MERGED_SHARE);
    const plan = (policy: MergePolicy): MergePlan | null =>
      planMerge(policy, this.#writer.committedSegments(), underWay, imageBytesMax, () =>
        this.#writer.reserveSegmentName(),
      );
    return plan(this.#mergePolicy) ?? (this.#isAtRest ? plan(SETTLING) : null);
  }

  async #runMerge({ inputs, bytes, output }: MergePlan): Promise<OpenSegment> {
    const views = inputs.map(({ view }) => view.share());
    // The merged segment is in memory beside its inputs for a while.
    const giveBack = this.#pendingMemory.lend(inputs.reduce((sum, { view }) => sum + view.bytesInMemory, 0));
    let merged: SharedSegment;
    try {
      merged = await this.#mergeRunner({ schema: this.schema, inputs: views, bytes, output });
    } finally {
      giveBack();
    }
    return openSharedSegment(this.#directory, this.schema, merged, WRITER_THREAD_NUMBER);
  }

  async #installMerge(plan: MergePlan, merged: OpenSegment): Promise<void> {
    let isInstalled = false;
    try {
      isInstalled = this.#writer.installMerge(plan, merged);
    } finally {
      if (!isInstalled) await this.#writer.discardMerge(plan);
    }
    if (!isInstalled) return;
    this.#searchLastCommit();
    this.#checkpoints.soon();
  }

  /** Whether its inputs are still there. */
  async #discardMerge(plan: MergePlan): Promise<boolean> {
    await this.#writer.discardMerge(plan);
    const committed = this.#writer.committedSegments();
    return plan.inputs.every(({ segment }) => committed.includes(segment));
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw closedError(this.#directory);
  }
}

/**
 * Checks documents and writes them as bytes, for `addEncoded`: what can be done where they come in, so
 * that an index in another thread has less to do.
 *
 * @param ids of a `DocumentIdSource`, in the order of the calls of `addEncoded`
 * @throws FindlingError `invalid_document` for the first that doesn't fit the schema
 */
export function encodeForAdding(
  schema: EngineSchema,
  ids: readonly DocumentId[],
  documents: readonly CanonicalDocument[],
): Promise<EncodedDocuments> {
  return runInSlices(encodeDocuments(schema, ids, documents));
}

function retained(writer: IndexWriter): OpenSegment[] {
  return writer.committedSegments().map(({ reader }) => reader.retain());
}

function closedError(directory: Directory): FindlingError {
  return new FindlingError("storage_unavailable", `the index in ${directory.description} is closed`);
}
