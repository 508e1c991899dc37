import { BandedDistance } from "../../analysis/banded-distance.js";
import { FoldedLikeness } from "../../analysis/folded-likeness.js";
import { meantBy } from "../../analysis/korean-beginnings.js";
import { distanceOfEdits, editsOf, FOLDED } from "../../analysis/word-distance.js";
import { wordParts } from "../../analysis/word-parts.js";
import type { FuzzyAst, QueryAst } from "../../query/query-ast.js";
import { beginningWith } from "./beginning-with.js";
import type { Collection, IndexedWord } from "./collection.js";
import { allOf, anyOf, bestOf, constant, type Dsl, MATCH_NONE, scripted } from "./dsl.js";
import { foldedSpellings } from "./folded-spellings.js";
import { BEGINNING_MAX, partOf, TOKEN_STACK } from "./index-mapping.js";
import { type RowFacts, rowFacts, rowsQuery, scoredRows } from "./word-rows.js";

export type FuzzyPrefixAst = Extract<QueryAst, { readonly kind: "fuzzy_prefix" }>;
export type WeightedField = FuzzyAst["fields"][number];

/** Words of one field that are scored together: the cluster bounds the parts of a query. */
const SCORED_WORDS_MAX = 400;
/** Words of a distance whose frequencies are counted one by one. */
const COUNTED_WORDS_MAX = 300;

/** BM25's idf, as the engine has it. */
export function inverseDocFreq(docFreq: number, docCount: number): number {
  const n = Math.min(docFreq, docCount);
  return Math.log(1 + (docCount - n + 0.5) / (n + 0.5));
}

/** By distance (`word-distance.ts`), by field, the words. */
type Shells = readonly ReadonlyMap<string, readonly string[]>[];

/** What the collection holds of a typo-tolerant word. */
export interface FuzzyFacts {
  readonly idf: number;
  /** Live documents with any word in the field of the statistics where most have one. */
  readonly docCount: number;
  /** The least distance at which it occurs; null: nowhere. */
  readonly nearest: number | null;
  readonly hasStem: boolean;
  /** By field of the statistics how many live documents hold the word as it is written, and its stem. */
  readonly docFreqs: ReadonlyMap<string, readonly [number, number]>;
  /** By distance the words as wholes, and those that only begin like it. */
  readonly wholes: Shells;
  readonly begun: Shells;
  /** What else the word may be written as; null: nothing that the collection holds. */
  readonly rows: RowFacts | null;
  /** Whether these come before the nearest variants, and some document holds one. */
  readonly areRowsFirst: boolean;
}

/** @param statisticsFields all fields of the collection that the word is looked for in */
export async function fuzzyFacts(
  ast: FuzzyAst,
  collection: Collection,
  statisticsFields: readonly string[],
): Promise<FuzzyFacts> {
  const { term, maxDistance, stem, begun, fields } = ast;
  const isBegun = begun !== undefined && [...begun.prefix].length > begun.maxDistance;
  const mayFold = maxDistance > 0;
  const beginning = isBegun ? [...begun.prefix].slice(0, BEGINNING_MAX).join("") : "";
  const [words, ofStem, ofWord, foundRows] = await Promise.all([
    collection.words(
      allOf([
        { terms: { field: [...new Set([...fields.map(({ field }) => field), ...statisticsFields])] } },
        anyOf([
          near("word", term, maxDistance),
          ...(mayFold ? foldedAlike("word", term, false) : []),
          ...(isBegun
            ? [near("beginnings", beginning, begun.maxDistance), beginningWith("beginnings", beginning)]
            : []),
          ...(isBegun && mayFold ? foldedAlike("word", begun.prefix, true) : []),
        ]),
      ]),
    ),
    stem === undefined ? [] : docFreqsOf(statisticsFields, stem.term, collection),
    stem === undefined ? [] : docFreqsOf(statisticsFields, term, collection),
    rowFacts(ast, collection, statisticsFields),
  ]);
  const far = Number.POSITIVE_INFINITY;
  const likeness = new FoldedLikeness(term);
  const wholeDistance = (word: string): number =>
    within(distanceOf(term, word, maxDistance), maxDistance, () => mayFold && isAlike(likeness, word));
  const begunLikeness = isBegun ? new FoldedLikeness(begun.prefix) : null;
  const begunDistance = (word: string): number =>
    isBegun
      ? within(
          prefixDistanceOf(begun.prefix, word, begun.maxDistance),
          begun.maxDistance,
          () => mayFold && beginsAlike(begunLikeness!, word),
        )
      : far;
  const greatest = distanceOfEdits(Math.max(maxDistance, begun?.maxDistance ?? 0));
  const wholes = shellsOf(
    words,
    (word) => (begunDistance(word) < wholeDistance(word) ? far : wholeDistance(word)),
    greatest,
  );
  const onlyBegun = shellsOf(
    words,
    (word) => (begunDistance(word) < wholeDistance(word) ? begunDistance(word) : far),
    greatest,
  );
  const all = wholes.map((shell, distance) => joined(shell, onlyBegun[distance]!));
  const hasStem = ofStem.some((n) => n > 0);
  const nearest = hasStem
    ? { distance: 0, docFreqs: await docFreqsIn(all[0]!, statisticsFields, collection, isBegun) }
    : await nearestShell(all, statisticsFields, collection, isBegun);
  const isFar = nearest === null || editsOf(nearest.distance) >= 2;
  const parts =
    isFar && ast.rowsComeBefore !== undefined ? wordParts(term, begun !== undefined, () => true) : [];
  const allRows = [...(ast.rows ?? []), ...parts];
  const knownRows =
    parts.length === 0 ? foundRows : await rowFacts({ fields, rows: allRows }, collection, statisticsFields);
  const docCounts = await Promise.all(statisticsFields.map((field) => collection.docCount(field)));
  const docCount = Math.max(0, ...docCounts);
  const mayRowsBeFirst =
    ast.rowsComeBefore !== undefined &&
    (nearest === null || editsOf(nearest.distance) >= ast.rowsComeBefore) &&
    fields.some(({ boost }) => boost > 0);
  const doRowsOccur =
    knownRows !== null &&
    (mayRowsBeFirst || nearest === null) &&
    (await collection.count(rowsQuery(knownRows))) > 0;
  const rows = nearest === null && !doRowsOccur ? null : knownRows;
  return {
    rows,
    areRowsFirst: mayRowsBeFirst && doRowsOccur,
    idf:
      nearest === null
        ? inverseDocFreq(rows?.docFreq ?? 0, docCount)
        : inverseDocFreq(Math.max(...nearest.docFreqs, ...ofStem), docCount),
    docCount,
    nearest: nearest?.distance ?? null,
    hasStem,
    docFreqs: new Map(statisticsFields.map((field, i) => [field, [ofWord[i] ?? 0, ofStem[i] ?? 0]])),
    wholes,
    begun: onlyBegun,
  };
}

/** The distance of a word that is so many edits away; infinite beyond the maximum. */
function within(edits: number, maximum: number, isFolded: () => boolean): number {
  if (edits === 0) return 0;
  if (isFolded()) return FOLDED;
  return edits > maximum ? Number.POSITIVE_INFINITY : distanceOfEdits(edits);
}

function isAlike(likeness: FoldedLikeness, word: string): boolean {
  const letters = codePoints(word);
  return likeness.isAlike(letters, letters.length);
}

function beginsAlike(likeness: FoldedLikeness, word: string): boolean {
  const letters = codePoints(word);
  return likeness.begins(letters, letters.length);
}

/**
 * A typo-tolerant word, scored in tiers by distance (docs/adr/0003-fuzzy-scoring.md, 0031 for stems): the words are
 * looked up among those of the index, and each distance is a query of its own.
 */
export function fuzzyQuery(ast: FuzzyAst, facts: FuzzyFacts): Dsl {
  const { rows } = facts;
  if (rows === null) return variantsQuery(ast, facts);
  const ofRows = scoredRows(rows, ast, facts);
  return facts.nearest === null ? ofRows : { dis_max: { queries: [variantsQuery(ast, facts), ofRows] } };
}

function variantsQuery({ term, stem, fields }: FuzzyAst, facts: FuzzyFacts): Dsl {
  const { idf, nearest, hasStem, docFreqs, wholes, begun } = facts;
  if (nearest === null) return MATCH_NONE;
  const scoredIn = (shell: ReadonlyMap<string, readonly string[]>, factor: number): readonly Dsl[] =>
    fields.flatMap(({ field, boost }) =>
      scoredWords({ field, boost: boost * factor }, shell.get(field) ?? []),
    );
  const queries: Dsl[] = [];
  const hasWord = [...docFreqs.values()].some(([own]) => own > 0);
  const ranksBelow = stem?.ranksBelow === true && hasStem && hasWord;
  if (stem !== undefined && hasStem) {
    const ofStem = fields.flatMap((field) => scoredWords(field, [stem.term]));
    if (ranksBelow) queries.push(tier(anyOf(ofStem), idf * 0.95));
    else {
      const apart = fields.filter(({ field }) => {
        const [own, all] = docFreqs.get(field) ?? [0, 0];
        return own !== all;
      });
      const written = apart.flatMap(({ field, boost }) => scoredWords({ field, boost: 0.1 * boost }, [term]));
      const should = [...written, ...scoredIn(begun[0]!, 0.8)];
      queries.push(full({ bool: { must: [anyOf(ofStem)], should } }, idf));
    }
  }
  for (let distance = nearest; distance < wholes.length; distance++) {
    const found = [...scoredIn(wholes[distance]!, 1), ...scoredIn(begun[distance]!, 0.8)];
    if (found.length === 0) continue;
    if (distance === nearest) queries.push(full(anyOf(found), idf));
    else if (distance === FOLDED) queries.push(foldedTier(anyOf(found), idf));
    else queries.push(tier(anyOf(found), idf * 2 ** (editsOf(nearest) - editsOf(distance))));
  }
  // What is nearer always scores more, so that a document's nearest variants alone count.
  return bestOf(queries);
}

/** What an edit counts among slips, and a word that is held but for what folding takes off. */
export const SLIP = 16;
const FOLDED_SLIP = 1;

/** Documents that hold a word, with the slips that it takes. */
export interface SlipFilter {
  readonly slips: number;
  readonly filter: Dsl;
}

/** By what a document's nearest variant is away from the collection's nearest, which documents hold one; those without slips first. */
export function slipFilters(
  { stem, fields }: FuzzyAst,
  { nearest, hasStem, wholes, begun, rows, areRowsFirst }: FuzzyFacts,
): readonly SlipFilter[] {
  const bySlips = new Map<number, Dsl[]>();
  const add = (slips: number, filters: readonly Dsl[]): void => {
    bySlips.set(slips, [...(bySlips.get(slips) ?? []), ...filters]);
  };
  for (let distance = nearest ?? wholes.length; distance < wholes.length; distance++) {
    const isFolded = distance === FOLDED && nearest !== FOLDED;
    const slips = editsOf(distance) - editsOf(nearest!) + (areRowsFirst ? 1 : 0);
    add(
      isFolded ? FOLDED_SLIP : SLIP * slips,
      fields.flatMap(({ field }) => [
        ...matchingWords(field, wholes[distance]!.get(field) ?? []),
        ...matchingWords(field, begun[distance]!.get(field) ?? []),
        ...(distance === nearest && hasStem ? matchingWords(field, [stem!.term]) : []),
      ]),
    );
  }
  if (rows !== null) add(nearest !== null && editsOf(nearest) === 0 ? SLIP : 0, [rowsQuery(rows)]);
  return [...bySlips]
    .filter(([slips, filters]) => slips === 0 || filters.length > 0)
    .map(([slips, filters]) => ({ slips, filter: anyOf(filters) }));
}

/** The words of a field that are nearest to a typo-tolerant one, its stem included. */
export function nearestWords(
  { stem }: FuzzyAst,
  { nearest, hasStem, wholes, begun }: FuzzyFacts,
  field: string,
): readonly string[] {
  if (nearest === null) return [];
  const words = [
    ...(wholes[nearest]!.get(field) ?? []),
    ...(hasStem ? [stem!.term] : []),
    ...(begun[nearest]!.get(field) ?? []),
  ];
  return [...new Set(words)];
}

function joined(
  left: ReadonlyMap<string, readonly string[]>,
  right: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...new Set([...left.keys(), ...right.keys()])].map((field) => [
      field,
      [...(left.get(field) ?? []), ...(right.get(field) ?? [])],
    ]),
  );
}

/** Scores idf · (0.1 + x). */
function full(query: Dsl, idf: number): Dsl {
  return { bool: { must: [query], should: [{ match_all: { boost: 0.1 } }], boost: idf } };
}

/** Scores scale · 0.1 · (0.6 + 0.4 · x / (1 + x)). */
function tier(query: Dsl, scale: number): Dsl {
  return scripted(query, "params.scale * (0.6 + 0.4 * _score / (1.0 + _score))", { scale: scale * 0.1 });
}

/** Scores scale · 0.1 · (0.535 + 0.02 · x / (1 + x)). */
function foldedTier(query: Dsl, scale: number): Dsl {
  return scripted(query, "params.scale * (0.535 + 0.02 * _score / (1.0 + _score))", { scale: scale * 0.1 });
}

function docFreqsOf(
  fields: readonly string[],
  word: string,
  collection: Collection,
): Promise<readonly number[]> {
  return Promise.all(fields.map((field) => collection.docFreq(field, word)));
}

/** Which documents a typo-tolerant word matches, without scores. */
export function fuzzyFilter(ast: FuzzyAst, rows: RowFacts | null): Dsl {
  return anyOf([
    ...(rows === null ? [] : [rowsQuery(rows)]),
    ...ast.fields.flatMap(({ field }) => [
      near(partOf("t", field), ast.term, ast.maxDistance),
      ...(ast.maxDistance > 0 ? foldedAlike(partOf("t", field), ast.term, false) : []),
      ...(ast.stem === undefined ? [] : matchingWords(field, [ast.stem.term])),
      ...(ast.begun === undefined ? [] : [beginningWith(partOf("t", field), ast.begun.prefix)]),
      ...(ast.begun !== undefined && ast.maxDistance > 0
        ? foldedAlike(partOf("t", field), ast.begun.prefix, true)
        : []),
    ]),
  ]);
}

/** A word that is still being typed: words that begin within some edits of it, each halving what a document scores. */
export async function fuzzyPrefixQuery(ast: FuzzyPrefixAst, collection: Collection): Promise<Dsl> {
  const typed = [...ast.prefix];
  if (typed.length <= ast.maxDistance) return MATCH_NONE;
  const names = ast.fields.map(({ field }) => field);
  const beginning = typed.slice(0, BEGINNING_MAX).join("");
  const words = await collection.words(
    allOf([
      { terms: { field: names } },
      anyOf([
        near("beginnings", beginning, ast.maxDistance),
        beginningWith("beginnings", beginning),
        ...(ast.maxDistance > 0 ? foldedAlike("word", ast.prefix, true) : []),
      ]),
    ]),
  );
  const likeness = new FoldedLikeness(ast.prefix);
  const shells = shellsOf(
    words,
    (word) =>
      within(
        prefixDistanceOf(ast.prefix, word, ast.maxDistance),
        ast.maxDistance,
        () => ast.maxDistance > 0 && beginsAlike(likeness, word),
      ),
    distanceOfEdits(ast.maxDistance),
  );
  const nearer = new Map<string, readonly string[]>();
  const queries = shells.flatMap((shell, distance): readonly Dsl[] => {
    const scale = (distance === FOLDED ? 0.75 : 0.5 ** editsOf(distance)) / 2.2;
    const found = ast.fields.flatMap(({ field, boost }) =>
      scoredWords({ field, boost: boost * scale }, shell.get(field) ?? []),
    );
    if (found.length === 0) return [];
    // A document scores by its nearest ones alone.
    const excluded = [...nearer].flatMap(([field, each]) => matchingWords(field, each));
    for (const [field, each] of shell) nearer.set(field, [...(nearer.get(field) ?? []), ...each]);
    return [excluded.length === 0 ? anyOf(found) : { bool: { must: [anyOf(found)], must_not: excluded } }];
  });
  return anyOf(queries);
}

/** The words of a field that begin with a prefix. */
export async function wordsBeginningWith(
  field: string,
  prefix: string,
  collection: Collection,
): Promise<readonly string[]> {
  const words = await collection.words(allOf([{ term: { field } }, beginningWith("word", prefix)]));
  return [...new Set(words.map(({ word }) => word))];
}

/** Words that are another but for what folding takes off, or begin so. */
function foldedAlike(field: string, word: string, isPrefix: boolean): readonly Dsl[] {
  const expression = foldedSpellings(word);
  if (expression === null) return [];
  const value = isPrefix ? `${expression}.*` : expression;
  return [{ regexp: { [field]: { value, flags: "NONE", rewrite: "constant_score" } } }];
}

function near(field: string, value: string, maxDistance: number): Dsl {
  if (maxDistance === 0) return { term: { [field]: value } };
  const fuzziness = String(maxDistance);
  return {
    fuzzy: {
      [field]: { value, fuzziness, prefix_length: 0, transpositions: true, rewrite: "constant_score" },
    },
  };
}

/** Scores boost · 2.2 · tf / (tf + K), tf being how often any of the words occurs. */
function scoredWords({ field, boost }: WeightedField, words: readonly string[]): readonly Dsl[] {
  if (words.length === 0) return [];
  const path = partOf("t", field);
  const scored = words.slice(0, SCORED_WORDS_MAX);
  const query: Dsl = { match: { [path]: { query: scored.join(TOKEN_STACK), boost } } };
  const others = words.slice(SCORED_WORDS_MAX);
  return others.length === 0 ? [query] : [query, constant({ terms: { [path]: others } }, 0)];
}

export function matchingWords(field: string, words: readonly string[]): readonly Dsl[] {
  return words.length === 0 ? [] : [{ terms: { [partOf("t", field)]: words } }];
}

function shellsOf(
  words: readonly IndexedWord[],
  distanceTo: (word: string) => number,
  maxDistance: number,
): Shells {
  const shells = Array.from({ length: maxDistance + 1 }, () => new Map<string, Set<string>>());
  const distances = new Map<string, number>();
  for (const { field, word } of words) {
    let distance = distances.get(word);
    if (distance === undefined) distances.set(word, (distance = distanceTo(word)));
    const shell = shells[distance];
    if (shell === undefined) continue;
    const known = shell.get(field);
    if (known === undefined) shell.set(field, new Set([word]));
    else known.add(word);
  }
  return shells.map((shell) => new Map([...shell].map(([field, each]) => [field, [...each]])));
}

/** The least distance of a word that a live document has, and by field how many have words at that distance. */
async function nearestShell(
  shells: Shells,
  fields: readonly string[],
  collection: Collection,
  isUnion = false,
): Promise<{ readonly distance: number; readonly docFreqs: readonly number[] } | null> {
  for (const [distance, shell] of shells.entries()) {
    const docFreqs = await docFreqsIn(shell, fields, collection, isUnion);
    if (docFreqs.some((n) => n > 0)) return { distance, docFreqs };
  }
  return null;
}

/** @param isUnion whether a document with several of the words counts once */
function docFreqsIn(
  shell: ReadonlyMap<string, readonly string[]>,
  fields: readonly string[],
  collection: Collection,
  isUnion: boolean,
): Promise<readonly number[]> {
  return Promise.all(
    fields.map((field) => {
      const words = shell.get(field) ?? [];
      if (!isUnion || words.length === 0) return docFreqOf(field, words, collection);
      return collection.count({ terms: { [partOf("t", field)]: words } });
    }),
  );
}

async function docFreqOf(field: string, words: readonly string[], collection: Collection): Promise<number> {
  const counted = words.slice(0, COUNTED_WORDS_MAX);
  const others = words.slice(COUNTED_WORDS_MAX);
  const counts = await Promise.all([
    ...counted.map((word) => collection.docFreq(field, word)),
    ...(others.length === 0 ? [] : [collection.count({ terms: { [partOf("t", field)]: others } })]),
  ]);
  return counts.reduce((sum, n) => sum + n, 0);
}

function distanceOf(pattern: string, word: string, maximum: number): number {
  const text = codePoints(word);
  const banded = new BandedDistance(codePoints(pattern), maximum, text.length);
  for (let i = 0; i < text.length; i++) if (!banded.push(i, text[i]!)) return maximum + 1;
  return banded.distance(text.length);
}

/** The least distance of any beginning of the word. */
function prefixDistanceOf(pattern: string, word: string, maximum: number): number {
  const text = codePoints(word);
  const typed = codePoints(pattern);
  const { first, last } = meantBy(typed.at(-1) ?? 0);
  typed.set([first], typed.length - 1);
  const banded = new BandedDistance(typed, maximum, text.length, last);
  let least = maximum + 1;
  for (let i = 0; i < text.length; i++) {
    const mayGoOn = banded.push(i, text[i]!);
    least = Math.min(least, banded.distance(i + 1));
    if (!mayGoOn) break;
  }
  return least;
}

function codePoints(text: string): Uint32Array {
  return Uint32Array.from([...text], (character) => character.codePointAt(0)!);
}
