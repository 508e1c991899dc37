import type { LoadFigures } from "./load.js";

/** Findling's throughput relative to OpenSearch's, and to an empty route's for cheap searches. */
const TIMES_OPEN_SEARCH_BAR = 5;
const SHARE_OF_EMPTY_ROUTE_BAR = 0.6;

/** The rows that hold several kinds. */
export const ALL_KINDS = "all kinds";
export const CHEAP_KINDS = "cheap kinds";

export interface ServerFigures {
  readonly name: string;
  readonly version: string;
  readonly importSeconds: number;
  readonly diskBytes: number;
  /** After the import; the most until then, where it is known. */
  readonly residentBytes: number;
  readonly peakBytes?: number;
}

export interface KindFigures {
  readonly kind: string;
  /** Searches of the kind that were drawn, and of how many the count equals OpenSearch's. */
  readonly searches: number;
  readonly equalCounts: number | null;
  /** Means over the searches. */
  readonly matches: number;
  readonly answerBytes: number;
  /** With every search searched anew, and as it comes: answers to searches that come again are kept. */
  readonly findling: LoadFigures;
  readonly findlingAgain: LoadFigures;
  readonly openSearch: LoadFigures | null;
  readonly emptyRoute: LoadFigures;
}

export interface ServiceReport {
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly seed: number;
  readonly connections: number;
  readonly seconds: number;
  readonly rounds: number;
  readonly corpus: string;
  readonly documents: number;
  readonly servers: readonly ServerFigures[];
  /** What was left out, and why. */
  readonly missing: readonly string[];
  /** All searches, the cheap ones, and each kind. */
  readonly kinds: readonly KindFigures[];
}

/** The report as Markdown. */
export function serviceTables(report: ServiceReport): string {
  const { servers, kinds, documents } = report;
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;
  return [
    `${documents} documents (${report.corpus}), ${report.connections} connections, ${report.rounds} interleaved rounds of ` +
      `${report.seconds} s, seed ${report.seed}, ${report.date}, Node ${report.node}, ${report.machine}; client and servers share the cores`,
    "",
    ...report.missing.map((what) => `Left out: ${what}\n`),
    row(["server", "import", "on disk", "resident after the import (peak)"]),
    "|---|---|---|---|",
    ...servers.map(({ name, version, importSeconds, diskBytes, residentBytes, peakBytes }) =>
      row([
        `${name} ${version}`,
        `${importSeconds.toFixed(1)} s, ${Math.round(documents / importSeconds)} documents/s`,
        megabytes(diskBytes),
        megabytes(residentBytes) + (peakBytes === undefined ? "" : ` (${megabytes(peakBytes)})`),
      ]),
    ),
    "",
    row([
      "searches",
      "matches",
      "answer",
      "requests/s: each anew",
      "p50, p99",
      "the same again",
      "p50, p99",
      "OpenSearch",
      "p50, p99",
      "times OpenSearch: anew / again",
      "by processor time",
      "empty route",
      "share of it: anew / again",
      "by processor time",
      "equal counts",
    ]),
    `|${"---|".repeat(15)}`,
    ...kinds.map((kind) => row(kindCells(kind))),
  ].join("\n");
}

function kindCells({
  kind,
  matches,
  answerBytes,
  findling,
  findlingAgain,
  openSearch,
  emptyRoute,
  ...counts
}: KindFigures): string[] {
  const latency = ({ p50, p99 }: LoadFigures): string => `${p50} ms, ${p99} ms`;
  const whole = (number: number): string => Math.round(number).toLocaleString("en");
  const both = (judge: (figures: LoadFigures) => string): string =>
    `${judge(findling)} / ${judge(findlingAgain)}`;
  const times = ({ requestsPerSecond }: LoadFigures): string => {
    if (openSearch === null) return "";
    const ratio = requestsPerSecond / openSearch.requestsPerSecond;
    return judged(ratio.toFixed(1), !isMix(kind) || ratio >= TIMES_OPEN_SEARCH_BAR);
  };
  /** How many of Findling's searches take the processor time of one of OpenSearch's, which uses all cores. */
  const thrift = ({ cpuMicroseconds }: LoadFigures): string =>
    openSearch === null ? "" : (openSearch.cpuMicroseconds / cpuMicroseconds).toFixed(1);
  const share = ({ requestsPerSecond }: LoadFigures): string => {
    const ratio = requestsPerSecond / emptyRoute.requestsPerSecond;
    return judged(percent(ratio), kind !== CHEAP_KINDS || ratio >= SHARE_OF_EMPTY_ROUTE_BAR);
  };
  return [
    kind,
    whole(matches),
    `${(answerBytes / 1000).toFixed(1)} KB`,
    whole(findling.requestsPerSecond),
    latency(findling),
    whole(findlingAgain.requestsPerSecond),
    latency(findlingAgain),
    openSearch === null ? "" : whole(openSearch.requestsPerSecond),
    openSearch === null ? "" : latency(openSearch),
    openSearch === null ? "" : both(times),
    openSearch === null ? "" : both(thrift),
    whole(emptyRoute.requestsPerSecond),
    both(share),
    both(({ cpuMicroseconds }) => percent(emptyRoute.cpuMicroseconds / cpuMicroseconds)),
    counts.equalCounts === null ? "" : `${counts.equalCounts} of ${counts.searches}`,
  ];
}

/** Goals are for mixes. */
function isMix(kind: string): boolean {
  return kind === ALL_KINDS || kind === CHEAP_KINDS;
}

/** Missed goals are bold. */
function judged(text: string, isReached: boolean): string {
  return isReached ? text : `**${text}**`;
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;
