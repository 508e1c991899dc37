import { BandedDistance } from "../../analysis/banded-distance.js";
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
 * A typo-tolerant word, scored in tiers by distance (docs/adr/0003-fuzzy-scoring.md): the words are looked up among
 * those of the index, and each distance is a query of its own.
 *
 * @param statisticsFields all fields of the collection that the word is looked for in
 */
export async function fuzzyQuery(
  ast: FuzzyAst,
  collection: Collection,
  statisticsFields: readonly string[],
): Promise<Dsl> {
  const names = ast.fields.map(({ field }) => field);
  const words = await collection.words(
    allOf([
      { terms: { field: [...new Set([...names, ...statisticsFields])] } },
      near("word", ast.term, ast.maxDistance),
    ]),
  );
  const shells = shellsOf(words, (word) => distanceOf(ast.term, word, ast.maxDistance), ast.maxDistance);
  const nearest = await nearestShell(shells, statisticsFields, collection);
  if (nearest === null) return MATCH_NONE;
  const docCounts = await Promise.all(statisticsFields.map((field) => collection.docCount(field)));
  const idf = inverseDocFreq(Math.max(...nearest.docFreqs), Math.max(...docCounts));
  const queries: Dsl[] = [];
  const nearer: Dsl[] = [];
  for (let distance = nearest.distance; distance <= ast.maxDistance; distance++) {
    const shell = shells[distance]!;
    const found = ast.fields.flatMap((field) => scoredWords(field, shell.get(field.field) ?? []));
    if (found.length === 0) continue;
    const steps = distance - nearest.distance;
    const within: Dsl = { bool: { must: [anyOf(found)], must_not: [...nearer] } };
    queries.push(
      steps === 0
        ? { bool: { must: [within], should: [{ match_all: { boost: 0.1 } }], boost: idf } }
        : scripted(within, "params.scale * (0.6 + 0.4 * _score / (1.0 + _score))", {
            scale: idf * 0.1 * 2 ** -steps,
          }),
    );
    nearer.push(...names.flatMap((field) => matchingWords(field, shell.get(field) ?? [])));
  }
  return anyOf(queries);
}

/** Which documents a typo-tolerant word matches, without scores. */
export function fuzzyFilter(ast: FuzzyAst): Dsl {
  return anyOf(ast.fields.map(({ field }) => near(partOf("t", field), ast.term, ast.maxDistance)));
}

/** A word that is still being typed: words that begin with something nearest to it. */
export async function fuzzyPrefixQuery(ast: FuzzyPrefixAst, collection: Collection): Promise<Dsl> {
  const typed = [...ast.prefix];
  if (typed.length <= ast.maxDistance) return MATCH_NONE;
  const names = ast.fields.map(({ field }) => field);
  const beginning = typed.slice(0, BEGINNING_MAX).join("");
  const words = await collection.words(
    allOf([{ terms: { field: names } }, near("beginnings", beginning, ast.maxDistance)]),
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
  const words = await collection.words(allOf([{ term: { field } }, { prefix: { word: prefix } }]));
  return [...new Set(words.map(({ word }) => word))];
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
  const banded = new BandedDistance(codePoints(pattern), maximum, text.length);
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
