import { countBits, testBit } from "../../bytes/bitset.js";
import type { DocBits, FieldTerms, SegmentReader } from "../../segment/segment-reader.js";
import { expandTerm, type TermExpansion } from "../automaton/term-expansion.js";
import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";
import { instantsOf } from "./column-instants.js";
import { foldedRanks } from "./folded-ranks.js";

const DOC_FREQS_MAX = 20_000;
const ORDINALS_MAX = 20_000;
const EXPANSIONS_MAX = 200;

const encoder = new TextEncoder();

/**
 * What one view of a segment (its live documents included) says about terms, remembered because
 * counting live documents and expanding words cost more than most queries. Bounded in size.
 */
export class SegmentStatistics {
  readonly segment: SegmentReader;
  readonly #deletedCount: number;
  readonly #docFreqs: Map<string, number> = new Map();
  /** By field, by term; -1 for a term that isn't here. */
  readonly #ordinals: Map<string, Map<string, number>> = new Map();
  #ordinalCount = 0;
  readonly #expansions: Map<string, TermExpansion> = new Map();
  readonly #foldedRanks: Map<string, Uint32Array | null> = new Map();
  readonly #instants: Map<string, Float64Array> = new Map();

  constructor(segment: SegmentReader) {
    this.segment = segment;
    this.#deletedCount = segment.maxDoc - segment.docCount;
  }

  /** Ordinal of a term, or -1. */
  ordinalOf(field: string, term: string): number {
    const ordinal = this.#ordinals.get(field)?.get(term);
    return ordinal ?? this.#lookUp(field, term);
  }

  /** Live documents that hold a term. Walks its postings the first time if documents are deleted. */
  docFreq(field: string, ordinal: number): number {
    const terms = this.segment.terms(field)!;
    const liveDocs = this.segment.liveDocs;
    if (liveDocs === null) return terms.docFreq(ordinal);
    return this.#liveDocFreq(terms, liveDocs, field, ordinal);
  }

  #liveDocFreq(terms: FieldTerms, liveDocs: DocBits, field: string, ordinal: number): number {
    const key = `${ordinal} ${field}`;
    const known = this.#docFreqs.get(key);
    if (known !== undefined) return known;
    const docFreq = countLiveDocs(terms, ordinal, liveDocs);
    if (this.#docFreqs.size >= DOC_FREQS_MAX) this.#docFreqs.clear();
    this.#docFreqs.set(key, docFreq);
    return docFreq;
  }

  #lookUp(field: string, term: string): number {
    const ordinal = this.segment.terms(field)?.ordinalOf(encoder.encode(term)) ?? -1;
    if (this.#ordinalCount >= ORDINALS_MAX) {
      this.#ordinals.clear();
      this.#ordinalCount = 0;
    }
    let ordinals = this.#ordinals.get(field);
    if (ordinals === undefined) this.#ordinals.set(field, (ordinals = new Map()));
    ordinals.set(term, ordinal);
    this.#ordinalCount++;
    return ordinal;
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
    interrupt: SearchInterrupt = NO_INTERRUPT,
  ): TermExpansion | null {
    const terms = this.segment.terms(field);
    if (terms === null) return null;
    const key = `${maxDistance}${word} ${field}`;
    const known = this.#expansions.get(key);
    if (known !== undefined) return known;
    const expansion = expandTerm(terms, word, maxDistance, interrupt);
    if (this.#expansions.size >= EXPANSIONS_MAX) this.#expansions.clear();
    this.#expansions.set(key, expansion);
    return expansion;
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

/** Statistics by segment view; share one between the searchers of an index. */
export class SegmentStatisticsCache {
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
