import { setBit } from "../../src/engine/bytes/bitset.js";
import {
  normsOf,
  totalLengths,
  writeFieldLengths,
} from "../../src/engine/segment/field-norms/field-lengths.js";
import { DenseDocumentsWriter, isDense } from "../../src/engine/segment/postings/dense-documents.js";
import type { SectionSink } from "../../src/engine/segment/sections.js";
import type { SlicedWork } from "../../src/engine/segment/sliced-work.js";
import { writeTermTries } from "../../src/engine/segment/terms/term-tries.js";
import { PostingListWriter } from "./posting-list-writer.js";
import { TermDictionaryWriter } from "./term-dictionary-writer.js";

/**
 * Takes a field's terms, in ascending order of their bytes: per term `startTerm`, `addPosting` for
 * each document in ascending order, `endTerm`. A term without postings leaves no trace. Everything
 * handed over is copied before the call returns.
 */
export interface TermReceiver {
  /** The term is `bytes[start]` up to, not including, `bytes[end]`, which must stay until `endTerm`. */
  startTerm(bytes: Uint8Array, start: number, end: number): void;
  /** The positions are `positions[from]` to `positions[from + freq - 1]`, ascending; `freq` is at least 1. */
  addPosting(docId: number, freq: number, positions: Uint32Array, from: number): void;
  endTerm(): void;
}

/** Where a field's inverted data comes from. */
export interface FieldTermsSource {
  /** Tokens of the field per doc id, 0 where there are none; at least `maxDoc` entries. */
  readonly lengths: Uint32Array;
  /** Bits of the greatest position per doc id, 0 where there are no tokens; at least `maxDoc` entries. */
  readonly positionWidths: Uint8Array;
  /** Hands over all terms. Called once. */
  sendTerms(receiver: TermReceiver): SlicedWork;
}

/**
 * Writes the sections of a text field: dictionary, postings, positions, dense bits, lengths, norms and
 * tries. Writes nothing if no document has a token. Equal terms and lengths give equal bytes,
 * whoever sends them.
 *
 * @param prefix of the section names, such as `f3.`
 * @throws FindlingError `internal` if a section would pass 4 GiB
 */
export function* writeFieldTerms(
  sink: SectionSink,
  prefix: string,
  maxDoc: number,
  source: FieldTermsSource,
): SlicedWork {
  const totals = totalLengths(source.lengths, maxDoc);
  if (totals.tokens === 0) return;
  const norms = normsOf(source.lengths, maxDoc);
  const widths = source.positionWidths.slice(0, maxDoc);
  const writer = new FieldTermsWriter(maxDoc, norms, widths, totals.averageLength);
  yield;
  yield* source.sendTerms(writer);
  yield* writer.write(sink, prefix);
  writeFieldLengths(sink, prefix, source.lengths, norms, totals);
}

class FieldTermsWriter implements TermReceiver {
  readonly #maxDoc: number;
  readonly #dictionary = new TermDictionaryWriter();
  readonly #postings: PostingListWriter;
  readonly #dense: DenseDocumentsWriter;
  #termBytes: Uint8Array = new Uint8Array(0);
  #termStart = 0;
  #termEnd = 0;

  constructor(maxDoc: number, norms: Uint8Array, widths: Uint8Array, averageLength: number) {
    this.#maxDoc = maxDoc;
    this.#postings = new PostingListWriter(norms, widths, averageLength);
    this.#dense = new DenseDocumentsWriter(maxDoc);
  }

  startTerm(bytes: Uint8Array, start: number, end: number): void {
    this.#termBytes = bytes;
    this.#termStart = start;
    this.#termEnd = end;
  }

  addPosting(docId: number, freq: number, positions: Uint32Array, from: number): void {
    this.#postings.add(docId, freq, positions, from);
  }

  endTerm(): void {
    const postings = this.#postings;
    postings.finish();
    if (postings.docFreq === 0) return;
    if (isDense(postings.docFreq, this.#maxDoc)) {
      const bits = new Uint32Array(this.#dense.stride);
      for (const docId of postings.documents()) setBit(bits, docId);
      this.#dense.add(this.#dictionary.termCount, bits);
    }
    this.#dictionary.add(this.#termBytes, this.#termStart, this.#termEnd, postings);
  }

  *write(sink: SectionSink, prefix: string): SlicedWork {
    this.#postings.write(sink, prefix);
    this.#dense.write(sink, prefix);
    this.#dictionary.write(sink, prefix);
    yield;
    yield* writeTermTries(sink, prefix, this.#dictionary.bytes, this.#dictionary.offsets);
  }
}
