import { goalsTable, type JudgedGoal } from "../fresh/goals-table.js";
import type { LoadFigures } from "./load.js";
import { ALL_KINDS, CHEAP_KINDS } from "./search-shares.js";

/** Findling's throughput relative to OpenSearch's. */
const TIMES_OPEN_SEARCH = [
  { kind: CHEAP_KINDS, bar: 2.2, furtherBar: 4 },
  { kind: ALL_KINDS, bar: 6, furtherBar: 10 },
];
/** Findling's 99th percentile relative to OpenSearch's. */
const P99_SHARE_BAR = 1 / 3;
/** Throughput of many connections relative to one's, of kinds that are searched in threads. */
const MANY_CONNECTIONS_BAR = 1.6;
/** Throughput relative to the other build's. */
const BESIDE_BAR = 0.95;
const BESIDE_FUZZY_BAR = 1.3;

export interface ServerFigures {
  readonly name: string;
  readonly version: string;
  readonly importSeconds: number;
  readonly diskBytes: number;
  /** After the import; the most until then, where it is known. */
  readonly residentBytes: number;
  readonly peakBytes?: number;
}

/** A server's figures by many connections and by one; null where a row isn't asked by one. */
export interface ServerLoads {
  readonly many: LoadFigures;
  readonly single: LoadFigures | null;
}

export interface KindFigures {
  readonly kind: string;
  /** Searches that were asked, each once. */
  readonly searches: number;
  /** How many searches of the warm-up were looked at, and how many of them have OpenSearch's count. */
  readonly probed: number;
  readonly equalCounts: number | null;
  /** Means over these. */
  readonly matches: number;
  readonly answerBytes: number;
  readonly findling: ServerLoads;
  /** Another build of it. */
  readonly beside: ServerLoads | null;
  readonly openSearch: ServerLoads | null;
  readonly emptyRoute: ServerLoads;
  /** Findling, asked few searches again and again; null for mixes. */
  readonly again: LoadFigures | null;
}

export interface FreshServiceReport {
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly seed: number;
  readonly connections: number;
  readonly corpus: string;
  readonly documents: number;
  readonly servers: readonly ServerFigures[];
  /** What was left out, and why. */
  readonly missing: readonly string[];
  /** All searches, the cheap ones, and each kind. */
  readonly kinds: readonly KindFigures[];
}

/** The report as Markdown. */
export function serviceTables(report: FreshServiceReport): string {
  const { servers, kinds, documents } = report;
  const searches = kinds.reduce((sum, each) => sum + each.searches, 0);
  return [
    `${documents} documents (${report.corpus}), ${searches} searches, each asked once, ${report.connections} connections, ` +
      `seed ${report.seed}, ${report.date}, Node ${report.node}, ${report.machine}; client and servers share the cores`,
    "",
    ...report.missing.map((what) => `Left out: ${what}\n`),
    goalsTable(serviceGoals(report)),
    "",
    line(["server", "import", "on disk", "resident after the import (peak)"]),
    "|---|---|---|---|",
    ...servers.map(({ name, version, importSeconds, diskBytes, residentBytes, peakBytes }) =>
      line([
        `${name} ${version}`,
        `${importSeconds.toFixed(1)} s, ${Math.round(documents / importSeconds)} documents/s`,
        megabytes(diskBytes),
        megabytes(residentBytes) + (peakBytes === undefined ? "" : ` (${megabytes(peakBytes)})`),
      ]),
    ),
    "",
    line(COLUMNS),
    `|${"---|".repeat(COLUMNS.length)}`,
    ...kinds.map((kind) => line(kindCells(kind))),
  ].join("\n");
}

/** A row for each kind, with what tells most. */
export function serviceSummary({
  documents,
  corpus,
  connections,
  date,
  machine,
  kinds,
}: FreshServiceReport): string {
  const latency = ({ p50, p99 }: LoadFigures): string => `${p50.toFixed(1)} ms, ${p99.toFixed(1)} ms`;
  const whole = (number: number): string => Math.round(number).toLocaleString("en");
  return [
    `${documents} documents (${corpus}) over HTTP, each search asked once, ${connections} connections, ` +
      `${date}, ${machine}; client and servers share the cores:`,
    "",
    line(["searches", "requests/s", "p50, p99", "OpenSearch: requests/s", "p50, p99", "processor time each"]),
    `|${"---|".repeat(6)}`,
    ...kinds.map(({ kind, findling: { many }, openSearch }) =>
      line([
        kind,
        whole(many.requestsPerSecond),
        latency(many),
        openSearch === null ? "" : whole(openSearch.many.requestsPerSecond),
        openSearch === null ? "" : latency(openSearch.many),
        [many, ...(openSearch === null ? [] : [openSearch.many])]
          .map(({ cpuMicroseconds }) => `${(cpuMicroseconds / 1000).toFixed(2)} ms`)
          .join(" / "),
      ]),
    ),
  ].join("\n");
}

/** Goals for searches that are asked once. */
function serviceGoals({ kinds }: FreshServiceReport): JudgedGoal[] {
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const beside = ({ openSearch, findling }: KindFigures, of: (load: LoadFigures) => number): number =>
    openSearch === null ? Number.NaN : of(findling.many) / of(openSearch.many);
  const goals: JudgedGoal[] = TIMES_OPEN_SEARCH.flatMap(({ kind, bar, furtherBar }) => {
    const row = byName.get(kind);
    if (row === undefined) return [];
    const p99 = beside(row, (load) => load.p99);
    return [
      {
        label: `${kind}: times OpenSearch's throughput`,
        bar,
        furtherBar,
        isAtLeast: true,
        value: beside(row, ({ requestsPerSecond }) => requestsPerSecond),
      },
      { label: `${kind}: p99 beside OpenSearch's`, bar: Number(P99_SHARE_BAR.toFixed(2)), value: p99 },
    ];
  });
  for (const { kind, findling, beside: other } of kinds) {
    if (isTypoTolerant(kind) && findling.single !== null) {
      const value = findling.many.requestsPerSecond / findling.single.requestsPerSecond;
      goals.push({
        label: `${kind}: many connections' throughput beside one's`,
        bar: MANY_CONNECTIONS_BAR,
        isAtLeast: true,
        value,
      });
    }
    if (other !== null) {
      const value = findling.many.requestsPerSecond / other.many.requestsPerSecond;
      const bar = isTypoTolerant(kind) ? BESIDE_FUZZY_BAR : BESIDE_BAR;
      goals.push({ label: `${kind}: throughput beside the other build's`, bar, isAtLeast: true, value });
    }
  }
  return goals;
}

function isTypoTolerant(kind: string): boolean {
  return kind.includes("fuzzy") || kind.includes("dynamic");
}

const COLUMNS = [
  "searches",
  "asked",
  "matches",
  "answer",
  "requests/s",
  "p50, p99",
  "OpenSearch",
  "p50, p99",
  "times OpenSearch",
  "by processor time",
  "processor time a search",
  "many connections beside one",
  "of an empty route",
  "hot: the same again",
  "equal counts",
];

function kindCells(figures: KindFigures): string[] {
  const { kind, searches, matches, answerBytes, findling, openSearch, emptyRoute, again } = figures;
  const { many, single } = findling;
  const latency = ({ p50, p99 }: LoadFigures): string => `${p50.toFixed(1)} ms, ${p99.toFixed(1)} ms`;
  const whole = (number: number): string => Math.round(number).toLocaleString("en");
  const times = (mine: number, theirs: number): string => (mine / theirs).toFixed(2);
  return [
    kind,
    whole(searches),
    whole(matches),
    `${(answerBytes / 1000).toFixed(1)} KB`,
    whole(many.requestsPerSecond),
    latency(many),
    openSearch === null ? "" : whole(openSearch.many.requestsPerSecond),
    openSearch === null ? "" : latency(openSearch.many),
    openSearch === null ? "" : times(many.requestsPerSecond, openSearch.many.requestsPerSecond),
    openSearch === null ? "" : times(openSearch.many.cpuMicroseconds, many.cpuMicroseconds),
    `${whole(many.cpuMicroseconds)} µs`,
    single === null ? "" : times(many.requestsPerSecond, single.requestsPerSecond),
    `${(100 * (many.requestsPerSecond / emptyRoute.many.requestsPerSecond)).toFixed(0)} %`,
    again === null ? "" : whole(again.requestsPerSecond),
    figures.equalCounts === null ? "" : `${figures.equalCounts} of ${figures.probed}`,
  ];
}

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
