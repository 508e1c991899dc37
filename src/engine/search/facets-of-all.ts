import type { RankedFacet } from "./search-types.js";

/** Numbers that the facets of all documents take at most in a snapshot, together; those of more are counted each time. */
const ENTRIES_MAX = 1 << 16;

/** The facets of all documents of a snapshot, which pages ask for before anything is searched for: each is counted once. */
export class FacetsOfAll {
  readonly #byField: Map<string, RankedFacet> = new Map();
  #entries = 0;

  /** Null unless all of them have been counted. */
  of(names: readonly string[]): readonly RankedFacet[] | null {
    const known: RankedFacet[] = [];
    for (const name of names) {
      const facet = this.#byField.get(name);
      if (facet === undefined) return null;
      known.push(facet);
    }
    return known;
  }

  note(facets: readonly RankedFacet[]): void {
    for (const facet of facets) {
      const entries = facet.counts.entries.length;
      if (this.#byField.has(facet.field) || this.#entries + entries > ENTRIES_MAX) continue;
      this.#byField.set(facet.field, facet);
      this.#entries += entries;
    }
  }
}
