import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { goalTable } from "./goal-table.js";
import { QUERY_BARS } from "./peers/bars.js";
import { layoutTable } from "./peers/layout-report.js";
import type { PeerReport } from "./peers/peer-report.js";
import { type ScaleReport, scaleTable } from "./scale.js";
import { SvgPlot } from "./svg-plot.js";

const FOLDER = fileURLToPath(new URL("../docs/benchmarks", import.meta.url));
const DOCUMENT = fileURLToPath(new URL("../docs/benchmarks.md", import.meta.url));
const COLOURS = { debian: "#1f6feb", zipf: "#d1570a" } as const;
const SCALE_CLASSES = ["term_f", "term_r", "and_ff", "or_ff", "phrase_fm", "fuzzy2", "facets", "stored"];
const LINE_COLOURS = ["#1f6feb", "#d1570a", "#2e8b57", "#8250df", "#bf3989", "#6e7781", "#9a6700", "#0a7d91"];

/** Writes tables and plots of `docs/benchmarks.md` anew, from the figures in `docs/benchmarks`. */
export function writeDocumentation(): void {
  const debian = figures<PeerReport>("peers-debian.json");
  const zipf = figures<PeerReport>("peers-zipf.json");
  insert("goals", goalTable({ ...(debian === null ? {} : { debian }), ...(zipf === null ? {} : { zipf }) }));
  for (const wanted of ["top10", "count"] as const) write(`peers-${wanted}.svg`, peersPlot(wanted));
  insert("layouts", layoutTables({ debian, zipf }));
  const scale = figures<ScaleReport>("scale.json");
  if (scale !== null) {
    write("scale.svg", scalePlot(scale));
    insert("scale", scaleTable(scale));
  }
}

/** Deleted documents and several segments, for each corpus that was measured with them. */
function layoutTables(reports: Readonly<Record<string, PeerReport | null>>): string {
  return Object.entries(reports)
    .flatMap(([name, report]) =>
      report?.layouts === undefined || report.layouts.length === 0
        ? []
        : [
            `**${name}**, ${report.docCount} documents, ${report.date}; hot, ten best / with the count`,
            layoutTable(report.layouts),
          ],
    )
    .join("\n\n");
}

/** A row for each goal: the goal as a tick, what was reached on each corpus as a dot. */
function peersPlot(wanted: "top10" | "count"): string {
  const reports = (["debian", "zipf"] as const).flatMap((corpus) => {
    const report = figures<PeerReport>(`peers-${corpus}.json`);
    const engine = report?.engines.find(({ name }) => name === "findling");
    return engine === undefined ? [] : [{ corpus, engine }];
  });
  const rows = QUERY_BARS.map((bar, i) => ({ bar, i })).filter(({ bar }) =>
    wanted === "top10" ? true : bar.count !== null || bar.top10 === null,
  );
  const plot = new SvgPlot({
    title: `Time relative to native Tantivy, ${wanted === "top10" ? "ten best" : "ten best and exact count"} (hot; log scale)`,
    rowCount: rows.length,
    min: 0.01,
    max: 10,
  });
  for (const [row, { bar, i }] of rows.entries()) {
    plot.label(row, bar.label);
    const goal = bar[wanted];
    if (goal !== null) plot.tick(row, goal);
    for (const { corpus, engine } of reports) {
      const ratio = engine.bars[i]?.[wanted].hot;
      if (typeof ratio === "number") plot.dot(row, ratio, COLOURS[corpus]);
    }
  }
  plot.legend(reports.map(({ corpus }) => ({ text: corpus, colour: COLOURS[corpus] })));
  return plot.text();
}

/** A row for each class and size: median time. */
function scalePlot({ sizes }: ScaleReport): string {
  const names = SCALE_CLASSES.filter((name) => sizes.every(({ microseconds }) => name in microseconds));
  const plot = new SvgPlot({
    title: "Median time in µs by number of documents (hot, exact counts; log scale)",
    rowCount: names.length,
    min: 1,
    max: 1_000_000,
  });
  for (const [row, name] of names.entries()) {
    plot.label(row, name);
    for (const [i, { microseconds }] of sizes.entries())
      plot.dot(row, microseconds[name]!, LINE_COLOURS[i % LINE_COLOURS.length]!);
  }
  plot.legend(
    sizes.map(({ docCount }, i) => ({
      text: docCount.toLocaleString("en"),
      colour: LINE_COLOURS[i % LINE_COLOURS.length]!,
    })),
  );
  return plot.text();
}

function figures<T>(name: string): T | null {
  const file = join(FOLDER, name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as T) : null;
}

/** Replaces what stands between a pair of comments in the document. */
function insert(name: string, text: string): void {
  const [start, end] = [`<!-- ${name}: written by npm run bench -- document -->`, `<!-- end of ${name} -->`];
  const whole = readFileSync(DOCUMENT, "utf8");
  const [from, to] = [whole.indexOf(start), whole.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${DOCUMENT} has no place for ${name}`);
  writeFileSync(DOCUMENT, `${whole.slice(0, from + start.length)}\n\n${text}\n\n${whole.slice(to)}`);
}

function write(name: string, text: string): void {
  writeFileSync(join(FOLDER, name), text);
}
