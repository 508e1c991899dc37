import type { BreakdownQuery, MeasureQuery } from "../../client/index.js";
import { type ConnectionOptions, connect } from "../connection.js";
import { formatCount } from "../terminal/format-amount.js";
import { formatTable } from "../terminal/format-table.js";
import type { Output } from "../terminal/output.js";

export interface DashboardOptions extends ConnectionOptions {
  readonly from?: string;
  readonly until?: string;
  readonly index?: readonly string[];
  readonly granularity?: NonNullable<MeasureQuery["granularity"]>;
  readonly rows: number;
  readonly page: number;
}

/** `findling dashboards summary`: how much is searched, and what for. */
export async function runSummaryDashboard(options: DashboardOptions, output: Output): Promise<void> {
  const { client } = await connect(options);
  const dashboard = await client.getSummaryDashboard(queryOf(options));
  const counts = (terms: typeof dashboard.popular_search_terms): string =>
    formatTable(
      ["term", "searches"],
      terms.map(({ search_term: term, count }) => [term, formatCount(count)]),
    );
  output.result(
    dashboard,
    [
      figures([
        ["searches", dashboard.total_searches],
        ["clicks", dashboard.total_clicks],
        ["searches without results", dashboard.searches_without_results],
        ["sessions", dashboard.total_sessions],
        ["active users", dashboard.active_users],
      ]),
      counts(dashboard.popular_search_terms),
      "Without results:",
      counts(dashboard.search_terms_without_results),
    ].join("\n\n"),
  );
}

/** `findling dashboards conversion`: what is clicked. */
export async function runConversionDashboard(options: DashboardOptions, output: Output): Promise<void> {
  const { client } = await connect(options);
  const dashboard = await client.getConversionDashboard(queryOf(options));
  const rows = dashboard.popular_search_terms.map((each) => [
    each.search_term,
    formatCount(each.searches),
    formatCount(each.clicks),
    percent(each.click_through_rate),
  ]);
  output.result(
    dashboard,
    [
      figures([
        ["searches", dashboard.total_searches],
        ["clicks", dashboard.total_clicks],
      ]),
      formatTable(["term", "searches", "clicks", "clicks a search"], rows),
    ].join("\n\n"),
  );
}

/** `findling dashboards usage`: searches, also of the month that is billed. */
export async function runUsageDashboard(options: DashboardOptions, output: Output): Promise<void> {
  const { client } = await connect(options);
  const dashboard = await client.getUsageDashboard(queryOf(options));
  output.result(
    dashboard,
    figures([
      ["searches", dashboard.total_searches],
      ["searches in the calendar month", dashboard.total_searches_in_billing_period],
    ]),
  );
}

/** `findling dashboards breakdown`: searches by where they came from. */
export async function runBreakdownDashboard(
  options: DashboardOptions & { readonly by: NonNullable<BreakdownQuery["by"]> },
  output: Output,
): Promise<void> {
  const { client } = await connect(options);
  const dashboard = await client.getBreakdownDashboard({ ...queryOf(options), by: options.by });
  const rows = dashboard.rows.map(({ name, searches, share, clicks }) => [
    name ?? "(unknown)",
    formatCount(searches),
    percent(share),
    formatCount(clicks),
  ]);
  output.result(dashboard, formatTable([options.by, "searches", "share", "clicks"], rows));
}

function queryOf({ from, until, index, granularity, rows, page }: DashboardOptions): MeasureQuery {
  return {
    ...(from !== undefined && { date_start: from }),
    ...(until !== undefined && { date_end: until }),
    ...(index !== undefined && { index_names: index }),
    ...(granularity !== undefined && { granularity }),
    rpp: rows,
    page,
  };
}

function figures(pairs: readonly (readonly [string, number])[]): string {
  return pairs.map(([name, count]) => `${name}: ${formatCount(count)}`).join("\n");
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
