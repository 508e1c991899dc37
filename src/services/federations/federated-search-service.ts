import { cursorTokenOf, parseCursorBody } from "../../contract/cursor.js";
import type { FederatedIndex } from "../../contract/federation.js";
import type { SearchHit, SearchRequest, SearchResult } from "../../contract/search.js";
import { parseSearchBody, type SearchLimits } from "../../contract/search-body.js";
import type { CatalogIndex } from "../../ports/catalog.js";
import type {
  FederatedHit,
  FederatedSearchResult,
  FederationMember,
  SearchCaller,
} from "../../ports/search-backend.js";
import { compileFederatedSearch, requireReadable } from "../../query/compile-federated-search.js";
import type { SearchPlan } from "../../query/search-plan.js";
import type { SearchedIndex } from "../../query/searched-index.js";
import type { Authority } from "../authority/authority.js";
import { memberNamesOf, requireFederationInScope, requireIndexInScope } from "../authority/scope-rule.js";
import { indexNameOf, requireIndex } from "../indexes/require-index.js";
import type { RequestClient } from "../measure/request-origin.js";
import { cursorExpired } from "../search/cursor-store.js";
import type { SearchPage } from "../search/search-page.js";
import type { SearchServicePorts } from "../search/search-service.js";
import { profileOf, recordSearch } from "../search/search-times.js";
import { shownFacets } from "../search/shown-facets.js";
import { shownHit, shownPartsOf, shownSchemaOf, withIgnored } from "../search/shown-hit.js";
import { Stopwatch } from "../search/stopwatch.js";
import { requireFederation } from "./require-federation.js";

/** An index of the federation that there is. */
interface PresentMember {
  readonly index: CatalogIndex;
  readonly context: SearchedIndex;
  /** Null if the request leaves the index out. */
  readonly plan: SearchPlan | null;
  /** Why its hits can't be put in order with the others'. */
  readonly unordered?: string;
  readonly weight: number;
}

interface FederatedSearch<Result> {
  readonly members: readonly PresentMember[];
  /** Null if every index is left out. */
  readonly result: Result | null;
}

/** Whose search it is, and who waits for it. */
interface Asker {
  readonly authority: Authority;
  readonly client: RequestClient | undefined;
  readonly caller: SearchCaller | undefined;
}

/** A search whose parts are timed. */
interface TimedSearch {
  readonly begunMs: number;
  readonly body: unknown;
  readonly asker: Asker;
}

const NOTHING: FederatedSearchResult = { count: 0, hits: [], facets: [] };

/** Searches of a federation (contract 3.4, 5.8). */
export class FederatedSearchService {
  readonly #ports: SearchServicePorts;
  readonly #limits: SearchLimits;
  readonly #stopwatch = new Stopwatch();

  constructor(ports: SearchServicePorts, limits: SearchLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /**
   * Indexes that have been deleted are skipped, those that lack what the request names are left out.
   *
   * @param body whether the federation exists is asked before its shape is. With a cursor's
   *   token it goes on with that search, as things were when it began
   * @param client whose search it is, for the usage events; absent: nobody's, and none is recorded. The
   *   further pages of a cursor are the same search
   * @param caller who waits for it; the search is given up once nobody does
   * @throws FindlingError `index_not_allowed` if the federation, what the cursor reads or an index that the
   *   body names isn't in the caller's scope, which an earlier look at the request needn't have seen;
   *   `federation_not_found`; then `index_not_found` for such an index, `invalid_request`, `limit_too_large`, `minimum_should_match_too_large`; `query_syntax`,
   *   `field_not_indexed`, `invalid_field_value`, `invalid_order_by` if no index is left; `cursor_expired`
   */
  async search(
    name: string,
    body: unknown,
    authority: Authority,
    client?: RequestClient,
    caller?: SearchCaller,
  ): Promise<SearchResult> {
    const start = this.#stopwatch.start();
    const page = await this.#searched(name, body, { authority, client, caller });
    const seconds = this.#stopwatch.secondsSince(start);
    const durationMs = seconds * 1000;
    this.#ports.metrics.searched({ kind: "federation", durationMs });
    this.#ports.activity.searched({ kind: "federation", name, durationMs, count: page.count, body });
    return { ...page, time_taken: seconds };
  }

  async #searched(name: string, body: unknown, asker: Asker): Promise<SearchPage> {
    const token = cursorTokenOf(body);
    if (token !== undefined) return this.#goOn(name, { token, body, asker });
    this.#ownMembers(name, asker.authority);
    const begunMs = performance.now();
    const request = parseSearchBody(body, this.#limits);
    const { cursor, profile } = request.extensions ?? {};
    const page =
      cursor === true
        ? await this.#openCursor(name, request, asker)
        : profile === true || this.#ports.tracing.isRecording
          ? await this.#timedPage(name, request, { begunMs, body, asker })
          : await this.#page(name, request, asker);
    this.#record(name, asker, request, page.count);
    return page;
  }

  #record(
    federationName: string,
    { authority, client }: Asker,
    { clauses }: SearchRequest,
    count: number,
  ): void {
    if (client === undefined) return;
    const origin = { authority, client };
    this.#ports.recorder.recordSearch({ origin, target: { federationName }, clauses, count });
  }

  /** As it is now: it may have got other indexes since the request was let in. */
  #ownMembers(name: string, authority: Authority): readonly FederatedIndex[] {
    const { catalog } = this.#ports;
    requireFederationInScope(authority, name, memberNamesOf(catalog, name));
    return requireFederation(catalog, name).index_configurations;
  }

  /** Those that the request names have to be in the key's own scope, and to be there: a key may be tied to a federation. */
  #membersFor(
    name: string,
    { extensions: { members: asked } = {} }: SearchRequest,
    authority: Authority,
  ): readonly FederatedIndex[] {
    const own = this.#ownMembers(name, authority);
    if (asked === undefined) return own;
    for (const member of asked) requireIndexInScope(authority, member.name);
    for (const member of asked) requireIndex(this.#ports.catalog, member.name);
    return asked;
  }

  async #page(name: string, request: SearchRequest, asker: Asker): Promise<SearchPage> {
    const { backend } = this.#ports;
    const search = await this.#runCurrent(name, request, asker, (members) =>
      backend.searchFederation(members, asker.caller),
    );
    return pageOf(search, request);
  }

  /** For whoever asked where the time goes, and for traces. */
  async #timedPage(
    name: string,
    request: SearchRequest,
    { begunMs, body, asker }: TimedSearch,
  ): Promise<SearchPage> {
    const { backend, tracing } = this.#ports;
    const readMs = performance.now();
    let compiledMs = readMs;
    const search = await this.#runCurrent(name, request, asker, (members) => {
      compiledMs = performance.now();
      return backend.searchFederation(members.map(profiled), asker.caller);
    });
    const times = { begunMs, readMs, compiledMs, searchedMs: performance.now() };
    const page = pageOf(search, request);
    const phases = search.result?.phases;
    if (tracing.isRecording)
      recordSearch(tracing, times, phases, {
        target: { "findling.federation": name },
        body,
        count: page.count,
        hits: page.hits.length,
      });
    return request.extensions?.profile === true ? { ...page, profile: profileOf(times, phases) } : page;
  }

  async #openCursor(name: string, request: SearchRequest, asker: Asker): Promise<SearchPage> {
    const { backend, cursors } = this.#ports;
    const search = await this.#runCurrent(name, request, asker, (members) =>
      backend.openFederatedSearch(members, asker.caller),
    );
    const { facets } = shownBy(search, request);
    const complete = (page: SearchPage): SearchPage =>
      withLeftOut(withIgnored(page, request), search.members);
    if (search.result === null)
      return complete({ hits: [], count: 0, ...(facets.length === 0 ? {} : { facets }) });
    const schemas = search.members.map(({ context }) => shownSchemaOf(context.schema));
    const paged = {
      target: targetOf(name),
      indexNames: schemas.map(({ name }) => name),
      search: search.result,
      facets,
      limit: request.limit,
      schemas,
      shown: shownPartsOf(request.extensions ?? {}),
    };
    return complete(await cursors.open(paged, asker.caller));
  }

  async #goOn(
    name: string,
    { token, body, asker }: { readonly token: string; readonly body: unknown; readonly asker: Asker },
  ): Promise<SearchPage> {
    const { catalog, cursors } = this.#ports;
    const place = await cursors.find(token, targetOf(name));
    if (place === undefined) requireFederation(catalog, name);
    // The federation may have had other indexes when the cursor was opened.
    else requireFederationInScope(asker.authority, name, place.indexNames);
    const request = parseCursorBody(body, this.#limits);
    if (place === undefined) throw cursorExpired();
    return withIgnored(await cursors.read(place, request.limit, asker.caller), request);
  }

  /** Runs again where an index was replaced or deleted, and its data dropped, before the search had begun. */
  async #runCurrent<Result>(
    name: string,
    request: SearchRequest,
    { authority }: Asker,
    run: (members: readonly FederationMember[]) => Promise<Result>,
  ): Promise<FederatedSearch<Result>> {
    const { catalog, clock } = this.#ports;
    const nowMs = clock.now();
    for (;;) {
      const members = this.#presentOf(this.#membersFor(name, request, authority), request, nowMs);
      if (members.every(({ plan }) => plan === null)) return { members, result: null };
      try {
        const searched = members.map(({ index, plan, weight }) => ({
          storageId: index.storageId,
          plan,
          weight,
        }));
        return { members, result: await run(searched) };
      } catch (error) {
        const areCurrent = members.every(
          ({ index }) => catalog.index(index.schema.name)?.storageId === index.storageId,
        );
        // Ends: each turn takes a replacement of an index, which takes far longer than this.
        if (areCurrent) throw error;
      }
    }
  }

  #presentOf(
    configurations: readonly FederatedIndex[],
    request: SearchRequest,
    nowMs: number,
  ): readonly PresentMember[] {
    const { catalog, queryContexts } = this.#ports;
    const present = configurations.flatMap((configuration) => {
      const index = catalog.index(indexNameOf(catalog, configuration.name));
      if (index === undefined) return [];
      const context = queryContexts.asked(index, request.extensions ?? {});
      return [{ index, context, weight: configuration.weight_multiplier }];
    });
    if (present.length === 0) requireReadable(request, this.#limits.maxQueryDepth);
    const contexts = present.map(({ context }) => context);
    const unordered: string[] = [];
    const plans = compileFederatedSearch(request, contexts, nowMs, (place, reason) => {
      unordered[place] = reason;
    });
    return present.map((member, i) => {
      const reason = unordered[i];
      return { ...member, plan: plans[i] ?? null, ...(reason !== undefined && { unordered: reason }) };
    });
  }
}

function profiled(member: FederationMember): FederationMember {
  return member.plan === null ? member : { ...member, plan: { ...member.plan, profile: true } };
}

function pageOf(search: FederatedSearch<FederatedSearchResult>, request: SearchRequest): SearchPage {
  const { facets, show } = shownBy(search, request);
  const { hits, count } = search.result ?? NOTHING;
  const page = { hits: hits.map(show), count, ...(facets.length === 0 ? {} : { facets }) };
  return withLeftOut(withIgnored(page, request), search.members);
}

/** How the hits of a search are shown, and its facets. */
function shownBy(
  { members, result }: FederatedSearch<Pick<FederatedSearchResult, "facets">>,
  request: SearchRequest,
): {
  readonly facets: NonNullable<SearchResult["facets"]>;
  readonly show: (hit: FederatedHit) => SearchHit;
} {
  const { extensions = {} } = request;
  const found = result?.facets ?? [];
  const facets = shownFacets(
    [...found, ...emptyFacets(members, request, found)],
    extensions,
    members.map(({ context }) => context.schema),
  );
  return { facets, show: (hit) => shownHit(hit, members[hit.memberIndex]!.context.schema, extensions) };
}

/** The page, with the indexes that its order leaves out. */
function withLeftOut(page: SearchPage, members: readonly PresentMember[]): SearchPage {
  const leftOut = members.flatMap(({ unordered: reason, context }) =>
    reason === undefined ? [] : [{ index: context.schema.name, reason }],
  );
  return leftOut.length === 0 ? page : { ...page, left_out: leftOut };
}

function targetOf(federationName: string): string {
  return `federation ${federationName}`;
}

/** Facet fields that only indexes have which are left out: named all the same (contract 3.4). */
function emptyFacets(
  members: readonly PresentMember[],
  { extensions }: SearchRequest,
  facets: FederatedSearchResult["facets"],
): FederatedSearchResult["facets"] {
  const counted = new Set(facets.map(({ field }) => field));
  const fields = members
    .flatMap(({ context }) => Object.entries(context.schema.fields))
    .filter(([name, { type }]) => type === "facet" && (extensions?.facets?.has(name) ?? true))
    .map(([name]) => name);
  return [...new Set(fields)].filter((field) => !counted.has(field)).map((field) => ({ field, nodes: [] }));
}
