import autocannon from "autocannon";
import { SeededRandom } from "../../tests/setup/seeded-random.js";
import { percentile } from "../statistics.js";

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
  /** What the server took for each request. */
  readonly cpuMicroseconds: number;
}

/** Shares that a load is cut into, so that a busy machine disturbs all servers alike. */
const TURNS = 4;
/** Share of the requests that may fail for want of a connection, as some do on a busy machine; none of them counts. */
const FAILED_SHARE_MAX = 0.01;
/** Requests that a connection repeats: autocannon makes all of them before it begins, while its clock runs already. */
const REPEATED_PER_CONNECTION_MAX = 1000;
/** Milliseconds between two looks whether a load is done. */
const SAMPLE_MILLISECONDS = 20;

/**
 * Sends each request once to every target, by as many connections as are named, each of which has a share of them. The
 * targets take turns, in alternating order; figures are those of all turns together.
 *
 * @param places of the requests that take part, at least one for each turn and connection; those that can't be shared
 *   out evenly are left out
 */
export async function askOnceInTurns(
  targets: readonly LoadTarget[],
  places: readonly number[],
  connections: number,
): Promise<Map<string, LoadFigures>> {
  const perConnection = Math.floor(places.length / (TURNS * connections));
  if (perConnection === 0)
    throw new Error(`${places.length} requests are too few for ${connections} connections`);
  const taken = new Map<string, Asked[]>(targets.map(({ name }) => [name, []]));
  for (let turn = 0; turn < TURNS; turn++) {
    const start = turn * perConnection * connections;
    const shares = Array.from({ length: connections }, (_, i) =>
      places.slice(start + i * perConnection, start + (i + 1) * perConnection),
    );
    for (const target of turn % 2 === 0 ? targets : targets.toReversed())
      taken.get(target.name)!.push(await ask(target, shares, { amount: perConnection * connections }));
  }
  return new Map([...taken].map(([name, turns]) => [name, figuresOf(turns)]));
}

/** Sends requests again and again for some time, each connection in an order of its own. */
export async function askRepeatedly(
  target: LoadTarget,
  places: readonly number[],
  options: { readonly connections: number; readonly seconds: number; readonly seed: number },
): Promise<LoadFigures> {
  const random = new SeededRandom(options.seed);
  const shares = Array.from({ length: options.connections }, () =>
    random.shuffled(places).slice(0, REPEATED_PER_CONNECTION_MAX),
  );
  return figuresOf([await ask(target, shares, { duration: options.seconds })]);
}

interface Asked {
  /** How long every answer took, in milliseconds. */
  readonly latencies: readonly number[];
  /** From when the first request was sent to the last answer. */
  readonly seconds: number;
  readonly cpuSeconds: number;
}

async function ask(
  target: LoadTarget,
  shares: readonly (readonly number[])[],
  extent: { readonly amount: number } | { readonly duration: number },
): Promise<Asked> {
  const latencies: number[] = [];
  const cpuBefore = target.cpuSeconds();
  let start = 0;
  let end = 0;
  let connection = 0;
  const failures = new Set<string>();
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon(
      {
        url: target.url,
        connections: shares.length,
        ...extent,
        sampleInt: SAMPLE_MILLISECONDS,
        setupClient: (client) =>
          client.setRequests(
            shares[connection++]!.map((place) => ({
              ...target.requests[place]!,
              method: "POST",
              headers: { ...target.headers },
            })),
          ),
      },
      (error, done) => (error === null || error === undefined ? resolve(done) : reject(error)),
    );
    instance.on("reqError", (error) => failures.add(String(error)));
    instance.on("response", (_client, _status, _bytes, milliseconds) => {
      end = performance.now();
      if (latencies.length === 0) start = end - milliseconds;
      latencies.push(milliseconds);
    });
  });
  if (result.non2xx > 0 || result.errors > latencies.length * FAILED_SHARE_MAX)
    throw new Error(
      `${target.name}: ${result.non2xx} answers were not 2xx, ${result.errors} failed; ` +
        `${JSON.stringify(result.statusCodeStats)} ${[...failures].join("; ")}`,
    );
  return { latencies, seconds: (end - start) / 1000, cpuSeconds: target.cpuSeconds() - cpuBefore };
}

function figuresOf(turns: readonly Asked[]): LoadFigures {
  const latencies = turns.flatMap((turn) => turn.latencies);
  const sum = (of: (turn: Asked) => number): number => turns.reduce((total, turn) => total + of(turn), 0);
  return {
    requestsPerSecond: latencies.length / sum(({ seconds }) => seconds),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpuMicroseconds: (sum(({ cpuSeconds }) => cpuSeconds) * 1e6) / latencies.length,
  };
}
