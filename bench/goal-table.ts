import { INDEXING_BAR, QUERY_BARS, SINGLE_QUERY_BAR, SIZE_BAR } from "./peers/bars.js";
import type { EngineReport, PeerReport, WantedFigures } from "./peers/peer-report.js";

/** Goals and what was reached on each corpus, side by side, as Markdown. */
export function goalTable(reports: Readonly<Record<string, PeerReport>>): string {
  const corpora = Object.entries(reports).map(([name, report]) => ({
    name,
    report,
    engine: engineOf(report, "findling"),
    base: engineOf(report, "tantivy"),
  }));
  const columns = ["goal", ...corpora.map(({ name }) => `${name}: hot / mixed`)];
  const cells = (wanted: "top10" | "count", row: number): string[] => [
    String(QUERY_BARS[row]![wanted] ?? ""),
    ...corpora.map(({ engine }) => pair(engine.bars[row]![wanted], QUERY_BARS[row]![wanted])),
  ];
  const building = (label: string, figure: "cpuSeconds" | "seconds", bar: number | null): string => {
    const ratios = corpora.map(({ engine, base }) => buildingPair(engine, base, figure, bar));
    return `${line(`${label}: warmed / first of a process`, [String(bar ?? ""), ...ratios])} ${blank} |`;
  };
  const sizes = corpora.map(({ engine, base }) => judged(engine.indexBytes / base.indexBytes, SIZE_BAR));
  const blank = columns.map(() => "").join(" | ");
  const line = (label: string, values: readonly string[]): string => `| ${label} | ${values.join(" | ")} |`;
  return [
    ...corpora.map(({ name, report }) => `- **${name}**: ${describe(report)}`),
    "",
    line("query kind", [
      ...columns.map((column) => `top-10 ${column}`),
      ...columns.map((column) => `+count ${column}`),
    ]),
    `|---|${[...columns, ...columns].map(() => "---|").join("")}`,
    ...QUERY_BARS.map(({ label }, row) => line(label, [...cells("top10", row), ...cells("count", row)])),
    ...coldRow(corpora.map(({ engine }) => engine)).map(
      (values) => `${line(values[0]!, values.slice(1))} ${blank} |`,
    ),
    building("indexing, processor time", "cpuSeconds", INDEXING_BAR),
    building("indexing, by the clock", "seconds", null),
    `${line("index size without store", [String(SIZE_BAR), ...sizes])} ${blank} |`,
    "",
    ...corpora.flatMap(({ name, engine }) => tails(name, engine)),
  ].join("\n");
}

/** Documents from the disk, for which there is no goal. Nothing where no run has timed it. */
function coldRow(engines: readonly EngineReport[]): string[][] {
  const figures = engines.map(({ coldDocuments }) => coldDocuments ?? null);
  if (figures.every((cold) => cold === null)) return [];
  const cells = figures.map((cold) =>
    cold === null
      ? ""
      : `${decimals(cold.ratio)} (${milliseconds(cold.microseconds)} against ${milliseconds(cold.baseMicroseconds)} ms)`,
  );
  return [["ten stored documents from the disk, single shots", "", ...cells]];
}

const milliseconds = (microseconds: number): string => (microseconds / 1000).toFixed(2);

function describe({ docCount, queries, seed, rounds, date, machine, node, engines }: PeerReport): string {
  const versions = engines.map(({ name, version }) => `${name} ${version}`).join(", ");
  return (
    `${docCount} documents, ${queries} queries, seed ${seed}, ${rounds} rounds, ${date}, ${machine}, Node ${node}; ` +
    versions
  );
}

function tails(name: string, { tails: byManner, compared, disagreements }: EngineReport): string[] {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const parts = Object.entries(byManner).flatMap(([manner, tail]) =>
    tail === null
      ? []
      : [
          `${manner}: ${percent(tail.slower)} slower than Tantivy, ${percent(tail.overBar)} over ${SINGLE_QUERY_BAR}, ` +
            `worst ${tail.worst.ratio} (${tail.worst.className})`,
        ],
  );
  const agreement = `${compared} answers compared with Tantivy's, ${disagreements.length} differ`;
  return [`- **${name}**, single queries: ${agreement}; ${parts.join("; ")}`];
}

function engineOf(report: PeerReport, name: string): EngineReport {
  const engine = report.engines.find((candidate) => candidate.name === name);
  if (engine === undefined) throw new Error(`the figures of ${report.corpus} lack ${name}`);
  return engine;
}

/** JSON has null for what wasn't measured. */
function pair(figures: WantedFigures, bar: number | null): string {
  const { hot, mixed } = figures as { hot: number | null; mixed: number | null };
  if (hot === null || mixed === null) return "";
  return `${judged(hot, bar)} / ${decimals(mixed)}`;
}

/** Ratios of building; the goal is for the warmed one. Nothing where it wasn't timed. */
function buildingPair(
  { building: mine }: EngineReport,
  { building: theirs }: EngineReport,
  figure: "cpuSeconds" | "seconds",
  bar: number | null,
): string {
  if (mine === null || mine === undefined || theirs === null || theirs === undefined) return "";
  const { warmed, first } = mine;
  return (
    `${judged(warmed[figure] / theirs.warmed[figure], bar)} / ` +
    decimals(first[figure] / theirs.first[figure])
  );
}

/** Missed goals are bold. */
function judged(ratio: number, bar: number | null): string {
  return bar !== null && ratio > bar ? `**${decimals(ratio)}**` : decimals(ratio);
}

const decimals = (ratio: number): string => ratio.toFixed(ratio < 10 ? 2 : 1);
