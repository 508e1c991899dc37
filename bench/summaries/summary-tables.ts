import { median } from "../statistics.js";
import type { ModelMood } from "./model-process.js";
import type { PairFigures, ReadFigures } from "./readers-process.js";

export interface Round {
  readonly alone: Phase;
  readonly beside: Phase;
  readonly through: Phase;
  /** That readers got during `through`. */
  readonly pieces: number;
  readonly read: ReadFigures;
  readonly openAtEnd: number;
  /** Until the first bytes, where as many come as quickly: straight from the model; of searches; of summaries. */
  readonly directOpenMs: readonly number[];
  readonly searchOpenMs: readonly number[];
  readonly firstEventMs: readonly number[];
  /** Megabytes: before the streams, with all of them open, a phase later, after them. */
  readonly resident: readonly number[];
}

/** A while of searches. */
export interface Phase {
  readonly searchMs: readonly number[];
  /** Processor time of the server per second, in cores. */
  readonly cores: number;
  /** Processor time of the thread that answers requests. */
  readonly mainSeconds: number;
}

/** One set of words at one set of times, once as searches and once as summaries. */
export interface Burst {
  readonly searchMs: readonly number[];
  readonly firstEventMs: readonly number[];
  /** Processor time of the thread that answers requests, for all of them. */
  readonly mainSecondsOfSearches: number;
  /** Until each has had its first event. */
  readonly mainSecondsOfSummaries: number;
}

export const BURST_HEADING = [
  "| readers | search: median, p95, most | first event: median, p95, most | first event later than the search: median, p95, most | main thread's processor time for each search, each summary until all have begun |",
  "|---|---|---|---|---|",
] as const;

export function burstLine(readers: number, spreadMs: number, bursts: readonly Burst[]): string {
  const searchMs = bursts.flatMap((burst) => burst.searchMs);
  const firstEventMs = bursts.flatMap((burst) => burst.firstEventMs);
  const laterMs = firstEventMs.map((ms, i) => ms - searchMs[i]!);
  const cells = [searchMs, firstEventMs, laterMs].map((each) => `${figures(each, [50, 95, 100])} ms`);
  const mainMs = [
    bursts.map(({ mainSecondsOfSearches }) => mainSecondsOfSearches),
    bursts.map(({ mainSecondsOfSummaries }) => mainSecondsOfSummaries),
  ].map((seconds) => `${((1000 * median(seconds)) / readers).toFixed(2)} ms`);
  return `| ${readers} within ${spreadMs} ms, ${bursts.length} times | ${[...cells, mainMs.join(", ")].join(" | ")} |`;
}

export function pairLine(mood: ModelMood, pairs: readonly PairFigures[]): string {
  const later = pairs.map(({ searchMs, firstEventMs }) => firstEventMs - searchMs);
  const search = median(pairs.map(({ searchMs }) => searchMs));
  const first = median(pairs.map(({ firstEventMs }) => firstEventMs));
  return `| ${mood} | ${search.toFixed(1)} ms | ${first.toFixed(1)} ms | ${figures(later, [50, 95, 100])} ms |`;
}

export function roundLines(rounds: readonly Round[], expectedPieces: number): readonly string[] {
  const names = [...rounds.map((_, i) => `round ${i + 1}`), "median"];
  const row = (name: string, values: readonly string[], middle = ""): string =>
    `| ${name} | ${[...values, middle].join(" | ")} |`;
  const numbers = (name: string, of: (round: Round) => number, digits = 1): string =>
    row(
      name,
      rounds.map((round) => of(round).toFixed(digits)),
      median(rounds.map(of)).toFixed(digits),
    );
  const phases = [
    ["alone", (round: Round) => round.alone],
    ["beside streams straight from model to readers", (round: Round) => round.beside],
    ["beside streams through the server", (round: Round) => round.through],
  ] as const;
  const ratios = [
    ["through the server to alone", (round: Round) => round.through, (round: Round) => round.alone],
    ["straight from the model to alone", (round: Round) => round.beside, (round: Round) => round.alone],
    [
      "through the server to straight from the model",
      (round: Round) => round.through,
      (round: Round) => round.beside,
    ],
  ] as const;
  const opened = [
    ["first bytes of each stream straight from the model", (round: Round) => round.directOpenMs],
    ["first bytes of as many searches", (round: Round) => round.searchOpenMs],
    ["first event of each stream", (round: Round) => round.firstEventMs],
  ] as const;
  return [
    `| | ${names.join(" | ")} |`,
    `|---|${names.map(() => "---").join("|")}|`,
    ...[50, 95, 99].flatMap((percent) =>
      phases.map(([name, of]) =>
        numbers(`search ${name}, p${percent}, ms`, (round) => percentile(of(round).searchMs, percent)),
      ),
    ),
    ...[50, 95, 99].flatMap((percent) =>
      ratios.map(([name, above, below]) =>
        numbers(
          `search ${name}, p${percent}, ratio`,
          (round) => percentile(above(round).searchMs, percent) / percentile(below(round).searchMs, percent),
          2,
        ),
      ),
    ),
    numbers(
      "main thread's processor time for a piece, beyond that of as many searches alone, ms",
      ({ alone, through, pieces }) => {
        const forSearches = (alone.mainSeconds / alone.searchMs.length) * through.searchMs.length;
        return (1000 * (through.mainSeconds - forSearches)) / pieces;
      },
      3,
    ),
    ...phases.map(([name, of]) =>
      numbers(`server's processor time, searches ${name}, cores`, (round) => of(round).cores, 2),
    ),
    ...opened.map(([name, of]) =>
      row(
        `${name}, as they come: p50, p95, most, ms`,
        rounds.map((round) => figures(of(round), [50, 95, 100])),
      ),
    ),
    row(
      "a piece's way from model to reader: p50, p95, p99, ms",
      rounds.map(({ read }) => figures(read.wayMs, [50, 95, 99])),
    ),
    row(
      "streams open when measuring ended; ended well; pieces read",
      rounds.map(({ openAtEnd, read }) => `${openAtEnd}; ${read.ends}; ${read.pieces} of ${expectedPieces}`),
    ),
    row(
      "resident memory before, with all streams, at the measuring's end, after, MB",
      rounds.map(({ resident }) => resident.map((each) => each.toFixed(0)).join(", ")),
    ),
  ];
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

function figures(values: readonly number[], percents: readonly number[]): string {
  return percents.map((percent) => percentile(values, percent).toFixed(1)).join(", ");
}
