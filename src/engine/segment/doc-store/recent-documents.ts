import { ByteChunks } from "../../bytes/byte-chunks.js";
import type { DocumentTable } from "./document-table.js";

/** Documents kept at most, and their lengths together. */
const DOCUMENTS_MAX = 16_384;
const TEXT_LENGTHS_MAX = 4 * 1024 * 1024;
/** Bytes are what pages of hits are made of. */
const BYTE_LENGTHS_MAX = 16 * 1024 * 1024;
/** The part of all the room that one document may take: longer ones would drive out too many others. */
const LARGEST_SHARE = 1 / 16;
/** One in so many of the documents that would drive out others is kept. */
const KEPT_ONE_IN = 8;
/** A quarter of a chunk at most stays unused. */
const CHUNK_LENGTH = 32 * 1024;

/** A document as text, or as bytes. */
type Kept = string | Uint8Array;

/**
 * Bounds what all document stores of a thread keep of the documents that they were asked for repeatedly:
 * the one that was kept first goes first. Texts and bytes apart.
 *
 * Once there is no room left, most documents aren't kept, as in `BlockPool`: where more are asked for in turn than
 * there is room for, each would be driven out just before it is asked for again, and all would be garbage.
 */
export class RecentDocuments<Document extends Kept> {
  static readonly #texts: RecentDocuments<string> = new RecentDocuments(TEXT_LENGTHS_MAX);
  static readonly #bytes: RecentDocuments<Uint8Array> = new RecentDocuments(BYTE_LENGTHS_MAX);
  readonly #owners: DocumentTable<Document>[] = [];
  readonly #docIds: Uint32Array = new Uint32Array(DOCUMENTS_MAX);
  readonly #lengths: Uint32Array = new Uint32Array(DOCUMENTS_MAX);
  /** Documents ever kept, and those of them that are gone: places in the arrays, which are used in turn. */
  #added = 0;
  #dropped = 0;
  #length = 0;
  /** State of a linear congruential generator. */
  #random = 1;
  readonly #lengthsMax: number;
  readonly #keptOneIn: number;

  /**
   * @param lengthsMax of all documents together
   * @param keptOneIn from 1: all are kept
   */
  constructor(lengthsMax: number, keptOneIn: number = KEPT_ONE_IN) {
    this.#lengthsMax = lengthsMax;
    this.#keptOneIn = keptOneIn;
  }

  static textsOfThread(): RecentDocuments<string> {
    return RecentDocuments.#texts;
  }

  static bytesOfThread(): RecentDocuments<Uint8Array> {
    return RecentDocuments.#bytes;
  }

  /** Memory for those that are bytes: they come and go in the same order. */
  readonly chunks: ByteChunks = new ByteChunks(CHUNK_LENGTH);

  /** Whether a document of that length is to be kept now. */
  wants(length: number): boolean {
    if (length > this.#lengthsMax * LARGEST_SHARE) return false;
    if (this.#hasRoom(length)) return true;
    this.#dropForgotten();
    if (this.#hasRoom(length)) return true;
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#random < 2 ** 32 / this.#keptOneIn;
  }

  /** Keeps a document that is wanted in its store's table, where it isn't yet. */
  keep(owner: DocumentTable<Document>, docId: number, document: Document): void {
    while (!this.#hasRoom(document.length)) this.#dropOldest();
    const place = this.#added++ % DOCUMENTS_MAX;
    this.#owners[place] = owner;
    this.#docIds[place] = docId;
    this.#lengths[place] = document.length;
    this.#length += document.length;
    owner.set(docId, document);
  }

  #dropOldest(): void {
    const place = this.#dropped++ % DOCUMENTS_MAX;
    this.#owners[place]!.delete(this.#docIds[place]!);
    this.#length -= this.#lengths[place]!;
  }

  /** What stores that have been closed since, as after a merge, kept before all others did. */
  #dropForgotten(): void {
    while (this.#added > this.#dropped) {
      const place = this.#dropped % DOCUMENTS_MAX;
      if (this.#owners[place]!.get(this.#docIds[place]!) !== undefined) return;
      this.#dropOldest();
    }
  }

  #hasRoom(length: number): boolean {
    return this.#added - this.#dropped < DOCUMENTS_MAX && this.#length + length <= this.#lengthsMax;
  }
}
