import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { engineGoals, type FreshReport } from "./fresh/fresh-report.js";
import { freshTables } from "./fresh/fresh-table.js";
import { goalsTable } from "./fresh/goals-table.js";
import { type ScaleReport, scaleTable } from "./scale.js";
import { type FreshServiceReport, serviceSummary, serviceTables } from "./service/service-report.js";
import { svgLines } from "./svg-lines.js";
import { SvgPlot } from "./svg-plot.js";

const FOLDER = fileURLToPath(new URL("../docs/benchmarks", import.meta.url));
const DOCUMENT = fileURLToPath(new URL("../docs/benchmarks.md", import.meta.url));
const README = fileURLToPath(new URL("../README.md", import.meta.url));
const SCALE_CLASSES = ["term_f", "term_r", "and_ff", "or_ff", "phrase_fm", "fuzzy2", "facets", "stored"];
const SERVER_COLOURS = {
  findling: "#1f6feb",
  again: "#8250df",
  openSearch: "#d1570a",
  emptyRoute: "#6e7781",
} as const;
const LINE_COLOURS = ["#1f6feb", "#d1570a", "#2e8b57", "#8250df", "#bf3989", "#6e7781", "#9a6700", "#0a7d91"];

/** Writes tables and plots of `docs/benchmarks.md`, and the first ones of the README, anew, from the figures in `docs/benchmarks`. */
export function writeDocumentation(): void {
  const fresh = figures<FreshReport>("fresh-debian.json");
  if (fresh !== null) {
    insert("fresh-debian", freshTables(fresh));
    if (fresh.http !== undefined) {
      write("service.svg", servicePlot(fresh.http));
      insert("service", serviceTables(fresh.http));
    }
  }
  const freshZipf = figures<FreshReport>("fresh-zipf.json");
  if (freshZipf !== null) insert("fresh-zipf", freshTables(freshZipf));
  if (fresh !== null) insert("fresh", freshSummary(fresh, freshZipf), README);
  const scale = figures<ScaleReport>("scale.json");
  if (scale !== null) {
    write("scale.svg", scalePlot(scale));
    insert("scale", scaleTable(scale));
  }
}

/** A line for each class over the numbers of documents. */
function scalePlot({ sizes }: ScaleReport): string {
  const names = SCALE_CLASSES.filter((name) => sizes.every(({ microseconds }) => name in microseconds));
  return svgLines(
    "How times grow with the number of documents (hot, exact counts)",
    { label: "documents", min: 10_000, max: 10_000_000 },
    { label: "µs", min: 1, max: 100_000 },
    names.map((name, i) => ({
      name,
      colour: LINE_COLOURS[i % LINE_COLOURS.length]!,
      points: sizes.map(({ docCount, microseconds }) => [docCount, microseconds[name]!] as const),
    })),
  );
}

/** Requests per second of each kind of search: Findling, OpenSearch and the empty route. */
function servicePlot({ kinds }: FreshServiceReport): string {
  const plot = new SvgPlot({
    title: "Requests per second over HTTP, each search asked once (log scale)",
    rowCount: kinds.length,
    min: 1,
    max: 100_000,
  });
  for (const [row, { kind, findling, again, openSearch, emptyRoute }] of kinds.entries()) {
    plot.label(row, kind);
    plot.dot(row, emptyRoute.many.requestsPerSecond, SERVER_COLOURS.emptyRoute);
    if (openSearch !== null) plot.dot(row, openSearch.many.requestsPerSecond, SERVER_COLOURS.openSearch);
    if (again !== null) plot.dot(row, again.requestsPerSecond, SERVER_COLOURS.again);
    plot.dot(row, findling.many.requestsPerSecond, SERVER_COLOURS.findling);
  }
  plot.legend([
    { text: "Findling", colour: SERVER_COLOURS.findling },
    { text: "the same again", colour: SERVER_COLOURS.again },
    { text: "OpenSearch", colour: SERVER_COLOURS.openSearch },
    { text: "empty route", colour: SERVER_COLOURS.emptyRoute },
  ]);
  return plot.text();
}

function figures<T>(name: string): T | null {
  const file = join(FOLDER, name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as T) : null;
}

/** What a reader wants to know first: the server beside OpenSearch, and goals on the corpora that were measured. */
function freshSummary(debian: FreshReport, zipf: FreshReport | null): string {
  const engine = (report: FreshReport): string[] => [
    `${report.documents} documents (${report.corpusNote}), time relative to native Tantivy's, ${report.date}, ${report.machine}:`,
    goalsTable(engineGoals(report)),
  ];
  const { http } = debian;
  return [
    ...(http === undefined ? [] : [serviceSummary(http)]),
    ...engine(debian),
    ...(zipf === null ? [] : engine(zipf)),
  ].join("\n\n");
}

/** Replaces what stands between a pair of comments in a document. */
function insert(name: string, text: string, document: string = DOCUMENT): void {
  const [start, end] = [`<!-- ${name}: written by npm run bench -- document -->`, `<!-- end of ${name} -->`];
  const whole = readFileSync(document, "utf8");
  const [from, to] = [whole.indexOf(start), whole.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${document} has no place for ${name}`);
  writeFileSync(document, `${whole.slice(0, from + start.length)}\n\n${text}\n\n${whole.slice(to)}`);
}

function write(name: string, text: string): void {
  writeFileSync(join(FOLDER, name), text);
}
