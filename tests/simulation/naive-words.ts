/**
 * The words of a short query, computed from plain arrays of documents: docs/adr/0038-words-in-tiers.md read plainly.
 */
import { isStemTerm } from "../../src/analysis/stem-terms.js";
import { FOLDED } from "../../src/analysis/word-distance.js";
import type { FuzzyQuery, Query, WordsQuery, WordsReading } from "../../src/engine/search/query.js";
import { NO_VARIANT } from "../../src/engine/search/search-types.js";
import type { NaiveDocument } from "./naive-documents.js";
import {
  docCount,
  frequency,
  fuzzyStatistics,
  holdsRow,
  inverseDocFreq,
  nearestDistance,
  rowsComeFirst,
  shareOf,
  variantOf,
} from "./naive-scoring.js";

/** What a document scores for a reading; null: it doesn't match. */
type ScoreOf = (query: Query, document: NaiveDocument) => number | null;

export function wordsScore(
  { readings, needsAll: isNeeded }: WordsQuery,
  document: NaiveDocument,
  documents: readonly NaiveDocument[],
  scoreOf: ScoreOf,
): number | null {
  const needsAll = isNeeded === true;
  const scoring = readings
    .filter(({ counts }) => counts !== "cover" && counts !== "nearness")
    .filter(({ query, slips = 0 }) => slips === 0 || mayOccur(query, documents));
  const scores = scoring.map(({ query }) => scoreOf(query, document)).filter((score) => score !== null);
  if (scores.length === 0) return null;
  const whole = wholeFields(readings, document, documents);
  const sum = scores.reduce((a, b) => a + b, 0) + whole.held;
  const { near, greatest } = nearness(readings, document, documents);
  const slips = fewestSlips(readings, needsAll, document, documents, scoreOf, greatest > 0);
  if (slips === null) return needsAll ? null : sum;
  const unit = scoring.map(({ query }) => scoreBound(query, documents)).reduce((a, b) => a + b, 0);
  return (
    sum + (unit + whole.greatest + greatest) * (13 - Math.min(12, tierOf(slips))) + (slips === 0 ? near : 0)
  );
}

/** What each field of a query of one word counts that holds nothing else, the word as typed and not merely begun. */
function wholeFields(
  readings: readonly WordsReading[],
  document: NaiveDocument,
  documents: readonly NaiveDocument[],
): { readonly held: number; readonly greatest: number } {
  const [only, second] = readings.filter(({ position }) => position !== undefined);
  if (only === undefined || second !== undefined || only.query.kind !== "fuzzy")
    return { held: 0, greatest: 0 };
  const { query } = only;
  const { idf, nearest, hasStem } = fuzzyStatistics(documents, query);
  const isBehindRows = rowsComeFirst(query, documents);
  const isWord = (term: string): boolean => {
    const variant = variantOf(term, query);
    const isStem = hasStem && term === query.stem!.term && !query.stem!.ranksBelow;
    return isStem || (variant?.distance === nearest && !variant.isBegun);
  };
  if (nearest === NO_VARIANT) return { held: 0, greatest: 0 };
  const held = query.fields.filter(({ field }) => {
    const tokens = document.tokens[field] ?? [];
    const words = tokens.filter(({ term }) => !isStemTerm(term));
    return !isBehindRows && words.length === 1 && tokens.some(({ term }) => isWord(term));
  });
  const sum = (fields: FuzzyQuery["fields"]): number =>
    fields.reduce((all, { boost }) => all + 4 * idf * boost, 0);
  return { held: sum(held), greatest: sum(query.fields) };
}

/** How near the words stand in the field in which they stand best, and the most that it can be. */
function nearness(
  readings: readonly WordsReading[],
  document: NaiveDocument,
  documents: readonly NaiveDocument[],
): { readonly near: number; readonly greatest: number } {
  const words = readings.flatMap(({ query, position, counts }) => {
    if (position === undefined || query.kind !== "fuzzy") return [];
    const { idf, nearest } = fuzzyStatistics(documents, query);
    const { begun } = query;
    const isLong = begun === undefined || [...begun.prefix].length >= 2;
    return nearest < NO_VARIANT
      ? [{ query, position, idf, nearest, isLong, isSilent: counts === "nearness" }]
      : [];
  });
  words.sort((one, other) => one.position - other.position);
  const pairs = words.flatMap((second, i) =>
    words.slice(0, i).flatMap((first, j) => {
      const gap = second.position - first.position;
      const isSilent = first.isSilent || second.isSilent;
      const isNext = words.slice(j + 1, i).every((between) => between.isSilent);
      const isPair = isSilent ? gap === 1 : isNext && gap >= 1 && gap <= 16;
      if (!isPair || !first.isLong || !second.isLong) return [];
      return [{ first, second, gap, weight: (isSilent ? 2 : 4) * (first.idf + second.idf) }];
    }),
  );
  const all = pairs.reduce((sum, { weight }) => sum + weight, 0);
  if (all === 0) return { near: 0, greatest: 0 };
  const length = words.at(-1)!.position - words[0]!.position + 1;
  const fields = words[0]!.query.fields;
  const perField = fields.map(({ field, boost }) => {
    const tokens = document.tokens[field] ?? [];
    const positionsOf = ({ query, nearest }: (typeof words)[number]): number[] =>
      tokens
        .filter(({ position }) => position < 64)
        .filter(({ term }) => term === query.stem?.term || variantOf(term, query)?.distance === nearest)
        .map(({ position }) => position);
    const counted = pairs.map(({ first, second, gap, weight }) => {
      const distances = positionsOf(first).flatMap((a) => positionsOf(second).map((b) => b - a));
      if (distances.length === 0) return 0;
      if (distances.includes(gap)) return weight;
      return weight * (distances.some((d) => d !== 0 && Math.abs(d) <= 4) ? 0.5 : 0.2);
    });
    const sum = counted.reduce((a, b) => a + b, 0);
    const isWhole =
      pairs.every(({ weight }, i) => counted[i] === weight) &&
      tokens.filter(({ term }) => !isStemTerm(term)).length === length;
    return boost * (sum + (isWhole ? all / 2 : 0));
  });
  const boost = Math.max(...words.flatMap(({ query }) => query.fields.map((each) => each.boost)));
  const typed = pairs.find(({ first, second }) => !first.isSilent && second.query.begun !== undefined);
  const likely =
    typed === undefined ? [] : likelyWordsOf(readings, () => likelyWords(typed, documents), documents);
  const held = likely.map(({ term, weight }) => {
    const own = fields.filter(({ field }) =>
      firstTokens(document, field).some((token) => token.term === term),
    );
    return weight * Math.max(0, ...own.map((each) => each.boost));
  });
  const ofLikely = likely.reduce((sum, { weight }) => sum + weight, 0);
  return {
    near: Math.max(0, ...perField) + held.reduce((a, b) => a + b, 0),
    greatest: (all * 1.5 + ofLikely) * boost,
  };
}

interface Likely {
  readonly term: string;
  readonly weight: number;
}

type KnownLikely = { readonly readings: unknown; readonly documents: unknown; readonly likely: Likely[] };

/** What was found for the last search, since each of its documents asks. */
let lastLikely: KnownLikely | null = null;

function likelyWordsOf(readings: unknown, find: () => Likely[], documents: unknown): Likely[] {
  if (lastLikely !== null && lastLikely.readings === readings && lastLikely.documents === documents)
    return lastLikely.likely;
  const likely = find();
  lastLikely = { readings, documents, likely };
  return likely;
}

/** The two that most documents hold behind the word before the begun one, each with its share of what the pair counts. */
function likelyWords(
  {
    first,
    second,
    gap,
    weight,
  }: Record<"first" | "second", { readonly query: FuzzyQuery; readonly nearest: number }> &
    Record<"gap" | "weight", number>,
  documents: readonly NaiveDocument[],
): Likely[] {
  const { hasStem } = fuzzyStatistics(documents, first.query);
  const isBefore = (term: string): boolean =>
    hasStem ? term === first.query.stem!.term : variantOf(term, first.query)?.distance === first.nearest;
  const docFreqs = new Map<string, number>();
  for (const document of documents) {
    for (const { field } of second.query.fields) {
      const tokens = firstTokens(document, field);
      const places = new Set(
        tokens.filter(({ term }) => isBefore(term)).map(({ position }) => position + gap),
      );
      const followers = tokens.filter(
        ({ term, position }) =>
          places.has(position) && variantOf(term, second.query)?.distance === second.nearest,
      );
      for (const term of new Set(followers.map((token) => token.term)))
        docFreqs.set(term, (docFreqs.get(term) ?? 0) + 1);
    }
  }
  const all = [...docFreqs.values()].reduce((a, b) => a + b, 0);
  return [...docFreqs]
    .sort(([termA, a], [termB, b]) => b - a || (termA < termB ? -1 : 1))
    .slice(0, 2)
    .map(([term, docFreq]) => ({ term, weight: (weight * docFreq) / all }));
}

/** Those of which positions are known. */
function firstTokens({ tokens }: NaiveDocument, field: string): NaiveDocument["tokens"][string] {
  return (tokens[field] ?? []).filter(({ position }) => position < 64);
}

/** Null: it doesn't hold all words, or there is but one to hold. */
export function fewestSlips(
  readings: readonly WordsReading[],
  needsAll: boolean,
  document: NaiveDocument,
  documents: readonly NaiveDocument[],
  scoreOf: ScoreOf,
  nearnessCounts = false,
): number | null {
  const covering = readings.filter(({ counts }) => counts !== "score" && counts !== "nearness");
  const wordCount = Math.max(0, ...readings.map(({ end }) => end));
  const words = Array.from({ length: wordCount }, (_, word) => word);
  const isWanted = words.map(
    (word) =>
      needsAll ||
      covering.some(({ start, end, query }) => start <= word && word < end && mayOccur(query, documents)),
  );
  const wantedCount = isWanted.filter((wanted) => wanted).length;
  if (!needsAll && wantedCount < (nearnessCounts ? 1 : 2)) return null;
  const from = (word: number): number => {
    if (word === wordCount) return 0;
    const ways = covering
      .filter(({ start, end }) => start === word && end > start)
      .map(({ end, query, slips = 0 }) => {
        if (scoreOf(query, document) === null) return Number.POSITIVE_INFINITY;
        return SLIP * slips + ownSlips(query, document, documents) + from(end);
      });
    if (!isWanted[word]) ways.push(from(word + 1));
    return Math.min(Number.POSITIVE_INFINITY, ...ways);
  };
  const fewest = from(0);
  return fewest === Number.POSITIVE_INFINITY ? null : fewest;
}

function ownSlips(query: Query, document: NaiveDocument, documents: readonly NaiveDocument[]): number {
  if (query.kind !== "fuzzy") return 0;
  const { stem } = query;
  if (
    stem !== undefined &&
    query.fields.some(({ field }) => frequency(document, field, (term) => term === stem.term) > 0)
  )
    return 0;
  const fields = query.fields.map(({ field }) => field);
  const { nearest, rows } = fuzzyStatistics(documents, query);
  const own = nearestDistance([document], fields, query);
  const isFolded = own === FOLDED && nearest < FOLDED;
  const slips = isFolded ? 1 : SLIP * (Math.max(own, FOLDED) - Math.max(nearest, FOLDED));
  if (!holdsRow(document, query, rows)) return slips + (rowsComeFirst(query, documents) ? SLIP : 0);
  return nearest <= FOLDED ? Math.min(SLIP, slips) : 0;
}

/** Slips count more than any number of words that are held but for what folding takes off, which count one each. */
const SLIP = 1_000;

/** Two for each slip, one where any word is held but for what folding takes off. */
function tierOf(slips: number): number {
  return 2 * Math.floor(slips / SLIP) + Math.min(1, slips % SLIP);
}

function mayOccur(query: Query, documents: readonly NaiveDocument[]): boolean {
  switch (query.kind) {
    case "term":
      return documents.some(
        (document) => frequency(document, query.field, (term) => term === query.term) > 0,
      );
    case "phrase":
      return query.terms.every(({ term }) => mayOccur({ kind: "term", field: query.field, term }, documents));
    case "fuzzy":
      return fuzzyStatistics(documents, query).occurs;
    default:
      throw new Error(`no reading is of kind ${query.kind}`);
  }
}

function scoreBound(query: Query, documents: readonly NaiveDocument[]): number {
  switch (query.kind) {
    case "term": {
      const { field, term } = query;
      const docFreq = documents.filter(
        (document) => frequency(document, field, (other) => other === term) > 0,
      ).length;
      return 2.2 * inverseDocFreq(docFreq, docCount(documents, field));
    }
    case "phrase":
      return query.terms
        .map(({ term }) => scoreBound({ kind: "term", field: query.field, term }, documents))
        .reduce((a, b) => a + b, 0);
    case "fuzzy": {
      const boosts = query.fields.reduce((sum, { boost }) => sum + boost, 0);
      const { idf } = fuzzyStatistics(documents, query);
      return idf * (0.1 + 2.2 * boosts * (shareOf(query) + (rowsComeFirst(query, documents) ? 1 : 0)));
    }
    default:
      throw new Error(`no reading is of kind ${query.kind}`);
  }
}
