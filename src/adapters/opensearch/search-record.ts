import type { Facet } from "../../contract/search.js";
import type { EngineSchema } from "../../engine/server-door.js";
import type { SearchPlan } from "../../query/search-plan.js";
import type { SearchedStorage } from "./collection.js";
import type { Dsl } from "./dsl.js";

/** What an open search is, so that another process can go on with it. */
export interface SearchRecord {
  readonly point: string;
  readonly count: number;
  readonly facets: readonly Facet[];
  readonly members: readonly {
    readonly storage: SearchedStorage;
    readonly schema: EngineSchema;
    readonly plan: SearchPlan | null;
    readonly weight: number;
  }[];
  readonly query: Dsl;
  readonly sort: readonly Dsl[];
  readonly isScored: boolean;
  readonly explains: boolean;
}
