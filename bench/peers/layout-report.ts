import { geometricMean } from "../statistics.js";
import { QUERY_BARS } from "./bars.js";
import type { Differences } from "./compare-answers.js";
import type { LayoutVariant } from "./index-layout.js";
import type { PeerEngine } from "./peer-engine.js";
import { type Manner, type PlacedQuery, placesByClass, type Samples, type Wanted } from "./rounds.js";

/** Time relative to the same engine's clean, single segment: geometric means; NaN (in JSON null) for nothing. */
export interface LayoutFigures {
  readonly hot: number;
  readonly mixed: number;
}

export interface LayoutRow {
  readonly label: string;
  readonly top10: LayoutFigures;
  readonly count: LayoutFigures;
}

/** An engine on another layout of the same documents. */
export interface LayoutReport {
  readonly engine: string;
  readonly layout: string;
  readonly bar: number;
  /** The kinds of queries that have a goal, and all queries together. */
  readonly rows: readonly LayoutRow[];
  readonly all: LayoutRow;
  readonly disagreements: readonly string[];
  readonly compared: number;
}

export function layoutReports(
  engines: readonly PeerEngine[],
  variants: readonly LayoutVariant[],
  queries: readonly PlacedQuery[],
  samples: Samples,
  differencesOf: (engine: string) => Differences,
): LayoutReport[] {
  const placesOf = placesByClass(queries);
  return variants.flatMap(({ suffix, label, bar }) =>
    engines
      .filter(({ name }) => engines.some((other) => other.name === name + suffix))
      .map(({ name }) => {
        const row = (rowLabel: string, places: readonly number[]): LayoutRow => {
          const ratio = (manner: Manner, wanted: Wanted): number =>
            geometricMean(samples.ratios(name + suffix, name, manner, wanted, places));
          const figures = (wanted: Wanted): LayoutFigures => ({
            hot: ratio("hot", wanted),
            mixed: ratio("mixed", wanted),
          });
          return { label: rowLabel, top10: figures("top10"), count: figures("count") };
        };
        const { found, compared } = differencesOf(name + suffix);
        return {
          engine: name,
          layout: label,
          bar,
          rows: QUERY_BARS.map((goal) =>
            row(
              goal.label,
              goal.classes.flatMap((className) => placesOf.get(className) ?? []),
            ),
          ),
          all: row("all queries", [...queries.keys()]),
          disagreements: found,
          compared,
        };
      }),
  );
}

/** A row for each kind of query, a column for each engine and layout; missed goals are bold. */
export function layoutTable(reports: readonly LayoutReport[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const first = reports[0]!;
  const rows = [...first.rows.keys()].filter((i) =>
    reports.some(({ rows: all }) => isNumber(all[i]!.top10.hot)),
  );
  return [
    line([
      "relative to the same engine's clean segment",
      ...reports.map(({ engine, layout }) => `${engine}, ${layout}`),
    ]),
    `|---|${reports.map(() => "---|").join("")}`,
    line(["goal", ...reports.map(({ engine, bar }) => (engine === "findling" ? String(bar) : ""))]),
    ...rows.map((i) =>
      line([first.rows[i]!.label, ...reports.map((report) => cell(report, report.rows[i]!))]),
    ),
    line([first.all.label, ...reports.map((report) => cell(report, report.all))]),
  ].join("\n");
}

/** Hot, the ten best and with the count. */
function cell({ engine, bar }: LayoutReport, { top10, count }: LayoutRow): string {
  return [top10.hot, count.hot]
    .filter(isNumber)
    .map((ratio) => (engine === "findling" && ratio > bar ? `**${ratio.toFixed(2)}**` : ratio.toFixed(2)))
    .join(" / ");
}

/** JSON has null for what wasn't measured. */
function isNumber(ratio: number | null): ratio is number {
  return ratio !== null && !Number.isNaN(ratio);
}
