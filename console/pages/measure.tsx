import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState } from "react";
import { Link, useSearchParams } from "wouter";
import type { BreakdownQuery, MeasureQuery, SummaryDashboard } from "../../src/client/index.js";
import { csvOf } from "../api/csv.js";
import { useIndexNames } from "../api/queries.js";
import { useSession } from "../api/session.js";
import { AddSynonym } from "../panels/add-synonym.js";
import { ClickPositions } from "../panels/click-positions.js";
import { texts } from "../texts.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { saveFile } from "../ui/download.js";
import { SelectField } from "../ui/field.js";
import { Figure } from "../ui/figure.js";
import { formatNumber, formatShare, formatShort } from "../ui/format.js";
import { Empty, Failure, Loading } from "../ui/states.js";

const Chart = lazy(() => import("../ui/chart.js"));
const text = texts.measure;
const DAY_SECONDS = 86_400;
const ROWS = 15;
const GROWTH_MAX = 10;

type Period = keyof typeof text.periods;
type Dimension = keyof typeof text.dimensions;
type UserType = keyof typeof text.userTypes;

export default function MeasurePage() {
  const { client, may } = useSession();
  const [params, setParams] = useSearchParams();
  const { data: names = [] } = useIndexNames();
  const period = (params.get("days") ?? "30") as Period;
  const index = params.get("index") ?? "";
  const userType = (params.get("users") ?? "") as UserType;
  const set = (name: string, value: string) => {
    const next = new URLSearchParams(params);
    if (value === "") next.delete(name);
    else next.set(name, value);
    setParams(next);
  };
  const status = useQuery({ queryKey: ["measure-status"], queryFn: () => client.getMeasureStatus() });
  const [now] = useState(() => Math.ceil(Date.now() / 3_600_000) * 3_600);
  const days = Number(period in text.periods ? period : "30");
  // Keys of some indexes alone are refused what is about all.
  const chosen = index !== "" ? index : may.everything ? "" : (names[0] ?? "");
  const query = useMemo((): MeasureQuery => {
    return {
      date_start: now - days * DAY_SECONDS,
      date_end: now,
      granularity: days <= 2 ? "hours" : days > 120 ? "weeks" : "days",
      rpp: ROWS,
      collapse_typing: true,
      ...(chosen === "" ? {} : { index_names: [chosen] }),
      ...(userType === "" ? {} : { user_type: userType }),
    };
  }, [now, days, chosen, userType]);
  const before = useMemo(
    () => ({ ...query, date_start: now - 2 * days * DAY_SECONDS, date_end: now - days * DAY_SECONDS }),
    [query, now, days],
  );
  const isReady = may.everything || chosen !== "";
  return (
    <div className="page">
      <div className="page-head">
        <h1>{text.title}</h1>
        <div className="grow" />
        <SelectField
          label={texts.index}
          isLabelHidden
          value={chosen}
          onChange={(event) => set("index", event.target.value)}
        >
          {may.everything && <option value="">{text.allIndexes}</option>}
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
        <SelectField
          label={text.filterUser}
          isLabelHidden
          value={userType}
          onChange={(event) => set("users", event.target.value)}
        >
          {(Object.keys(text.userTypes) as UserType[]).map((value) => (
            <option key={value} value={value}>
              {text.userTypes[value]}
            </option>
          ))}
        </SelectField>
        <SelectField
          label={text.period}
          isLabelHidden
          value={String(days)}
          onChange={(event) => set("days", event.target.value)}
        >
          {(Object.keys(text.periods) as Period[]).map((value) => (
            <option key={value} value={value}>
              {text.periods[value]}
            </option>
          ))}
        </SelectField>
      </div>
      {status.data?.enabled === false ? (
        <Empty title={text.off} />
      ) : (
        isReady && <Dashboards query={query} before={before} index={chosen} />
      )}
    </div>
  );
}

interface DashboardProps {
  readonly query: MeasureQuery;
  readonly before: MeasureQuery;
  readonly index: string;
}

function Dashboards({ query, before, index }: DashboardProps) {
  const { client } = useSession();
  const key = JSON.stringify(query);
  const summary = useQuery({
    queryKey: ["measure-summary", key],
    queryFn: ({ signal }) => client.getSummaryDashboard(query, { signal }),
  });
  const earlier = useQuery({
    queryKey: ["measure-summary", JSON.stringify(before)],
    queryFn: ({ signal }) => client.getSummaryDashboard(before, { signal }),
  });
  const conversion = useQuery({
    queryKey: ["measure-conversion", key],
    queryFn: ({ signal }) => client.getConversionDashboard(query, { signal }),
  });
  if (summary.error !== null) return <Failure error={summary.error} onRetry={() => void summary.refetch()} />;
  const { data } = summary;
  if (data === undefined) return <Loading lines={8} />;
  return (
    <>
      <Figures now={data} before={earlier.data} />
      {data.total_searches === 0 ? (
        <Empty title={text.nothing} />
      ) : (
        <>
          <div className="columns">
            <OverTime now={data} before={earlier.data} />
            {conversion.data !== undefined && (
              <section className="card stack">
                <h2>{text.conversion}</h2>
                <Suspense fallback={<Loading />}>
                  <Chart
                    label={text.conversion}
                    times={conversion.data.click_through_rate_chart.map(({ timestamp }) => timestamp)}
                    series={[
                      {
                        label: text.rate,
                        values: conversion.data.click_through_rate_chart.map(
                          (bucket) => bucket.click_through_rate,
                        ),
                      },
                    ]}
                    format={formatShare}
                  />
                </Suspense>
              </section>
            )}
          </div>
          <div className="columns">
            <WithoutResults data={data} index={index} />
            <TermTable
              title={text.popular}
              file="popular-terms"
              header={[text.term, text.searches]}
              rows={data.popular_search_terms.map((term) => [term.search_term, term.count])}
              index={index}
            />
          </div>
          {conversion.data !== undefined && (
            <div className="columns">
              <TermTable
                title={text.converting}
                file="terms-and-clicks"
                header={[text.term, text.searches, text.rate, text.position]}
                rows={conversion.data.popular_search_terms.map((term) => [
                  term.search_term,
                  term.searches,
                  formatShare(term.click_through_rate),
                  term.average_click_position === null ? null : term.average_click_position.toFixed(1),
                ])}
                index={index}
              />
              <TermTable
                title={text.unpopular}
                file="terms-without-clicks"
                header={[text.term, text.searches, text.clicks]}
                rows={conversion.data.unpopular_search_terms.map((term) => [
                  term.search_term,
                  term.searches,
                  term.clicks,
                ])}
                index={index}
              />
            </div>
          )}
          <div className="columns">
            {conversion.data !== undefined && <ClickPositions terms={conversion.data.popular_search_terms} />}
            <Breakdown query={query} />
          </div>
        </>
      )}
    </>
  );
}

function Figures({
  now,
  before,
}: {
  readonly now: SummaryDashboard;
  readonly before: SummaryDashboard | undefined;
}) {
  const change = (of: (dashboard: SummaryDashboard) => number): string | undefined => {
    if (before === undefined || of(before) === 0) return undefined;
    const share = of(now) / of(before) - 1;
    // What grew from next to nothing is no comparison.
    if (share > GROWTH_MAX) return undefined;
    return text.before(`${share >= 0 ? "+" : "−"}${formatShare(Math.abs(share))}`);
  };
  const figures: readonly (readonly [
    string,
    (dashboard: SummaryDashboard) => number,
    (value: number) => string,
  ])[] = [
    [text.searches, ({ total_searches: all }) => all, formatNumber],
    [text.clicks, ({ total_clicks: all }) => all, formatNumber],
    [text.rate, ({ click_through_rate: rate }) => rate, formatShare],
    [text.users, ({ active_users: users }) => users, formatNumber],
    [text.sessions, ({ total_sessions: sessions }) => sessions, formatNumber],
    [text.without, ({ searches_without_results: none }) => none, formatNumber],
  ];
  return (
    <dl className="figures">
      {figures.map(([label, of, format]) => (
        <Figure key={label} label={label} value={format(of(now))} hint={change(of) ?? ""} />
      ))}
    </dl>
  );
}

function OverTime({
  now,
  before,
}: {
  readonly now: SummaryDashboard;
  readonly before: SummaryDashboard | undefined;
}) {
  const times = useMemo(() => now.searches_over_time.map(({ timestamp }) => timestamp), [now]);
  const series = useMemo(
    () => [
      { label: text.thisPeriod, values: now.searches_over_time.map(({ count }) => count), isBars: true },
      ...(before === undefined || before.total_searches === 0
        ? []
        : [
            {
              label: text.lastPeriod,
              values: times.map((_, at) => before.searches_over_time[at]?.count ?? null),
              isPale: true,
            },
          ]),
    ],
    [now, before, times],
  );
  return (
    <section className="card stack">
      <h2>{text.overTime}</h2>
      <Suspense fallback={<Loading />}>
        <Chart label={text.overTime} times={times} series={series} format={formatShort} />
      </Suspense>
    </section>
  );
}

/** What people asked for in vain, each with what to do about it. */
function WithoutResults({ data, index }: { readonly data: SummaryDashboard; readonly index: string }) {
  const { may } = useSession();
  const { data: names = [] } = useIndexNames();
  const [word, setWord] = useState<string>();
  const [target, setTarget] = useState("");
  const terms = data.search_terms_without_results;
  const chosen = index !== "" ? index : target !== "" ? target : (names[0] ?? "");
  return (
    <section className="card stack">
      <div className="row">
        <h2 className="grow">{text.noResults}</h2>
        <ExportButton
          file="terms-without-results"
          header={[text.term, text.searches]}
          rows={terms.map((term) => [term.search_term, term.count])}
        />
      </div>
      {terms.length === 0 ? (
        <p className="hint">{text.noResultsNone}</p>
      ) : (
        <>
          <p className="hint">{text.noResultsHint}</p>
          <table className="plain-table">
            <thead>
              <tr>
                <th scope="col">{text.term}</th>
                <th scope="col" className="number">
                  {text.searches}
                </th>
                <th scope="col">
                  <span className="hidden">{text.addSynonym}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {terms.map(({ search_term: term, count }) => (
                <tr key={term}>
                  <td dir="auto">{term}</td>
                  <td className="number">{formatNumber(count)}</td>
                  <td>
                    <div className="row row-tools">
                      {may.write && (
                        <Button
                          size="small"
                          onClick={() => setWord(term)}
                          aria-label={`${text.addSynonym}: ${term}`}
                        >
                          {text.addSynonym}
                        </Button>
                      )}
                      <TryIt term={term} index={chosen} />
                    </div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
      <Dialog title={text.addSynonym} isOpen={word !== undefined} onClose={() => setWord(undefined)}>
        {index === "" && (
          <SelectField
            label={text.chooseIndex}
            value={chosen}
            onChange={(event) => setTarget(event.target.value)}
          >
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </SelectField>
        )}
        {word !== undefined && chosen !== "" && (
          <>
            <AddSynonym key={word} index={chosen} word={word} />
            <TryIt term={word} index={chosen} />
          </>
        )}
      </Dialog>
    </section>
  );
}

function TryIt({ term, index }: { readonly term: string; readonly index: string }) {
  const query = new URLSearchParams({ ...(index === "" ? {} : { index }), q: term });
  return (
    <Link
      className="button button-small"
      href={`/playground?${query.toString()}`}
      aria-label={`${text.tryIt}: ${term}`}
    >
      {text.tryIt}
    </Link>
  );
}

type Cell = string | number | null;

function ExportButton({
  file,
  header,
  rows,
}: {
  readonly file: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}) {
  return (
    <Button
      size="small"
      icon="download"
      label={texts.export}
      disabled={rows.length === 0}
      onClick={() => saveFile(`${file}.csv`, new Blob([csvOf(header, rows)], { type: "text/csv" }))}
    />
  );
}

function TermTable({
  title,
  file,
  header,
  rows,
  index,
}: {
  readonly title: string;
  readonly file: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly index: string;
}) {
  return (
    <section className="card stack">
      <div className="row">
        <h2 className="grow">{title}</h2>
        <ExportButton file={file} header={header} rows={rows} />
      </div>
      <div className="scroll-x">
        <table className="plain-table">
          <thead>
            <tr>
              {header.map((name, at) => (
                <th key={name} scope="col" className={at > 0 ? "number" : undefined}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([term, ...cells]) => (
              <tr key={String(term)}>
                <td dir="auto">
                  <Link
                    href={`/playground?${new URLSearchParams({ ...(index === "" ? {} : { index }), q: String(term) }).toString()}`}
                  >
                    {term}
                  </Link>
                </td>
                {cells.map((cell, at) => (
                  <td key={header[at + 1]} className="number">
                    {typeof cell === "number" ? formatNumber(cell) : (cell ?? "–")}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Breakdown({ query }: { readonly query: MeasureQuery }) {
  const { client } = useSession();
  const [by, setBy] = useState<Dimension>("os");
  const asked: BreakdownQuery = { ...query, by };
  const { data, error } = useQuery({
    queryKey: ["measure-breakdown", JSON.stringify(asked)],
    queryFn: ({ signal }) => client.getBreakdownDashboard(asked, { signal }),
  });
  const rows = data?.rows ?? [];
  return (
    <section className="card stack">
      <div className="row">
        <div className="grow">
          <SelectField
            label={text.by}
            value={by}
            onChange={(event) => setBy(event.target.value as Dimension)}
          >
            {(Object.keys(text.dimensions) as Dimension[]).map((value) => (
              <option key={value} value={value}>
                {text.dimensions[value]}
              </option>
            ))}
          </SelectField>
        </div>
        <ExportButton
          file={`searches-by-${by}`}
          header={[text.dimensions[by], text.searches, text.share, text.clicks, text.users]}
          rows={rows.map((row) => [row.name, row.searches, row.share, row.clicks, row.active_users])}
        />
      </div>
      {error !== null && <Failure error={error} />}
      <div className="scroll-x">
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">{text.dimensions[by]}</th>
              <th scope="col" className="number">
                {text.searches}
              </th>
              <th scope="col" className="number">
                {text.share}
              </th>
              <th scope="col" className="number">
                {text.rate}
              </th>
              <th scope="col" className="number">
                {text.users}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.country}/${row.region}/${row.name}`}>
                <td dir="auto">{row.name ?? text.unknown}</td>
                <td className="number">{formatNumber(row.searches)}</td>
                <td className="number">{formatShare(row.share)}</td>
                <td className="number">
                  {row.click_through_rate === null ? "–" : formatShare(row.click_through_rate)}
                </td>
                <td className="number">{formatNumber(row.active_users)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
