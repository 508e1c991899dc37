import { cursorTokenOf, parseCursorBody } from "../../contract/cursor.js";
import type { SearchHit, SearchRequest, SearchResult } from "../../contract/search.js";
import { parseSearchBody, type SearchLimits } from "../../contract/search-body.js";
import type { Catalog, CatalogIndex } from "../../ports/catalog.js";
import type { Clock } from "../../ports/clock.js";
import type { Metrics } from "../../ports/metrics.js";
import type {
  BackendSearchResult,
  SearchBackend,
  SearchCaller,
  StorageId,
} from "../../ports/search-backend.js";
import type { Tracing } from "../../ports/tracing.js";
import { compileSearch } from "../../query/compile-search.js";
import type { SearchPlan } from "../../query/search-plan.js";
import type { SearchedIndex } from "../../query/searched-index.js";
import type { IndexActivity } from "../admin/index-activity.js";
import { indexNameOf, requireIndex } from "../indexes/require-index.js";
import type { MeasureRecorder } from "../measure/measure-recorder.js";
import type { RequestOrigin } from "../measure/request-origin.js";
import { type Cursors, cursorExpired } from "./cursor-store.js";
import type { QueryContexts } from "./query-contexts.js";
import { requireExtensionFields } from "./require-extension-fields.js";
import type { SearchPage } from "./search-page.js";
import { profileOf, recordSearch } from "./search-times.js";
import { shownFacets } from "./shown-facets.js";
import { flatHit, shownHit, shownPartsOf, shownSchemaOf, withIgnored } from "./shown-hit.js";
import { Stopwatch } from "./stopwatch.js";

/** Also of searches of federations. */
export interface SearchServicePorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
  readonly clock: Clock;
  readonly queryContexts: QueryContexts;
  readonly cursors: Cursors;
  readonly recorder: Pick<MeasureRecorder, "recordSearch">;
  readonly metrics: Pick<Metrics, "searched">;
  readonly activity: Pick<IndexActivity, "searched">;
  readonly tracing: Tracing;
}

/** Whose search it is, and who waits for it. */
interface Asker {
  readonly origin: RequestOrigin | undefined;
  readonly caller: SearchCaller | undefined;
}

/** A search whose parts are timed. */
interface TimedSearch {
  readonly begunMs: number;
  readonly body: unknown;
  readonly caller: SearchCaller | undefined;
}

interface CompiledSearch {
  readonly context: SearchedIndex;
  readonly plan: SearchPlan;
}

interface RunSearch<Result> extends CompiledSearch {
  readonly result: Result;
}

/** Searches of one index (contract 3.4). */
export class SearchService {
  readonly #ports: SearchServicePorts;
  readonly #limits: SearchLimits;
  readonly #stopwatch = new Stopwatch();

  constructor(ports: SearchServicePorts, limits: SearchLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /**
   * Without a promise where nothing has to be waited for.
   *
   * @param body whether the index exists is asked before its shape is. With a cursor's
   *   token it goes on with that search, as things were when it began, be the index still there or not
   * @param origin whose search it is, for the usage events; absent: nobody's, and none is recorded. The
   *   further pages of a cursor are the same search
   * @param caller who waits for it; the search is given up once nobody does
   * @throws FindlingError, here or by the promise, `index_not_found`; then `invalid_request`, `limit_too_large`,
   *   `minimum_should_match_too_large`, `query_syntax`, `unknown_field`, `field_not_indexed`,
   *   `invalid_field_value`, `invalid_order_by`, `cursor_expired`
   */
  search(
    indexName: string,
    body: unknown,
    origin?: RequestOrigin,
    caller?: SearchCaller,
  ): SearchResult | Promise<SearchResult> {
    const start = this.#stopwatch.start();
    const page = this.#searched(indexName, body, { origin, caller });
    return page instanceof Promise
      ? page.then((awaited) => this.#timed(awaited, start, indexName, body))
      : this.#timed(page, start, indexName, body);
  }

  #timed(page: SearchPage, start: number, name: string, body: unknown): SearchResult {
    const seconds = this.#stopwatch.secondsSince(start);
    const durationMs = seconds * 1000;
    this.#ports.metrics.searched({ kind: "index", durationMs });
    this.#ports.activity.searched({ kind: "index", name, durationMs, count: page.count, body });
    const { hits, count, facets, cursor, profile, ignored_members: ignored } = page;
    // Nearly all; copying whatever there is goes through the runtime.
    if (facets !== undefined && cursor === undefined && profile === undefined && ignored === undefined)
      return { hits, count, facets, time_taken: seconds };
    return { ...page, time_taken: seconds };
  }

  /**
   * The hits of a request as an index's settings stand, their documents flat, and how many match. Not recorded as a
   * search.
   *
   * @throws FindlingError as `search` does; what the back end throws where the index was replaced since
   */
  async hitsOf(
    index: CatalogIndex,
    request: SearchRequest,
    caller?: SearchCaller,
  ): Promise<{ readonly hits: readonly SearchHit[]; readonly count: number }> {
    const { backend, clock, tracing } = this.#ports;
    const start = this.#stopwatch.start();
    const begunMs = performance.now();
    const { context, plan } = this.#compile(index, request, clock.now());
    const compiledMs = performance.now();
    const timed: SearchPlan = tracing.isRecording ? { ...plan, profile: true } : plan;
    const { hits, count, phases } = await backend.search(index.storageId, timed, caller);
    const shown = hits.map((hit) => flatHit(hit, context.schema, request.extensions));
    if (tracing.isRecording) {
      const times = { begunMs, readMs: begunMs, compiledMs, searchedMs: performance.now() };
      const target = { "findling.index": context.schema.name };
      recordSearch(tracing, times, phases, { target, body: request.clauses, count, hits: hits.length });
    }
    const durationMs = this.#stopwatch.secondsSince(start) * 1000;
    this.#ports.metrics.searched({ kind: "summary", durationMs });
    return { hits: shown, count };
  }

  #searched(indexName: string, body: unknown, { origin, caller }: Asker): SearchPage | Promise<SearchPage> {
    const token = cursorTokenOf(body);
    if (token !== undefined) return this.#goOn(indexName, { token, body, caller });
    requireIndex(this.#ports.catalog, indexName);
    const begunMs = performance.now();
    const request = parseSearchBody(body, this.#limits);
    const { cursor, profile } = request.extensions ?? {};
    const page =
      cursor === true
        ? this.#openCursor(indexName, request, caller).then((first) => withIgnored(first, request))
        : profile === true || this.#ports.tracing.isRecording
          ? this.#timedPage(indexName, request, { begunMs, body, caller })
          : this.#page(indexName, request, caller);
    if (!(page instanceof Promise)) return this.#recorded(indexName, origin, page, request);
    return page.then((awaited) => this.#recorded(indexName, origin, awaited, request));
  }

  #recorded(
    indexName: string,
    origin: RequestOrigin | undefined,
    page: SearchPage,
    { clauses }: SearchRequest,
  ): SearchPage {
    if (origin !== undefined)
      this.#ports.recorder.recordSearch({
        origin,
        target: { indexName: indexNameOf(this.#ports.catalog, indexName) },
        clauses,
        count: page.count,
      });
    return page;
  }

  #page(
    indexName: string,
    request: SearchRequest,
    caller: SearchCaller | undefined,
  ): SearchPage | Promise<SearchPage> {
    const { backend } = this.#ports;
    const search = this.#runCurrent(indexName, request, (storageId, compiled) =>
      backend.search(storageId, compiled, caller),
    );
    return search instanceof Promise
      ? search.then((awaited) => pageOf(awaited, request))
      : pageOf(search, request);
  }

  /** For whoever asked where the time goes, and for traces. */
  async #timedPage(
    indexName: string,
    request: SearchRequest,
    { begunMs, body, caller }: TimedSearch,
  ): Promise<SearchPage> {
    const { backend, tracing } = this.#ports;
    const readMs = performance.now();
    let compiledMs = readMs;
    const search = await this.#runCurrent(indexName, request, (storageId, plan) => {
      compiledMs = performance.now();
      return backend.search(storageId, { ...plan, profile: true }, caller);
    });
    const times = { begunMs, readMs, compiledMs, searchedMs: performance.now() };
    const page = pageOf(search, request);
    const { phases } = search.result;
    if (tracing.isRecording)
      recordSearch(tracing, times, phases, {
        target: { "findling.index": search.context.schema.name },
        body,
        count: page.count,
        hits: page.hits.length,
      });
    return request.extensions?.profile === true ? { ...page, profile: profileOf(times, phases) } : page;
  }

  async #openCursor(
    indexName: string,
    request: SearchRequest,
    caller: SearchCaller | undefined,
  ): Promise<SearchPage> {
    const { backend, cursors } = this.#ports;
    const { extensions = {}, limit } = request;
    const { result, context } = await this.#runCurrent(indexName, request, (storageId, compiled) =>
      backend.openSearch(storageId, compiled, caller),
    );
    const paged = {
      target: targetOf(indexName),
      indexNames: [indexName],
      search: result,
      facets: shownFacets(result.facets, extensions, [context.schema]),
      limit,
      schemas: [shownSchemaOf(context.schema)],
      shown: shownPartsOf(extensions),
    };
    return cursors.open(paged, caller);
  }

  async #goOn(
    indexName: string,
    {
      token,
      body,
      caller,
    }: { readonly token: string; readonly body: unknown; readonly caller: SearchCaller | undefined },
  ): Promise<SearchPage> {
    const { catalog, cursors } = this.#ports;
    const place = await cursors.find(token, targetOf(indexName));
    if (place === undefined) requireIndex(catalog, indexName);
    const request = parseCursorBody(body, this.#limits);
    if (place === undefined) throw cursorExpired();
    return withIgnored(await cursors.read(place, request.limit, caller), request);
  }

  /** Runs again where the index was replaced, and its data dropped, before the search had begun. */
  #runCurrent<Result>(
    indexName: string,
    request: SearchRequest,
    run: (storageId: StorageId, plan: SearchPlan) => Result | Promise<Result>,
    nowMs: number = this.#ports.clock.now(),
  ): RunSearch<Result> | Promise<RunSearch<Result>> {
    const { catalog } = this.#ports;
    const index = requireIndex(catalog, indexName);
    const { context, plan } = this.#compile(index, request, nowMs);
    // Ends: each turn takes a replacement of the index, which takes far longer than this.
    const again = (error: unknown): RunSearch<Result> | Promise<RunSearch<Result>> => {
      if (requireIndex(catalog, indexName).storageId === index.storageId) throw error;
      return this.#runCurrent(indexName, request, run, nowMs);
    };
    let result: Result | Promise<Result>;
    try {
      result = run(index.storageId, plan);
    } catch (error) {
      return again(error);
    }
    return result instanceof Promise
      ? result.then((awaited) => ({ context, plan, result: awaited }), again)
      : { context, plan, result };
  }

  #compile(index: CatalogIndex, request: SearchRequest, nowMs: number): CompiledSearch {
    const { extensions } = request;
    const { queryContexts } = this.#ports;
    const context =
      extensions === undefined ? queryContexts.of(index) : queryContexts.asked(index, extensions);
    if (extensions !== undefined) requireExtensionFields(extensions, context.schema);
    return { context, plan: compileSearch(request, context, nowMs) };
  }
}

function targetOf(indexName: string): string {
  return `index ${indexName}`;
}

function pageOf({ result, context }: RunSearch<BackendSearchResult>, request: SearchRequest): SearchPage {
  const facets = shownFacets(result.facets, request.extensions ?? {}, [context.schema]);
  const { count } = result;
  const hits = result.hits.map((hit) => shownHit(hit, context.schema, request.extensions));
  const page = facets.length === 0 ? { hits, count } : { hits, count, facets };
  return withIgnored(page, request);
}
