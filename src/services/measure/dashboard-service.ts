import type {
  BreakdownDashboard,
  ConversionDashboard,
  SearchTermConversion,
  SearchTermCount,
  SummaryDashboard,
  UsageDashboard,
} from "../../contract/measure-answers.js";
import {
  type BreakdownDimension,
  type DashboardQuery,
  parseBreakdownDimension,
  parseDashboardQuery,
  queriedIndexNames,
  type UrlQuery,
  wireDimension,
} from "../../contract/measure-query.js";
import { FindlingError } from "../../errors/index.js";
import type { Clock } from "../../ports/clock.js";
import type {
  BreakdownRow,
  EventFilter,
  EventStore,
  EventTotals,
  Page,
  TermCounts,
  TimeBucket,
} from "../../ports/event-store.js";
import type { Authority } from "../authority/authority.js";
import {
  type MeasuredCatalog,
  namedByIndex,
  requireMeasuredInScope,
  visibleEvents,
} from "./measure-scope.js";
import { NOTHING_MEASURED } from "./nothing-measured.js";
import { bucketStarts, monthOf } from "./time-buckets.js";

export interface DashboardServicePorts {
  /** Null: measuring is off, and every dashboard is empty whatever is asked. */
  readonly store: EventStore | null;
  /** Why nothing can be kept though measuring isn't off, as every answer says then. */
  readonly missing?: string | null | undefined;
  readonly catalog: MeasuredCatalog;
  readonly clock: Clock;
}

/** Operating systems that one answer names, the most used first. */
const DEVICES_MAX = 1_000;

interface Question {
  readonly query: DashboardQuery;
  readonly filter: EventFilter;
  readonly page: Page;
  readonly store: DashboardStore;
}

type DashboardStore = Pick<EventStore, "totals" | "countSearches" | "overTime" | "terms" | "breakdown">;

/**
 * What usage events tell (contract 3.10). Every method takes the members of the URL's query, and
 *
 * @throws FindlingError `index_not_allowed`; then `invalid_request`; `storage_unavailable`
 */
export class DashboardService {
  readonly #ports: DashboardServicePorts;

  constructor(ports: DashboardServicePorts) {
    this.#ports = ports;
  }

  async summary(urlQuery: UrlQuery, authority: Authority): Promise<SummaryDashboard> {
    const question = this.#question(urlQuery, authority);
    const { store, filter, page, query } = question;
    const starts = bucketStartsOf(question);
    const [totals, day, month, buckets, { popular, withoutResults }] = await Promise.all([
      store.totals(filter),
      store.totals(lastPart(filter, DAY_MS)),
      store.totals(lastPart(filter, MONTH_MS)),
      store.overTime(filter, query.granularity),
      store.terms(filter, ["popular", "withoutResults"], page),
    ]);
    const searchesOverTime = filled(starts, buckets, ({ start, searches }) => ({
      timestamp: start / 1000,
      count: searches,
    }));
    return {
      ...rangeOf(filter),
      granularity: query.granularity,
      total_searches: totals.searches,
      total_clicks: totals.clicks,
      click_through_rate: rate(totals),
      active_users: totals.activeUsers,
      total_sessions: totals.sessions,
      searches_without_results: totals.searchesWithoutResults,
      popular_search_terms: popular.terms.map(termCount),
      searches_over_time: searchesOverTime,
      search_terms_without_results: withoutResults.terms.map(termCount),
      total_search_terms_without_results: withoutResults.total,
      daily_active_users: day.activeUsers,
      monthly_active_users: month.activeUsers,
      searches_chart: {
        series: [
          { name: "searches", data: searchesOverTime.map(({ timestamp, count }) => [timestamp, count]) },
        ],
      },
      ...pageOf(query),
      total_search_terms: popular.total,
    };
  }

  async conversion(urlQuery: UrlQuery, authority: Authority): Promise<ConversionDashboard> {
    const question = this.#question(urlQuery, authority);
    const { store, filter, page, query } = question;
    const starts = bucketStartsOf(question);
    const [totals, buckets, { popular, unpopular }, devices] = await Promise.all([
      store.totals(filter),
      store.overTime(filter, query.granularity),
      store.terms(filter, ["popular", "unpopular"], page),
      store.breakdown(filter, "os", { offset: 0, limit: DEVICES_MAX }),
    ]);
    return {
      ...rangeOf(filter),
      granularity: query.granularity,
      total_searches: totals.searches,
      total_clicks: totals.clicks,
      click_through_rate: rate(totals),
      click_through_rate_chart: filled(starts, buckets, ({ start, searches, clicks }) => ({
        timestamp: start / 1000,
        searches,
        clicks,
        click_through_rate: rate({ searches, clicks }),
      })),
      popular_search_terms: popular.terms.map(termConversion),
      unpopular_search_terms: unpopular.terms.map(termConversion),
      // A search that doesn't say which system it came from is of no device.
      devices: devices.rows.flatMap(({ path: [name], searches }) =>
        name === undefined || name === "" ? [] : [{ name, count: searches }],
      ),
      sessions: {
        total_sessions: totals.sessions,
        sessions_with_search: totals.sessionsWithSearch,
        sessions_with_click: totals.sessionsWithClick,
        average_searches_per_session:
          totals.sessionsWithSearch === 0 ? 0 : totals.searchesInSessions / totals.sessionsWithSearch,
      },
      ...pageOf(query),
      total_search_terms: popular.total,
    };
  }

  async usage(urlQuery: UrlQuery, authority: Authority): Promise<UsageDashboard> {
    const { store, filter } = this.#question(urlQuery, authority);
    const period = monthOf(filter.to);
    const [total, inPeriod] = await Promise.all([
      store.countSearches(filter),
      store.countSearches({ ...filter, ...period }),
    ]);
    return {
      ...rangeOf(filter),
      total_searches: total,
      total_searches_in_billing_period: inPeriod,
      billing_period_start: period.from / 1000,
      billing_period_end: period.to / 1000,
    };
  }

  /** Extension: searches by system, place, language and the like. */
  async breakdown(urlQuery: UrlQuery, authority: Authority): Promise<BreakdownDashboard> {
    const { store, filter, page, query } = this.#question(urlQuery, authority);
    const dimension = this.#ports.store === null ? "os" : parseBreakdownDimension(urlQuery);
    const [total, breakdown] = await Promise.all([
      store.countSearches(filter),
      store.breakdown(filter, dimension, page),
    ]);
    return {
      ...rangeOf(filter),
      by: wireDimension(dimension),
      total_searches: total,
      rows: breakdown.rows.map((row) => ({
        ...placeOf(row, dimension),
        searches: row.searches,
        share: total === 0 ? 0 : row.searches / total,
        clicks: row.clicks,
        click_through_rate: row.clicks === 0 ? null : row.clicks / row.searches,
        active_users: row.users,
      })),
      ...pageOf(query),
      total_rows: breakdown.total,
    };
  }

  #question(urlQuery: UrlQuery, authority: Authority): Question {
    const { store, missing, catalog, clock } = this.#ports;
    if (typeof missing === "string") throw new FindlingError("not_supported", missing);
    // Off means that nothing is looked at but the key (contract 3.10).
    if (store !== null) requireMeasuredInScope(queriedIndexNames(urlQuery), authority, catalog);
    const query = parseDashboardQuery(store === null ? {} : urlQuery, clock.now());
    const { selection, rpp, page, collapsesTyping } = query;
    return {
      query,
      filter: {
        ...namedByIndex(selection, catalog),
        visible: visibleEvents(authority, catalog),
        collapsesTyping,
      },
      page: { offset: (page - 1) * rpp, limit: rpp },
      store: store ?? NOTHING_MEASURED,
    };
  }
}

/** None where there is no store, so that every list is empty. */
function bucketStartsOf({ filter, query, store }: Question): readonly number[] {
  return store === NOTHING_MEASURED ? [] : bucketStarts(filter, query.granularity);
}

/** A row for each bucket, also for those that the store has nothing of. */
function filled<Row>(
  starts: readonly number[],
  buckets: readonly TimeBucket[],
  row: (bucket: TimeBucket) => Row,
): readonly Row[] {
  const known = new Map(buckets.map((bucket) => [bucket.start, bucket]));
  return starts.map((start) => row(known.get(start) ?? { start, searches: 0, clicks: 0 }));
}

function rangeOf({ from, to }: EventFilter): { readonly date_start: number; readonly date_end: number } {
  return { date_start: from / 1000, date_end: to / 1000 };
}

/** The end of a range, or all of it if it is shorter. */
function lastPart(filter: EventFilter, lengthMs: number): EventFilter {
  return { ...filter, from: Math.max(filter.from, filter.to - lengthMs) };
}

const DAY_MS = 86_400_000;
const MONTH_MS = 30 * DAY_MS;

function pageOf({ page, rpp }: DashboardQuery): { readonly page: number; readonly rpp: number } {
  return { page, rpp };
}

function rate({ searches, clicks }: Pick<EventTotals, "searches" | "clicks">): number {
  return searches === 0 ? 0 : clicks / searches;
}

function termCount({ term, searches }: TermCounts): SearchTermCount {
  return { search_term: term, count: searches, term, quantity: searches };
}

function termConversion(counts: TermCounts): SearchTermConversion {
  return {
    search_term: counts.term,
    searches: counts.searches,
    clicks: counts.clicks,
    click_through_rate: rate(counts),
    average_click_position: counts.averageClickPosition,
  };
}

/** The row's name, with those of the places that it lies in. */
function placeOf(
  { path }: BreakdownRow,
  dimension: BreakdownDimension,
): { readonly name: string | null; readonly country?: string | null; readonly region?: string | null } {
  const [first = null, second = null, third = null] = path.map((name) => (name === "" ? null : name));
  if (dimension === "city") return { name: third, country: first, region: second };
  if (dimension === "region") return { name: second, country: first };
  return { name: first };
}
