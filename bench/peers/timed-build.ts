import { rmSync } from "node:fs";
import { EngineProcess } from "../engine-process.js";
import type { AvailableEngine } from "./engine-program.js";
import { CLEAN_LAYOUT } from "./index-layout.js";
import type { BuildAnswer, RunnerCommand } from "./runner-protocol.js";

export interface BuildFigures {
  readonly seconds: number;
  /** Processor time of all threads together, in seconds. */
  readonly cpuSeconds: number;
  /** The most resident memory that the process had by then. */
  readonly peakBytes: number;
}

/** An input, and an empty folder for its index. */
export interface BuildPaths {
  readonly input: string;
  readonly folder: string;
}

/** Builds an index in a new process, whose start counts, too. */
export async function firstBuild(program: AvailableEngine, paths: BuildPaths): Promise<BuildFigures> {
  const start = performance.now();
  const engine = launch(program);
  await build(engine, program, paths);
  const seconds = (performance.now() - start) / 1000;
  const figures = { seconds, cpuSeconds: engine.cpuSeconds(), peakBytes: engine.peakBytes() };
  await engine.quit();
  return figures;
}

/** Builds an index in a process that has built another one before, which is removed and doesn't count. */
export async function warmedBuild(
  program: AvailableEngine,
  warmUp: BuildPaths,
  paths: BuildPaths,
): Promise<BuildFigures> {
  const engine = launch(program);
  await build(engine, program, warmUp);
  rmSync(warmUp.folder, { recursive: true });
  const before = engine.cpuSeconds();
  const { build_s: seconds } = await build(engine, program, paths);
  const figures = { seconds, cpuSeconds: engine.cpuSeconds() - before, peakBytes: engine.peakBytes() };
  await engine.quit();
  return figures;
}

function launch({ name, command, environment }: AvailableEngine): EngineProcess<RunnerCommand> {
  return new EngineProcess<RunnerCommand>(name, command, environment);
}

function build(
  engine: EngineProcess<RunnerCommand>,
  { layout }: AvailableEngine,
  { input, folder }: BuildPaths,
): Promise<BuildAnswer> {
  return engine.ask<BuildAnswer>({ cmd: "build", input, dir: folder, ...(layout ?? CLEAN_LAYOUT) });
}
