import { CorruptionError } from "../../../errors/index.js";
import { SECTION_ENCODINGS, type SectionSink, type SectionSource } from "../sections.js";
import { foldFrontCoded } from "../strings/front-coding.js";
import { compareTerms } from "./compare-terms.js";
import { foldPositionReferences, foldReferences } from "./fold-references.js";
import { TermFences, type TermRange } from "./term-fences.js";

/** Fields of fewer terms are searched as quickly without fences. */
const FENCED_TERMS_MIN = 256;
/** Terms for which a lookup more comes before fences are made: by then lookups have taken about as long as making them. */
const TERMS_PER_LOOKUP = 256;

/** A field's terms in ascending order of their bytes, with what their lists need to be found. */
export type WrittenTerms = Pick<
  TermDictionary,
  "bytes" | "offsets" | "docFreqs" | "references" | "positionReferences"
>;

/** To be called after the posting lists' own sections have been added. */
export function addDictionarySections(
  sink: SectionSink,
  prefix: string,
  { bytes, offsets, docFreqs, references, positionReferences }: WrittenTerms,
): void {
  const { frontCoded, references: inOrder, positionReferences: inOrderToo } = SECTION_ENCODINGS;
  sink.addNumbers(`${prefix}terms.offsets`, offsets);
  sink.addFolded(`${prefix}terms.bytes`, frontCoded, foldFrontCoded(bytes, offsets), bytes.length);
  sink.addNumbers(`${prefix}terms.docFreqs`, docFreqs);
  const length = references.byteLength;
  sink.addFolded(`${prefix}terms.references`, inOrder, foldReferences(references, docFreqs), length);
  sink.addFolded(
    `${prefix}terms.positionReferences`,
    inOrderToo,
    foldPositionReferences(positionReferences, docFreqs),
    length,
  );
}

/** Whether a field has terms in this segment. */
export function hasTermDictionary(source: SectionSource, prefix: string): boolean {
  return source.has(`${prefix}terms.offsets`);
}

/** A field's terms by rank of their bytes. */
export class TermDictionary {
  readonly termCount: number;
  readonly bytes: Uint8Array;
  readonly offsets: Uint32Array;
  readonly docFreqs: Uint32Array;
  readonly references: Uint32Array;
  readonly positionReferences: Uint32Array;
  #lookups = 0;
  #fences: TermFences | null = null;
  readonly #range: TermRange = { low: 0, high: 0 };

  /** @throws CorruptionError naming `fileName` if the sections don't fit together */
  constructor(source: SectionSource, prefix: string, fileName: string) {
    this.bytes = source.u8(`${prefix}terms.bytes`);
    this.offsets = source.u32(`${prefix}terms.offsets`);
    this.docFreqs = source.u32(`${prefix}terms.docFreqs`);
    this.references = source.u32(`${prefix}terms.references`);
    this.positionReferences = source.u32(`${prefix}terms.positionReferences`);
    this.termCount = this.docFreqs.length;
    if (
      this.offsets.length !== this.termCount + 1 ||
      this.references.length !== this.termCount ||
      this.positionReferences.length !== this.termCount ||
      this.offsets[this.termCount] !== this.bytes.length
    ) {
      throw new CorruptionError(fileName, `sections '${prefix}terms' don't fit together`);
    }
  }

  termBytes(ordinal: number): Uint8Array {
    return this.bytes.subarray(this.offsets[ordinal]!, this.offsets[ordinal + 1]!);
  }

  /** O(log terms). */
  lowerBound(term: Uint8Array): number {
    const bytes = this.bytes;
    const offsets = this.offsets;
    let { low, high } = this.#rangeOf(term);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareTerms(bytes, offsets[middle]!, offsets[middle + 1]!, term, 0, term.length) < 0)
        low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Where the lower bound is; valid until the next one is asked for. */
  #rangeOf(term: Uint8Array): TermRange {
    const range = this.#range;
    if (this.#fences !== null) {
      this.#fences.narrow(term, range);
      return range;
    }
    const { termCount } = this;
    range.low = 0;
    range.high = termCount;
    if (++this.#lookups * TERMS_PER_LOOKUP > termCount && termCount >= FENCED_TERMS_MIN) {
      this.#fences = new TermFences(this.bytes, this.offsets);
    }
    return range;
  }

  ordinalOf(term: Uint8Array): number {
    const ordinal = this.lowerBound(term);
    if (ordinal === this.termCount) return -1;
    const start = this.offsets[ordinal]!;
    const end = this.offsets[ordinal + 1]!;
    return compareTerms(this.bytes, start, end, term, 0, term.length) === 0 ? ordinal : -1;
  }
}
