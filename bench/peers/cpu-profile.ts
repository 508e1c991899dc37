import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The parts of a V8 `.cpuprofile` that say where time went. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  /** Node that was running at each sample, and microseconds since the sample before. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

export interface FunctionTime {
  readonly name: string;
  /** File and line, both of compiled code. */
  readonly place: string;
  /** Share of the time that the process wasn't idle. */
  readonly share: number;
}

/** The newest profile in a folder. */
export function newestProfile(folder: string): string {
  const names = readdirSync(folder).filter((name) => name.endsWith(".cpuprofile"));
  const newest = names.sort().at(-1);
  if (newest === undefined) throw new Error(`no profile was written to ${folder}`);
  return join(folder, newest);
}

/** Functions by the time spent in themselves, callees not included. */
export function functionTimes(file: string): FunctionTime[] {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, "utf8")) as CpuProfile;
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const times = new Map<string, { name: string; place: string; time: number }>();
  let busy = 0;
  for (const [i, node] of samples.entries()) {
    const { functionName, url, lineNumber } = frames.get(node)!;
    if (functionName === "(idle)" || functionName === "(program)") continue;
    const place = `${url.split("/").slice(-2).join("/")}:${lineNumber + 1}`;
    const key = `${functionName} ${place}`;
    const known = times.get(key) ?? {
      name: functionName === "" ? "(anonymous)" : functionName,
      place,
      time: 0,
    };
    known.time += timeDeltas[i]!;
    busy += timeDeltas[i]!;
    times.set(key, known);
  }
  return [...times.values()]
    .sort((a, b) => b.time - a.time)
    .map(({ name, place, time }) => ({ name, place, share: time / busy }));
}
