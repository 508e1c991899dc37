import { BLOCK_SIZE } from "../bytes/bit-packing.js";
import { readShortPostings } from "../segment/postings/read-short-postings.js";
import type { SectionSink } from "../segment/sections.js";
import type { SlicedWork } from "../segment/sliced-work.js";
import { compareTerms } from "../segment/terms/compare-terms.js";
import type { FieldTermsReader } from "../segment/terms/field-terms-reader.js";
import {
  type FieldTermsSource,
  type TermReceiver,
  writeFieldTerms,
} from "../segment/terms/write-field-terms.js";
import { mergeFieldByKernels, type PresentField } from "./kernel-field-merger.js";

/** Documents whose postings are sent, or lengths read, between two pauses. */
const DOCUMENTS_PER_STEP = 16_384;

/** One segment's part in a merged field. */
export interface TextFieldMergeInput {
  /** Null if the field has no terms in the segment. */
  readonly reader: FieldTermsReader | null;
  /** Old doc id to new, -1 for a document that is dropped. New ids ascend, within an input and across them. */
  readonly docMap: Int32Array;
}

/**
 * Merges a text field of several segments into one: equal, byte for byte, to the field built from the
 * surviving documents. Walks all dictionaries side by side and holds one block of postings at a time.
 */
export function* mergeTextFields(
  sink: SectionSink,
  prefix: string,
  inputs: readonly TextFieldMergeInput[],
  newMaxDoc: number,
  { byKernels = true }: { readonly byKernels?: boolean } = {},
): SlicedWork {
  const present: PresentField[] = [];
  const lengths = new Uint32Array(newMaxDoc);
  const positionWidths = new Uint8Array(newMaxDoc);
  for (const { reader, docMap } of inputs) {
    if (reader === null) continue;
    present.push({ reader, docMap });
    const widths = reader.postingSections.positionWidths;
    for (let docId = 0; docId < reader.maxDoc; docId++) {
      const newDocId = docMap[docId]!;
      if (newDocId < 0) continue;
      lengths[newDocId] = reader.lengthOf(docId);
      positionWidths[newDocId] = widths[docId]!;
    }
    yield;
  }
  const target = { sink, prefix, maxDoc: newMaxDoc, lengths, positionWidths };
  if (byKernels && (yield* mergeFieldByKernels(target, present))) return;
  const streams = present.map(({ reader, docMap }) => new TermStream(reader, docMap));
  yield* writeFieldTerms(sink, prefix, newMaxDoc, new MergedTerms(lengths, positionWidths, streams));
}

/** One input's place in its dictionary. */
class TermStream {
  readonly reader: FieldTermsReader;
  readonly docMap: Int32Array;
  readonly bytes: Uint8Array;
  /** Where short lists are decoded. */
  readonly docs: Uint32Array = new Uint32Array(BLOCK_SIZE);
  readonly freqs: Uint32Array = new Uint32Array(BLOCK_SIZE);
  ordinal = 0;
  start = 0;
  end: number;

  constructor(reader: FieldTermsReader, docMap: Int32Array) {
    this.reader = reader;
    this.docMap = docMap;
    this.bytes = reader.dictionary.bytes;
    this.end = reader.dictionary.offsets[1] ?? 0;
  }

  get exhausted(): boolean {
    return this.ordinal === this.reader.termCount;
  }

  next(): void {
    this.ordinal++;
    this.start = this.end;
    this.end = this.reader.dictionary.offsets[this.ordinal + 1] ?? this.end;
  }
}

class MergedTerms implements FieldTermsSource {
  readonly lengths: Uint32Array;
  readonly positionWidths: Uint8Array;
  readonly #streams: readonly TermStream[];

  constructor(lengths: Uint32Array, positionWidths: Uint8Array, streams: readonly TermStream[]) {
    this.lengths = lengths;
    this.positionWidths = positionWidths;
    this.#streams = streams;
  }

  *sendTerms(receiver: TermReceiver): SlicedWork {
    const streams = this.#streams;
    /** Indices of the streams at the least term, ascending, so that doc ids ascend. */
    const matching = new Uint32Array(streams.length);
    let documents = 0;
    for (;;) {
      const count = this.#leastTerm(matching);
      if (count === 0) return;
      const first = streams[matching[0]!]!;
      receiver.startTerm(first.bytes, first.start, first.end);
      for (let i = 0; i < count; i++) {
        const stream = streams[matching[i]!]!;
        sendPostings(stream, receiver);
        documents += stream.reader.dictionary.docFreqs[stream.ordinal]!;
        if (documents < DOCUMENTS_PER_STEP) continue;
        documents = 0;
        yield;
      }
      receiver.endTerm();
      for (let i = 0; i < count; i++) streams[matching[i]!]!.next();
    }
  }

  /** Few segments are merged at once, so comparing them in turn does. Returns how many match; 0 at the end. */
  #leastTerm(matching: Uint32Array): number {
    const streams = this.#streams;
    let least: TermStream | null = null;
    let count = 0;
    for (let i = 0; i < streams.length; i++) {
      const stream = streams[i]!;
      if (stream.exhausted) continue;
      const order =
        least === null
          ? -1
          : compareTerms(stream.bytes, stream.start, stream.end, least.bytes, least.start, least.end);
      if (order > 0) continue;
      if (order < 0) {
        least = stream;
        count = 0;
      }
      matching[count++] = i;
    }
    return count;
  }
}

/** Sends a stream's postings of its term, those of a short list without memory of their own. */
function sendPostings(stream: TermStream, receiver: TermReceiver): void {
  const { reader, ordinal } = stream;
  const { docFreqs, references, positionReferences } = reader.dictionary;
  const docFreq = docFreqs[ordinal]!;
  if (docFreq < BLOCK_SIZE) {
    const { docs, freqs } = stream;
    const reference = references[ordinal]!;
    const positionReference = positionReferences[ordinal]!;
    const sections = reader.postingSections;
    const offset = readShortPostings(sections, docFreq, reference, positionReference, docs, freqs);
    sendDecoded(stream, receiver, docs, freqs, docFreq, offset);
    return;
  }
  const cursor = reader.postings(ordinal);
  for (let block = 0; block < cursor.blockCount; block++) {
    cursor.loadBlock(block);
    cursor.loadFreqs();
    sendDecoded(stream, receiver, cursor.docs, cursor.freqs, cursor.length, cursor.positionOffset());
  }
}

/** Positions are copied as they are written, since a document's take as many bits each wherever it goes. */
function sendDecoded(
  { reader, docMap }: TermStream,
  receiver: TermReceiver,
  docs: Uint32Array,
  freqs: Uint32Array,
  count: number,
  offset: number,
): void {
  const { positionData, positionWidths } = reader.postingSections;
  let bit = 0;
  for (let i = 0; i < count; i++) {
    const oldDocId = docs[i]!;
    const docId = docMap[oldDocId]!;
    const freq = freqs[i]!;
    if (docId >= 0) receiver.addWrittenPosting(docId, freq, positionData, offset, bit);
    bit += freq * positionWidths[oldDocId]!;
  }
}
