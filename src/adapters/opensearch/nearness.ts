import type { Collection } from "./collection.js";
import { allOf, anyOf, constant, type Dsl, scripted } from "./dsl.js";
import { nearestWords, type WeightedField } from "./fuzzy-words.js";
import { partOf } from "./index-mapping.js";
import { type LikelyWord, likelyWords } from "./likely-words.js";
import { mostFrequent } from "./most-frequent.js";
import { anySpan, apartBy, inFront, NEAR_DISTANCE, spanNear } from "./spans.js";
import { type PlacedWord, pairsOf, type WordPair } from "./word-pairs.js";

/** What pairs count that are merely near, that are in one field, and what a field adds that holds nothing else. */
const NEAR = 0.5;
const SAME_FIELD = 0.2;
const WHOLE_FIELD = 0.5;

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
  /** What the word being typed is likely to become. */
  readonly #likely: readonly LikelyWord[];
  /** What nearness scores at most. */
  readonly bound: number;

  private constructor(
    words: readonly PlacedWord[],
    pairs: readonly WordPair[],
    likely: readonly LikelyWord[],
    leastBoost: number,
  ) {
    this.#words = words;
    this.#pairs = pairs;
    this.#likely = likely;
    const boosts = words.flatMap(({ ast }) => ast.fields.map(({ boost }) => boost));
    this.bound = Math.max(leastBoost, ...boosts) * (sumOf(pairs) * (1 + WHOLE_FIELD) + sumOf(likely));
  }

  /** @param leastBoost the greatest weight of a field counts as that at least */
  static async of(
    placed: readonly PlacedWord[],
    leastBoost: number,
    collection: Collection,
  ): Promise<NearWords> {
    const words = placed
      .filter(({ facts }) => facts.nearest !== null)
      .toSorted((a, b) => a.position - b.position);
    const pairs = pairsOf(words);
    const typed = pairs.find(({ first, second }) => !first.isSilent && second.ast.begun !== undefined);
    const likely = typed === undefined ? [] : await likelyWords(typed, collection);
    return new NearWords(words, pairs, likely, leastBoost);
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
    const held = this.#likely.map(({ term, weight }): Dsl => {
      const inFields = fields.map(({ field, boost }) => {
        const path = partOf("t", field);
        return constant(inFront(anySpan(path, [term])), weight * boost);
      });
      return { dis_max: { queries: inFields } };
    });
    const all = found.length === 0 ? held : [{ dis_max: { queries: found } }, ...held];
    return all.length === 0 ? null : anyOf(all);
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

function sumOf(all: readonly { readonly weight: number }[]): number {
  return all.reduce((sum, { weight }) => sum + weight, 0);
}

/** As far apart as in the query, or near each other, or in the same field. */
function closeness(
  path: string,
  a: Dsl,
  b: Dsl,
  pair: { readonly gap: number; readonly weight: number },
): Dsl {
  const { gap, weight } = pair;
  const apart = apartBy(path, a, b, gap);
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
