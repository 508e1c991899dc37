import type { WordPattern, WordRow } from "../query.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import { type CollectionStatistics, NO_VARIANT } from "../search-types.js";
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

  constructor(collections: readonly CollectionStatistics[]) {
    this.#collections = collections;
  }

  fieldStatistics(field: string): { readonly docCount: number; readonly tokenCount: number } {
    const known = this.#fields.get(field);
    if (known !== undefined) return known;
    let docCount = 0;
    let tokenCount = 0;
    for (const collection of this.#collections) {
      const statistics = collection.fieldStatistics(field);
      docCount += statistics.docCount;
      tokenCount += statistics.tokenCount;
    }
    const combined = { docCount, tokenCount };
    this.#fields.set(field, combined);
    return combined;
  }

  docFreq(field: string, term: string): number {
    const key = `${field.length} ${field} ${term}`;
    const known = this.#docFreqs.get(key);
    if (known !== undefined) return known;
    let docFreq = 0;
    for (const collection of this.#collections) docFreq += collection.docFreq(field, term);
    this.#docFreqs.set(key, docFreq);
    return docFreq;
  }

  variantDistance(field: string, word: WordPattern, interrupt?: SearchInterrupt): number {
    const key = `nearest ${variantsKey(field, word)}`;
    const known = this.#variants.get(key);
    if (known !== undefined) return known;
    let nearest = NO_VARIANT;
    for (const collection of this.#collections) {
      nearest = Math.min(nearest, collection.variantDistance(field, word, interrupt));
    }
    this.#variants.set(key, nearest);
    return nearest;
  }

  rowOccurs(field: string, row: WordRow, interrupt?: SearchInterrupt): boolean {
    const key = `${field.length} ${field} ${row.lastIsPrefix} ${row.terms.join(" ")}`;
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const occurs = this.#collections.some((collection) => collection.rowOccurs(field, row, interrupt));
    this.#rows.set(key, occurs);
    return occurs;
  }

  variantDocFreq(field: string, word: WordPattern, distance: number, interrupt?: SearchInterrupt): number {
    const key = `${distance} of ${variantsKey(field, word)}`;
    const known = this.#variants.get(key);
    if (known !== undefined) return known;
    let docFreq = 0;
    for (const collection of this.#collections) {
      docFreq += collection.variantDocFreq(field, word, distance, interrupt);
    }
    this.#variants.set(key, docFreq);
    return docFreq;
  }
}
