import { CACHE_FOLDER } from "../corpus.js";
import { timeBuilding } from "./building-rounds.js";
import type { AvailableEngine, EngineProgram } from "./engine-program.js";
import { COMPILED_FINDLING, findlingProgram } from "./findling-program.js";
import { type InputOptions, inputOf } from "./input-files.js";
import { nativeTantivy } from "./native-tantivy.js";
import { machine } from "./peer-report.js";
import type { BuildFigures } from "./timed-build.js";

export interface BuildingOptions extends InputOptions {
  readonly rounds: number;
  /** Folder of the compiled engine, and of a second one to be measured beside it. */
  readonly dist?: string;
  readonly also?: string;
}

/** Building alone, without any queries: Findling beside Tantivy, and beside another build of its own. */
export async function benchmarkBuilding(options: BuildingOptions): Promise<void> {
  const input = await inputOf(options);
  const programs = [
    nativeTantivy(),
    findlingProgram("findling", options.dist ?? COMPILED_FINDLING),
    ...(options.also === undefined ? [] : [findlingProgram("findling-also", options.also)]),
  ].map(available);
  const figures = await timeBuilding(programs, input.file, options.rounds, { scratch: CACHE_FOLDER });
  const base = figures.get(programs[0]!.name)!;
  const row = (name: string, label: string, mine: BuildFigures, theirs: BuildFigures): string =>
    `| ${name}, ${label} | ${mine.cpuSeconds.toFixed(2)} s | ${(mine.cpuSeconds / theirs.cpuSeconds).toFixed(2)} | ` +
    `${mine.seconds.toFixed(2)} s | ${(mine.seconds / theirs.seconds).toFixed(2)} | ` +
    `${(mine.peakBytes / 1e6).toFixed(0)} MB |`;
  const rows = [...figures].flatMap(([name, { warmed, first }]) => [
    row(name, "warmed", warmed, base.warmed),
    row(name, "first of a process", first, base.first),
  ]);
  process.stdout.write(
    `${input.note}, medians of ${options.rounds} rounds, Node ${process.versions.node}; ${machine()}\n\n` +
      "| build | processor time | of Tantivy's | by the clock | of Tantivy's | peak memory |\n|---|---|---|---|---|---|\n" +
      `${rows.join("\n")}\n`,
  );
}

function available(program: EngineProgram): AvailableEngine {
  if ("missing" in program) throw new Error(`${program.name}: ${program.missing}`);
  return program;
}
