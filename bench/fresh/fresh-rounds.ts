import { SeededRandom } from "../../tests/setup/seeded-random.js";
import { type AvailableEngine, BASE } from "../peers/engine-program.js";
import { PeerEngine } from "../peers/peer-engine.js";
import { hasCount, type Mode, type PeerQuery } from "../peers/peer-query.js";
import { type PlacedQuery, Samples } from "../peers/rounds.js";
import type { FreshClass } from "./fresh-queries.js";

export interface FreshRoundsOptions {
  readonly input: { readonly name: string; readonly file: string };
  readonly seed: number;
  /** Times that everything is repeated in new processes; a query's time is its median over them. */
  readonly rounds: number;
  /** How long each process is asked other queries of the same classes before. */
  readonly warmUpSeconds: number;
}

/** The engines of a pass, each in a process of its own, and how it is asked. */
type Pass = readonly { readonly program: AvailableEngine; readonly mode: Mode }[];

/** Queries that an engine is asked before another one has its turn. */
const SLICE_LENGTH = 48;
/** Queries of the warm-up at the head of each turn, untimed: the processor's caches were the other engine's. */
const RUN_UP_LENGTH = 12;
const WARM_UP_SLICE_LENGTH = 256;

/**
 * Times every query once in its process: with and without the count in different ones, and in another for each of
 * the base's two ways to the count. Times are by place in `timedQueries(classes)`. After all else each engine is asked
 * the queries of the warm-up hot.
 */
export async function timeFresh(
  programs: readonly AvailableEngine[],
  classes: readonly FreshClass[],
  options: FreshRoundsOptions,
): Promise<Samples> {
  const samples = new Samples();
  const random = new SeededRandom(options.seed);
  for (let round = 0; round < options.rounds; round++) {
    const start = performance.now();
    const ordered = round % 2 === 0 ? programs : programs.toReversed();
    for (const pass of passes(ordered))
      await timePass(pass, classes, samples, random, { ...options, timesHot: round === options.rounds - 1 });
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    process.stderr.write(`round ${round + 1} of ${options.rounds}: ${seconds} s\n`);
  }
  return samples;
}

/** The queries that are timed, those of the classes one after the other. */
export function timedQueries(classes: readonly FreshClass[]): PlacedQuery[] {
  return classes.flatMap(({ name, measured }) => measured.map((query) => ({ className: name, query })));
}

/** The queries of the warm-up, whose places follow those of the timed ones. */
export function warmUpQueries(classes: readonly FreshClass[]): PlacedQuery[] {
  return classes.flatMap(({ name, warmUps }) => warmUps.map((query) => ({ className: name, query })));
}

function passes(programs: readonly AvailableEngine[]): Pass[] {
  return [
    programs.map((program) => ({ program, mode: "top10" as const })),
    programs.flatMap((program) => [
      { program, mode: "one_pass" as const },
      ...(program.name.startsWith(BASE) ? [{ program, mode: "two_passes" as const }] : []),
    ]),
  ];
}

async function timePass(
  pass: Pass,
  classes: readonly FreshClass[],
  samples: Samples,
  random: SeededRandom,
  options: FreshRoundsOptions & { readonly timesHot: boolean },
): Promise<void> {
  const { input, warmUpSeconds, timesHot } = options;
  const timed = timedQueries(classes).map(({ query }) => query);
  const queries = [...timed, ...warmUpQueries(classes).map(({ query }) => query)];
  const places = [...queries.keys()];
  const warmUps = places.slice(timed.length);
  const started: { readonly engine: PeerEngine; readonly mode: Mode }[] = [];
  try {
    for (const { program, mode } of pass) {
      const engine = await PeerEngine.start(program, input.file, { inputName: input.name, rebuilds: false });
      started.push({ engine, mode });
      await engine.prepare(queries);
      engine.readIndexIntoPageCache();
      await warmUp(engine, mode, askedOf(engine, mode, queries, warmUps), random, warmUpSeconds);
    }
    const order = random.shuffled(places.slice(0, timed.length));
    for (let from = 0, turn = 0; from < order.length; from += SLICE_LENGTH, turn++) {
      const slice = order.slice(from, from + SLICE_LENGTH);
      const runUp = Array.from({ length: RUN_UP_LENGTH }, () => random.pick(warmUps));
      for (const { engine, mode } of turn % 2 === 0 ? started : started.toReversed()) {
        const before = askedOf(engine, mode, queries, runUp);
        const asked = askedOf(engine, mode, queries, slice);
        const times = await engine.times("mixed", mode, [...before, ...asked]);
        for (const [i, place] of asked.entries())
          samples.add(engine.name, "fresh", mode, place, times[before.length + i]!);
      }
    }
    for (const { engine, mode } of timesHot ? started : []) {
      const asked = askedOf(engine, mode, queries, warmUps);
      const times = await engine.times("hot", mode, asked);
      for (const [i, place] of asked.entries()) samples.add(engine.name, "hot", mode, place, times[i]!);
    }
  } finally {
    for (const { engine } of started) await engine.quit();
  }
}

/** All queries at least once, in another order each time. */
async function warmUp(
  engine: PeerEngine,
  mode: Mode,
  places: readonly number[],
  random: SeededRandom,
  seconds: number,
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  do {
    const order = random.shuffled(places);
    for (let from = 0; from < order.length; from += WARM_UP_SLICE_LENGTH)
      await engine.times("mixed", mode, order.slice(from, from + WARM_UP_SLICE_LENGTH));
  } while (performance.now() < end);
}

/** Whatever has but one way to be answered isn't asked the second one. */
function askedOf(
  engine: PeerEngine,
  mode: Mode,
  queries: readonly PeerQuery[],
  places: readonly number[],
): number[] {
  return places.filter(
    (place) => engine.supports(place) && (mode !== "two_passes" || hasCount(queries[place]!.kind)),
  );
}
