import { type Bar, INDEXING_BAR, QUERY_BARS, SINGLE_QUERY_BAR, SIZE_BAR } from "./bars.js";
import { BASE } from "./engine-program.js";
import { type LayoutReport, layoutTable } from "./layout-report.js";
import type { EngineReport, PeerReport, RowFigures, TailFigures, WantedFigures } from "./peer-report.js";

/** The report as Markdown. */
export function formatReport(report: PeerReport): string {
  const base = report.engines.find(({ name }) => name === BASE);
  const parts = [
    `${report.docCount} documents (${report.corpus}), ${report.queries} queries, seed ${report.seed}, ` +
      `${report.rounds} interleaved rounds, ${report.date}; ` +
      `${report.engines.map(({ name, version }) => `${name} ${version}`).join(", ")}; ` +
      `Node ${report.node}; ${report.machine}`,
    "Figures are geometric means of the time ratio to native Tantivy, smaller is better. Hot: a query repeated; " +
      "mixed: single shots in shuffled order. Bars are for hot. Counts: the quicker of Tantivy's two ways.",
    ...report.missing.map((what) => `Left out: ${what}`),
  ];
  const others: EngineReport[] = [];
  for (const engine of report.engines) {
    if (engine.name === BASE || base === undefined) continue;
    if (!engine.name.startsWith("findling")) {
      others.push(engine);
      continue;
    }
    parts.push(`## ${engine.name}`, barTable(engine, base), tailTable(engine), agreementLines(engine));
    parts.push(`### ${engine.name} by class`, classTable(engine));
  }
  if (others.length > 0) parts.push("## other engines", ...otherTables(others));
  if (report.layouts !== undefined && report.layouts.length > 0)
    parts.push("## layouts", layoutTable(report.layouts), ...layoutAgreement(report.layouts));
  return `${parts.join("\n\n")}\n`;
}

function layoutAgreement(layouts: readonly LayoutReport[]): string[] {
  return layouts
    .filter(({ compared }) => compared > 0)
    .map((layout) => `${layout.engine}, ${layout.layout}. ${agreementLines(layout)}`);
}

/** A column for each engine: hot where it is timed so, else mixed in italics; ten best / with the count. */
function otherTables(engines: readonly EngineReport[]): string[] {
  const cell = (figures: WantedFigures): string =>
    Number.isNaN(figures.hot)
      ? figures.mixed > 0
        ? `*${decimals(figures.mixed)}*`
        : "–"
      : decimals(figures.hot);
  const line = (label: string, value: (engine: EngineReport) => string): string =>
    `| ${label} | ${engines.map(value).join(" | ")} |`;
  const rows = QUERY_BARS.map(({ label }, i) =>
    line(label, ({ bars }) => `${cell(bars[i]!.top10)} / ${cell(bars[i]!.count)}`),
  );
  const table = [
    line("query kind", ({ name }) => name),
    `|---|${engines.map(() => "---|").join("")}`,
    ...rows,
    line("building, processor time", ({ buildCpuSeconds }) => seconds(buildCpuSeconds)),
    line("on disk, documents included", ({ indexBytes, storeBytes }) => megabytes(indexBytes + storeBytes)),
    line("peak memory, searching", ({ peakBytes }) => megabytes(peakBytes)),
  ].join("\n");
  return [
    "Relative to Tantivy, ten best / with the exact count; *italics*: single shots in mixed order, else hot.",
    table,
    ...engines.map((engine) => `${engine.name}. ${agreementLines(engine)}`),
  ];
}

function barTable(engine: EngineReport, base: EngineReport): string {
  const rows = engine.bars.map((figures, i) => barRow(QUERY_BARS[i]!, figures));
  const ratio = (mine: number, theirs: number, bar: number): string =>
    `${bar} | ${judged(mine / theirs, bar)}`;
  return [
    "| query kind | bar top-10 | hot | mixed | bar +count | hot | mixed |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    ...coldRows(engine),
    ...buildingRows(engine, base),
    `| index size without store | ${ratio(engine.indexBytes, base.indexBytes, SIZE_BAR)} | ` +
      `${megabytes(engine.indexBytes)} against ${megabytes(base.indexBytes)}, store ${megabytes(engine.storeBytes)} ` +
      `against ${megabytes(base.storeBytes)} | | | |`,
    `| opening, peak memory | | | ${milliseconds(engine.openSeconds)}, ${megabytes(engine.peakBytes)} against ` +
      `${milliseconds(base.openSeconds)}, ${megabytes(base.peakBytes)} | | | |`,
  ].join("\n");
}

function coldRows({ coldDocuments: cold }: EngineReport): string[] {
  if (cold === null || cold === undefined) return [];
  const times = `${microseconds(cold.microseconds)} µs against ${microseconds(cold.baseMicroseconds)}`;
  return [
    `| ten stored documents from the disk, single shots | | | ${decimals(cold.ratio)}: ${times} | | | |`,
  ];
}

function buildingRows({ building: mine }: EngineReport, { building: theirs }: EngineReport): string[] {
  if (mine === null || mine === undefined || theirs === null || theirs === undefined) return [];
  const row = (label: string, bar: number | null, phase: "warmed" | "first"): string => {
    const [my, their] = [mine[phase], theirs[phase]];
    return (
      `| indexing, processor time, ${label} | ${bar ?? ""} | ${judged(my.cpuSeconds / their.cpuSeconds, bar)} | ` +
      `${fineSeconds(my.cpuSeconds)} against ${fineSeconds(their.cpuSeconds)}; by the clock ` +
      `${fineSeconds(my.seconds)} against ${fineSeconds(their.seconds)}, ` +
      `peak memory ${megabytes(my.peakBytes)} against ${megabytes(their.peakBytes)} | | | |`
    );
  };
  return [row("warmed", INDEXING_BAR, "warmed"), row("first of a process", null, "first")];
}

function barRow(bar: Bar, { label, top10, count }: RowFigures): string {
  const cells = [
    bar.top10 ?? "",
    judged(top10.hot, bar.top10),
    decimals(top10.mixed),
    bar.count ?? "",
    judged(count.hot, bar.count),
    decimals(count.mixed),
  ];
  return `| ${label} | ${cells.join(" | ")} |`;
}

/** Missed bars are bold. */
function judged(ratio: number, bar: number | null): string {
  return bar !== null && ratio > bar ? `**${decimals(ratio)}**` : decimals(ratio);
}

function classTable({ classes }: EngineReport): string {
  const rows = classes.map(({ label, top10, count }) => {
    const cells = [top10, count].flatMap((figures) => [
      microseconds(figures.microseconds),
      microseconds(figures.baseMicroseconds),
      decimals(figures.hot),
      decimals(figures.mixed),
    ]);
    return `| ${label} | ${cells.join(" | ")} |`;
  });
  return [
    "| class | top-10 µs | tantivy µs | hot | mixed | +count µs | tantivy µs | hot | mixed |",
    "|---|---|---|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function tailTable({ tails }: EngineReport): string {
  const rows = Object.entries(tails).flatMap(([name, tail]) => (tail === null ? [] : [tailRow(name, tail)]));
  return [
    `| tail | queries | slower than Tantivy | over ${SINGLE_QUERY_BAR} | worst |`,
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function tailRow(name: string, { queries, slower, overBar, worst }: TailFigures): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const cells = [queries, percent(slower), percent(overBar)];
  return `| ${name} | ${cells.join(" | ")} | ${decimals(worst.ratio)} ${worst.className} \`${worst.query}\` |`;
}

function agreementLines({
  disagreements,
  compared,
}: Pick<EngineReport, "disagreements" | "compared">): string {
  const heading = `Answers: ${compared} compared with Tantivy's, ${disagreements.length} differ.`;
  return [heading, ...disagreements.slice(0, 20).map((line) => `- ${line}`)].join("\n");
}

const decimals = (ratio: number): string => (Number.isNaN(ratio) ? "" : ratio.toFixed(ratio < 10 ? 2 : 1));
const microseconds = (time: number): string => (Number.isNaN(time) ? "" : time.toPrecision(3));
const seconds = (time: number): string => `${time.toFixed(1)} s`;
const fineSeconds = (time: number): string => `${time.toFixed(2)} s`;
const milliseconds = (seconds: number): string => `${(seconds * 1000).toFixed(0)} ms`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
