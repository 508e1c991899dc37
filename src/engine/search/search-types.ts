import { distanceOfEdits } from "../../analysis/word-distance.js";
import type { DocId, DocumentId } from "../schema/document.js";
import type { Query, WordPattern, WordRow } from "./query.js";
import type { SearchInterrupt } from "./search-interrupt.js";

export interface SearchOptions {
  readonly query: Query;
  /** Hits to leave out at the front; at least 0. */
  readonly offset: number;
  /** Hits to return; 0 = only count and facets. */
  readonly limit: number;
  /**
   * Orders by these keys, at least one, instead of relevance. Ties by the next key, then by insertion
   * order; missing values last. Scores are computed if one of the keys is the score; else each is 1.
   */
  readonly orderBy?: readonly OrderKey[];
  /** Makes scores fall with a document's age; no effect where there are none. */
  readonly timeDecay?: TimeDecay;
  /** Facet fields to count over all matches. */
  readonly facets?: readonly string[];
  /**
   * False: nobody asks how many documents match, and the answer's `count` says nothing. The best hits
   * are then found without looking at the others. True unless given.
   */
  readonly withCount?: boolean;
  /** What may end the search before it is done. */
  readonly interrupt?: SearchInterrupt;
}

/** What hits are ordered by: a field's value, or their relevance. */
export type OrderKey =
  | { readonly kind: "field"; readonly field: string; readonly descending: boolean }
  | { readonly kind: "score"; readonly descending: boolean };

/**
 * Every score is multiplied by exp(-ratePerDay × age in days), the age being `nowSeconds` minus the
 * field's instant (the latest of several), at least 0. Documents without a value keep their score.
 */
export interface TimeDecay {
  /** A `datetime` field. */
  readonly field: string;
  /** Seconds since the epoch, fractions allowed. */
  readonly nowSeconds: number;
  /** Finite, at least 0. */
  readonly ratePerDay: number;
}

export interface EngineHit {
  readonly documentId: DocumentId;
  readonly score: number;
  /** The stored document as JSON text, ready to be spliced into an answer. */
  readonly json: string;
  /** Only with `orderBy`: one for each key. */
  readonly sortKeys?: readonly SortKey[];
}

/** A hit with its document in UTF-8, ready to be copied into an answer; the bytes are not to be changed. */
export interface HitBytes {
  readonly documentId: DocumentId;
  readonly score: number;
  readonly json: Uint8Array;
}

/** What is kept in memory of a page's documents, by place in the page; undefined where `loadBytes` has to be asked. */
export interface KeptPage {
  readonly jsons: readonly (Uint8Array | undefined)[];
  readonly ids: readonly (DocumentId | undefined)[];
  /** How long the documents are; 0 where there is none. */
  readonly lengths: readonly number[];
}

/**
 * What a hit is ordered by, so that several indexes' hits can be merged: bytes whose unsigned
 * lexicographic order is the order of the values, null without a value; for a score the score.
 */
export type SortKey = Uint8Array | number | null;

/** A hit whose document has not been read: a place in the snapshot that ranked it, and only there. */
export interface RankedHit {
  readonly segmentIndex: number;
  readonly docId: DocId;
  readonly score: number;
}

/** Hits in order, kept compactly; what they are is worked out as it is asked for. */
export interface RankedHits {
  /** Hits that were kept: all that there are, or as many as were wanted. */
  readonly length: number;
  /** Places in memory for their sake: at least `length`, more where every segment keeps as many as are wanted. */
  readonly held: number;
  /** @param place from 0, below `length` */
  at(place: number): RankedHit;
  /** One for each key of the order; without an order the score alone. May read the hit's document. */
  sortKeys(place: number): readonly SortKey[];
}

export interface FacetNode {
  readonly path: string;
  /** Distinct matching documents at or under the path. */
  readonly count: number;
  readonly children?: readonly FacetNode[];
}

/** The paths of one facet field by number: a number stands for the same path as long as the object is there. */
export interface FacetPathNames {
  pathOf(number: number): string;
}

/** Counts of paths as numbers, without an object for each. */
export interface FacetCounts {
  readonly paths: FacetPathNames;
  /**
   * Three for each path that has any: its number, its count, and how many paths are above it. In preorder, siblings
   * by count descending, then path.
   */
  readonly entries: ArrayLike<number>;
}

export interface EngineSearchResult {
  readonly count: number;
  readonly hits: readonly EngineHit[];
  /** One entry per requested field, in the request's order; nodes by count descending, then path. */
  readonly facets: readonly { readonly field: string; readonly nodes: readonly FacetNode[] }[];
}

/** A facet field's counts; nodes are made anew whenever they are asked for. */
export interface RankedFacet {
  readonly field: string;
  readonly counts: FacetCounts;
  readonly nodes: readonly FacetNode[];
}

/** An `EngineSearchResult` before its page is cut and read. */
export interface RankedResult {
  readonly count: number;
  /** The first `offset + limit` hits. */
  readonly hits: RankedHits;
  readonly facets: readonly RankedFacet[];
}

/** What a result without counts has. */
export const NO_FACETS: readonly RankedFacet[] = [];

/** A tree that justifies a score; `value` is what the node contributes. */
export interface Explanation {
  readonly value: number;
  readonly description: string;
  readonly details: readonly Explanation[];
}

/**
 * The statistics that scores depend on. A searcher offers its own; a federation passes one that
 * adds up several, so that a corpus cut into indexes ranks as the uncut one. All over live documents.
 */
export interface CollectionStatistics {
  /** Documents with at least one token in the field, and their tokens together. */
  fieldStatistics(field: string): { readonly docCount: number; readonly tokenCount: number };
  docFreq(field: string, term: string): number;
  /**
   * The distance (`analysis/word-distance.ts`) of the nearest of the word's terms in the field that any live document holds;
   * `NO_VARIANT` if there is none. @throws FindlingError `search_timeout`
   */
  variantDistance(field: string, word: WordPattern, interrupt?: SearchInterrupt): number;
  /**
   * Document frequencies of the word's terms at just this distance, added up; of a word still being typed, which may
   * stand for thousands, the number of documents that hold any of them. @throws FindlingError `search_timeout`
   */
  variantDocFreq(field: string, word: WordPattern, distance: number, interrupt?: SearchInterrupt): number;
  /**
   * In how many documents each of a word's terms stands a way behind another word, at positions below 64 of the field;
   * those that stand so in none are left out. @throws FindlingError `search_timeout`
   */
  followerDocFreqs(
    field: string,
    followers: Followers,
    interrupt?: SearchInterrupt,
  ): ReadonlyMap<string, number>;
  /** Whether any live document holds a row of one or two terms in the field. @throws FindlingError `search_timeout` */
  rowOccurs(field: string, row: WordRow, interrupt?: SearchInterrupt): boolean;
}

/** Terms of a word that stand behind those of another one. */
export interface Followers {
  readonly before: VariantsAt;
  readonly word: VariantsAt;
  /** Positions from the one to the other, 1 to 31. */
  readonly gap: number;
}

/** The terms that a word stands for at just this distance. */
export interface VariantsAt {
  readonly pattern: WordPattern;
  readonly distance: number;
}

/** Further than any variant of a word is. */
export const NO_VARIANT: number = distanceOfEdits(3);
