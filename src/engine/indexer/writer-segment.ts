import type { DocId } from "../schema/document.js";
import type { OpenSegment } from "../segment/open-segment.js";
import type { DocBits } from "../segment/segment-reader.js";

/** How far a segment has come: in scratch memory, flushed to disk, or named by a commit point. */
export type SegmentStage = "memory" | "flushed" | "committed";

/**
 * A segment as the index writer sees it: what is committed of it, and on top of that the deletes
 * that wait for a commit.
 */
export class WriterSegment {
  stage: SegmentStage;
  /** The segment with the live documents of the last commit, or as flushed. */
  reader: OpenSegment;
  /** Bytes of its files. */
  readonly bytes: number;
  /** File with live documents, of a commit point; null when none was deleted then. */
  liveDocsFile: string | null;
  /** Whether its files outlive a power loss; without that the journal still has its documents. */
  isDurable: boolean;
  /** Whether deletes have been committed to the journal that `liveDocsFile` doesn't have. */
  hasUnwrittenDeletes = false;
  /** Live documents with pending deletes applied; null while nothing differs from `reader.liveDocs`. */
  #pendingLive: DocBits | null = null;
  #pendingDeletes = 0;

  constructor(
    reader: OpenSegment,
    stage: SegmentStage,
    bytes: number,
    liveDocsFile: string | null,
    isDurable = true,
  ) {
    this.reader = reader;
    this.stage = stage;
    this.bytes = bytes;
    this.liveDocsFile = liveDocsFile;
    this.isDurable = isDurable;
  }

  get name(): string {
    return this.reader.name;
  }

  /** Those written with it, and its live documents. */
  get fileNames(): string[] {
    const names = [...this.reader.fileNames];
    if (this.liveDocsFile !== null) names.push(this.liveDocsFile);
    return names;
  }

  get maxDoc(): number {
    return this.reader.maxDoc;
  }

  /** Live documents with pending deletes applied. */
  get docCount(): number {
    return this.reader.docCount - this.#pendingDeletes;
  }

  get deletedCount(): number {
    return this.maxDoc - this.docCount;
  }

  get hasPendingDeletes(): boolean {
    return this.#pendingDeletes > 0;
  }

  /** Live documents with pending deletes applied; null when none is deleted. */
  get live(): DocBits | null {
    return this.#pendingLive ?? this.reader.liveDocs;
  }

  isLive(docId: DocId): boolean {
    const live = this.live;
    return live === null || (live[docId >>> 5]! & (1 << (docId & 31))) !== 0;
  }

  /** Marks a document as deleted, pending; false if it was already. */
  delete(docId: DocId): boolean {
    if (!this.isLive(docId)) return false;
    this.#pendingLive ??= this.reader.liveDocs?.slice() ?? allLive(this.maxDoc);
    this.#pendingLive[docId >>> 5]! &= ~(1 << (docId & 31));
    this.#pendingDeletes++;
    return true;
  }

  deleteAll(): number {
    const deleted = this.docCount;
    this.#pendingLive = new Uint32Array((this.maxDoc + 31) >>> 5);
    this.#pendingDeletes = this.reader.docCount;
    return deleted;
  }

  /** The segment as it looks with pending deletes. */
  view(): OpenSegment {
    return this.#pendingLive === null ? this.reader : this.reader.withLiveDocs(this.#pendingLive.slice());
  }

  /** It is visible, and pending deletes are. */
  committed(): void {
    if (this.hasPendingDeletes) this.hasUnwrittenDeletes = true;
    this.reader = this.view();
    this.stage = "committed";
    this.#pendingLive = null;
    this.#pendingDeletes = 0;
  }

  /**
   * A commit point names its files, and one with these live documents.
   *
   * @returns the file with live documents that is of no use any more, if there is one
   */
  published(liveDocsFile: string | null, live: DocBits | null): string[] {
    const previous = this.liveDocsFile;
    this.liveDocsFile = liveDocsFile;
    this.isDurable = true;
    this.hasUnwrittenDeletes = this.reader.liveDocs !== live;
    return previous === null || previous === liveDocsFile ? [] : [previous];
  }

  rolledBack(): void {
    this.#pendingLive = null;
    this.#pendingDeletes = 0;
  }
}

/** Bits of `maxDoc` documents, all set; the rest of the last word is 0. */
export function allLive(maxDoc: number): DocBits {
  const bits = new Uint32Array((maxDoc + 31) >>> 5).fill(0xffff_ffff);
  if ((maxDoc & 31) !== 0) bits[bits.length - 1] = (1 << (maxDoc & 31)) - 1;
  return bits;
}
