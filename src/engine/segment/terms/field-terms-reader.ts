import { CorruptionError } from "../../../errors/index.js";
import { BLOCK_SIZE } from "../../bytes/bit-packing.js";
import { imageMemoryOf } from "../../kernels/image-memory.js";
import type { PostingImage, PostingPlace } from "../../kernels/posting-image.js";
import { FieldLengths, type FieldLengthTotals } from "../field-norms/field-lengths.js";
import { BlockPostingCursor } from "../postings/block-posting-cursor.js";
import { DenseDocuments, isDense } from "../postings/dense-documents.js";
import { PostingSections } from "../postings/posting-sections.js";
import { ShortPostingCursor } from "../postings/short-posting-cursor.js";
import type { TermPostingCursor } from "../postings/term-posting-cursor.js";
import type { SectionSource } from "../sections.js";
import type { DocBits, FieldTerms } from "../segment-reader.js";
import { hasTermDictionary, TermDictionary } from "./term-dictionary.js";
import { openTermTries } from "./term-tries.js";

/** The terms of a text field in one segment, read in place from its sections. */
export class FieldTermsReader implements FieldTerms {
  readonly maxDoc: number;
  readonly termCount: number;
  readonly norms: Uint8Array;
  readonly impactAverageLength: number;
  readonly liveDocCount: number;
  readonly liveTokenCount: number;
  readonly tries: FieldTerms["tries"];
  readonly image: PostingImage | null;
  /** Deleted documents included. */
  readonly totals: FieldLengthTotals;
  readonly dictionary: TermDictionary;
  readonly postingSections: PostingSections;
  readonly denseDocuments: DenseDocuments;
  readonly #lengths: FieldLengths;

  /**
   * Opens the sections with the given prefix; null if the field has no terms in this segment. Costs
   * O(deleted documents); everything else is views.
   *
   * @throws CorruptionError naming `fileName` if the sections don't fit together
   */
  static open(
    source: SectionSource,
    prefix: string,
    maxDoc: number,
    liveDocs: DocBits | null,
    fileName: string,
  ): FieldTermsReader | null {
    if (!hasTermDictionary(source, prefix)) return null;
    return new FieldTermsReader(source, prefix, maxDoc, liveDocs, fileName);
  }

  private constructor(
    source: SectionSource,
    prefix: string,
    maxDoc: number,
    liveDocs: DocBits | null,
    fileName: string,
  ) {
    this.maxDoc = maxDoc;
    this.dictionary = new TermDictionary(source, prefix, fileName);
    this.termCount = this.dictionary.termCount;
    this.postingSections = new PostingSections(source, prefix, maxDoc, fileName);
    this.denseDocuments = new DenseDocuments(source, prefix, maxDoc, fileName);
    this.#lengths = new FieldLengths(source, prefix, maxDoc, fileName);
    this.norms = this.#lengths.norms;
    this.totals = this.#lengths.totals;
    this.impactAverageLength = this.totals.averageLength;
    this.tries = openTermTries(source, prefix, fileName);
    this.image = this.#image();

    let deletedDocs = 0;
    let deletedTokens = 0;
    if (liveDocs !== null) {
      for (let word = 0; word * 32 < maxDoc; word++) {
        let deleted = ~liveDocs[word]!;
        while (deleted !== 0) {
          const docId = word * 32 + 31 - Math.clz32(deleted & -deleted);
          deleted &= deleted - 1;
          if (docId >= maxDoc) break;
          const length = this.lengthOf(docId);
          if (length === 0) continue;
          deletedDocs++;
          deletedTokens += length;
        }
      }
    }
    this.liveDocCount = this.totals.docsWithTokens - deletedDocs;
    this.liveTokenCount = this.totals.tokens - deletedTokens;
    if (this.liveDocCount < 0 || this.liveTokenCount < 0) {
      throw new CorruptionError(fileName, `the totals in '${prefix}lengths.header' are too small`);
    }
  }

  /** Tokens of a document's field, exact. */
  lengthOf(docId: number): number {
    return this.#lengths.lengthOf(docId);
  }

  ordinalOf(term: Uint8Array): number {
    return this.dictionary.ordinalOf(term);
  }

  lowerBound(term: Uint8Array): number {
    return this.dictionary.lowerBound(term);
  }

  termBytes(ordinal: number): Uint8Array {
    return this.dictionary.termBytes(ordinal);
  }

  docFreq(ordinal: number): number {
    return this.dictionary.docFreqs[ordinal]!;
  }

  postings(ordinal: number): TermPostingCursor {
    const { docFreqs, references, positionReferences } = this.dictionary;
    const docFreq = docFreqs[ordinal]!;
    const reference = references[ordinal]!;
    if (docFreq >= BLOCK_SIZE) return new BlockPostingCursor(this.postingSections, docFreq, reference);
    return new ShortPostingCursor(
      this.postingSections,
      this.norms,
      this.impactAverageLength,
      docFreq,
      reference,
      positionReferences[ordinal]!,
    );
  }

  denseDocs(ordinal: number): DocBits | null {
    return this.denseDocuments.bits(ordinal);
  }

  /** Ranks of the dense bits: entry i is the number of documents before doc id 512·i. */
  denseRanks(ordinal: number): Uint32Array | null {
    return this.denseDocuments.ranks(ordinal);
  }

  placeOf(ordinal: number): PostingPlace {
    const { docFreqs, references, positionReferences } = this.dictionary;
    const docFreq = docFreqs[ordinal]!;
    const dense = isDense(docFreq, this.maxDoc) ? this.denseDocuments.bits(ordinal) : null;
    return {
      docFreq,
      reference: references[ordinal]!,
      positionReference: positionReferences[ordinal]!,
      denseBits: dense === null ? 0 : dense.byteOffset,
      denseRanks: dense === null ? 0 : this.denseDocuments.ranks(ordinal)!.byteOffset,
    };
  }

  #image(): PostingImage | null {
    const memory = imageMemoryOf(this.norms);
    if (memory === null) return null;
    const sections = this.postingSections;
    return {
      memory,
      maxDoc: this.maxDoc,
      averageLength: this.impactAverageLength,
      blockCount: sections.lastDocs.length,
      lastDocs: sections.lastDocs.byteOffset,
      dataOffsets: sections.dataOffsets.byteOffset,
      positionOffsets: sections.positionOffsets.byteOffset,
      docBits: sections.docBits.byteOffset,
      freqBits: sections.freqBits.byteOffset,
      positionGroups: sections.positionGroups.byteOffset,
      positionWidths: sections.positionWidths.byteOffset,
      bounds: sections.bounds.byteOffset,
      impacts: sections.impacts.byteOffset,
      data: sections.data.byteOffset,
      positionData: sections.positionData.byteOffset,
      norms: this.norms.byteOffset,
      docFreqs: this.dictionary.docFreqs.byteOffset,
      references: this.dictionary.references.byteOffset,
    };
  }
}
