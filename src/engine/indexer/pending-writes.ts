import { FindlingError } from "../../errors/index.js";
import type { CanonicalDocument, DocumentId } from "../schema/document.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import type { DocBits } from "../segment/segment-reader.js";
import { nextTurn, runInSlices } from "../segment/sliced-work.js";
import type { CommitPoints } from "./commit-points.js";
import { deleteEach, forEachMatch } from "./delete-documents.js";
import { type EncodedDocuments, encodeHere, type Replacing, releaseEncoded } from "./encoded-documents.js";
import { findWithIds, type GivenWay, type GivingWay, givenWay, NOTHING_GIVES_WAY } from "./giving-way.js";
import type { IndexSegments } from "./index-segments.js";
import { additionRecord, encodeDeletion, type JournalEntry, type JournalRecord } from "./journal-entries.js";
import type { PendingMemory, PendingMemoryUser } from "./pending-memory.js";
import type { UnusedFiles } from "./unused-files.js";
import type { WriterSegment } from "./writer-segment.js";

/** Documents that take more memory are left to the commit: other writes would wait for them for nothing, if none comes. */
const PREPARED_BYTES_MAX = 4 << 20;

/** What may be pending. */
export type PendingEntry = Exclude<JournalEntry, { readonly kind: "commit" }>;

export interface PendingWritesOptions {
  readonly schema: EngineSchema;
  readonly segments: IndexSegments;
  readonly points: CommitPoints;
  readonly unused: UnusedFiles;
  readonly memory: PendingMemory;
  /** Runs a flush that others ask for, between two other calls. */
  readonly barrier: (flush: () => Promise<void>) => Promise<void>;
}

/**
 * Additions and deletes since the last commit. Each goes to the journal before it goes to the segments; what is made
 * anew from the journal goes to the segments only.
 */
export class PendingWrites implements PendingMemoryUser {
  readonly #schema: EngineSchema;
  readonly #segments: IndexSegments;
  readonly #points: CommitPoints;
  readonly #unused: UnusedFiles;
  readonly #memory: PendingMemory;
  readonly #barrier: PendingWritesOptions["barrier"];
  #exist = false;
  #isPastJournal = false;
  #isClosed = false;

  constructor({ schema, segments, points, unused, memory, barrier }: PendingWritesOptions) {
    this.#schema = schema;
    this.#segments = segments;
    this.#points = points;
    this.#unused = unused;
    this.#memory = memory;
    this.#barrier = barrier;
  }

  /** Whether there are any. */
  get exist(): boolean {
    return this.#exist;
  }

  /** Whether something is pending that the journal doesn't have, so that it can't be committed there. */
  get isPastJournal(): boolean {
    return this.#isPastJournal;
  }

  get pendingBytes(): number {
    return this.#segments.pendingBytes;
  }

  async add(
    ids: readonly DocumentId[],
    documents: readonly CanonicalDocument[],
    replacing: Replacing = {},
  ): Promise<GivenWay> {
    const encoded = await runInSlices(encodeHere(this.#schema, ids, documents, replacing));
    try {
      return await this.addEncoded(encoded);
    } finally {
      // Journal and pending documents have copies, and buffers that wait for it are what garbage is collected for.
      releaseEncoded(encoded);
    }
  }

  addEncoded(encoded: EncodedDocuments): Promise<GivenWay> {
    return this.#takeIn(encoded, () => this.#record(additionRecord(encoded)));
  }

  /** Adds documents that are a segment already, which is deleted if that fails. */
  async addWritten(encoded: EncodedDocuments, segment: WriterSegment): Promise<GivenWay> {
    try {
      await this.#openAllBefore();
    } catch (error) {
      await this.#discard(segment);
      const isStorage = error instanceof FindlingError && error.code === "storage_unavailable";
      if (!isStorage || this.#points.failure !== null) throw error;
      // The journal may have room all the same, all the more without that segment's files.
      return this.addEncoded(encoded);
    }
    let givingWay: GivingWay;
    try {
      givingWay = await this.#findGivingWay(encoded);
      await this.#record(additionRecord(encoded));
    } catch (error) {
      await this.#discard(segment);
      throw error;
    }
    this.#segments.giveWay(givingWay, segment);
    this.#segments.append(segment);
    return givenWay(givingWay);
  }

  /** @param matches of all segments, which are open. @returns how many were live until now */
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
    this.#exist = true;
    switch (entry.kind) {
      case "add": {
        const encoded = await runInSlices(
          encodeHere(this.#schema, entry.ids, entry.documents, entry.replacing),
        );
        try {
          await this.#takeIn(encoded, () => Promise.resolve(), true);
          return;
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

  flushSoon(): Promise<void> {
    const before = this.pendingBytes;
    const flush = async (): Promise<void> => {
      // Several may have asked for the same.
      if (!this.#isClosed && this.pendingBytes > before / 2) await this.flush();
    };
    return this.#barrier(flush).catch(() => undefined);
  }

  /**
   * Has documents that wait take less memory, pending as before. A few of them do so in memory: where many indexes are
   * written in turn, each write would else make a file of what another one has got since its last.
   */
  async flush(): Promise<void> {
    if (!(await this.#segments.condensePending())) await this.flushToDisk();
  }

  /** Makes a segment on disk of the documents that wait in memory; pending as before. */
  async flushToDisk(): Promise<void> {
    if (!this.#segments.hasPendingInMemory) return;
    await this.#segments.flush(this.#points.reserveSegmentName());
    await this.#clearMemory();
  }

  /**
   * Makes an open segment of few documents that wait in memory, pending as before and not synced, so that a commit
   * finds nothing to write. Whoever is to be answered is answered first.
   */
  async prepareCommit(): Promise<void> {
    await nextTurn();
    if (this.#isClosed || this.#points.failure !== null || this.#segments.hasUnopened) return;
    if (this.#segments.pendingBytes <= PREPARED_BYTES_MAX) await this.#openAllBefore();
  }

  /** None is pending any more: they have been made visible or dropped. */
  async noteSettled(): Promise<void> {
    this.#exist = false;
    this.#isPastJournal = false;
    await this.#clearMemory();
  }

  /** They stay in the journal. */
  close(): void {
    this.#isClosed = true;
    this.#memory.leave(this);
  }

  async #clearMemory(): Promise<void> {
    await this.#segments.clearPending();
    this.#memory.leave(this);
  }

  /** Makes open segments of all that is pending: documents that came before others stay before them. */
  async #openAllBefore(): Promise<void> {
    if (this.#segments.hasPendingInMemory) {
      await this.#segments.flushUnsynced(this.#points.reserveSegmentName());
      await this.#clearMemory();
    }
    await this.#segments.openFlushed();
  }

  /** Deletes a segment that is none of the index's, unless it isn't known what the disk holds. */
  async #discard(segment: WriterSegment): Promise<void> {
    segment.reader.close();
    if (this.#points.failure === null) await this.#unused.deleteQuietly(segment.fileNames);
  }

  async #record(record: JournalRecord): Promise<void> {
    this.#points.refuseAfterFailure();
    await this.#points.append(record);
    this.#exist = true;
  }

  /** Adds documents to the pending ones once there is memory for them, and they are recorded. */
  async #takeIn(
    encoded: EncodedDocuments,
    record: () => Promise<void>,
    isAcknowledged = false,
  ): Promise<GivenWay> {
    await this.#memory.makeRoom(this, encoded.json.length, isAcknowledged);
    try {
      const givingWay = await this.#findGivingWay(encoded);
      await record();
      await this.#addRecorded(encoded, givingWay);
      return givenWay(givingWay);
    } finally {
      this.#memory.added(this);
    }
  }

  /** What gives way to documents, as things are when they come: nothing has been changed yet. */
  async #findGivingWay({ replaces, keys, ids }: EncodedDocuments): Promise<GivingWay> {
    if (replaces === undefined) return NOTHING_GIVES_WAY;
    if (replaces === "same_key") {
      await this.#segments.openFlushed();
      return runInSlices(this.#segments.findGivingWay(keys!));
    }
    await this.#segments.makeSearchable();
    return runInSlices(findWithIds(ids, this.#segments.opened()));
  }

  /** What fails midway leaves documents half added, which no commit may take along. */
  async #addRecorded(encoded: EncodedDocuments, givingWay: GivingWay): Promise<void> {
    try {
      const before = this.#segments.docsInBuilder;
      await runInSlices(this.#segments.add(encoded));
      this.#segments.giveWay(givingWay, before);
    } catch (error) {
      throw this.#points.failAfter(error);
    }
  }
}
