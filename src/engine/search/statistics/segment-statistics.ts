import { countBits, testBit } from "../../bytes/bitset.js";
import { ownText } from "../../bytes/own-text.js";
import type { DocBits, FieldTerms, SegmentReader } from "../../segment/segment-reader.js";
import { expandTerm, type TermExpansion } from "../automaton/term-expansion.js";
import { FacetTrees } from "../collectors/facet-trees.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import { instantsOf } from "./column-instants.js";
import { foldedRanks } from "./folded-ranks.js";
import { KnownTerm } from "./known-term.js";
import { TermBytes } from "./term-bytes.js";

const DOC_FREQS_MAX = 20_000;
const TERMS_MAX = 10_000;
const EXPANSIONS_MAX = 200;
/** UTF-16 units of terms and words that are remembered: those of documents have fewer bytes. */
const TERM_LENGTH_MAX = 255;

/** The thread's: a term is looked up in one go, and its room takes 1 KB, most of which would be of segments that nobody asks. */
const termBytes = new TermBytes();

/**
 * What one view of a segment (its live documents included) says about terms, remembered because
 * counting live documents and expanding words cost more than most queries. Bounded in size.
 */
export class SegmentStatistics {
  readonly segment: SegmentReader;
  readonly #deletedCount: number;
  /** Live documents, by field's terms, by ordinal. */
  readonly #docFreqs: Map<FieldTerms, Map<number, number>> = new Map();
  #docFreqCount = 0;
  /** By field, by term; null for a term that isn't here. */
  readonly #terms: Map<string, Map<string, KnownTerm | null>> = new Map();
  #termCount = 0;
  /** What was looked up last, as whoever asks first whether it is there asks next where it is. */
  #lastField = "";
  #lastTerm = "";
  #lastKnown: KnownTerm | null = null;
  readonly #expansions: Map<string, TermExpansion> = new Map();
  readonly #foldedRanks: Map<string, Uint32Array | null> = new Map();
  readonly #instants: Map<string, Float64Array> = new Map();

  constructor(segment: SegmentReader) {
    this.segment = segment;
    this.#deletedCount = segment.maxDoc - segment.docCount;
  }

  /** Where a term is, deleted documents included; null if it isn't here. */
  term(field: string, term: string): KnownTerm | null {
    if (term === this.#lastTerm && field === this.#lastField) return this.#lastKnown;
    const known = this.#terms.get(field)?.get(term);
    return known === undefined ? this.#lookUp(field, term) : known;
  }

  /** Live documents that hold a term. Walks its postings the first time if documents are deleted. */
  docFreq(field: string, ordinal: number): number {
    const terms = this.segment.terms(field)!;
    const liveDocs = this.segment.liveDocs;
    if (liveDocs === null) return terms.docFreq(ordinal);
    return this.#countedDocFreq(terms, liveDocs, ordinal);
  }

  /** The same for a term that `term` has given. */
  liveDocFreq(known: KnownTerm): number {
    if (known.liveDocFreq < 0) {
      known.liveDocFreq = this.#countedDocFreq(known.terms, this.segment.liveDocs!, known.ordinal);
    }
    return known.liveDocFreq;
  }

  #countedDocFreq(terms: FieldTerms, liveDocs: DocBits, ordinal: number): number {
    const known = this.#docFreqs.get(terms)?.get(ordinal);
    if (known !== undefined) return known;
    const docFreq = countLiveDocs(terms, ordinal, liveDocs);
    if (this.#docFreqCount >= DOC_FREQS_MAX) {
      this.#docFreqs.clear();
      this.#docFreqCount = 0;
    }
    let ofField = this.#docFreqs.get(terms);
    if (ofField === undefined) this.#docFreqs.set(terms, (ofField = new Map()));
    ofField.set(ordinal, docFreq);
    this.#docFreqCount++;
    return docFreq;
  }

  #lookUp(fieldName: string, text: string): KnownTerm | null {
    const terms = this.segment.terms(fieldName);
    const ordinal = terms?.ordinalOf(termBytes.of(text)) ?? -1;
    const known = terms === null || ordinal < 0 ? null : this.#known(terms, ordinal);
    if (text.length > TERM_LENGTH_MAX) return known;
    if (this.#termCount >= TERMS_MAX) {
      this.#terms.clear();
      this.#termCount = 0;
    }
    const field = ownText(fieldName);
    const term = ownText(text);
    let ofField = this.#terms.get(field);
    if (ofField === undefined) this.#terms.set(field, (ofField = new Map()));
    ofField.set(term, known);
    this.#termCount++;
    this.#lastField = field;
    this.#lastTerm = term;
    this.#lastKnown = known;
    return known;
  }

  #known(terms: FieldTerms, ordinal: number): KnownTerm {
    const liveDocFreq = this.segment.liveDocs === null ? terms.docFreq(ordinal) : -1;
    return new KnownTerm(terms, ordinal, terms.placeOf(ordinal), liveDocFreq);
  }

  /** Whether any live document holds a term. */
  occurs(field: string, ordinal: number): boolean {
    // More documents than are deleted: one of them must be live.
    return (
      this.segment.terms(field)!.docFreq(ordinal) > this.#deletedCount || this.docFreq(field, ordinal) > 0
    );
  }

  /** Terms of the field within the distance, those of deleted documents included. */
  expansion(
    field: string,
    word: string,
    maxDistance: 0 | 1 | 2,
    interrupt: SearchInterrupt,
  ): TermExpansion | null {
    const terms = this.segment.terms(field);
    if (terms === null) return null;
    const key = expansionKey(field, word, maxDistance);
    const known = this.#expansions.get(key);
    if (known !== undefined) return known;
    const expansion = expandTerm(terms, word, maxDistance, interrupt);
    if (word.length > TERM_LENGTH_MAX) return expansion;
    if (this.#expansions.size >= EXPANSIONS_MAX) this.#expansions.clear();
    this.#expansions.set(ownText(key), expansion);
    return expansion;
  }

  /** What `expansion` has given before; null if it hasn't, or has forgotten. */
  knownExpansion(field: string, word: string, maxDistance: 0 | 1 | 2): TermExpansion | null {
    return this.#expansions.get(expansionKey(field, word, maxDistance)) ?? null;
  }

  /** See `foldedRanks`; the field is a keyword that has values here. */
  foldedRanks(field: string): Uint32Array | null {
    let ranks = this.#foldedRanks.get(field);
    if (ranks === undefined) {
      ranks = foldedRanks(this.segment.column(field)!);
      this.#foldedRanks.set(field, ranks);
    }
    return ranks;
  }

  /** See `instantsOf`; the field is a datetime that has values here. */
  instants(field: string): Float64Array {
    let instants = this.#instants.get(field);
    if (instants === undefined) {
      instants = instantsOf(this.segment.column(field)!);
      this.#instants.set(field, instants);
    }
    return instants;
  }
}

function expansionKey(field: string, word: string, maxDistance: number): string {
  return `${maxDistance}${word} ${field}`;
}

/** Statistics by segment view; share one between the searchers of an index. */
export class SegmentStatisticsCache {
  readonly facetTrees: FacetTrees = new FacetTrees();
  // A bitset of live documents belongs to one view of one segment; without deletions the segment itself does.
  readonly #byView: WeakMap<object, SegmentStatistics> = new WeakMap();

  of(segment: SegmentReader): SegmentStatistics {
    const view = segment.liveDocs ?? segment;
    let statistics = this.#byView.get(view);
    if (statistics === undefined) {
      statistics = new SegmentStatistics(segment);
      this.#byView.set(view, statistics);
    }
    return statistics;
  }
}

function countLiveDocs(terms: FieldTerms, ordinal: number, liveDocs: DocBits): number {
  const dense = terms.denseDocs(ordinal);
  if (dense !== null) {
    const live = dense.slice();
    for (let word = 0; word < live.length; word++) live[word]! &= liveDocs[word]!;
    return countBits(live);
  }
  const cursor = terms.postings(ordinal);
  let count = 0;
  for (let block = 0; block < cursor.blockCount; block++) {
    cursor.loadBlock(block);
    for (let index = 0; index < cursor.length; index++) {
      if (testBit(liveDocs, cursor.docs[index]!)) count++;
    }
  }
  return count;
}
