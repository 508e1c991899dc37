import { HITS_MAX } from "../kernels/scratch-layout.js";
import type { FieldTerms } from "../segment/segment-reader.js";
import type { BooleanQuery, Query } from "./query.js";
import type { SearchOptions } from "./search-types.js";
import type { SegmentStatistics } from "./statistics/segment-statistics.js";
import { longestFirst } from "./weights/word-rows.js";

/** What a part of a query is expected to take in one segment. */
interface ExpectedCost {
  /** Documents that it matches, at most or as they usually do. */
  readonly matches: number;
  readonly nanoseconds: number;
}

/** Letters of the alphabet as terms use it: a prefix longer by a letter leaves so many times fewer terms. */
const LETTERS = 12;

/** Measured on a million documents with kernels; what is wrong by a factor of two does no harm. */
const NS = {
  segment: 3_000,
  lookUp: 500,
  posting: 1.2,
  candidate: 2,
  position: 25,
  dictionaryEntry: 12,
  nodeWithinOneEdit: 0.5,
  nodeWithinTwoEdits: 4,
  termPutIntoTries: 300,
  fuzzyPrefixDoc: 50,
  columnDoc: 0.4,
  facetMatch: 1.5,
  facetValue: 150,
  orderedMatch: 6,
  decayedMatch: 25,
  evaluatedPosting: 10,
  keptHit: 120,
  loadedDocument: 2_500,
  explainedPart: 4_500,
};

/** How often explaining evaluates what a search evaluates once: each part of a query for itself, and within the whole. */
const EVALUATIONS = 2;

/**
 * About how many microseconds a search takes, to decide where it runs: from document frequencies, sizes
 * of dictionaries and columns and the shape of the search. Reads no posting and expands no word.
 */
export function searchCost(options: SearchOptions, segments: readonly SegmentStatistics[]): number {
  let nanoseconds = 0;
  for (let i = 0; i < segments.length; i++) nanoseconds += segmentCost(options, segments[i]!);
  const { offset, limit } = options;
  nanoseconds += (offset + limit) * NS.keptHit + limit * NS.loadedDocument;
  return nanoseconds / 1000;
}

/** About how many microseconds it takes to explain so many hits of a query, JSON included. */
export function explanationCost(query: Query, hits: number, segments: readonly SegmentStatistics[]): number {
  let nanoseconds = hits * partsOf(query) * NS.explainedPart;
  for (let i = 0; i < segments.length; i++) {
    nanoseconds += EVALUATIONS * costOf(query, segments[i]!).nanoseconds;
  }
  return nanoseconds / 1000;
}

/** Parts that a hit's explanation names each by itself. */
function partsOf(query: Query): number {
  switch (query.kind) {
    case "boolean":
      return sumOf(query.clauses, ({ query: clause }) => partsOf(clause));
    case "boost":
    case "constant_score":
      return partsOf(query.query);
    case "synonyms":
      return query.alternatives.length + partsOf(query.query);
    case "words":
      return sumOf(query.readings, (reading) => partsOf(reading.query));
    default:
      return 1;
  }
}

function segmentCost(options: SearchOptions, statistics: SegmentStatistics): number {
  const { segment } = statistics;
  const { matches, nanoseconds } = costOf(options.query, statistics);
  const { orderBy, timeDecay, facets = [] } = options;
  const scoresAll = timeDecay !== undefined || orderBy?.some(({ kind }) => kind === "score") === true;
  const isEvaluated =
    scoresAll ||
    segment.image === null ||
    // Kernels keep no more hits.
    (orderBy === undefined && options.offset + options.limit > HITS_MAX);
  let sum = NS.segment + nanoseconds * (isEvaluated ? NS.evaluatedPosting : 1);
  if (timeDecay !== undefined) sum += matches * NS.decayedMatch;
  if (orderBy !== undefined) sum += matches * NS.orderedMatch * orderBy.length;
  for (const name of facets) {
    sum += matches * NS.facetMatch;
    const values = segment.column(name)?.valueCount ?? 0;
    sum += Math.min(values, matches) * NS.facetValue;
  }
  return sum;
}

/** Recursion is as deep as the query, which is bounded. */
function costOf(query: Query, statistics: SegmentStatistics): ExpectedCost {
  const { segment } = statistics;
  const { maxDoc } = segment;
  switch (query.kind) {
    case "match_none":
      return { matches: 0, nanoseconds: 0 };
    case "match_all":
      return { matches: maxDoc, nanoseconds: maxDoc / 32 };
    case "term": {
      const docFreq = docFreqOf(statistics, query.field, query.term);
      const written = query.written === undefined ? 0 : docFreqOf(statistics, query.field, query.written);
      return { matches: docFreq, nanoseconds: NS.lookUp + (docFreq + written) * NS.posting };
    }
    case "phrase":
      return phraseCost(query.terms.map(({ term }) => docFreqOf(statistics, query.field, term)));
    case "prefix": {
      const terms = segment.terms(query.field);
      if (terms === null) return { matches: 0, nanoseconds: 0 };
      return rangeCost(terms, terms.termCount / LETTERS ** query.prefix.length, maxDoc);
    }
    case "term_range": {
      const terms = segment.terms(query.field);
      return terms === null ? { matches: 0, nanoseconds: 0 } : rangeCost(terms, terms.termCount / 2, maxDoc);
    }
    case "value_set":
    case "value_range":
    case "value_prefix":
    case "facet":
    case "exists":
      return { matches: maxDoc / 2, nanoseconds: NS.lookUp + maxDoc * NS.columnDoc };
    case "fuzzy":
      return fuzzyCost(query, statistics);
    case "fuzzy_prefix": {
      const entries = sumOf(query.fields, ({ field }) => segment.terms(field)?.termCount ?? 0);
      const docs = maxDoc * query.fields.length;
      const tries = sumOf(query.fields, ({ field }) => triesCost(segment.terms(field)));
      return {
        matches: maxDoc / 2,
        nanoseconds: tries + entries * NS.nodeWithinTwoEdits + docs * NS.fuzzyPrefixDoc,
      };
    }
    case "synonyms": {
      const inner = costOf(query.query, statistics);
      const phrases = query.alternatives.flatMap(({ key, terms }) => [key, ...terms]);
      const docFreqs = sumOf(query.fields, ({ field }) =>
        sumOf(phrases, (phrase) => sumOf(phrase, ({ term }) => docFreqOf(statistics, field, term))),
      );
      // Evaluated window by window.
      return {
        matches: Math.min(maxDoc, inner.matches + docFreqs),
        nanoseconds: (inner.nanoseconds + docFreqs * NS.posting) * NS.evaluatedPosting,
      };
    }
    case "words": {
      const found = query.readings.filter(({ counts }) => counts !== "nearness");
      const costs = found.map((reading) => costOf(reading.query, statistics));
      return {
        matches: Math.min(
          maxDoc,
          sumOf(costs, ({ matches }) => matches),
        ),
        nanoseconds: sumOf(costs, (cost) => cost.nanoseconds + cost.matches * NS.candidate),
      };
    }
    case "boost":
    case "constant_score":
      return costOf(query.query, statistics);
    case "document_ids":
      return { matches: query.ids.length, nanoseconds: query.ids.length * NS.lookUp };
    case "boolean":
      return booleanCost(query, statistics);
  }
}

function booleanCost(query: BooleanQuery, statistics: SegmentStatistics): ExpectedCost {
  let required = Infinity;
  let optional = 0;
  let nanoseconds = 0;
  for (const { occur, query: clause } of query.clauses) {
    const cost = costOf(clause, statistics);
    nanoseconds += cost.nanoseconds;
    if (occur === "must" || occur === "filter") required = Math.min(required, cost.matches);
    else if (occur === "should") optional += cost.matches;
  }
  const { maxDoc } = statistics.segment;
  const matches = Math.min(maxDoc, Number.isFinite(required) ? required : optional);
  return { matches, nanoseconds: nanoseconds + matches * (query.clauses.length > 1 ? NS.candidate : 0) };
}

function phraseCost(docFreqs: readonly number[]): ExpectedCost {
  const rarest = Math.min(...docFreqs, Number.MAX_SAFE_INTEGER);
  const postings = sumOf(docFreqs, (docFreq) => Math.min(docFreq, rarest * 128));
  return {
    matches: rarest,
    nanoseconds: docFreqs.length * NS.lookUp + postings * NS.posting + rarest * NS.position * docFreqs.length,
  };
}

/** What so many neighbouring terms cost: how many documents hold them is known on average only. */
function rangeCost({ termCount, liveTokenCount }: FieldTerms, terms: number, maxDoc: number): ExpectedCost {
  const postings = (terms * liveTokenCount) / Math.max(1, termCount);
  return {
    matches: Math.min(maxDoc, postings),
    nanoseconds: NS.lookUp + terms * NS.dictionaryEntry + postings * NS.posting,
  };
}

function fuzzyCost(query: Extract<Query, { kind: "fuzzy" }>, statistics: SegmentStatistics): ExpectedCost {
  const { segment } = statistics;
  let nanoseconds = 0;
  let matches = 0;
  for (const { field } of query.fields) {
    const terms = segment.terms(field);
    if (terms === null) continue;
    if (query.stem !== undefined) matches += docFreqOf(statistics, field, query.stem.term);
    for (const { terms: row } of query.rows ?? []) {
      const docFreqs = docFreqsOfAll(row, field, statistics);
      nanoseconds += docFreqs === null ? NS.lookUp : phraseCost(docFreqs).nanoseconds;
    }
    const known = statistics.knownExpansion(field, query);
    if (known === null) {
      const perTerm = query.maxDistance === 2 ? NS.nodeWithinTwoEdits : NS.nodeWithinOneEdit;
      nanoseconds += NS.lookUp + (query.maxDistance === 0 ? 0 : terms.termCount * perTerm + triesCost(terms));
      matches += docFreqOf(statistics, field, query.term) * (1 + query.maxDistance);
      if (query.begun === undefined) continue;
      const begun = rangeCost(terms, terms.termCount / LETTERS ** query.begun.prefix.length, segment.maxDoc);
      matches += begun.matches;
      nanoseconds += begun.nanoseconds;
      if (query.begun.maxDistance > 0) nanoseconds += terms.termCount * NS.nodeWithinTwoEdits;
    } else {
      for (const ordinal of known.ordinals) matches += terms.docFreq(ordinal);
      nanoseconds += known.ordinals.length * NS.lookUp;
    }
  }
  matches = Math.min(matches, segment.maxDoc);
  return { matches, nanoseconds: nanoseconds + matches * NS.posting * 2 };
}

/** What it costs to make the tries of a field that nobody has looked for misspelt words in before. */
function triesCost(terms: FieldTerms | null): number {
  return terms === null || terms.tries?.areMade !== false ? 0 : terms.termCount * NS.termPutIntoTries;
}

/** Deleted documents included, so that nothing needs to be counted. */
function docFreqOf(statistics: SegmentStatistics, field: string, term: string): number {
  const known = statistics.term(field, term);
  return known === null ? 0 : known.terms.docFreq(known.ordinal);
}

/** Null if one of a row's terms is nowhere. */
function docFreqsOfAll(
  row: readonly string[],
  field: string,
  statistics: SegmentStatistics,
): number[] | null {
  const docFreqs: number[] = [];
  for (const term of longestFirst(row)) {
    const docFreq = docFreqOf(statistics, field, term);
    if (docFreq === 0) return null;
    docFreqs.push(docFreq);
  }
  return docFreqs;
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  let sum = 0;
  for (const item of items) sum += value(item);
  return sum;
}
