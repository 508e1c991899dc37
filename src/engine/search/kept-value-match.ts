import type { Analyzer, TokenSink } from "../../analysis/analyzer.js";
import { readJson } from "../../json/exact-json.js";
import { emptyBitset } from "../bytes/bitset.js";
import type { DocBits, SegmentReader } from "../segment/segment-reader.js";
import type { SlicedWork } from "../segment/sliced-work.js";
import type { SearchInterrupt } from "./search-interrupt.js";

/** Tokens in order, at their positions after the first. */
type Phrase = readonly { readonly term: string; readonly position: number }[];

/**
 * Which kept values of a field are meant, as plain data: one of some values as a whole, or text that
 * holds one of some phrases.
 */
export type KeptValueMatch =
  | { readonly kind: "values"; readonly values: readonly unknown[] }
  | {
      readonly kind: "phrases";
      readonly phrases: readonly Phrase[];
    };

/**
 * By segment: the documents, deleted ones included, whose kept value of a field is meant, or any of its values if it has
 * several. Reads every document, one between two pauses.
 *
 * @param isMeant of `keptValueMatcher`
 */
export function* matchKeptValues(
  segments: readonly SegmentReader[],
  field: string,
  isMeant: (value: unknown) => boolean,
  interrupt: SearchInterrupt,
): SlicedWork<readonly DocBits[]> {
  const found: DocBits[] = [];
  for (const segment of segments) {
    const bits = emptyBitset(segment.maxDoc);
    const isStored = segment.field(field)?.stored === true;
    for (let docId = 0; docId < segment.maxDoc; docId++) {
      interrupt.check();
      const json = isStored ? segment.storedJson(docId) : segment.unstoredJson(docId);
      const value = (readJson(json) as Record<string, unknown>)[field];
      const values = Array.isArray(value) ? value : value === undefined ? [] : [value];
      if (values.some(isMeant)) bits[docId >>> 5]! |= 1 << (docId & 31);
      yield;
    }
    found.push(bits);
  }
  return found;
}

/** Whether a value, one of a field's canonical ones, is meant. */
export function keptValueMatcher(match: KeptValueMatch, analyzer: Analyzer): (value: unknown) => boolean {
  if (match.kind === "values") {
    const values = new Set(match.values);
    // Integers beyond ±(2^53−1) are asked for by their digits, or as doubles, however they are kept.
    return (value) =>
      typeof value === "bigint" ? values.has(String(value)) || values.has(Number(value)) : values.has(value);
  }
  const phrases = new KeptPhrases(match.phrases);
  return (value) => typeof value === "string" && phrases.standIn(value, analyzer);
}

/** Looks for phrases in text of any length, of which as many tokens are in memory as the longest phrase spans. */
class KeptPhrases implements TokenSink {
  readonly #byLastTerm = new Map<string, Phrase[]>();
  /** Tokens by their positions, several at one, and the positions, each modulo their number. */
  readonly #texts: string[][];
  readonly #positions: number[];
  #isFound = false;

  constructor(phrases: readonly Phrase[]) {
    let span = 1;
    for (const phrase of phrases) {
      const last = phrase.at(-1);
      if (last === undefined) continue;
      span = Math.max(span, last.position + 1);
      const alike = this.#byLastTerm.get(last.term);
      if (alike === undefined) this.#byLastTerm.set(last.term, [phrase]);
      else alike.push(phrase);
    }
    this.#texts = Array.from({ length: span }, () => []);
    this.#positions = new Array<number>(span).fill(-1);
  }

  standIn(text: string, analyzer: Analyzer): boolean {
    this.#isFound = false;
    this.#positions.fill(-1);
    analyzer.analyzeStored(text, this);
    return this.#isFound;
  }

  token(text: string, position: number): void {
    if (this.#isFound) return;
    const place = position % this.#texts.length;
    const texts = this.#texts[place]!;
    if (this.#positions[place] !== position) texts.length = 0;
    texts.push(text);
    this.#positions[place] = position;
    for (const phrase of this.#byLastTerm.get(text) ?? []) {
      if (this.#endsAt(phrase, position)) this.#isFound = true;
    }
  }

  #endsAt(phrase: Phrase, end: number): boolean {
    const start = end - phrase.at(-1)!.position;
    return phrase.every(({ term, position }) => {
      const place = (start + position) % this.#texts.length;
      return this.#positions[place] === start + position && this.#texts[place]!.includes(term);
    });
  }
}
