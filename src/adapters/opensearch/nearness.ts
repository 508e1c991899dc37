import type { FuzzyAst } from "../../query/query-ast.js";
import type { Collection } from "./collection.js";
import { allOf, anyOf, constant, type Dsl, scripted } from "./dsl.js";
import { type FuzzyFacts, nearestWords, type WeightedField } from "./fuzzy-words.js";
import { partOf } from "./index-mapping.js";

/** A word of a query that is told by where it stands. */
export interface PlacedWord {
  readonly ast: FuzzyAst;
  readonly facts: FuzzyFacts;
  readonly position: number;
  /** Whether it is a stopword, which has only neighbours beside it. */
  readonly isSilent: boolean;
}

interface WordPair {
  readonly first: PlacedWord;
  readonly second: PlacedWord;
  readonly gap: number;
  readonly weight: number;
}

/** Words further apart in a query are no neighbours. */
const GAP_MAX = 16;
/** Beginnings of one letter stand for too many words to ask for the positions of all. */
const BEGUN_LENGTH_MIN = 2;
/** What a pair counts, in parts of the idf of its words. */
const PAIR_WEIGHT = 4;
/** What a pair counts of which one is a stopword. */
const SILENT_PAIR_WEIGHT = 2;
/** What pairs count that are merely near, that are in one field, and what a field adds that holds nothing else. */
const NEAR = 0.5;
const SAME_FIELD = 0.2;
const WHOLE_FIELD = 0.5;
/** Positions within which words are near, and positions of a field that are looked at. */
const NEAR_DISTANCE = 4;
const NEAR_POSITIONS = 64;

/** The cluster bounds the terms of all parts of a query together. */
const TERMS_MAX = 400;
/** Terms that a pair of words takes in one field, of one variant each. */
const TERMS_PER_PAIR = 8;

const WHOLE = `
boolean isWhole = _score > params.all * 0.999f && doc[params.length].size() > 0 && doc[params.length].value == params.tokens;
return (isWhole ? _score + params.whole : _score) * params.boost;
`;

/** How near and in which order the words of a query stand, as the engine counts it (docs/adr/0038-words-in-tiers.md). */
export class NearWords {
  readonly #words: readonly PlacedWord[];
  readonly #pairs: readonly WordPair[];
  /** What nearness scores at most. */
  readonly bound: number;

  /** @param leastBoost the greatest weight of a field counts as that at least */
  constructor(words: readonly PlacedWord[], leastBoost: number) {
    this.#words = words
      .filter(({ facts }) => facts.nearest !== null)
      .toSorted((a, b) => a.position - b.position);
    this.#pairs = pairsOf(this.#words);
    const boosts = this.#words.flatMap(({ ast }) => ast.fields.map(({ boost }) => boost));
    this.bound = sumOf(this.#pairs) * Math.max(leastBoost, ...boosts) * (1 + WHOLE_FIELD);
  }

  /** What scores nearness in documents that hold all words; null where it makes no difference. */
  async query(collection: Collection): Promise<Dsl | null> {
    if (this.#pairs.length === 0) return null;
    const fields = this.#words[0]!.ast.fields.filter(({ boost }) => boost > 0);
    if (fields.length === 0) return null;
    const perPair = TERMS_PER_PAIR * fields.length;
    const asked = [...this.#pairs]
      .sort((a, b) => b.weight - a.weight)
      .slice(0, Math.max(1, Math.floor(TERMS_MAX / perPair)));
    const variantsMax = Math.max(1, Math.floor(TERMS_MAX / (perPair * asked.length)));
    const queries = await Promise.all(
      fields.map((field) => this.#inField(field, asked, variantsMax, collection)),
    );
    const found = queries.filter((query) => query !== null);
    return found.length === 0 ? null : { dis_max: { queries: found } };
  }

  async #inField(
    { field, boost }: WeightedField,
    pairs: readonly WordPair[],
    variantsMax: number,
    collection: Collection,
  ): Promise<Dsl | null> {
    const path = partOf("t", field);
    const spans = new Map<PlacedWord, Dsl | null>(
      await Promise.all(
        this.#words.map(async (word) => {
          const terms = await mostFrequent(nearestWords(word.ast, word.facts, field), variantsMax, (term) =>
            collection.docFreq(field, term),
          );
          return [word, terms.length === 0 ? null : anySpan(path, terms)] as const;
        }),
      ),
    );
    const queries = pairs.flatMap(({ first, second, gap, weight }) => {
      const a = spans.get(first) ?? null;
      const b = spans.get(second) ?? null;
      return a === null || b === null ? [] : [closeness(path, a, b, { gap, weight })];
    });
    if (queries.length === 0) return null;
    const last = this.#words.at(-1)!;
    return scripted(anyOf(queries), WHOLE, {
      all: sumOf(this.#pairs),
      whole: WHOLE_FIELD * sumOf(this.#pairs),
      tokens: last.position - this.#words[0]!.position + 1,
      length: partOf("l", field),
      boost,
    });
  }
}

function isShortBeginning({ ast: { begun } }: PlacedWord): boolean {
  return begun !== undefined && [...begun.prefix].length < BEGUN_LENGTH_MIN;
}

/** Neighbouring words, stopwords aside, and each stopword with what stands beside it. */
function pairsOf(words: readonly PlacedWord[]): readonly WordPair[] {
  return words.flatMap((second, i) => {
    const before = words.slice(0, i);
    const nearest = second.isSilent ? undefined : before.findLast(({ isSilent }) => !isSilent);
    return before.flatMap((first): readonly WordPair[] => {
      const gap = second.position - first.position;
      const isSilent = first.isSilent || second.isSilent;
      const isPair = isSilent ? gap === 1 : first === nearest && gap >= 1 && gap <= GAP_MAX;
      if (!isPair || isShortBeginning(first) || isShortBeginning(second)) return [];
      const importance = first.facts.idf + second.facts.idf;
      return [{ first, second, gap, weight: (isSilent ? SILENT_PAIR_WEIGHT : PAIR_WEIGHT) * importance }];
    });
  });
}

function sumOf(pairs: readonly WordPair[]): number {
  return pairs.reduce((sum, { weight }) => sum + weight, 0);
}

/** As far apart as in the query, or near each other, or in the same field. */
function closeness(
  path: string,
  a: Dsl,
  b: Dsl,
  pair: { readonly gap: number; readonly weight: number },
): Dsl {
  const { gap, weight } = pair;
  const between: readonly Dsl[] = gap === 1 ? [] : [{ span_gap: { [path]: gap - 1 } }];
  const apart = spanNear([a, ...between, b], 0);
  const near = anyOf([
    inFront(spanNear([a, b], NEAR_DISTANCE - 1)),
    inFront(spanNear([b, a], NEAR_DISTANCE - 1)),
  ]);
  return {
    dis_max: {
      queries: [
        constant(inFront(apart), weight),
        constant(near, weight * NEAR),
        constant(allOf([inFront(a), inFront(b)]), weight * SAME_FIELD),
      ],
    },
  };
}

function anySpan(path: string, terms: readonly string[]): Dsl {
  const clauses = terms.map((term): Dsl => ({ span_term: { [path]: term } }));
  return clauses.length === 1 ? clauses[0]! : { span_or: { clauses } };
}

function spanNear(clauses: readonly Dsl[], slop: number): Dsl {
  return { span_near: { clauses, slop, in_order: true } };
}

function inFront(match: Dsl): Dsl {
  return { span_first: { match, end: NEAR_POSITIONS } };
}

async function mostFrequent(
  terms: readonly string[],
  count: number,
  docFreqOf: (term: string) => Promise<number>,
): Promise<readonly string[]> {
  if (terms.length <= count) return terms;
  const counted = await Promise.all(
    terms.slice(0, COUNTED_MAX).map(async (term) => ({ term, docFreq: await docFreqOf(term) })),
  );
  return counted
    .sort((a, b) => b.docFreq - a.docFreq)
    .slice(0, count)
    .map(({ term }) => term);
}

/** Variants of a word whose frequencies are counted to find the most frequent ones. */
const COUNTED_MAX = 300;
