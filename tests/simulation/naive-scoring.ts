/**
 * BM25, phrases and fuzzy words computed from plain arrays of documents, each time from scratch.
 */

import { fold } from "../../src/analysis/fold-diacritics.js";
import { isStemTerm } from "../../src/analysis/stem-terms.js";
import { FOLDED } from "../../src/analysis/word-distance.js";
import { wordParts } from "../../src/analysis/word-parts.js";
import { fieldNormCode, fieldNormLength } from "../../src/engine/bytes/field-norm.js";
import type {
  FuzzyPrefixQuery,
  FuzzyQuery,
  PhraseQuery,
  SynonymsQuery,
  TermQuery,
  WordPattern,
  WordRow,
} from "../../src/engine/search/query.js";
import { NO_VARIANT } from "../../src/engine/search/search-types.js";
import type { NaiveDocument } from "./naive-documents.js";
import { editDistance } from "./naive-values.js";

const K1 = 1.2;
const B = 0.75;

export function frequency(document: NaiveDocument, field: string, isTerm: (term: string) => boolean): number {
  return (document.tokens[field] ?? []).filter(({ term }) => isTerm(term)).length;
}

/** tf / (tf + K), 0 for tf 0. */
export function saturation(
  documents: readonly NaiveDocument[],
  document: NaiveDocument,
  field: string,
  freq: number,
): number {
  const lengths = documents.map((other) => lengthOf(other, field)).filter((length) => length > 0);
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const length = fieldNormLength(fieldNormCode(lengthOf(document, field)));
  return freq === 0 ? 0 : freq / (freq + K1 * (1 - B + (B * length) / average));
}

/** Words, not the stems beside them. */
function lengthOf({ tokens }: NaiveDocument, field: string): number {
  return (tokens[field] ?? []).filter(({ term }) => !isStemTerm(term)).length;
}

export function docCount(documents: readonly NaiveDocument[], field: string): number {
  return documents.filter(({ tokens }) => (tokens[field]?.length ?? 0) > 0).length;
}

export function inverseDocFreq(docFreq: number, count: number): number {
  const n = Math.min(docFreq, count);
  return Math.log(1 + (count - n + 0.5) / (n + 0.5));
}

function docFreq(documents: readonly NaiveDocument[], field: string, term: string): number {
  return documents.filter((document) => frequency(document, field, (other) => other === term) > 0).length;
}

export function termScore(
  documents: readonly NaiveDocument[],
  document: NaiveDocument,
  field: string,
  term: string,
): number | null {
  const freq = frequency(document, field, (other) => other === term);
  if (freq === 0) return null;
  const idf = inverseDocFreq(docFreq(documents, field, term), docCount(documents, field));
  return idf * (K1 + 1) * saturation(documents, document, field, freq);
}

/** A term by a word's stem, with a tenth of what the word itself scores where it tells documents apart. */
export function stemScore(
  documents: readonly NaiveDocument[],
  document: NaiveDocument,
  { field, term, written }: TermQuery,
): number | null {
  const score = termScore(documents, document, field, term);
  if (score === null || written === undefined) return score;
  if (docFreq(documents, field, written) === docFreq(documents, field, term)) return score;
  return score + 0.1 * (termScore(documents, document, field, written) ?? 0);
}

export function phraseScore(
  documents: readonly NaiveDocument[],
  document: NaiveDocument,
  query: PhraseQuery,
): number | null {
  const freq = phraseFrequency(document, query);
  if (freq === 0) return null;
  const whole = query.lastIsPrefix ? query.terms.slice(0, -1) : query.terms;
  if (whole.length === 0) return 1;
  const count = docCount(documents, query.field);
  const idf = whole
    .map(({ term }) => inverseDocFreq(docFreq(documents, query.field, term), count))
    .reduce((a, b) => a + b, 0);
  return idf * (K1 + 1) * saturation(documents, document, query.field, freq);
}

/** Different least displacements over all choices of one position per token, none taken twice. */
function phraseFrequency(document: NaiveDocument, query: PhraseQuery): number {
  const last = query.terms.length - 1;
  const choices = query.terms.map(({ term }, i) =>
    (document.tokens[query.field] ?? [])
      .filter((token) =>
        query.lastIsPrefix && i === last ? token.term.startsWith(term) : token.term === term,
      )
      .map(({ position }) => position),
  );
  const starts = new Set<number>();
  const choose = (chosen: readonly number[]): void => {
    if (chosen.length < choices.length) {
      for (const position of choices[chosen.length]!) {
        if (!chosen.includes(position)) choose([...chosen, position]);
      }
      return;
    }
    const displacements = chosen.map((position, i) => position - query.terms[i]!.position);
    const least = Math.min(...displacements);
    if (Math.max(...displacements) - least <= query.slop) starts.add(least);
  };
  if (query.terms.length > 0) choose([]);
  return starts.size;
}

/** The formula of docs/adr/0008-synonyms.md. */
export function synonymsScore(
  documents: readonly NaiveDocument[],
  document: NaiveDocument,
  query: SynonymsQuery,
  words: number | null,
): number | null {
  const names = query.fields.map(({ field }) => field);
  const count = Math.max(...names.map((field) => docCount(documents, field)));
  const termScores = (terms: readonly PhraseQuery["terms"][]): number[] =>
    terms.flatMap((run) =>
      query.fields.flatMap(({ field, boost }) => {
        const freq = phraseFrequency(document, {
          kind: "phrase",
          field,
          terms: run,
          slop: 0,
          lastIsPrefix: false,
        });
        return freq === 0 ? [] : [boost * (K1 + 1) * saturation(documents, document, field, freq)];
      }),
    );
  let bonus = 0;
  let best: number | null = null;
  for (const { key, terms } of query.alternatives) {
    const importance = key
      .map(({ term }) => Math.max(...names.map((field) => docFreq(documents, field, term))))
      .reduce((sum, n) => sum + inverseDocFreq(n, count), 0);
    if (termScores([key]).length > 0) bonus = Math.max(bonus, importance);
    const found = termScores(terms);
    if (found.length === 0) continue;
    const y = found.reduce((a, b) => a + b, 0);
    best = Math.max(best ?? 0, importance * (0.5 + (0.45 * y) / (1 + y)));
  }
  if (words === null) return best;
  return Math.max(words + bonus, best ?? 0);
}

/** How near a term is to a word: 0, `FOLDED`, or one more than the edits; and whether it only begins like it; null: too far. */
export function variantOf(
  term: string,
  { term: word, maxDistance, begun }: WordPattern,
): { readonly distance: number; readonly isBegun: boolean } | null {
  if (isStemTerm(term)) return null;
  const whole = editDistance(term, word);
  const begins =
    begun === undefined || [...begun.prefix].length <= begun.maxDistance
      ? Number.POSITIVE_INFINITY
      : beginningDistance(term, begun.prefix);
  const ofWhole = whole <= maxDistance ? whole : Number.POSITIVE_INFINITY;
  const ofBegun = begins <= (begun?.maxDistance ?? -1) ? begins : Number.POSITIVE_INFINITY;
  const edits = Math.min(ofWhole, ofBegun);
  const isBegun = ofBegun < ofWhole;
  if (edits === 0) return { distance: 0, isBegun };
  if (maxDistance > 0 && fold(term) === fold(word)) return { distance: FOLDED, isBegun: false };
  const mayBeFolded = maxDistance > 0 && begun !== undefined && [...begun.prefix].length > begun.maxDistance;
  if (mayBeFolded && fold(term).startsWith(fold(begun.prefix))) return { distance: FOLDED, isBegun: true };
  return edits === Number.POSITIVE_INFINITY ? null : { distance: FOLDED + edits, isBegun };
}

function beginningDistance(term: string, prefix: string): number {
  const characters = [...term];
  return Math.min(...characters.map((_, i) => editDistance(characters.slice(0, i + 1).join(""), prefix)));
}

/** Whether a document holds a term in any of a word's fields. */
function holdsTerm(document: NaiveDocument, { fields }: FuzzyQuery, wanted: string): boolean {
  return fields.some(({ field }) => frequency(document, field, (own) => own === wanted) > 0);
}

interface FuzzyStatistics {
  readonly idf: number;
  readonly nearest: number;
  readonly hasStem: boolean;
  /** The likeliest of its rows. */
  readonly rows: readonly WordRow[];
  /** Whether any document holds the word, a variant or one of the rows. */
  readonly occurs: boolean;
}

/** Every document asks for them; both are never changed, only made anew. */
const KNOWN = new WeakMap<readonly NaiveDocument[], WeakMap<FuzzyQuery, FuzzyStatistics>>();

/** The idf of a fuzzy word and the distance of its nearest variant, `NO_VARIANT` if there is none. */
export function fuzzyStatistics(documents: readonly NaiveDocument[], query: FuzzyQuery): FuzzyStatistics {
  let known = KNOWN.get(documents);
  if (known === undefined) KNOWN.set(documents, (known = new WeakMap()));
  let statistics = known.get(query);
  if (statistics === undefined) known.set(query, (statistics = readFuzzyStatistics(documents, query)));
  return statistics;
}

function readFuzzyStatistics(documents: readonly NaiveDocument[], query: FuzzyQuery): FuzzyStatistics {
  const fields = query.fields.map(({ field }) => field);
  const { stem } = query;
  const hasStem = stem !== undefined && documents.some((other) => holdsTerm(other, query, stem.term));
  const nearest = hasStem ? 0 : nearestDistance(documents, fields, query);
  const docFreqs = fields.map((field) => {
    const isNearest = (term: string): boolean => variantOf(term, query)?.distance === nearest;
    const ofStem = hasStem ? docFreq(documents, field, stem.term) : 0;
    if (query.begun !== undefined) {
      return Math.max(
        ofStem,
        documents.filter((document) => frequency(document, field, isNearest) > 0).length,
      );
    }
    const variants = new Set(
      documents.flatMap(({ tokens }) => (tokens[field] ?? []).map(({ term: variant }) => variant)),
    );
    const ofVariants = [...variants]
      .filter(isNearest)
      .map((variant) => docFreq(documents, field, variant))
      .reduce((a, b) => a + b, 0);
    return Math.max(ofVariants, ofStem);
  });
  const parts =
    query.rowsComeBefore !== undefined && nearest > FOLDED + 1
      ? wordParts(query.term, query.begun !== undefined, () => true)
      : [];
  const likely = [...(query.rows ?? []), ...parts]
    .map((row) => ({
      row,
      docFreq: Math.max(...fields.map((field) => rowDocFreq(documents, field, row))),
    }))
    .filter((each) => each.docFreq > 0)
    .sort((a, b) => b.docFreq - a.docFreq);
  const rows = chosenRows(likely.map(({ row }) => row));
  const isOnlyRow = nearest === NO_VARIANT && documents.some((document) => holdsRow(document, query, rows));
  const idf = inverseDocFreq(
    isOnlyRow ? likely[0]!.docFreq : Math.max(...docFreqs),
    Math.max(...fields.map((field) => docCount(documents, field))),
  );
  return { idf, nearest, hasStem, rows, occurs: nearest < NO_VARIANT || isOnlyRow };
}

/** The three likeliest, and of halves that begin with the same term the likelier alone, as `FuzzyQuery.rows` says. */
function chosenRows(likely: readonly WordRow[]): readonly WordRow[] {
  const isPair = ({ terms }: WordRow): boolean => terms.length === 2;
  const kept: WordRow[] = [];
  for (const row of likely) {
    const others = kept.filter((other) => isPair(other) && other.terms[0] === row.terms[0]);
    if (others.length === 0 || !isPair(row) || row.lastIsPrefix) kept.push(row);
  }
  return kept.slice(0, 3);
}

/** Documents with the rarer term of a row in a field; of a beginning only whether it occurs. */
function rowDocFreq(
  documents: readonly NaiveDocument[],
  field: string,
  { terms, lastIsPrefix }: WordRow,
): number {
  const counts = terms.map((term, i) => {
    if (!lastIsPrefix || i < terms.length - 1) return docFreq(documents, field, term);
    const begins = documents.some(
      (document) => frequency(document, field, (own) => own.startsWith(term)) > 0,
    );
    return begins ? Number.POSITIVE_INFINITY : 0;
  });
  const least = Math.min(...counts);
  return least === Number.POSITIVE_INFINITY ? 1 : least;
}

/** How often a row stands in a field; a beginning alone once, if at all. */
function rowFrequency(document: NaiveDocument, field: string, { terms, lastIsPrefix }: WordRow): number {
  const run = terms.map((term, position) => ({ term, position }));
  const freq = phraseFrequency(document, { kind: "phrase", field, terms: run, slop: 0, lastIsPrefix });
  return lastIsPrefix && terms.length === 1 ? Math.min(1, freq) : freq;
}

export function holdsRow(document: NaiveDocument, { fields }: FuzzyQuery, rows: readonly WordRow[]): boolean {
  return rows.some((row) => fields.some(({ field }) => rowFrequency(document, field, row) > 0));
}

/** Whether rows come before the nearest variants, and a document holds one. */
export function rowsComeFirst(query: FuzzyQuery, documents: readonly NaiveDocument[]): boolean {
  const { rowsComeBefore } = query;
  const { nearest, rows } = fuzzyStatistics(documents, query);
  if (rowsComeBefore === undefined || nearest - FOLDED < rowsComeBefore) return false;
  if (query.fields.every(({ boost }) => boost === 0)) return false;
  return documents.some((document) => holdsRow(document, query, rows));
}

/** What a word's variants count of what one word does, at most. */
export function shareOf({ stem, begun }: FuzzyQuery): number {
  return 1 + (stem === undefined ? 0 : 0.1) + (begun === undefined ? 0 : 0.8);
}

/** The greater of what the word scores and what rows do that it may be written as. */
export function fuzzyScore(
  documents: readonly NaiveDocument[],
  document: NaiveDocument,
  query: FuzzyQuery,
): number | null {
  const score = wordScore(documents, document, query);
  const { idf, nearest, rows } = fuzzyStatistics(documents, query);
  if (!holdsRow(document, query, rows)) return score;
  const most = (K1 + 1) * query.fields.reduce((sum, { boost }) => sum + boost, 0);
  let y = 0;
  for (const row of rows) {
    for (const { field, boost } of query.fields) {
      const freq = rowFrequency(document, field, row);
      if (freq === 0) continue;
      const isBeginning = row.lastIsPrefix && row.terms.length === 1;
      y += boost * (isBeginning ? 1 : (K1 + 1) * saturation(documents, document, field, freq));
    }
  }
  y = Math.min(y, most);
  const ofRow =
    nearest <= FOLDED
      ? 0.1 * (0.515 + (0.01 * y) / (1 + y))
      : 0.1 + y + (rowsComeFirst(query, documents) ? most * shareOf(query) : 0);
  return Math.max(score ?? 0, idf * ofRow);
}

/** The formula of docs/adr/0003-fuzzy-scoring.md, and of 0031 for stems. */
function wordScore(
  documents: readonly NaiveDocument[],
  document: NaiveDocument,
  query: FuzzyQuery,
): number | null {
  const { term, stem, begun } = query;
  const { idf, nearest, hasStem } = fuzzyStatistics(documents, query);
  const sum = (isMeant: (variant: string) => boolean): number =>
    query.fields.reduce((x, { field, boost }) => {
      const freq = frequency(document, field, isMeant);
      return x + boost * (K1 + 1) * saturation(documents, document, field, freq);
    }, 0);
  const tier = (factor: number, x: number): number => idf * 0.1 * factor * (0.6 + (0.4 * x) / (1 + x));
  const ofBegun = (distance: number): number =>
    begun === undefined
      ? 0
      : 0.8 *
        sum((variant) => {
          const found = variantOf(variant, query);
          return found?.distance === distance && found.isBegun;
        });
  const own = nearestDistance(
    [document],
    query.fields.map(({ field }) => field),
    query,
  );
  const hasWord = documents.some((other) => holdsTerm(other, query, term));
  const isBelow = hasStem && stem!.ranksBelow && hasWord;
  if (hasStem && holdsTerm(document, query, stem!.term)) {
    if (isBelow && own > 0)
      return tier(
        0.95,
        sum((variant) => variant === stem!.term),
      );
    if (!isBelow) {
      const apart = query.fields.filter(
        ({ field }) => docFreq(documents, field, term) !== docFreq(documents, field, stem!.term),
      );
      const written = apart.reduce((x, { field, boost }) => {
        const freq = frequency(document, field, (variant) => variant === term);
        return x + 0.1 * boost * (K1 + 1) * saturation(documents, document, field, freq);
      }, 0);
      return idf * (0.1 + sum((variant) => variant === stem!.term) + written + ofBegun(0));
    }
  }
  if (own === NO_VARIANT) return null;
  const x = sum((variant) => {
    const found = variantOf(variant, query);
    return found?.distance === own && !found.isBegun;
  });
  const all = x + ofBegun(own);
  if (own === nearest) return idf * (0.1 + all);
  if (own === FOLDED) return idf * 0.1 * (0.535 + (0.02 * all) / (1 + all));
  return tier(2 ** (Math.max(nearest, FOLDED) - own), all);
}

export function fuzzyPrefixScore(
  documents: readonly NaiveDocument[],
  document: NaiveDocument,
  { prefix, maxDistance, fields }: FuzzyPrefixQuery,
): number | null {
  if ([...prefix].length <= maxDistance) return null;
  /** What folding takes off alone is half an edit here. */
  const distanceOf = (term: string): number => {
    const edits = beginningDistance(term, prefix);
    return edits > 0 && maxDistance > 0 && fold(term).startsWith(fold(prefix)) ? 0.5 : edits;
  };
  const terms = fields.flatMap(({ field }) => (document.tokens[field] ?? []).map(({ term }) => term));
  const nearest = Math.min(...terms.map(distanceOf));
  if (nearest > maxDistance) return null;
  let score = 0;
  for (const { field, boost } of fields) {
    const freq = frequency(document, field, (term) => distanceOf(term) === nearest);
    score += boost * saturation(documents, document, field, freq);
  }
  return score * (nearest === 0.5 ? 0.75 : 0.5 ** nearest);
}

/** `NO_VARIANT` if there is none. */
export function nearestDistance(
  documents: readonly NaiveDocument[],
  fields: readonly string[],
  query: WordPattern,
): number {
  const distances = documents.flatMap(({ tokens }) =>
    fields.flatMap((field) => (tokens[field] ?? []).map(({ term }) => variantOf(term, query)?.distance)),
  );
  return Math.min(NO_VARIANT, ...distances.filter((distance) => distance !== undefined));
}
