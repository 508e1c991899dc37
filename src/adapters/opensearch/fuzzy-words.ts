import { BandedDistance } from "../../analysis/banded-distance.js";
import { lastMeant } from "../../analysis/korean-particles.js";
import type { QueryAst } from "../../query/query-ast.js";
import type { Collection, IndexedWord } from "./collection.js";
import { allOf, anyOf, constant, type Dsl, MATCH_NONE, scripted } from "./dsl.js";
import { BEGINNING_MAX, partOf, TOKEN_STACK } from "./index-mapping.js";

export type FuzzyAst = Extract<QueryAst, { readonly kind: "fuzzy" }>;
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

/** By distance, by field, the words. */
type Shells = readonly ReadonlyMap<string, readonly string[]>[];

/**
 * A typo-tolerant word, scored in tiers by distance (docs/adr/0003-fuzzy-scoring.md, 0031 for stems): the words are
 * looked up among those of the index, and each distance is a query of its own.
 *
 * @param statisticsFields all fields of the collection that the word is looked for in
 */
export async function fuzzyQuery(
  ast: FuzzyAst,
  collection: Collection,
  statisticsFields: readonly string[],
): Promise<Dsl> {
  const { term, maxDistance, stem } = ast;
  const names = ast.fields.map(({ field }) => field);
  const [words, ofStem, ofWord] = await Promise.all([
    collection.words(
      allOf([
        { terms: { field: [...new Set([...names, ...statisticsFields])] } },
        near("word", term, maxDistance),
      ]),
    ),
    stem === undefined ? [] : docFreqsOf(statisticsFields, stem.term, collection),
    stem === undefined ? [] : docFreqsOf(statisticsFields, term, collection),
  ]);
  const shells = shellsOf(words, (word) => distanceOf(term, word, maxDistance), maxDistance);
  const hasStem = ofStem.some((n) => n > 0);
  const nearest = hasStem
    ? { distance: 0, docFreqs: ofWord }
    : await nearestShell(shells, statisticsFields, collection);
  if (nearest === null) return MATCH_NONE;
  const docCounts = await Promise.all(statisticsFields.map((field) => collection.docCount(field)));
  const idf = inverseDocFreq(Math.max(...nearest.docFreqs, ...ofStem), Math.max(...docCounts));
  const queries: Dsl[] = [];
  const nearer: Dsl[] = [];
  if (stem !== undefined && hasStem) {
    const docFreqs = new Map(statisticsFields.map((field, i) => [field, [ofWord[i]!, ofStem[i]!] as const]));
    queries.push(...stemQueries(ast, stem, { idf, docFreqs }));
    nearer.push(...names.flatMap((field) => matchingWords(field, [stem.term])));
  }
  for (let distance = nearest.distance; distance <= maxDistance; distance++) {
    const shell = shells[distance]!;
    const found = ast.fields.flatMap((field) => scoredWords(field, shell.get(field.field) ?? []));
    if (found.length === 0) continue;
    const steps = distance - nearest.distance;
    const within: Dsl = { bool: { must: [anyOf(found)], must_not: [...nearer] } };
    queries.push(steps === 0 ? full(within, idf) : tier(within, idf * 2 ** -steps));
    nearer.push(...names.flatMap((field) => matchingWords(field, shell.get(field) ?? [])));
  }
  return anyOf(queries);
}

/** Documents that hold the word's stem: apart for those that hold the word itself, or together. */
function stemQueries(
  { term, fields }: FuzzyAst,
  stem: NonNullable<FuzzyAst["stem"]>,
  {
    idf,
    docFreqs,
  }: { readonly idf: number; readonly docFreqs: ReadonlyMap<string, readonly [number, number]> },
): readonly Dsl[] {
  const ofStem = anyOf(fields.flatMap((field) => scoredWords(field, [stem.term])));
  const hasWord = [...docFreqs.values()].some(([own]) => own > 0);
  if (stem.ranksBelow && hasWord) {
    const stems = anyOf(fields.flatMap(({ field }) => matchingWords(field, [stem.term])));
    const words = anyOf(fields.flatMap((field) => scoredWords(field, [term])));
    const others = fields.flatMap(({ field }) => matchingWords(field, [term]));
    return [
      full({ bool: { must: [words], filter: [stems] } }, idf),
      tier({ bool: { must: [ofStem], must_not: others } }, idf * 0.95),
    ];
  }
  const apart = fields.filter(({ field }) => {
    const [own, all] = docFreqs.get(field) ?? [0, 0];
    return own !== all;
  });
  const written = apart.flatMap(({ field, boost }) => scoredWords({ field, boost: 0.1 * boost }, [term]));
  return [full({ bool: { must: [ofStem], should: written } }, idf)];
}

/** Scores idf · (0.1 + x). */
function full(query: Dsl, idf: number): Dsl {
  return { bool: { must: [query], should: [{ match_all: { boost: 0.1 } }], boost: idf } };
}

/** Scores scale · 0.1 · (0.6 + 0.4 · x / (1 + x)). */
function tier(query: Dsl, scale: number): Dsl {
  return scripted(query, "params.scale * (0.6 + 0.4 * _score / (1.0 + _score))", { scale: scale * 0.1 });
}

function docFreqsOf(
  fields: readonly string[],
  word: string,
  collection: Collection,
): Promise<readonly number[]> {
  return Promise.all(fields.map((field) => collection.docFreq(field, word)));
}

/** Which documents a typo-tolerant word matches, without scores. */
export function fuzzyFilter(ast: FuzzyAst): Dsl {
  return anyOf(
    ast.fields.flatMap(({ field }) => [
      near(partOf("t", field), ast.term, ast.maxDistance),
      ...(ast.stem === undefined ? [] : matchingWords(field, [ast.stem.term])),
    ]),
  );
}

/** A word that is still being typed: words that begin with something nearest to it. */
export async function fuzzyPrefixQuery(ast: FuzzyPrefixAst, collection: Collection): Promise<Dsl> {
  const typed = [...ast.prefix];
  if (typed.length <= ast.maxDistance) return MATCH_NONE;
  const names = ast.fields.map(({ field }) => field);
  const beginning = typed.slice(0, BEGINNING_MAX).join("");
  const words = await collection.words(
    allOf([
      { terms: { field: names } },
      anyOf([near("beginnings", beginning, ast.maxDistance), beginningWith("beginnings", beginning)]),
    ]),
  );
  const shells = shellsOf(
    words,
    (word) => prefixDistanceOf(ast.prefix, word, ast.maxDistance),
    ast.maxDistance,
  );
  const nearest = await nearestShell(shells, names, collection);
  if (nearest === null) return MATCH_NONE;
  const shell = shells[nearest.distance]!;
  const scale = 0.5 ** nearest.distance / 2.2;
  return anyOf(
    ast.fields.flatMap(({ field, boost }) =>
      scoredWords({ field, boost: boost * scale }, shell.get(field) ?? []),
    ),
  );
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

/** Terms that begin like a prefix, whose last syllable may be half typed. */
export function beginningWith(path: string, prefix: string): Dsl {
  const last = prefix.codePointAt(prefix.length - 1)!;
  const meant = lastMeant(last);
  if (meant === last) return { prefix: { [path]: prefix } };
  return { range: { [path]: { gte: prefix, lt: prefix.slice(0, -1) + String.fromCharCode(meant + 1) } } };
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

function matchingWords(field: string, words: readonly string[]): readonly Dsl[] {
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
): Promise<{ readonly distance: number; readonly docFreqs: readonly number[] } | null> {
  for (const [distance, shell] of shells.entries()) {
    const docFreqs = await Promise.all(
      fields.map((field) => docFreqOf(field, shell.get(field) ?? [], collection)),
    );
    if (docFreqs.some((n) => n > 0)) return { distance, docFreqs };
  }
  return null;
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
  const banded = new BandedDistance(typed, maximum, text.length, lastMeant(typed.at(-1) ?? 0));
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
