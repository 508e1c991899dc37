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
  readonly #fields: Map<string, { readonly docCount: number; readonly tokenCount: number }> = new Map();
  readonly #docFreqs: Map<string, number> = new Map();
  readonly #variants: Map<string, number> = new Map();
  readonly #rows: Map<string, boolean> = new Map();
  readonly #followers: Map<string, ReadonlyMap<string, number>> = new Map();

  constructor(collections: readonly CollectionStatistics[]) {
    this.#collections = collections;
  }

  fieldStatistics(field: string): { readonly docCount: number; readonly tokenCount: number } {
    return known(this.#fields, field, () => {
      const all = this.#collections.map((collection) => collection.fieldStatistics(field));
      return {
        docCount: all.reduce((sum, { docCount }) => sum + docCount, 0),
        tokenCount: all.reduce((sum, { tokenCount }) => sum + tokenCount, 0),
      };
    });
  }

  docFreq(field: string, term: string): number {
    return known(this.#docFreqs, `${field.length} ${field} ${term}`, () =>
      this.#collections.reduce((sum, collection) => sum + collection.docFreq(field, term), 0),
    );
  }

  variantDistance(field: string, word: WordPattern, interrupt?: SearchInterrupt): number {
    return known(this.#variants, `nearest ${variantsKey(field, word)}`, () =>
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
    return known(this.#followers, `${gap} ${key.join(" ")}`, () => {
      const sums = new Map<string, number>();
      for (const collection of this.#collections)
        for (const [term, docFreq] of collection.followerDocFreqs(field, followers, interrupt))
          sums.set(term, (sums.get(term) ?? 0) + docFreq);
      return sums;
    });
  }

  rowOccurs(field: string, row: WordRow, interrupt?: SearchInterrupt): boolean {
    const key = `${field.length} ${field} ${row.lastIsPrefix} ${row.terms.join(" ")}`;
    return known(this.#rows, key, () =>
      this.#collections.some((collection) => collection.rowOccurs(field, row, interrupt)),
    );
  }

  variantDocFreq(field: string, word: WordPattern, distance: number, interrupt?: SearchInterrupt): number {
    return known(this.#variants, `${distance} of ${variantsKey(field, word)}`, () =>
      this.#collections.reduce(
        (sum, collection) => sum + collection.variantDocFreq(field, word, distance, interrupt),
        0,
      ),
    );
  }
}

function known<Value>(answers: Map<string, Value>, key: string, work: () => Value): Value {
  let answer = answers.get(key);
  if (answer === undefined) answers.set(key, (answer = work()));
  return answer;
}
