import type { Samples, Wanted } from "../peers/rounds.js";
import { geometricMean, median, percentile } from "../statistics.js";
import type { FreshClass } from "./fresh-queries.js";
import { timedQueries, warmUpQueries } from "./fresh-rounds.js";

/** Times relative to native Tantivy's, smaller is better. */
export interface FreshFigures {
  /** Geometric mean over the queries. */
  readonly ratio: number;
  /** What the single queries' ratios are: the 95th percentile, and the greatest. */
  readonly p95: number;
  readonly worst: number;
  /** Share of the queries that take longer than Tantivy. */
  readonly slower: number;
  /** The query that `worst` is of. */
  readonly worstQuery: string;
  /** Geometric mean over the warm-up's queries, each repeated. */
  readonly hot: number;
  /** Medians over the queries. */
  readonly microseconds: number;
  readonly baseMicroseconds: number;
}

export interface FreshRow {
  /** Queries that were timed. */
  readonly queries: number;
  readonly top10: FreshFigures;
  readonly count: FreshFigures;
}

/** What was measured of one engine on one layout. */
export interface FreshTable {
  readonly classes: Readonly<Record<string, FreshRow>>;
  readonly all: FreshRow;
}

/**
 * The figures of an engine beside another's, class by class and of all queries together.
 *
 * @param samples times by the places of `timedQueries(classes)`; hot ones by those of `warmUpQueries`, which follow
 */
export function freshTable(
  engine: string,
  base: string,
  classes: readonly FreshClass[],
  samples: Samples,
): FreshTable {
  const timed = timedQueries(classes);
  const warmUps = warmUpQueries(classes);
  const row = (isOf: (className: string) => boolean): FreshRow => {
    const places = [...timed.keys()].filter((place) => isOf(timed[place]!.className));
    const hotPlaces = [...warmUps.keys()]
      .filter((i) => isOf(warmUps[i]!.className))
      .map((i) => timed.length + i);
    const figures = (wanted: Wanted): FreshFigures => {
      const ratios = places.flatMap((place) =>
        samples.ratios(engine, base, "fresh", wanted, [place]).map((ratio) => ({ place, ratio })),
      );
      const values = ratios.map(({ ratio }) => ratio);
      const worst = ratios.reduce((a, b) => (b.ratio > a.ratio ? b : a), {
        place: -1,
        ratio: Number.NEGATIVE_INFINITY,
      });
      const typical = (name: string): number =>
        median(places.flatMap((place) => samples.time(name, "fresh", wanted, place) ?? []));
      return {
        ratio: geometricMean(values),
        p95: percentile(values, 0.95),
        worst: values.length === 0 ? Number.NaN : worst.ratio,
        slower: values.filter((ratio) => ratio > 1).length / values.length,
        worstQuery: worst.place < 0 ? "" : JSON.stringify(timed[worst.place]!.query).slice(0, 160),
        hot: samples.ratio(engine, base, "hot", wanted, hotPlaces),
        microseconds: typical(engine),
        baseMicroseconds: typical(base),
      };
    };
    return { queries: places.length, top10: figures("top10"), count: figures("count") };
  };
  return {
    classes: Object.fromEntries(classes.map(({ name }) => [name, row((className) => className === name)])),
    all: row(() => true),
  };
}
