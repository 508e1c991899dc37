import Type, { type TSchema } from "typebox";
import { GRANULARITIES, type Granularity } from "./measure-query.js";
import { schemaOf } from "./wire-schema.js";

/** What a dashboard is about. Times are Unix seconds, the end exclusive. */
interface DashboardRange {
  readonly date_start: number;
  readonly date_end: number;
}

/** Which part of the term lists an answer holds. */
interface DashboardPage {
  readonly page: number;
  readonly rpp: number;
  /** Terms in the whole list, searched at least once. */
  readonly total_search_terms: number;
}

export interface SummaryDashboard extends DashboardRange, DashboardPage {
  readonly granularity: Granularity;
  readonly total_searches: number;
  readonly total_clicks: number;
  /** Clicks for each search; 0 without searches. May exceed 1. */
  readonly click_through_rate: number;
  readonly active_users: number;
  readonly total_sessions: number;
  readonly searches_without_results: number;
  readonly popular_search_terms: readonly SearchTermCount[];
  readonly searches_over_time: readonly SearchesInBucket[];
  /** Extension: the most searched first, each without results. */
  readonly search_terms_without_results: readonly SearchTermCount[];
  /** Extension. */
  readonly total_search_terms_without_results: number;
  /** Extension, as content management systems read it: people who were active on the last day of the range. */
  readonly daily_active_users: number;
  /** Extension, likewise: within the range's last 30 days. */
  readonly monthly_active_users: number;
  /** Extension, likewise: what `searches_over_time` holds. */
  readonly searches_chart: SearchesChart;
}

/** A chart of one series, as content management systems draw it. */
export interface SearchesChart {
  readonly series: readonly [
    {
      readonly name: string;
      /** The bucket's start in Unix seconds, and its searches. */
      readonly data: readonly (readonly [number, number])[];
    },
  ];
}

export interface SearchTermCount {
  readonly search_term: string;
  readonly count: number;
  /** Extension, as content management systems read it: `search_term`. */
  readonly term: string;
  /** Extension, likewise: `count`. */
  readonly quantity: number;
}

export interface SearchesInBucket {
  /** The bucket's start in Unix seconds. */
  readonly timestamp: number;
  readonly count: number;
}

export interface ConversionDashboard extends DashboardRange, DashboardPage {
  readonly granularity: Granularity;
  readonly total_searches: number;
  readonly total_clicks: number;
  readonly click_through_rate: number;
  readonly click_through_rate_chart: readonly ConversionInBucket[];
  readonly popular_search_terms: readonly SearchTermConversion[];
  readonly unpopular_search_terms: readonly SearchTermConversion[];
  readonly devices: readonly DeviceCount[];
  readonly sessions: SessionCounts;
}

export interface ConversionInBucket {
  readonly timestamp: number;
  readonly searches: number;
  readonly clicks: number;
  readonly click_through_rate: number;
}

export interface SearchTermConversion {
  readonly search_term: string;
  readonly searches: number;
  readonly clicks: number;
  readonly click_through_rate: number;
  /** Null if no click says at which position it was. */
  readonly average_click_position: number | null;
}

export interface DeviceCount {
  readonly name: string;
  readonly count: number;
}

export interface SessionCounts {
  readonly total_sessions: number;
  readonly sessions_with_search: number;
  readonly sessions_with_click: number;
  /** Searches that belong to a session, for each session with a search; 0 without any. */
  readonly average_searches_per_session: number;
}

export interface UsageDashboard extends DashboardRange {
  readonly total_searches: number;
  readonly total_searches_in_billing_period: number;
  /** Extension: the UTC calendar month that contains `date_end`, Unix seconds, the end exclusive. */
  readonly billing_period_start: number;
  readonly billing_period_end: number;
}

/** Extension: searches by what they came from. */
export interface BreakdownDashboard extends DashboardRange {
  readonly by: string;
  readonly total_searches: number;
  readonly rows: readonly BreakdownShare[];
  readonly page: number;
  readonly rpp: number;
  readonly total_rows: number;
}

export interface BreakdownShare {
  /** Null where the events don't say. */
  readonly name: string | null;
  /** The country of a city or a region; absent elsewhere. */
  readonly country?: string | null;
  /** The region of a city; absent elsewhere. */
  readonly region?: string | null;
  readonly searches: number;
  /** The part of all searches, 0 to 1. */
  readonly share: number;
  readonly clicks: number;
  /** Null if not one click was tracked there: people click nothing, or clicks are not sent. */
  readonly click_through_rate: number | null;
  readonly active_users: number;
}

const count = Type.Integer({ minimum: 0 });
const rate = Type.Number({ minimum: 0, description: "Clicks for each search; 0 without searches." });
const seconds = Type.Number({ description: "Unix seconds." });
const range = { date_start: seconds, date_end: seconds };
const granularity = Type.Enum([...GRANULARITIES]);
const paging = {
  page: Type.Integer(),
  rpp: Type.Integer(),
  total_search_terms: Type.Integer({ description: "Terms in the whole list." }),
};

const searchTermCount = Type.Object({
  search_term: Type.String(),
  count,
  term: Type.String({ description: "Extension: `search_term`, as content management systems read it." }),
  quantity: Type.Integer({ minimum: 0, description: "Extension: `count`, likewise." }),
});
const RANGE_EXAMPLE = { date_start: 1_700_000_000, date_end: 1_702_592_000 };
const PAGE_EXAMPLE = { page: 1, rpp: 10, total_search_terms: 31 };

export const summaryDashboardSchema: TSchema = schemaOf<SummaryDashboard>()(
  Type.Object(
    {
      ...range,
      granularity,
      total_searches: count,
      total_clicks: count,
      click_through_rate: rate,
      active_users: count,
      total_sessions: count,
      searches_without_results: count,
      popular_search_terms: Type.Array(searchTermCount),
      searches_over_time: Type.Array(Type.Object({ timestamp: seconds, count })),
      search_terms_without_results: Type.Array(searchTermCount, { description: "Extension." }),
      total_search_terms_without_results: count,
      daily_active_users: Type.Integer({
        minimum: 0,
        description: "Extension: people who were active on the last day of the range.",
      }),
      monthly_active_users: Type.Integer({
        minimum: 0,
        description: "Extension: likewise within its last 30 days.",
      }),
      searches_chart: Type.Object(
        {
          series: Type.Tuple([
            Type.Object({ name: Type.String(), data: Type.Array(Type.Tuple([seconds, count])) }),
          ]),
        },
        { description: "Extension: `searches_over_time` as pairs, as content management systems draw it." },
      ),
      ...paging,
    },
    {
      examples: [
        {
          ...RANGE_EXAMPLE,
          granularity: "days",
          total_searches: 120,
          total_clicks: 30,
          click_through_rate: 0.25,
          active_users: 17,
          total_sessions: 22,
          searches_without_results: 4,
          popular_search_terms: [{ search_term: "shoes", count: 40, term: "shoes", quantity: 40 }],
          searches_over_time: [{ timestamp: 1_700_006_400, count: 5 }],
          search_terms_without_results: [{ search_term: "shoos", count: 2, term: "shoos", quantity: 2 }],
          total_search_terms_without_results: 3,
          daily_active_users: 3,
          monthly_active_users: 17,
          searches_chart: { series: [{ name: "searches", data: [[1_700_006_400, 5]] }] },
          ...PAGE_EXAMPLE,
        },
      ],
    },
  ),
);

const searchTermConversion = Type.Object({
  search_term: Type.String(),
  searches: count,
  clicks: count,
  click_through_rate: rate,
  average_click_position: Type.Union([Type.Number(), Type.Null()]),
});

export const conversionDashboardSchema: TSchema = schemaOf<ConversionDashboard>()(
  Type.Object(
    {
      ...range,
      granularity,
      total_searches: count,
      total_clicks: count,
      click_through_rate: rate,
      click_through_rate_chart: Type.Array(
        Type.Object({ timestamp: seconds, searches: count, clicks: count, click_through_rate: rate }),
      ),
      popular_search_terms: Type.Array(searchTermConversion),
      unpopular_search_terms: Type.Array(searchTermConversion),
      devices: Type.Array(
        Type.Object({ name: Type.String({ description: "The events' `user.os`." }), count }),
      ),
      sessions: Type.Object({
        total_sessions: count,
        sessions_with_search: count,
        sessions_with_click: count,
        average_searches_per_session: Type.Number({ minimum: 0 }),
      }),
      ...paging,
    },
    {
      examples: [
        {
          ...RANGE_EXAMPLE,
          granularity: "days",
          total_searches: 120,
          total_clicks: 30,
          click_through_rate: 0.25,
          click_through_rate_chart: [
            { timestamp: 1_700_006_400, searches: 5, clicks: 1, click_through_rate: 0.2 },
          ],
          popular_search_terms: [
            {
              search_term: "shoes",
              searches: 40,
              clicks: 12,
              click_through_rate: 0.3,
              average_click_position: 2.5,
            },
          ],
          unpopular_search_terms: [
            {
              search_term: "zzz",
              searches: 1,
              clicks: 0,
              click_through_rate: 0,
              average_click_position: null,
            },
          ],
          devices: [{ name: "Mac", count: 60 }],
          sessions: {
            total_sessions: 22,
            sessions_with_search: 20,
            sessions_with_click: 9,
            average_searches_per_session: 6,
          },
          ...PAGE_EXAMPLE,
        },
      ],
    },
  ),
);

export const usageDashboardSchema: TSchema = schemaOf<UsageDashboard>()(
  Type.Object(
    {
      ...range,
      total_searches: count,
      total_searches_in_billing_period: Type.Integer({
        minimum: 0,
        description: "In the UTC calendar month that contains `date_end`.",
      }),
      billing_period_start: seconds,
      billing_period_end: seconds,
    },
    {
      examples: [
        {
          ...RANGE_EXAMPLE,
          total_searches: 120,
          total_searches_in_billing_period: 45,
          billing_period_start: 1_701_388_800,
          billing_period_end: 1_704_067_200,
        },
      ],
    },
  ),
);

const nullableText = Type.Union([Type.String(), Type.Null()]);

export const breakdownDashboardSchema: TSchema = schemaOf<BreakdownDashboard>()(
  Type.Object(
    {
      ...range,
      by: Type.String(),
      total_searches: count,
      rows: Type.Array(
        Type.Object({
          name: Type.Union([Type.String(), Type.Null()], { description: "Null where the events don't say." }),
          country: Type.Optional(nullableText),
          region: Type.Optional(nullableText),
          searches: count,
          share: Type.Number({ minimum: 0, maximum: 1, description: "Of all searches." }),
          clicks: count,
          click_through_rate: Type.Union([Type.Number({ minimum: 0 }), Type.Null()], {
            description: "Null if no click was tracked.",
          }),
          active_users: count,
        }),
      ),
      page: Type.Integer(),
      rpp: Type.Integer(),
      total_rows: Type.Integer(),
    },
    {
      examples: [
        {
          ...RANGE_EXAMPLE,
          by: "country",
          total_searches: 120,
          rows: [
            {
              name: "PT",
              searches: 60,
              share: 0.5,
              clicks: 15,
              click_through_rate: 0.25,
              active_users: 9,
            },
          ],
          page: 1,
          rpp: 10,
          total_rows: 7,
        },
      ],
    },
  ),
);
