import { SeededRandom } from "../../tests/setup/seeded-random.js";
import { geometricMean, median } from "../statistics.js";
import type { PeerEngine } from "./peer-engine.js";
import { isRanked, type Mode, type PeerQuery } from "./peer-query.js";

/**
 * How a query is timed: repeated, once a round among others in shuffled order, once with nothing of the documents it
 * reads in the page cache, or once in its process.
 */
export type Manner = "hot" | "mixed" | "cold" | "fresh";
/** What is asked of a query: the ten best (or whatever its kind answers), or these with the exact count. */
export type Wanted = "top10" | "count";

export interface PlacedQuery {
  readonly className: string;
  readonly query: PeerQuery;
}

const MODES = ["top10", "one_pass", "two_passes"] as const;
/** Queries that take turns between engines in the mixed rounds. */
const MIXED_SLICE = 64;

/** All times that were taken, by engine, manner, mode and query. */
export class Samples {
  readonly #times: Map<string, number[]> = new Map();

  add(engine: string, manner: Manner, mode: Mode, place: number, time: number): void {
    const key = `${engine} ${manner} ${mode} ${place}`;
    const known = this.#times.get(key);
    if (known === undefined) this.#times.set(key, [time]);
    else known.push(time);
  }

  /** Median over the rounds in microseconds, of the quicker of the engine's ways; null if it wasn't asked. */
  time(engine: string, manner: Manner, wanted: Wanted, place: number): number | null {
    const modes: Mode[] = wanted === "top10" ? ["top10"] : ["one_pass", "two_passes"];
    const medians = modes.flatMap((mode) => {
      const times = this.#times.get(`${engine} ${manner} ${mode} ${place}`);
      return times === undefined ? [] : [median(times)];
    });
    return medians.length === 0 ? null : Math.min(...medians);
  }

  /** Time relative to another engine's, by place; queries that one of them doesn't answer are left out. */
  ratios(engine: string, base: string, manner: Manner, wanted: Wanted, places: readonly number[]): number[] {
    return places.flatMap((place) => {
      const mine = this.time(engine, manner, wanted, place);
      const theirs = this.time(base, manner, wanted, place);
      return mine === null || theirs === null ? [] : [mine / theirs];
    });
  }

  ratio(engine: string, base: string, manner: Manner, wanted: Wanted, places: readonly number[]): number {
    return geometricMean(this.ratios(engine, base, manner, wanted, places));
  }
}

export interface RoundsOptions {
  readonly rounds: number;
  readonly seed: number;
  /** Whether kept documents are read into the page cache before any are asked for, which they have to fit in. */
  readonly readsStores: boolean;
}

/**
 * Times all queries on all engines, interleaved: class by class the engines take turns, in alternating
 * order, so that a busy machine disturbs them alike. The first round warms up and is thrown away.
 */
export async function timeRounds(
  engines: readonly PeerEngine[],
  queries: readonly PlacedQuery[],
  { rounds, seed, readsStores }: RoundsOptions,
): Promise<Samples> {
  const random = new SeededRandom(seed);
  const samples = new Samples();
  const classes = [...placesByClass(queries).values()];
  // Systems take pages back within a minute, and sooner those that are read than those that are mapped.
  const readStores = (places: readonly number[]): void => {
    if (!readsStores || !places.some((place) => queries[place]!.query.kind === "stored")) return;
    for (const engine of engines) engine.readStoreIntoPageCache();
  };
  for (let round = 0; round <= rounds; round++) {
    const start = performance.now();
    const kept = round === 0 ? new Samples() : samples;
    const order = round % 2 === 0 ? engines : engines.toReversed();
    for (const places of classes) {
      readStores(places);
      for (const mode of MODES) await timeSlice(order, queries, "hot", mode, places, kept);
    }
    readStores([...queries.keys()]);
    for (const mode of MODES) {
      const shuffled = random.shuffled([...queries.keys()]);
      for (let from = 0; from < shuffled.length; from += MIXED_SLICE)
        await timeSlice(order, queries, "mixed", mode, shuffled.slice(from, from + MIXED_SLICE), kept);
    }
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    process.stderr.write(`${round === 0 ? "warm-up" : `round ${round} of ${rounds}`}: ${seconds} s\n`);
  }
  return samples;
}

/**
 * Times reading documents from the disk: single shots of the queries that read some, each of others than before, right
 * after the files were dropped from the page cache. Of a file that is mapped, pages that were asked for before stay
 * (4 % of a million documents' file a round). The first round warms up and is thrown away.
 */
export async function timeColdDocuments(
  engines: readonly PeerEngine[],
  queries: readonly PlacedQuery[],
  rounds: number,
): Promise<Samples> {
  const samples = new Samples();
  const places = [...queries.keys()].filter((place) => queries[place]!.query.kind === "stored");
  if (places.length === 0) return samples;
  const timed = engines.filter(({ hasStoreFiles }) => hasStoreFiles);
  for (let round = 0; round <= rounds; round++) {
    const kept = round === 0 ? new Samples() : samples;
    for (const engine of round % 2 === 0 ? timed : timed.toReversed()) {
      engine.evictStoreFromPageCache();
      await timeSlice([engine], queries, "cold", "top10", places, kept);
    }
  }
  return samples;
}

async function timeSlice(
  engines: readonly PeerEngine[],
  queries: readonly PlacedQuery[],
  manner: Manner,
  mode: Mode,
  places: readonly number[],
  samples: Samples,
): Promise<void> {
  for (const engine of engines) {
    if (!engine.modes.includes(mode) || (engine.isSlow && manner === "hot")) continue;
    const asked = places.filter(
      (place) => engine.supports(place) && (mode === "top10" || isRanked(queries[place]!.query.kind)),
    );
    if (asked.length === 0) continue;
    const times = await engine.times(manner === "hot" ? "hot" : "mixed", mode, asked);
    for (const [i, place] of asked.entries()) samples.add(engine.name, manner, mode, place, times[i]!);
  }
}

export function placesByClass(queries: readonly PlacedQuery[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [place, { className }] of queries.entries())
    places.set(className, [...(places.get(className) ?? []), place]);
  return places;
}
