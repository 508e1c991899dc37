import type {
  FederatedSearchResult,
  FederationMember,
  OpenSearch,
  SearchCaller,
} from "../../ports/search-backend.js";
import { ClusterOpenSearch, NOTHING_OPEN, type OpenSearchAccess, searchPage } from "./cluster-open-search.js";
import { BEYOND_TIMEOUT_MS, prepareSearch, type SearchMember } from "./federated-search.js";
import { searchForeseen } from "./foreseen-states.js";
import { countsOnlyLive } from "./index-generations.js";
import type { IndexState, IndexStates } from "./index-states.js";
import type { LoweredSchemas } from "./lowered-schemas.js";
import type { PastStorage } from "./past-storage.js";
import { requireFieldsOfPlan } from "./require-fields.js";
import type { StorageNames } from "./storage-names.js";
import { type TimedCaller, waitingFor } from "./timed-caller.js";

export interface ClusterSearchesParts {
  readonly states: IndexStates;
  readonly names: StorageNames;
  readonly schemas: LoweredSchemas;
  readonly openSearches: OpenSearchAccess;
  readonly past: PastStorage;
}

/** Searches of several indexes as one, or of one by itself, each index in the generation that it has when it is asked. */
export class ClusterSearches {
  readonly #parts: ClusterSearchesParts;

  constructor(parts: ClusterSearchesParts) {
    this.#parts = parts;
  }

  async search(members: readonly FederationMember[], caller?: SearchCaller): Promise<FederatedSearchResult> {
    const { states } = this.#parts;
    const storageIds = members.map(({ storageId }) => storageId);
    return searchForeseen(states, storageIds, this.#waiting(caller), (foreseen, waiting) =>
      this.#searchIn(foreseen, members, waiting),
    );
  }

  async open(members: readonly FederationMember[], caller?: SearchCaller): Promise<OpenSearch> {
    const { states, past, openSearches } = this.#parts;
    const waiting = this.#waiting(caller);
    const held = members.map(({ storageId }) => storageId);
    const searched = this.#members(members, await states.requireAll(held, waiting));
    if (searched.every(({ plan }) => plan === null)) return NOTHING_OPEN;
    const letGo = past.hold(held);
    try {
      const prepared = await prepareSearch(openSearches.search, searched, waiting);
      return await ClusterOpenSearch.open(openSearches, prepared, waiting, letGo);
    } catch (error) {
      letGo();
      throw error;
    }
  }

  /** A search is many requests, with one time limit. */
  #waiting(caller: SearchCaller | undefined): TimedCaller {
    return waitingFor(this.#parts.openSearches.search.timeoutMs + BEYOND_TIMEOUT_MS, caller);
  }

  async #searchIn(
    states: readonly IndexState[],
    members: readonly FederationMember[],
    waiting: TimedCaller,
  ): Promise<FederatedSearchResult> {
    const { openSearches } = this.#parts;
    const searched = this.#members(members, states);
    if (searched.every(({ plan }) => plan === null)) return { count: 0, hits: [], facets: [] };
    const prepared = await prepareSearch(openSearches.search, searched, waiting, {
      countsOnlyLive: states.every(countsOnlyLive),
    });
    return searchPage(openSearches, prepared, waiting);
  }

  #members(members: readonly FederationMember[], states: readonly IndexState[]): readonly SearchMember[] {
    const { names, schemas } = this.#parts;
    return members.map(({ storageId, plan, weight }, i) => {
      const { schema, generation } = states[i]!;
      if (plan !== null) requireFieldsOfPlan(plan, schema);
      return {
        storage: names.storage(storageId, generation),
        schema: schemas.engineSchema(schema),
        plan,
        weight,
      };
    });
  }
}
