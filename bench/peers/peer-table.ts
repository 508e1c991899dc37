import { type Bar, INDEXING_BAR, QUERY_BARS, SINGLE_QUERY_BAR, SIZE_BAR } from "./bars.js";
import {
  BASE,
  type EngineReport,
  type PeerReport,
  type RowFigures,
  type TailFigures,
} from "./peer-report.js";

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
  for (const engine of report.engines) {
    if (engine.name === BASE || base === undefined) continue;
    parts.push(`## ${engine.name}`, barTable(engine, base), tailTable(engine), agreementLine(engine));
    parts.push(`### ${engine.name} by class`, classTable(engine));
  }
  return `${parts.join("\n\n")}\n`;
}

function barTable(engine: EngineReport, base: EngineReport): string {
  const rows = engine.bars.map((figures, i) => barRow(QUERY_BARS[i]!, figures));
  const ratio = (mine: number, theirs: number, bar: number): string =>
    `${bar} | ${judged(mine / theirs, bar)}`;
  return [
    "| query kind | bar top-10 | hot | mixed | bar +count | hot | mixed |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    `| indexing, processor time | ${ratio(engine.buildCpuSeconds, base.buildCpuSeconds, INDEXING_BAR)} | ` +
      `${seconds(engine.buildCpuSeconds)} against ${seconds(base.buildCpuSeconds)}; by the clock ` +
      `${seconds(engine.buildSeconds)} against ${seconds(base.buildSeconds)} | | | |`,
    `| index size without store | ${ratio(engine.indexBytes, base.indexBytes, SIZE_BAR)} | ` +
      `${megabytes(engine.indexBytes)} against ${megabytes(base.indexBytes)}, store ${megabytes(engine.storeBytes)} ` +
      `against ${megabytes(base.storeBytes)} | | | |`,
    `| opening, peak memory | | | ${milliseconds(engine.openSeconds)}, ${megabytes(engine.peakBytes)} against ` +
      `${milliseconds(base.openSeconds)}, ${megabytes(base.peakBytes)} | | | |`,
  ].join("\n");
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

function agreementLine({ disagreements, compared }: EngineReport): string {
  const heading = `Answers: ${compared} compared with Tantivy's, ${disagreements.length} differ.`;
  return [heading, ...disagreements.slice(0, 20).map((line) => `- ${line}`)].join("\n");
}

const decimals = (ratio: number): string => (Number.isNaN(ratio) ? "" : ratio.toFixed(ratio < 10 ? 2 : 1));
const microseconds = (time: number): string => (Number.isNaN(time) ? "" : time.toPrecision(3));
const seconds = (time: number): string => `${time.toFixed(1)} s`;
const milliseconds = (seconds: number): string => `${(seconds * 1000).toFixed(0)} ms`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
