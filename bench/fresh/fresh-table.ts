import type { FreshFigures, FreshRow, FreshTable } from "./fresh-figures.js";
import { engineGoals, type FreshReport, WANTED } from "./fresh-report.js";
import { goalsTable } from "./goals-table.js";

/** The report of the engine as Markdown: goals, then a row for each class. */
export function freshTables(report: FreshReport): string {
  const { documents, corpusNote, seed, rounds, date, machine, node, versions, compared, disagreements } =
    report;
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const { segments, beside } = report;
  return [
    `${documents} documents (${corpusNote}), ${report.all.queries} queries, each asked once in its process after ` +
      `a warm-up with others, median of ${rounds} processes, seed ${seed}, ${date}, ${named.join(", ")}, Node ${node}, ${machine}`,
    ...report.missing.map((what) => `Left out: ${what}`),
    goalsTable(engineGoals(report)),
    "Times relative to native Tantivy's, smaller is better; hot: a query repeated, others of the same class.",
    classTable(report),
    ...(segments === undefined
      ? []
      : [`${segments.count} segments, both engines' indexes cut alike:`, classTable(segments)]),
    ...(beside === undefined ? [] : ["Relative to the other build of Findling:", classTable(beside)]),
    [
      `${compared} answers compared with Tantivy's, ${disagreements.length} differ.`,
      ...disagreements.slice(0, 20),
    ].join("\n- "),
  ].join("\n\n");
}

function classTable({ classes, all }: FreshTable): string {
  const columns = WANTED.flatMap(([, label]) => [label, "p95", "worst", "hot", "µs against"]);
  return [
    `| class | queries | ${columns.join(" | ")} |`,
    `|---|---|${columns.map(() => "---|").join("")}`,
    ...Object.entries(classes).map(([name, row]) => classRow(name, row)),
    classRow("all", all),
  ].join("\n");
}

function classRow(name: string, row: FreshRow): string {
  const cells = WANTED.flatMap(([wanted]) => figureCells(row[wanted]));
  return `| ${name} | ${row.queries} | ${cells.join(" | ")} |`;
}

function figureCells({ ratio, p95, worst, hot, microseconds, baseMicroseconds }: FreshFigures): string[] {
  const micros = (time: number): string => (Number.isNaN(time) ? "" : time.toPrecision(3));
  return [...[ratio, p95, worst, hot].map(decimals), `${micros(microseconds)} / ${micros(baseMicroseconds)}`];
}

const decimals = (ratio: number): string => (Number.isNaN(ratio) ? "" : ratio.toFixed(ratio < 10 ? 2 : 1));
