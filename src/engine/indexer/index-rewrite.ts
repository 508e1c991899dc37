import { FindlingError } from "../../errors/index.js";
import type { CanonicalDocument, DocId, DocumentId } from "../schema/document.js";
import type { OpenSegment } from "../segment/open-segment.js";
import type { DocBits } from "../segment/segment-reader.js";
import type { IndexWriter } from "./index-writer.js";
import { keptValues } from "./kept-values.js";

/** One of the two indexes of a rewrite. */
export interface RewriteSide {
  readonly writer: IndexWriter;
  /** Runs alone: after the writes that came before it and before those that come after. */
  barrier<T>(run: () => Promise<T>): Promise<T>;
}

export interface RewriteTarget extends RewriteSide {
  /** Makes the writer's pending writes visible; for use inside `barrier`. */
  commit(): Promise<void>;
}

/** Reads documents for at most this long in one go, before what has been read is analysed and searches are answered. */
const READ_SLICE_MS = 4;

/** Documents of one batch: they are held in memory together. */
const BATCH_DOCUMENTS = 256;
const BATCH_CHARACTERS = 1 << 18;

/**
 * Characters of JSON after which the target makes a segment of what waits in memory: it takes about 8 ms
 * in one go.
 */
const FLUSH_CHARACTERS = 1 << 17;

/** Characters of JSON after which the target commits, so that its segments can be merged. */
const COMMIT_CHARACTERS = 1 << 22;

/** Deletes that are made, and recorded in the journal, in one go. */
const BATCH_DELETES = 1024;

/** The rounds of catching up end when one has had no more to copy than this, or so many have been made. */
const LAST_ROUND_DOCUMENTS = 1000;
const ROUNDS_MAX = 8;

/**
 * Copies an index into an empty one that has the same fields under another analysis, while the first
 * goes on taking writes, commits and rollbacks: same documents, same ids, same order, same committed
 * state and, in the end, same pending state.
 *
 * `catchUp` copies what is committed, then what has been committed meanwhile, and so on, until little
 * is left. `finish` copies the rest and the pending writes while the source stands still. Both work in
 * short slices of time and bounded memory. Nothing that is copied counts before `finish` has resolved;
 * whatever fails before, the source is as it was, and the target is to be thrown away.
 *
 * The source's merges must be held off from the construction to `close`: a segment is known by its name.
 */
export class IndexRewrite {
  readonly #source: RewriteSide;
  readonly #target: RewriteTarget;
  readonly #release: () => void;
  /** By name: the source's segments as they have been copied, held open. */
  readonly #copied = new Map<string, OpenSegment>();
  #charactersSinceFlush = 0;
  #charactersSinceCommit = 0;
  #isClosed = false;

  /** @param release called once, when the rewrite needs the source no longer */
  constructor(source: RewriteSide, target: RewriteTarget, release: () => void) {
    this.#source = source;
    this.#target = target;
    this.#release = release;
  }

  /**
   * Copies committed documents until the target is nearly up to date.
   *
   * @param isWanted asked between slices
   * @throws FindlingError `shutting_down` once it is no longer wanted; `storage_unavailable`; CorruptionError
   */
  async catchUp(isWanted: () => boolean = () => true): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const views = await this.#source.barrier(() => Promise.resolve(this.#committedViews()));
      if ((await this.#copyCommitted(views, isWanted)) <= LAST_ROUND_DOCUMENTS) return;
    }
  }

  /**
   * Copies what is left, and what is pending as pending, durably. From the call on, the caller lets
   * no write come to the source any more, unless this throws.
   *
   * @throws FindlingError `storage_unavailable`; CorruptionError
   */
  async finish(): Promise<void> {
    await this.#source.barrier(async () => {
      await this.#copyCommitted(this.#committedViews(), () => true);
      await this.#copyPending();
    });
    this.close();
  }

  /** Lets go of the source. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const view of this.#copied.values()) view.close();
    this.#copied.clear();
    this.#release();
  }

  #committedViews(): OpenSegment[] {
    return this.#source.writer.committedSegments().map(({ reader }) => reader.retain());
  }

  /** @returns how many documents it had to copy or delete */
  async #copyCommitted(views: readonly OpenSegment[], isWanted: () => boolean): Promise<number> {
    const waiting = new Set(views);
    let changes = 0;
    try {
      const names = new Set(views.map(({ name }) => name));
      for (const [name, copied] of this.#copied) {
        if (names.has(name)) continue;
        changes += await this.#deleteCommitted(copied, () => false);
        this.#copied.delete(name);
        copied.close();
      }
      for (const view of views) {
        const copied = this.#copied.get(view.name);
        changes +=
          copied === undefined
            ? await this.#copyDocuments(view, isWanted, (ids, documents) =>
                this.#addCommitted(ids, documents),
              )
            : await this.#deleteCommitted(copied, (docId) => isLive(view.liveDocs, docId));
        this.#copied.set(view.name, view);
        waiting.delete(view);
        copied?.close();
      }
      await this.#commit();
      return changes;
    } finally {
      for (const view of waiting) view.close();
    }
  }

  async #copyPending(): Promise<void> {
    const { barrier, writer } = this.#target;
    const segments = await this.#source.writer.allSegments();
    // Deletes first: a document that has been changed in part has the id of the committed one.
    for (const segment of segments) {
      if (segment.stage !== "committed" || !segment.hasPendingDeletes) continue;
      await forEachDifference(
        segment.reader,
        (docId) => segment.isLive(docId),
        (ids) => barrier(() => writer.deleteIds(ids)),
      );
    }
    for (const segment of segments) {
      if (segment.stage === "committed") continue;
      await this.#copyDocuments(
        segment.view(),
        () => true,
        async (ids, documents) => {
          await barrier(() => writer.add(ids, documents));
        },
      );
    }
    await barrier(() => writer.sync());
  }

  /** Hands a segment's live documents over in batches. */
  async #copyDocuments(
    view: OpenSegment,
    isWanted: () => boolean,
    add: (ids: readonly DocumentId[], documents: readonly CanonicalDocument[]) => Promise<void>,
  ): Promise<number> {
    let count = 0;
    let ids: DocumentId[] = [];
    let documents: CanonicalDocument[] = [];
    let characters = 0;
    let sliceStart = performance.now();
    for (let docId = 0; docId < view.maxDoc; docId++) {
      if (isLive(view.liveDocs, docId)) {
        const stored = view.storedJson(docId);
        const unstored = view.unstoredJson(docId);
        ids.push(view.documentId(docId));
        documents.push(keptValues(stored, unstored));
        characters += stored.length + unstored.length;
        count++;
      }
      const isFull =
        ids.length >= BATCH_DOCUMENTS ||
        characters >= BATCH_CHARACTERS ||
        performance.now() - sliceStart > READ_SLICE_MS;
      if (!isFull && docId < view.maxDoc - 1) continue;
      if (!isWanted()) throw new FindlingError("shutting_down", "the new analysis is no longer wanted");
      if (ids.length > 0) await add(ids, documents);
      this.#charactersSinceFlush += characters;
      this.#charactersSinceCommit += characters;
      [ids, documents, characters] = [[], [], 0];
      await new Promise((resume) => setImmediate(resume));
      sliceStart = performance.now();
    }
    return count;
  }

  /** Past the journal: until the rewrite has come to its end nobody opens what a crash leaves of the target. */
  async #addCommitted(ids: readonly DocumentId[], documents: readonly CanonicalDocument[]): Promise<void> {
    const { writer } = this.#target;
    await this.#target.barrier(() => writer.replay({ kind: "add", ids, documents }));
    if (this.#charactersSinceCommit >= COMMIT_CHARACTERS) {
      await this.#commit();
    } else if (this.#charactersSinceFlush >= FLUSH_CHARACTERS) {
      this.#charactersSinceFlush = 0;
      await this.#target.barrier(() => writer.flush());
    }
  }

  async #deleteCommitted(copied: OpenSegment, isLiveElsewhere: (docId: DocId) => boolean): Promise<number> {
    const { barrier, writer } = this.#target;
    return forEachDifference(copied, isLiveElsewhere, (ids) =>
      barrier(() => writer.replay({ kind: "delete", ids })),
    );
  }

  async #commit(): Promise<void> {
    this.#charactersSinceFlush = 0;
    this.#charactersSinceCommit = 0;
    await this.#target.barrier(() => this.#target.commit());
  }
}

/** Hands over, in batches, the ids of the documents that are live in a view and not elsewhere; returns how many. */
async function forEachDifference(
  view: OpenSegment,
  isLiveElsewhere: (docId: DocId) => boolean,
  use: (ids: readonly DocumentId[]) => Promise<void>,
): Promise<number> {
  let count = 0;
  let ids: DocumentId[] = [];
  for (let docId = 0; docId < view.maxDoc; docId++) {
    if (isLive(view.liveDocs, docId) && !isLiveElsewhere(docId)) ids.push(view.documentId(docId));
    if (ids.length < BATCH_DELETES && docId < view.maxDoc - 1) continue;
    if (ids.length === 0) break;
    count += ids.length;
    await use(ids);
    ids = [];
    await new Promise((resume) => setImmediate(resume));
  }
  return count;
}

function isLive(live: DocBits | null, docId: DocId): boolean {
  return live === null || ((live[docId >>> 5]! >>> (docId & 31)) & 1) === 1;
}
