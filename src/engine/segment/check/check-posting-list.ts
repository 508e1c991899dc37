import { isStemTermAt } from "../../../analysis/stem-terms.js";
import { BLOCK_SIZE, bitWidth, verticalWordCount } from "../../bytes/bit-packing.js";
import { setBit } from "../../bytes/bitset.js";
import { BOUND_SCALE, IMPACT_FREQ_MAX, impactNormFactors } from "../postings/impacts.js";
import { POSITION_GROUP, VARINT_BLOCK } from "../postings/posting-sections.js";
import type { TermPostingCursor } from "../postings/term-posting-cursor.js";
import type { FieldTermsReader } from "../terms/field-terms-reader.js";
import type { ProblemList } from "./problem-list.js";

/** Float64 rounding in comparing two impacts. */
const SLACK = 1e-12;

/** Checks a field's posting lists one after the other, in order of their terms. */
export class PostingListCheck {
  readonly #reader: FieldTermsReader;
  readonly #problems: ProblemList;
  readonly #tokens: Uint32Array;
  readonly #factors: Float64Array;
  /** By doc id: its greatest position so far, plus one. */
  readonly #positionEnds: Float64Array;
  /** Blocks that the lists so far have used: the next list's start there. */
  #blocks = 0;
  /** Where the positions of the lists so far end. */
  #positionsEnd = 0;

  /** @param tokens to which each document's frequencies are added, those of stems beside words aside */
  constructor(reader: FieldTermsReader, problems: ProblemList, tokens: Uint32Array) {
    this.#reader = reader;
    this.#problems = problems;
    this.#tokens = tokens;
    this.#factors = impactNormFactors(reader.impactAverageLength);
    this.#positionEnds = new Float64Array(reader.maxDoc);
  }

  /** Checks a term's list and sets the bits of its documents; false if it is too damaged to be walked. */
  check(ordinal: number, bits: Uint32Array): boolean {
    const reader = this.#reader;
    const docFreq = reader.docFreq(ordinal);
    if (docFreq < 1 || docFreq > reader.maxDoc) {
      this.#problems.add(`term ${ordinal} is said to be in ${docFreq} of ${reader.maxDoc} documents`);
      return false;
    }
    if (docFreq >= BLOCK_SIZE && !this.#checkBlockPlaces(ordinal, docFreq)) return false;
    const cursor = reader.postings(ordinal);
    const isWord = !isStem(reader, ordinal);
    let previous = -1;
    for (let block = 0; block < cursor.blockCount; block++) {
      cursor.loadBlock(block);
      cursor.loadFreqs();
      let tokens = 0;
      for (let i = 0; i < cursor.length; i++) {
        const docId = cursor.docs[i]!;
        if (docId <= previous || docId >= reader.maxDoc) {
          this.#problems.add(`term ${ordinal}: document ${docId} follows ${previous}, of ${reader.maxDoc}`);
          return false;
        }
        previous = docId;
        setBit(bits, docId);
        tokens += cursor.freqs[i]!;
        if (isWord) this.#tokens[docId]! += cursor.freqs[i]!;
      }
      if (cursor.lastDoc(block) !== previous) {
        this.#problems.add(
          `term ${ordinal}, block ${block}: ends at ${previous}, its last document says ${cursor.lastDoc(block)}`,
        );
      }
      this.#checkImpacts(ordinal, cursor, block);
      if (!this.#checkPositions(ordinal, cursor, block, tokens)) return false;
    }
    return true;
  }

  /** To be called after the last list. */
  finish(): void {
    const blockCount = this.#reader.postingSections.lastDocs.length;
    if (this.#blocks !== blockCount)
      this.#problems.add(`${blockCount} blocks are stored, the lists use ${this.#blocks}`);
    const { positionWidths } = this.#reader.postingSections;
    for (let docId = 0; docId < this.#positionEnds.length; docId++) {
      const width = bitWidth(Math.max(0, this.#positionEnds[docId]! - 1));
      if (positionWidths[docId] !== width) {
        this.#problems.add(
          `document ${docId} has positions of ${width} bits, stored as ${positionWidths[docId]}`,
        );
      }
    }
  }

  /** Whether the list's blocks are where they must be, inside the data. */
  #checkBlockPlaces(ordinal: number, docFreq: number): boolean {
    const sections = this.#reader.postingSections;
    const first = this.#reader.dictionary.references[ordinal]!;
    const count = Math.ceil(docFreq / BLOCK_SIZE);
    if (first !== this.#blocks || first + count > sections.lastDocs.length) {
      this.#problems.add(`term ${ordinal}: its blocks start at ${first} instead of ${this.#blocks}`);
      return false;
    }
    this.#blocks += count;
    if (this.#reader.dictionary.positionReferences[ordinal] !== sections.positionOffsets[first]) {
      this.#problems.add(`term ${ordinal}: its positions don't start where its first block's do`);
    }
    for (let block = first; block < first + count; block++) {
      const docBits = sections.docBits[block]!;
      const freqBits = sections.freqBits[block]!;
      const partial = block === first + count - 1 && docFreq % BLOCK_SIZE !== 0;
      const packedWords = verticalWordCount(docBits) + verticalWordCount(freqBits);
      const whole = partial
        ? docBits === VARINT_BLOCK && freqBits === VARINT_BLOCK
        : docBits <= 32 && freqBits <= 32 && sections.dataOffsets[block]! % 4 === 0;
      const end = sections.dataOffsets[block]! + (partial ? 1 : 4 * packedWords);
      if (!whole || end > sections.data.length) {
        this.#problems.add(`term ${ordinal}, block ${block - first}: its widths or offset can't be`);
        return false;
      }
    }
    return true;
  }

  #checkImpacts(ordinal: number, cursor: TermPostingCursor, block: number): void {
    const { freq, norm } = cursor.maxImpact(block);
    const greatest = freq === IMPACT_FREQ_MAX ? 1 : freq / (freq + this.#factors[norm]!);
    const bound =
      cursor.docFreq < BLOCK_SIZE
        ? 1
        : this.#reader.postingSections.bounds[this.#reader.dictionary.references[ordinal]! + block]! /
          BOUND_SCALE;
    for (let i = 0; i < cursor.length; i++) {
      const impact =
        cursor.freqs[i]! / (cursor.freqs[i]! + this.#factors[this.#reader.norms[cursor.docs[i]!]!]!);
      if (impact > greatest + SLACK || impact > bound + SLACK) {
        this.#problems.add(
          `term ${ordinal}, block ${block}: document ${cursor.docs[i]} exceeds the block's impact`,
        );
        return;
      }
    }
  }

  /** Whether the block's positions could be read. */
  #checkPositions(ordinal: number, cursor: TermPostingCursor, block: number, tokens: number): boolean {
    const place = cursor.positionPlace();
    // A single document's frequency is written before its positions, seven bits a byte.
    const before = cursor.docFreq === 1 ? Math.ceil(bitWidth(tokens) / 7) : 0;
    if (place.offset !== this.#positionsEnd + before) {
      this.#problems.add(`term ${ordinal}, block ${block}: its positions aren't behind those before`);
    }
    this.#positionsEnd = place.offset + Math.ceil(place.bits / 8);
    const available = this.#reader.postingSections.positionData.length;
    if (tokens > this.#reader.totals.tokens || place.offset + place.bits / 8 > available) {
      this.#problems.add(`term ${ordinal}, block ${block}: ${tokens} positions don't fit the field`);
      return false;
    }
    const positions = cursor.blockPositions();
    const { positionWidths, positionGroups } = this.#reader.postingSections;
    const group =
      cursor.docFreq < BLOCK_SIZE ? -1 : 3 * (this.#reader.dictionary.references[ordinal]! + block);
    let bits = 0;
    let at = 0;
    for (let i = 0; i < BLOCK_SIZE; i++) {
      if (group >= 0 && i > 0 && i % POSITION_GROUP === 0) {
        if (positionGroups[group + i / POSITION_GROUP - 1] !== bits) {
          this.#problems.add(
            `term ${ordinal}, block ${block}: positions of entry ${i} aren't where they should be`,
          );
        }
      }
      if (i >= cursor.length) continue;
      const freq = cursor.freqs[i]!;
      bits += freq * positionWidths[cursor.docs[i]!]!;
      if (freq === 0) this.#problems.add(`term ${ordinal}: document ${cursor.docs[i]} has it 0 times`);
      for (let k = at + 1; k < at + freq; k++) {
        if (positions[k]! > positions[k - 1]!) continue;
        this.#problems.add(`term ${ordinal}: positions in document ${cursor.docs[i]} don't ascend`);
        break;
      }
      at += freq;
      const docId = cursor.docs[i]!;
      const end = freq === 0 ? 0 : positions[at - 1]! + 1;
      if (end > this.#positionEnds[docId]!) this.#positionEnds[docId] = end;
    }
    return true;
  }
}

/** Lengths count words; stems stand beside them. */
function isStem({ dictionary: { bytes, offsets } }: FieldTermsReader, ordinal: number): boolean {
  return isStemTermAt(bytes, offsets[ordinal]!, offsets[ordinal + 1]!);
}
