import type { Analyzer } from "../analysis/analyzer.js";
import { createAnalyzer } from "../analysis/create-analyzer.js";
import { FindlingError } from "../errors/index.js";
import type { Directory } from "./directory/directory.js";
import { type IndexOptions, type IndexSettings, settingsOf } from "./index-options.js";
import { CheckpointAlarm } from "./indexer/checkpoint-alarm.js";
import {
  type DocumentReading,
  type EncodedDocuments,
  encodeReading,
  releaseEncoded,
} from "./indexer/encoded-documents.js";
import { type DocumentTarget, type FoundDocument, findDocuments } from "./indexer/find-documents.js";
import type { GivenWay } from "./indexer/giving-way.js";
import type { HeldCommit } from "./indexer/held-commit.js";
import { IndexMerges } from "./indexer/index-merges.js";
import { IndexRewrite } from "./indexer/index-rewrite.js";
import type { IndexWriter, IndexWriterOptions } from "./indexer/index-writer.js";
import { type KeyConflicts, keyConflicts } from "./indexer/key-conflicts.js";
import { createIndexWriter, openIndexWriter } from "./indexer/open-index-writer.js";
import type { WhileWaiting } from "./indexer/rounds-between.js";
import { WriteQueue } from "./indexer/write-queue.js";
import type { CanonicalDocument, DocumentId } from "./schema/document.js";
import { DocumentIdSource } from "./schema/document-ids.js";
import type { EngineSchema } from "./schema/engine-schema.js";
import { makeTriesFor } from "./search/automaton/make-tries-for.js";
import { type KeptValueMatch, keptValueMatcher, matchKeptValues } from "./search/kept-value-match.js";
import type { Query } from "./search/query.js";
import { requireQuery, requireSearch } from "./search/require-query.js";
import { runLimited } from "./search/run-limited.js";
import type {
  CollectionStatistics,
  EngineSearchResult,
  Explanation,
  SearchOptions,
} from "./search/search-types.js";
import { Searcher } from "./search/searcher.js";
import { runInSlices } from "./segment/sliced-work.js";
import { CurrentSearcher } from "./snapshot/current-searcher.js";
import type { HeldSearcher } from "./snapshot/held-searcher.js";

/** What an index is made of. */
export interface IndexParts {
  readonly directory: Directory;
  readonly writer: IndexWriter;
  readonly queue: WriteQueue;
  /** Null where the caller holds a lock over the folder. */
  readonly lock: { release(): Promise<void> } | null;
  readonly settings: IndexSettings;
}

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
  readonly #checkpoints: CheckpointAlarm;
  readonly #merges: IndexMerges;
  readonly #current: CurrentSearcher;
  readonly #onCommitPointError: (error: unknown) => void;
  readonly #onSearcher: (searcher: Searcher) => void;
  readonly #lock: { release(): Promise<void> } | null;
  readonly #ids = new DocumentIdSource();
  #commits = 0;
  #isClosed = false;

  protected constructor({ directory, writer, queue, lock, settings }: IndexParts) {
    this.schema = writer.schema;
    this.#directory = directory;
    this.#writer = writer;
    this.#queue = queue;
    this.#onCommitPointError = settings.onCommitPointError;
    this.#onSearcher = settings.onSearcher;
    this.#merges = new IndexMerges({
      directory,
      writer,
      pendingMemory: settings.pendingMemory,
      policy: settings.mergePolicy,
      runner: settings.mergeRunner,
      restAfterMs: settings.restAfterMs,
      queue,
      onMerged: () => {
        this.#onSearcher(this.#current.renew());
        this.#checkpoints.soon();
      },
      onError: settings.onMergeError,
      onCommitPointError: settings.onCommitPointError,
    });
    this.#checkpoints = new CheckpointAlarm({
      afterMs: settings.checkpointAfterMs,
      checkpoint: () => writer.checkpoint(),
      isWanted: () => writer.isBehind && writer.failure === null,
      mayWait: () => writer.isHardlyBehind,
      onError: settings.onCommitPointError,
    });
    this.#lock = lock;
    this.#current = new CurrentSearcher(writer.schema, () =>
      writer.committedSegments().map(({ reader }) => reader),
    );
    this.#merges.awaitRest();
    this.#checkpoints.soon();
  }

  /** @throws FindlingError `index_exists`, `storage_locked`, `storage_unavailable` */
  static async create(
    directory: Directory,
    schema: EngineSchema,
    options: IndexOptions = {},
  ): Promise<Index> {
    return new Index(await Index.partsOfNew(directory, schema, options));
  }

  /** @throws CorruptionError naming the file; FindlingError `index_not_found`, `storage_locked`, `storage_unavailable` */
  static async open(directory: Directory, options: IndexOptions = {}): Promise<Index> {
    return new Index(await Index.partsOfStored(directory, options));
  }

  /** What an index is made of that is created: for this class and those that add to it. */
  protected static partsOfNew(
    directory: Directory,
    schema: EngineSchema,
    options: IndexOptions,
  ): Promise<IndexParts> {
    return Index.#start(directory, options, (writerOptions) => createIndexWriter(writerOptions, schema));
  }

  /** Starts what an index that is opened consists of. */
  protected static partsOfStored(directory: Directory, options: IndexOptions): Promise<IndexParts> {
    return Index.#start(directory, options, openIndexWriter);
  }

  /**
   * Adds documents, all or none, pending; resolves with their ids in order once they are durable.
   *
   * @throws FindlingError `invalid_document` naming the first field that doesn't fit, `rate_limited` if too many
   *   writes wait, `storage_unavailable`, as every write may throw the last two
   */
  add(documents: readonly CanonicalDocument[]): Promise<readonly DocumentId[]> {
    if (!Array.isArray(documents)) {
      const problem = new FindlingError("invalid_document", "documents are added as an array");
      return Promise.reject(problem);
    }
    const ids = this.#ids.next(documents.length);
    return this.#write(async () => {
      await this.#writer.add(ids, documents);
      return ids;
    });
  }

  /**
   * As `add`, in place of the documents that have the same values in a field, committed or pending: of several with one
   * value, these included, the last one stays.
   *
   * @param key a field with one value, of kind keyword, u64 or i64, or a text field that is keyed
   * @throws FindlingError besides: `unknown_field`, `invalid_schema` for a field that can't be a key
   */
  replace(key: string, documents: readonly CanonicalDocument[]): Promise<DocumentsReplaced> {
    const ids = this.#ids.next(documents.length);
    return this.#write(async () => replacedBy(ids, await this.#writer.add(ids, documents, { key })));
  }

  /** `add` or `replace` for documents of `encodeForAdding`, under this index's schema. */
  addEncoded(encoded: EncodedDocuments): Promise<DocumentsReplaced> {
    return this.#write(async () => replacedBy(encoded.ids, await this.#writer.addEncoded(encoded)));
  }

  /**
   * Adds or replaces many documents, which are read when their turn has come: few of them are in memory at a
   * time. Other writes and commits that come before all has been read go first, as do those that come while
   * other bulks are written.
   *
   * @param reading all or none: if it throws, nothing is added
   * @param bytesExpected of the documents' JSON
   * @param key replaces, as `replace` does; adds only unless given
   */
  addInBulk<T>(
    reading: DocumentReading<T>,
    bytesExpected: number,
    key?: string,
  ): Promise<DocumentsReplaced & { readonly outcome: T }> {
    if (this.#isClosed) return Promise.reject(closedError(this.#directory));
    this.#merges.awaitRest();
    return this.#queue.bulk(
      async (between) => {
        const work = encodeReading(this.schema, this.#ids, reading, bytesExpected, { key });
        const read = await runInSlices(work, between);
        return { ...read, segment: await this.#writer.writeApart(read.encoded, between) };
      },
      async ({ encoded, outcome, segment }) => {
        try {
          const given = await (segment === null
            ? this.#writer.addEncoded(encoded)
            : this.#writer.addWritten(encoded, segment));
          return { ...replacedBy(encoded.ids, given), outcome };
        } finally {
          // Journal and pending documents have copies.
          releaseEncoded(encoded);
        }
      },
    );
  }

  /**
   * Reads documents, committed or pending ones, and writes what is made of them, pending, in one turn: no other write
   * comes between. Those that keep their ids take the place of new documents.
   *
   * @param make from what was found, null for each that isn't there, the documents to write, each at most once: with an
   *   id that was found, or null for a new one; none to leave all as it is
   * @returns the ids of those that were written
   */
  rewriteDocuments(
    targets: readonly DocumentTarget[],
    make: (
      found: readonly (FoundDocument | null)[],
    ) => readonly { readonly id: DocumentId | null; readonly document: CanonicalDocument }[],
  ): Promise<readonly DocumentId[]> {
    return this.#write(async () => {
      const segments = await this.#writer.allSegments();
      const made = make(await runInSlices(findDocuments(targets, segments, this.schema)));
      const ids = made.map(({ id }) => id ?? this.#ids.next(1)[0]!);
      const documents = made.map(({ document }) => document);
      if (ids.length > 0) await this.#writer.add(ids, documents, { sameIds: true });
      return ids;
    });
  }

  /**
   * Whether documents could be replaced by the values of a field, and what stands in the way. All lack a value of one
   * that isn't in the schema.
   *
   * @param field of one value, of kind text, keyword, u64 or i64
   */
  keyConflicts(field: string): Promise<KeyConflicts> {
    return this.#write(async () => {
      const definition = this.schema.fields.find(({ name }) => name === field) ?? null;
      return runInSlices(keyConflicts(await this.#writer.allSegments(), definition));
    });
  }

  /**
   * Deletes committed and pending documents that match, pending; resolves with how many, once durable.
   *
   * @param timeLimitMs that finding them may take, during which nobody else writes to this index; any time unless given.
   *   Work of others between its slices doesn't count.
   * @throws FindlingError as `search`; then nothing is deleted
   */
  deleteByQuery(query: Query, timeLimitMs?: number): Promise<number> {
    return this.#write(async () => {
      requireQuery(query);
      const segments = await this.#writer.searchableSegments();
      await runInSlices(makeTriesFor(query, segments));
      const searcher = new Searcher(segments, this.schema);
      const matching = runLimited(
        (interrupt) => searcher.matchingDocsInSlices(query, interrupt),
        timeLimitMs,
      );
      return this.#writer.deleteDocs(await matching);
    });
  }

  /**
   * Deletes documents whose kept value of a field matches, or any of its values if it has several.
   * Reads every document: for fields that have no index. A field that the schema hasn't got has no values.
   *
   * @param timeLimitMs and errors as for `deleteByQuery`
   */
  deleteByKeptValue(field: string, match: KeptValueMatch, timeLimitMs?: number): Promise<number> {
    return this.#write(async () => {
      const segments = await this.#writer.searchableSegments();
      const matches = keptValueMatcher(match, createAnalyzer(this.schema.analyzer));
      const matching = runLimited(
        (interrupt) => matchKeptValues(segments, field, matches, interrupt),
        timeLimitMs,
      );
      return this.#writer.deleteDocs(await matching);
    });
  }

  /** Deletes all documents, pending; resolves with how many there were, once durable. */
  deleteAll(): Promise<number> {
    return this.#behindAll(() => this.#writer.deleteAll());
  }

  /** Makes all pending writes visible and durable, atomically. */
  commit(): Promise<void> {
    return this.#barrier((whileWaiting) => this.#commitNow(whileWaiting));
  }

  /** Drops all pending writes, durably. */
  rollback(): Promise<void> {
    return this.#behindAll(async () => {
      await this.#writer.rollback();
    });
  }

  /** Whether a commit would change anything. */
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

  /** What the committed segments and the journal take. */
  get bytesOnDisk(): number {
    return this.#writer.bytesOnDisk;
  }

  /** Committed ones. */
  get segmentCount(): number {
    return this.#writer.committedSegments().length;
  }

  /** Images of the committed segments: their index files, unfolded. Documents are read as needed. */
  get bytesInMemory(): number {
    return this.#writer.committedSegments().reduce((bytes, { reader }) => bytes + reader.bytesInMemory, 0);
  }

  /** Whether nothing is under way: no write, no merge, no rewrite. */
  get isSettled(): boolean {
    return this.#queue.isIdle && this.#merges.isSettled;
  }

  /** A snapshot of the last commit, for use before the next `await`: later commits may close its files. */
  get searcher(): Searcher {
    this.#refuseClosed();
    return this.#current.searcher;
  }

  /**
   * A snapshot of the last commit to go on using, whatever is committed, merged or closed meanwhile. The
   * disk space of files that were deleted since is free again only after the release.
   */
  holdSearcher(): HeldSearcher {
    this.#refuseClosed();
    return this.#current.hold();
  }

  /**
   * Keeps the files of the last commit as they are, to be copied, until they are let go of: writes, commits and merges
   * go on meanwhile. To be released before the index is closed.
   *
   * @throws FindlingError `storage_unavailable` where the disk takes no commit point
   */
  holdCommit(): Promise<HeldCommit> {
    return this.#isClosed ? Promise.reject(closedError(this.#directory)) : this.#writer.hold();
  }

  /**
   * What matches of the last commit: by default the ten best hits, by relevance.
   *
   * @param statistics what scores depend on; the snapshot's own unless given
   * @throws FindlingError `unknown_field`, `invalid_request`, `invalid_field_value`, `invalid_order_by`;
   *   `search_timeout` of an `interrupt`; CorruptionError naming the file
   */
  search(
    options: Partial<SearchOptions> & { readonly query: Query },
    statistics?: CollectionStatistics,
  ): EngineSearchResult {
    const wanted = { offset: 0, limit: 10, ...options };
    requireSearch(wanted);
    return this.searcher.search(wanted, statistics);
  }

  /** The stored document of the last commit as JSON text; null if it is not there. @throws CorruptionError */
  document(documentId: DocumentId): string | null {
    return this.searcher.document(documentId);
  }

  /** Why a document has its score; null if it is not there or doesn't match. @throws FindlingError as `search` */
  explain(query: Query, documentId: DocumentId): Explanation | null {
    requireQuery(query);
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
    const release = await this.#merges.hold();
    return new IndexRewrite(
      { writer: this.#writer, barrier: (run) => this.#barrier(run) },
      {
        writer: target.#writer,
        barrier: (run) => target.#barrier(run),
        commit: () => target.#commitNow(),
      },
      release,
    );
  }

  /** Resolves when neither a write nor a merge is under way. */
  async idle(): Promise<void> {
    await this.#queue.idle();
    await this.#merges.idle();
    await this.#queue.idle();
  }

  /** Resolves when moreover a commit point names what is visible, and files that are of no use any more are gone. */
  async settled(): Promise<void> {
    await this.idle();
    await this.#checkpoints.now();
    await this.#writer.tidied();
  }

  /** Finishes writes and merges, leaves pending writes in the journal, releases files and lock. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#merges.close();
    this.#checkpoints.close();
    await this.idle();
    await this.#writer.finish().catch(this.#onCommitPointError);
    this.#current.close();
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
  ): Promise<IndexParts> {
    const settings = settingsOf(options, directory);
    const { pendingMemory, beforeDeleting } = settings;
    const lock = settings.lock ? await directory.lock() : null;
    if (lock === null) await directory.requireUnlocked();
    try {
      const analyzerOf = ({ analyzer }: EngineSchema): Analyzer => createAnalyzer(analyzer);
      const queue: WriteQueue = new WriteQueue(() => writer.sync(), settings.waitingWritesMax);
      const barrier = <T>(run: () => Promise<T>): Promise<T> => queue.barrier(run);
      const { owner } = options;
      const writer = await openWriter({
        directory,
        owner,
        analyzerOf,
        pendingMemory,
        beforeDeleting,
        barrier,
      });
      return { directory, writer, queue, lock, settings };
    } catch (error) {
      await lock?.release();
      throw error;
    }
  }

  #write<T>(run: () => Promise<T>): Promise<T> {
    this.#merges.awaitRest();
    return this.#isClosed ? Promise.reject(closedError(this.#directory)) : this.#queue.write(run);
  }

  #behindAll<T>(run: () => Promise<T>): Promise<T> {
    return this.#isClosed ? Promise.reject(closedError(this.#directory)) : this.#queue.behindAll(run);
  }

  #barrier<T>(run: (whileWaiting: WhileWaiting) => Promise<T>): Promise<T> {
    return this.#isClosed ? Promise.reject(closedError(this.#directory)) : this.#queue.barrier(run);
  }

  async #commitNow(whileWaiting?: WhileWaiting): Promise<void> {
    if (!(await this.#writer.commit(whileWaiting))) return;
    this.#commits++;
    this.#onSearcher(this.#current.renew());
    this.#merges.start();
    this.#merges.awaitRest();
    this.#checkpoints.soon();
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw closedError(this.#directory);
  }
}

/** What has come of documents that may replace others. */
export interface DocumentsReplaced {
  /** By document, in order; null where a later one of the same write has overwritten it. */
  readonly ids: readonly (DocumentId | null)[];
  /** Documents of before the write that gave way. */
  readonly replaced: number;
}

function replacedBy(ids: readonly DocumentId[], { replaced, overwritten }: GivenWay): DocumentsReplaced {
  if (overwritten.length === 0) return { ids, replaced };
  const left: (DocumentId | null)[] = [...ids];
  for (const place of overwritten) left[place] = null;
  return { ids: left, replaced };
}

function closedError(directory: Directory): FindlingError {
  return new FindlingError("storage_unavailable", `the index in ${directory.description} is closed`);
}
