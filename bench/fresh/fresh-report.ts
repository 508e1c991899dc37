import type { FreshServiceReport } from "../service/service-report.js";
import type { FreshRow, FreshTable } from "./fresh-figures.js";
import type { JudgedGoal } from "./goals-table.js";

/** What `--out` writes. */
export interface FreshReport extends FreshTable {
  /** `debian`, `debian-sample` or `zipf`. */
  readonly corpus: string;
  readonly corpusNote: string;
  readonly documents: number;
  readonly seed: number;
  readonly perClass: number;
  readonly rounds: number;
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly versions: Readonly<Record<string, string>>;
  /** What was left out, and why. */
  readonly missing: readonly string[];
  /** The table on that many segments, both engines' indexes cut alike; absent where it wasn't measured. */
  readonly segments?: { readonly count: number } & FreshTable;
  /** Findling beside another build of itself; absent where none was given. */
  readonly beside?: FreshTable;
  /** Answers that were compared with Tantivy's, and what differs. */
  readonly compared: number;
  readonly disagreements: readonly string[];
  /** Over HTTP; absent where it wasn't measured. */
  readonly http?: FreshServiceReport;
}

/** Geometric means over all queries, of the ten best and with the count, on one segment. */
const RATIO_BARS = {
  debian: { top10: 0.65, count: 0.5 },
  zipf: { top10: 0.5, count: 0.45 },
} as const;
const CLASS_BAR = 1.2;
const CLASS_FURTHER_BAR = 1;
const P95_BAR = 2;
const P95_FURTHER_BAR = 1.3;
const WORST_BAR = 8;

export const WANTED = [
  ["top10", "ten best"],
  ["count", "with the count"],
] as const;

/** The engine's goals on one segment. */
export function engineGoals(report: FreshReport): JudgedGoal[] {
  const bars = report.corpus === "zipf" ? RATIO_BARS.zipf : RATIO_BARS.debian;
  const classes = Object.entries(report.classes);
  return WANTED.flatMap(([wanted, label]) => {
    const all = report.all[wanted];
    const [dearest, row] = greatest(classes, (each) => each[wanted].ratio);
    return [
      { label: `all classes, ${label}`, bar: bars[wanted], value: all.ratio },
      {
        label: `slowest class, ${label}`,
        bar: CLASS_BAR,
        furtherBar: CLASS_FURTHER_BAR,
        value: row[wanted].ratio,
        where: dearest,
      },
      {
        label: `95th percentile of single queries, ${label}`,
        bar: P95_BAR,
        furtherBar: P95_FURTHER_BAR,
        value: all.p95,
      },
      { label: `worst query, ${label}`, bar: WORST_BAR, value: all.worst, where: all.worstQuery },
    ];
  });
}

function greatest(
  rows: readonly (readonly [string, FreshRow])[],
  value: (row: FreshRow) => number,
): readonly [string, FreshRow] {
  return rows.reduce((a, b) => (value(b[1]) > value(a[1]) ? b : a));
}
