import { countBits, testBit } from "../../bytes/bitset.js";
import { ownText } from "../../bytes/own-text.js";
import type { DocBits, FieldTerms, SegmentReader } from "../../segment/segment-reader.js";
import { expandWord, type WordExpansion } from "../automaton/word-expansion.js";
import type { WordPattern } from "../query.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import type { Followers, VariantsAt } from "../search-types.js";
import { Cache, type CacheFigures } from "./cache.js";
import { instantsOf } from "./column-instants.js";
import { foldedRanks } from "./folded-ranks.js";
import { countFollowerDocs } from "./follower-docs.js";
import { FoundTerm } from "./found-term.js";
import { RecentTerms } from "./recent-terms.js";
import { TermBytes } from "./term-bytes.js";
import { countVariantDocs } from "./variant-docs.js";
import { variantsKey } from "./variants-key.js";

const decoder = new TextDecoder();

/** Bytes of the caches of one segment: of counted documents by field, of expanded words. */
const DOC_FREQS_BYTES_MAX = 1 << 21;
const EXPANSIONS_BYTES_MAX = 1 << 21;
/** The bytes of a variant of an expansion. */
const VARIANT_BYTES = 6;
/** UTF-16 units of terms and words that are kept: those of documents have fewer bytes. */
const TERM_LENGTH_MAX = 255;

/** The thread's: a term is looked up in one go, and its room takes 1 KB, most of which would be of segments that nobody asks. */
const termBytes = new TermBytes();

/** Counted up by all segments that this thread searches. */
const FIGURES = {
  docFreqs: newFigures("document_frequencies"),
  expansions: newFigures("expanded_words"),
};

function newFigures(name: string): CacheFigures {
  return { name, bytes: 0, hits: 0, misses: 0 };
}

/** How the caches of all segments that this thread searches are used, by kind, since it started. */
export function searchCacheFigures(): readonly Readonly<CacheFigures>[] {
  return Object.values(FIGURES).map((figures) => ({ ...figures }));
}

/** What is kept of one text field. */
interface FieldCaches {
  readonly terms: FieldTerms;
  readonly recent: RecentTerms;
  /** By ordinal: live documents. */
  readonly docFreqs: Cache<number, number>;
}

/**
 * What one view of a segment (its live documents included) says about terms: looking them up, counting live documents and
 * expanding words cost more than most queries, and each search asks several times.
 */
export class SegmentStatistics {
  readonly segment: SegmentReader;
  readonly #deletedCount: number;
  /** By field; null for one that has no terms here. */
  readonly #fields: Map<string, FieldCaches> = new Map();
  readonly #expansions: Cache<string, WordExpansion>;
  /** By expansion and distance, for as long as the expansion is cached. */
  readonly #variantDocCounts: WeakMap<WordExpansion, number[]> = new WeakMap();
  readonly #foldedRanks: Map<string, Uint32Array | null> = new Map();
  readonly #instants: Map<string, Float64Array> = new Map();

  constructor(segment: SegmentReader) {
    this.segment = segment;
    this.#deletedCount = segment.maxDoc - segment.docCount;
    this.#expansions = new Cache(EXPANSIONS_BYTES_MAX, FIGURES.expansions);
  }

  /** Where a term is, deleted documents included; null if it isn't here. */
  term(field: string, term: string): FoundTerm | null {
    const caches = this.#field(field);
    if (caches === null) return null;
    const { terms, recent } = caches;
    const known = recent.get(term);
    if (known !== undefined) return known;
    const ordinal = terms.ordinalOf(termBytes.of(term));
    const found = ordinal < 0 ? null : new FoundTerm(terms, ordinal, terms.placeOf(ordinal));
    if (term.length <= TERM_LENGTH_MAX) recent.set(term, found);
    return found;
  }

  /** Live documents that hold a term. Walks its postings the first time if documents are deleted. */
  docFreq(field: string, ordinal: number): number {
    const caches = this.#field(field)!;
    const { liveDocs } = this.segment;
    return liveDocs === null ? caches.terms.docFreq(ordinal) : countedDocFreq(caches, liveDocs, ordinal);
  }

  /** Live documents that hold a term that `term` has given for the field. */
  liveDocFreq(field: string, { place, ordinal }: FoundTerm): number {
    return this.segment.liveDocs === null ? place.docFreq : this.docFreq(field, ordinal);
  }

  #field(name: string): FieldCaches | null {
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    const terms = this.segment.terms(name);
    if (terms === null) return null;
    const caches = {
      terms,
      recent: new RecentTerms(terms.termCount),
      docFreqs: new Cache<number, number>(DOC_FREQS_BYTES_MAX, FIGURES.docFreqs),
    };
    this.#fields.set(ownText(name), caches);
    return caches;
  }

  /** Whether any live document holds a term. */
  occurs(field: string, ordinal: number): boolean {
    // More documents than are deleted: one of them must be live.
    return (
      this.segment.terms(field)!.docFreq(ordinal) > this.#deletedCount || this.docFreq(field, ordinal) > 0
    );
  }

  /**
   * Terms of the field that the word stands for, those of deleted documents included; null if it has none here.
   *
   * @throws FindlingError `search_timeout`
   */
  expansion(field: string, word: WordPattern, interrupt: SearchInterrupt): WordExpansion | null {
    const terms = this.segment.terms(field);
    if (terms === null) return null;
    const key = variantsKey(field, word);
    const known = this.#expansions.get(key);
    if (known !== undefined) return known;
    const expansion = expandWord(terms, word, interrupt);
    if (word.term.length <= TERM_LENGTH_MAX) {
      this.#expansions.set(ownText(key), expansion, VARIANT_BYTES * expansion.ordinals.length);
    }
    return expansion;
  }

  /** What `expansion` has given before; null if it hasn't, or has forgotten. */
  knownExpansion(field: string, word: WordPattern): WordExpansion | null {
    return this.#expansions.get(variantsKey(field, word)) ?? null;
  }

  /**
   * Live documents that hold any of the word's terms at just this distance.
   *
   * @throws FindlingError `search_timeout`
   */
  variantDocCount(field: string, word: WordPattern, distance: number, interrupt: SearchInterrupt): number {
    const expansion = this.expansion(field, word, interrupt);
    if (expansion === null) return 0;
    const counts = this.#variantDocCounts.get(expansion) ?? [];
    if (counts.length === 0) this.#variantDocCounts.set(expansion, counts);
    counts[distance] ??= countVariantDocs(
      this.segment,
      this.segment.terms(field)!,
      expansion,
      distance,
      interrupt,
    );
    return counts[distance]!;
  }

  /**
   * See `CollectionStatistics.followerDocFreqs`, which adds up what segments say.
   *
   * @throws FindlingError `search_timeout`
   */
  addFollowerDocFreqs(
    field: string,
    { before, word, gap }: Followers,
    sums: Map<string, number>,
    interrupt: SearchInterrupt,
  ): void {
    const { segment } = this;
    const terms = segment.terms(field);
    if (terms === null) return;
    const ordinals = this.#variantsAt(field, word, interrupt);
    const behind = this.#variantsAt(field, before, interrupt);
    const counts = countFollowerDocs(
      { segment, field: terms, before: behind, terms: ordinals, gap },
      interrupt,
    );
    for (let i = 0; i < ordinals.length; i++) {
      if (counts[i] === 0) continue;
      const term = decoder.decode(terms.termBytes(ordinals[i]!));
      sums.set(term, (sums.get(term) ?? 0) + counts[i]!);
    }
  }

  #variantsAt(field: string, { pattern, distance }: VariantsAt, interrupt: SearchInterrupt): number[] {
    const { ordinals, distances } = this.expansion(field, pattern, interrupt)!;
    const found: number[] = [];
    for (let i = 0; i < ordinals.length; i++) if (distances[i] === distance) found.push(ordinals[i]!);
    return found;
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

function countedDocFreq({ terms, docFreqs }: FieldCaches, liveDocs: DocBits, ordinal: number): number {
  const known = docFreqs.get(ordinal);
  if (known !== undefined) return known;
  const docFreq = countLiveDocs(terms, ordinal, liveDocs);
  docFreqs.set(ordinal, docFreq);
  return docFreq;
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
