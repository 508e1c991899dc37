import type { WordPattern, WordRow } from "../query.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import { type CollectionStatistics, type Followers, NO_VARIANT } from "../search-types.js";
import { variantsKey } from "./variants-key.js";

/**
 * Adds up the statistics of several collections, field by field name, so that they rank as one.
 * Remembers its answers, because each of the collections asks for them: make one for each search.
 */
export class CombinedStatistics implements CollectionStatistics {
  readonly #collections: readonly CollectionStatistics[];
  /** By what has been asked. */
  readonly #answers: Map<string, unknown> = new Map();

  constructor(collections: readonly CollectionStatistics[]) {
    this.#collections = collections;
  }

  fieldStatistics(field: string): { readonly docCount: number; readonly tokenCount: number } {
    return this.#known(`field ${field}`, () => {
      const all = this.#collections.map((collection) => collection.fieldStatistics(field));
      return {
        docCount: all.reduce((sum, { docCount }) => sum + docCount, 0),
        tokenCount: all.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
      };
    });
  }

  docFreq(field: string, term: string): number {
    return this.#sum(`term ${field.length} ${field} ${term}`, (collection) =>
      collection.docFreq(field, term),
    );
  }

  variantDistance(field: string, word: WordPattern, interrupt?: SearchInterrupt): number {
    return this.#known(`nearest ${variantsKey(field, word)}`, () =>
      this.#collections.reduce(
        (nearest, collection) => Math.min(nearest, collection.variantDistance(field, word, interrupt)),
        NO_VARIANT,
      ),
    );
  }

  followerDocFreqs(
    field: string,
    followers: Followers,
    interrupt?: SearchInterrupt,
  ): ReadonlyMap<string, number> {
    const { before, word, gap } = followers;
    const key = [before, word].map(
      ({ pattern, distance }) => `${distance} of ${variantsKey(field, pattern)}`,
    );
    return this.#known(`followers ${gap} ${key.join(" ")}`, () => {
      const sums = new Map<string, number>();
      for (const collection of this.#collections)
        for (const [term, docFreq] of collection.followerDocFreqs(field, followers, interrupt))
          sums.set(term, (sums.get(term) ?? 0) + docFreq);
      return sums;
    });
  }

  rowOccurs(field: string, row: WordRow, interrupt?: SearchInterrupt): boolean {
    return this.#known(`row ${field.length} ${field} ${row.lastIsPrefix} ${row.terms.join(" ")}`, () =>
      this.#collections.some((collection) => collection.rowOccurs(field, row, interrupt)),
    );
  }

  variantDocFreq(field: string, word: WordPattern, distance: number, interrupt?: SearchInterrupt): number {
    return this.#sum(`variants ${distance} of ${variantsKey(field, word)}`, (collection) =>
      collection.variantDocFreq(field, word, distance, interrupt),
    );
  }

  #sum(key: string, numberOf: (collection: CollectionStatistics) => number): number {
    return this.#known(key, () =>
      this.#collections.reduce((sum, collection) => sum + numberOf(collection), 0),
    );
  }

  /** @param key of one kind of question, which is answered with one kind of value */
  #known<Value>(key: string, work: () => Value): Value {
    let answer = this.#answers.get(key) as Value | undefined;
    if (answer === undefined) this.#answers.set(key, (answer = work()));
    return answer;
  }
}
