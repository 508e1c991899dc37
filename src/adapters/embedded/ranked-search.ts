import {
  compareSortKeys,
  compareSortValues,
  type EngineField,
  type RankedHit,
  type RankedResult,
  RunMerge,
  type SearchInterrupt,
  type SortKey,
} from "../../engine/server-door.js";
import type { BackendSearchResult } from "../../ports/search-backend.js";
import type { SearchPlan } from "../../query/search-plan.js";
import type { OrderedPlaces } from "./search-threads/hit-order.js";

/** What merging hits asks of a member of a search. */
export interface OrderedMember {
  readonly plan: SearchPlan;
  /** What hits are ordered by, key by key; undefined for the score. */
  readonly orderFields: readonly (EngineField | undefined)[];
}

interface Ranking {
  /** By member. */
  readonly results: readonly RankedResult[];
  readonly facets: BackendSearchResult["facets"];
  readonly limit: number;
  readonly interrupt: SearchInterrupt;
}

/** The members' hits in one order, merged as far as they are asked for. */
export class RankedSearch implements OrderedPlaces {
  readonly count: number;
  readonly facets: BackendSearchResult["facets"];
  readonly #results: readonly RankedResult[];
  readonly #merge: RunMerge;

  constructor(members: readonly OrderedMember[], { results, facets, limit, interrupt }: Ranking) {
    this.count = results.reduce((sum, { count }) => sum + count, 0);
    this.facets = facets;
    this.#results = results;
    const order = members[0]?.plan.orderBy ?? [{ descending: true }];
    const keys = results.map(({ hits }) => new HeadKeys((place) => hits.sortKeys(place)));
    this.#merge = new RunMerge(
      results.map(({ hits }) => hits.length),
      limit,
      (member, place, otherMember, otherPlace) => {
        const left = keys[member]!.at(place);
        const right = keys[otherMember]!.at(otherPlace);
        for (let key = 0; key < order.length; key++) {
          const field = members[member]!.orderFields[key];
          const otherField = members[otherMember]!.orderFields[key];
          const result = compareSortKeys(
            left[key]!,
            right[key]!,
            order[key]!.descending,
            (bytes, otherBytes) =>
              compareSortValues({ field: field!, bytes }, { field: otherField!, bytes: otherBytes }),
          );
          if (result !== 0) return result;
        }
        return 0;
      },
      interrupt,
    );
  }

  /** Hits that were kept. */
  get length(): number {
    return this.#merge.length;
  }

  /** Places in memory, all members' together. */
  get held(): number {
    return this.#results.reduce((sum, { hits }) => sum + hits.held, 0);
  }

  /** @returns the hit, and whose it is, among the members that aren't left out */
  at(place: number): { readonly member: number; readonly hit: RankedHit } {
    const member = this.#merge.runAt(place);
    return { member, hit: this.#results[member]!.hits.at(this.#merge.placeAt(place)) };
  }
}

/** The sort keys of one place, read once. */
class HeadKeys {
  readonly #read: (place: number) => readonly SortKey[];
  #place = -1;
  #keys: readonly SortKey[] = [];

  constructor(read: (place: number) => readonly SortKey[]) {
    this.#read = read;
  }

  at(place: number): readonly SortKey[] {
    if (place !== this.#place) {
      this.#keys = this.#read(place);
      this.#place = place;
    }
    return this.#keys;
  }
}
