import autocannon from "autocannon";
import { SeededRandom } from "../../tests/setup/seeded-random.js";
import { median } from "../statistics.js";

/** A server under load; its requests stand in the same order as every other target's. */
export interface LoadTarget {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requests: readonly { readonly path: string; readonly body: string }[];
  /** Processor time so far. */
  cpuSeconds(): number;
}

export interface LoadFigures {
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Of the server, for each request. */
  readonly cpuMicroseconds: number;
}

export interface LoadOptions {
  readonly seconds: number;
  readonly connections: number;
  readonly rounds: number;
  readonly seed: number;
}

/**
 * The same requests to each target, one target after the other in alternating order in every round, so
 * that a busy machine disturbs them alike; medians over the rounds.
 *
 * @param places of the requests that take part
 */
export async function loadInTurns(
  targets: readonly LoadTarget[],
  places: readonly number[],
  options: LoadOptions,
): Promise<Map<string, LoadFigures>> {
  const taken = new Map<string, LoadFigures[]>(targets.map(({ name }) => [name, []]));
  for (let round = 0; round < options.rounds; round++) {
    for (const target of round % 2 === 0 ? targets : targets.toReversed())
      taken.get(target.name)!.push(await load(target, places, { ...options, seed: options.seed + round }));
  }
  return new Map(
    [...taken].map(([name, figures]) => {
      const middle = (of: keyof LoadFigures): number => median(figures.map((each) => each[of]));
      return [
        name,
        {
          requestsPerSecond: middle("requestsPerSecond"),
          p50: middle("p50"),
          p99: middle("p99"),
          cpuMicroseconds: middle("cpuMicroseconds"),
        },
      ];
    }),
  );
}

async function load(
  target: LoadTarget,
  places: readonly number[],
  { seconds, connections, seed }: Omit<LoadOptions, "rounds">,
): Promise<LoadFigures> {
  const random = new SeededRandom(seed);
  const cpuBefore = target.cpuSeconds();
  const result = await autocannon({
    url: target.url,
    connections,
    duration: seconds,
    // Every connection asks in an order of its own.
    setupClient: (client) =>
      client.setRequests(
        random.shuffled(places).map((place) => ({
          ...target.requests[place]!,
          method: "POST",
          headers: { ...target.headers },
        })),
      ),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${target.name}: ${result.non2xx} answers were not 2xx, ${result.errors} failed`);
  return {
    requestsPerSecond: result["2xx"] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    cpuMicroseconds: ((target.cpuSeconds() - cpuBefore) * 1e6) / result["2xx"],
  };
}
