import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lines } from "../corpus.js";
import { median } from "../statistics.js";
import type { AvailableEngine } from "./engine-program.js";
import { type BuildFigures, firstBuild, warmedBuild } from "./timed-build.js";

/** Medians over the rounds. */
export interface BuildingFigures {
  readonly rounds: number;
  /** What a process builds first, its start included. */
  readonly first: BuildFigures;
  /** What a process builds that has built an index of the first documents before. */
  readonly warmed: BuildFigures;
}

export interface BuildingPlace {
  /** Where a folder is made for all indexes, and removed. */
  readonly scratch: string;
  /** Gets each engine's last first build, and may move its folder away. */
  readonly keep?: (program: AvailableEngine, folder: string, figures: BuildFigures) => void;
}

/** Documents of the index that warms up. */
const WARMING_DOCUMENTS = 10_000;

/**
 * Builds the input's index with every engine, in turns: each round all first builds, then all warmed ones, in
 * alternating order, so that a slow hour falls on all alike.
 */
export async function timeBuilding(
  programs: readonly AvailableEngine[],
  input: string,
  rounds: number,
  { scratch, keep }: BuildingPlace,
): Promise<Map<string, BuildingFigures>> {
  mkdirSync(scratch, { recursive: true });
  const folder = mkdtempSync(join(scratch, "building-"));
  const emptied = (name: string): string => {
    rmSync(join(folder, name), { recursive: true, force: true });
    mkdirSync(join(folder, name));
    return join(folder, name);
  };
  const samples = programs.map((program) => ({
    program,
    first: [] as BuildFigures[],
    warmed: [] as BuildFigures[],
  }));
  try {
    const beginning = join(folder, "beginning.jsonl");
    writeFileSync(beginning, await beginningOf(input));
    for (let round = 0; round < rounds; round++) {
      const start = performance.now();
      const order = round % 2 === 0 ? samples : samples.toReversed();
      for (const { program, first } of order) {
        const index = emptied("index");
        const figures = await firstBuild(program, { input, folder: index });
        first.push(figures);
        if (round === rounds - 1) keep?.(program, index, figures);
      }
      for (const { program, warmed } of order) {
        const warmUp = { input: beginning, folder: emptied("warm-up") };
        warmed.push(await warmedBuild(program, warmUp, { input, folder: emptied("index") }));
      }
      const seconds = ((performance.now() - start) / 1000).toFixed(0);
      process.stderr.write(`building, round ${round + 1} of ${rounds}: ${seconds} s\n`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return new Map(
    samples.map(({ program, first, warmed }) => [
      program.name,
      { rounds, first: medians(first), warmed: medians(warmed) },
    ]),
  );
}

async function beginningOf(input: string): Promise<string> {
  const beginning: string[] = [];
  for await (const line of lines(input)) {
    if (beginning.length === WARMING_DOCUMENTS) break;
    beginning.push(line);
  }
  return `${beginning.join("\n")}\n`;
}

function medians(figures: readonly BuildFigures[]): BuildFigures {
  const of = (figure: (one: BuildFigures) => number): number => median(figures.map(figure));
  return {
    seconds: of(({ seconds }) => seconds),
    cpuSeconds: of(({ cpuSeconds }) => cpuSeconds),
    peakBytes: of(({ peakBytes }) => peakBytes),
  };
}
