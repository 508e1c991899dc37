import { cpus } from "node:os";
import { geometricMean, median } from "../statistics.js";
import { QUERY_BARS, SINGLE_QUERY_BAR } from "./bars.js";
import type { BuildingFigures } from "./building-rounds.js";
import type { Differences } from "./compare-answers.js";
import { BASE } from "./engine-program.js";
import type { LayoutReport } from "./layout-report.js";
import type { PeerEngine } from "./peer-engine.js";
import { type Manner, type PlacedQuery, placesByClass, type Samples, type Wanted } from "./rounds.js";

export interface WantedFigures {
  /** Geometric mean of the time ratio to Tantivy; NaN (in JSON null) where nothing was compared. */
  readonly hot: number;
  readonly mixed: number;
  /** Medians over the queries in microseconds: the engine's and Tantivy's, hot if the engine is timed hot. */
  readonly microseconds: number;
  readonly baseMicroseconds: number;
}

export interface RowFigures {
  readonly label: string;
  readonly top10: WantedFigures;
  readonly count: WantedFigures;
}

export interface TailFigures {
  readonly queries: number;
  /** Shares of the queries that take longer than Tantivy, and longer than the bar for a single one. */
  readonly slower: number;
  readonly overBar: number;
  readonly worst: { readonly ratio: number; readonly className: string; readonly query: string };
}

/** Single shots with none of the files in the page cache. */
export interface ColdFigures {
  /** Geometric mean of the time ratio to Tantivy. */
  readonly ratio: number;
  /** Medians over the queries. */
  readonly microseconds: number;
  readonly baseMicroseconds: number;
}

export interface EngineReport {
  readonly name: string;
  readonly version: string;
  /** Timed in this run, with all that are compared; null or absent where it wasn't. */
  readonly building?: BuildingFigures | null;
  /** Processor time of building the index, by whichever run did it. */
  readonly buildCpuSeconds: number;
  readonly openSeconds: number;
  readonly indexBytes: number;
  readonly storeBytes: number;
  readonly peakBytes: number;
  readonly segments: number;
  readonly bars: readonly RowFigures[];
  readonly classes: readonly RowFigures[];
  /** Ten documents of the class `stored` from the disk; null or absent where it wasn't timed. */
  readonly coldDocuments?: ColdFigures | null;
  readonly tails: Readonly<Record<`${Exclude<Manner, "cold" | "fresh">} ${Wanted}`, TailFigures | null>>;
  readonly disagreements: readonly string[];
  readonly compared: number;
}

export interface PeerReport {
  readonly corpus: string;
  readonly docCount: number;
  readonly seed: number;
  readonly rounds: number;
  readonly queries: number;
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly missing: readonly string[];
  readonly engines: readonly EngineReport[];
  /** Absent in figures that were taken before there were any. */
  readonly layouts?: readonly LayoutReport[];
}

/** As JSON, figures to four digits. */
export function reportText(report: object): string {
  const rounded = (_: string, value: unknown): unknown =>
    typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
  return `${JSON.stringify(report, rounded, 1)}\n`;
}

export const machine = (): string => `${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}`;

export function engineReport(
  engine: PeerEngine,
  building: BuildingFigures | null,
  queries: readonly PlacedQuery[],
  { samples, cold }: { readonly samples: Samples; readonly cold: Samples },
  { found: disagreements, compared }: Differences,
): EngineReport {
  const places = placesByClass(queries);
  const row = (label: string, classes: readonly string[]): RowFigures => {
    const rowPlaces = classes.flatMap((name) => places.get(name) ?? []);
    const figures = (wanted: Wanted): WantedFigures => wantedFigures(engine.name, samples, wanted, rowPlaces);
    return { label, top10: figures("top10"), count: figures("count") };
  };
  const tail = (manner: Manner, wanted: Wanted): TailFigures | null =>
    tailFigures(engine.name, queries, samples, manner, wanted);
  return {
    name: engine.name,
    version: engine.version,
    building,
    buildCpuSeconds: engine.build.cpuSeconds,
    openSeconds: engine.opened.open_s,
    indexBytes: engine.opened.index_bytes,
    storeBytes: engine.opened.store_bytes,
    peakBytes: engine.peakBytes(),
    segments: engine.opened.segments,
    bars: QUERY_BARS.map(({ label, classes }) => row(label, classes)),
    classes: [...places.keys()].map((name) => row(name, [name])),
    coldDocuments: coldFigures(engine.name, cold, [...queries.keys()]),
    tails: {
      "hot top10": tail("hot", "top10"),
      "hot count": tail("hot", "count"),
      "mixed top10": tail("mixed", "top10"),
      "mixed count": tail("mixed", "count"),
    },
    disagreements,
    compared,
  };
}

function wantedFigures(
  engine: string,
  samples: Samples,
  wanted: Wanted,
  places: readonly number[],
): WantedFigures {
  const manner = places.some((place) => samples.time(engine, "hot", wanted, place) !== null)
    ? "hot"
    : "mixed";
  const times = (name: string): number[] =>
    places.flatMap((place) => samples.time(name, manner, wanted, place) ?? []);
  return {
    hot: geometricMean(samples.ratios(engine, BASE, "hot", wanted, places)),
    mixed: geometricMean(samples.ratios(engine, BASE, "mixed", wanted, places)),
    microseconds: median(times(engine)),
    baseMicroseconds: median(times(BASE)),
  };
}

function coldFigures(engine: string, cold: Samples, places: readonly number[]): ColdFigures | null {
  const ratios = cold.ratios(engine, BASE, "cold", "top10", places);
  if (ratios.length === 0) return null;
  const typical = (name: string): number =>
    median(places.flatMap((place) => cold.time(name, "cold", "top10", place) ?? []));
  return {
    ratio: geometricMean(ratios),
    microseconds: typical(engine),
    baseMicroseconds: typical(BASE),
  };
}

function tailFigures(
  engine: string,
  queries: readonly PlacedQuery[],
  samples: Samples,
  manner: Manner,
  wanted: Wanted,
): TailFigures | null {
  const ratios = [...queries.keys()].flatMap((place) =>
    samples.ratios(engine, BASE, manner, wanted, [place]).map((ratio) => ({ place, ratio })),
  );
  if (ratios.length === 0) return null;
  const worst = ratios.reduce((a, b) => (b.ratio > a.ratio ? b : a));
  const share = (limit: number): number => ratios.filter(({ ratio }) => ratio > limit).length / ratios.length;
  const { className, query } = queries[worst.place]!;
  return {
    queries: ratios.length,
    slower: share(1),
    overBar: share(SINGLE_QUERY_BAR),
    worst: { ratio: worst.ratio, className, query: JSON.stringify(query).slice(0, 120) },
  };
}
