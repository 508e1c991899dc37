import type { CollectionStatistics } from "../search-types.js";

/** Adds up the statistics of several collections, field by field name, so that they rank as one. */
export class CombinedStatistics implements CollectionStatistics {
  readonly #collections: readonly CollectionStatistics[];

  constructor(collections: readonly CollectionStatistics[]) {
    this.#collections = collections;
  }

  fieldStatistics(field: string): { readonly docCount: number; readonly tokenCount: number } {
    let docCount = 0;
    let tokenCount = 0;
    for (const collection of this.#collections) {
      const statistics = collection.fieldStatistics(field);
      docCount += statistics.docCount;
      tokenCount += statistics.tokenCount;
    }
    return { docCount, tokenCount };
  }

  docFreq(field: string, term: string): number {
    let docFreq = 0;
    for (const collection of this.#collections) docFreq += collection.docFreq(field, term);
    return docFreq;
  }

  fuzzyTerms(field: string, term: string, maxDistance: number): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    for (const collection of this.#collections) {
      for (const [variant, distance] of collection.fuzzyTerms(field, term, maxDistance))
        found.set(variant, distance);
    }
    return found;
  }
}
