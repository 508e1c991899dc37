import type { SearchInterrupt } from "../search-interrupt.js";
import type { CollectionStatistics } from "../search-types.js";

/**
 * Adds up the statistics of several collections, field by field name, so that they rank as one.
 * Remembers its answers, because each of the collections asks for them: make one for each search.
 */
export class CombinedStatistics implements CollectionStatistics {
  readonly #collections: readonly CollectionStatistics[];
  readonly #fields: Map<string, { readonly docCount: number; readonly tokenCount: number }> = new Map();
  readonly #docFreqs: Map<string, number> = new Map();
  readonly #variants: Map<string, ReadonlyMap<string, number>> = new Map();

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

  fuzzyTerms(
    field: string,
    term: string,
    maxDistance: number,
    interrupt?: SearchInterrupt,
  ): ReadonlyMap<string, number> {
    const key = `${maxDistance} ${field.length} ${field} ${term}`;
    const known = this.#variants.get(key);
    if (known !== undefined) return known;
    const found = new Map<string, number>();
    for (const collection of this.#collections) {
      for (const [variant, distance] of collection.fuzzyTerms(field, term, maxDistance, interrupt))
        found.set(variant, distance);
    }
    this.#variants.set(key, found);
    return found;
  }
}
