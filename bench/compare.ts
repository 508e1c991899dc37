/**
 * Asks several engines the same queries in interleaved rounds and prints one table of ratios.
 * A query's latency is its median over the rounds; a kind's ratio is the geometric mean over its
 * queries of (engine / base), so that no long query decides alone.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type BuildFigures,
  type EngineCommand,
  type EngineInfo,
  EngineProcess,
  type RunAnswer,
} from "./engine-process.js";
import { geometricMean, median } from "./statistics.js";
import type { Workload, WorkloadQuery } from "./workload.js";

export interface CompareOptions {
  readonly engines: readonly { readonly name: string; readonly command: readonly string[] }[];
  /** The engine that the others are measured against; the first one by default. */
  readonly base: string;
  readonly rounds: number;
  readonly warmUps: number;
  /** Folder for indexes; finished ones are used again. */
  readonly workFolder: string;
}

export interface KindFigures {
  readonly kind: string;
  readonly medianMicroseconds: number;
  /** Geometric mean of the time ratio to the base; absent for what the engine can't do. */
  readonly ratio: number;
  /** Queries whose total differs from the base's. */
  readonly countsDiffering: number;
  /** Queries with a score at some rank that differs from the base's by more than 0.1 %; null where not comparable. */
  readonly scoresDiffering: number | null;
}

export interface EngineFigures extends EngineInfo {
  readonly name: string;
  readonly build: BuildFigures;
  readonly openSeconds: number;
  readonly peakBytes: number;
  readonly kinds: readonly KindFigures[];
}

interface Samples {
  readonly latencies: number[][];
  answer: RunAnswer;
}

/** Kinds where both engines score alike (BM25), so that scores can be compared rank by rank. */
const COMPARABLE_SCORES = new Set([
  "term_high",
  "term_low",
  "and2",
  "or3",
  "or3_nocount",
  "or3_one",
  "phrase",
]);

export async function compareEngines(workload: Workload, options: CompareOptions): Promise<EngineFigures[]> {
  const running = [];
  for (const { name, command } of options.engines)
    running.push(await prepare(name, command, workload, options));
  const kinds = queriesByKind(workload);
  const samples = running.map(() => new Map<string, Samples>());
  for (let pass = 0; pass < options.warmUps + options.rounds; pass++) {
    for (const [kind, queries] of kinds) {
      // Engines take turns in alternating order, so that a noisy machine disturbs them alike.
      const order = running.map((_, i) => (pass % 2 === 0 ? i : running.length - 1 - i));
      for (const i of order) {
        const answer = await running[i]!.engine.ask<RunAnswer>({ cmd: "run", kind, queries });
        if (answer.unsupported === true) continue;
        const known = samples[i]!.get(kind) ?? { latencies: queries.map(() => []), answer };
        if (pass >= options.warmUps) {
          for (const [q, latency] of answer.lat_us.entries()) known.latencies[q]!.push(latency);
        }
        samples[i]!.set(kind, { ...known, answer });
      }
    }
    process.stderr.write(
      `${pass < options.warmUps ? "warm-up" : "round"} ${pass + 1}/${options.warmUps + options.rounds}\n`,
    );
  }
  const base = options.engines.findIndex(({ name }) => name === options.base);
  const figures: EngineFigures[] = [];
  for (const [i, { engine, info, build, openSeconds }] of running.entries()) {
    const rows: KindFigures[] = [];
    for (const kind of kinds.keys()) {
      const mine = samples[i]!.get(kind);
      const theirs = samples[base]!.get(kind);
      if (mine !== undefined && theirs !== undefined) rows.push(kindFigures(kind, mine, theirs));
    }
    figures.push({
      ...info,
      name: engine.name,
      build,
      openSeconds,
      peakBytes: engine.peakBytes(),
      kinds: rows,
    });
    await engine.quit();
  }
  return figures;
}

export function formatTable(figures: readonly EngineFigures[], base: string): string {
  const kinds = figures[0]?.kinds.map(({ kind }) => kind) ?? [];
  const rows = [
    `| kind | ${figures.map(({ name }) => name).join(" | ")} |`,
    `|---|${figures.map(() => "---|").join("")}`,
  ];
  for (const kind of kinds) {
    const cells = figures.map((engine) => {
      const row = engine.kinds.find((candidate) => candidate.kind === kind);
      if (row === undefined) return "–";
      const time = `${row.medianMicroseconds.toPrecision(3)} µs`;
      if (engine.name === base) return time;
      const notes = [`${row.ratio.toFixed(2)}×`];
      if (row.countsDiffering > 0) notes.push(`${row.countsDiffering} counts differ`);
      if ((row.scoresDiffering ?? 0) > 0) notes.push(`${row.scoresDiffering} scores differ`);
      return `${time} (${notes.join(", ")})`;
    });
    rows.push(`| ${kind} | ${cells.join(" | ")} |`);
  }
  const line = (label: string, value: (engine: EngineFigures) => string): string =>
    `| ${label} | ${figures.map(value).join(" | ")} |`;
  rows.push(line("*build*", ({ build }) => `${build.build_s.toFixed(1)} s`));
  rows.push(line("*index on disk*", ({ build }) => `${(build.index_bytes / 1e6).toFixed(1)} MB`));
  rows.push(line("*open*", ({ openSeconds }) => `${(openSeconds * 1000).toFixed(0)} ms`));
  rows.push(line("*peak memory, searching*", ({ peakBytes }) => `${(peakBytes / 1e6).toFixed(0)} MB`));
  return rows.join("\n");
}

async function prepare(
  name: string,
  command: readonly string[],
  workload: Workload,
  options: CompareOptions,
) {
  const dir = join(options.workFolder, workload.name, name);
  const marker = `${dir}.json`;
  let engine = new EngineProcess<EngineCommand>(name, command);
  const info = await engine.ask<EngineInfo>({ cmd: "info" });
  let build: BuildFigures;
  if (existsSync(marker)) {
    build = JSON.parse(readFileSync(marker, "utf8")) as BuildFigures;
  } else {
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir, { recursive: true });
    const figures = await engine.ask<BuildFigures>({
      cmd: "build",
      input: workload.input,
      fields: workload.fields,
      dir,
    });
    build = { ...figures, peak_bytes: engine.peakBytes() };
    writeFileSync(marker, JSON.stringify(build));
    await engine.quit();
    engine = new EngineProcess<EngineCommand>(name, command);
  }
  const { open_s } = await engine.ask<{ open_s: number }>({ cmd: "open", fields: workload.fields, dir });
  process.stderr.write(`${name} ${info.version}: built in ${build.build_s.toFixed(1)} s\n`);
  return { engine, info, build, openSeconds: open_s };
}

function queriesByKind(workload: Workload): Map<string, WorkloadQuery[]> {
  const kinds = new Map<string, WorkloadQuery[]>();
  for (const query of workload.queries) {
    const names = query.kind === "or3" ? ["or3", "or3_nocount", "or3_one"] : [query.kind];
    for (const name of names) kinds.set(name, [...(kinds.get(name) ?? []), query]);
  }
  return kinds;
}

function kindFigures(kind: string, mine: Samples, theirs: Samples): KindFigures {
  const medians = mine.latencies.map(median);
  const ratios = medians.map((latency, q) => latency / median(theirs.latencies[q]!));
  const scores = mine.answer.scores;
  const theirScores = theirs.answer.scores;
  return {
    kind,
    medianMicroseconds: median(medians),
    ratio: geometricMean(ratios),
    countsDiffering: mine.answer.counts.filter((count, q) => count !== theirs.answer.counts[q]).length,
    scoresDiffering:
      COMPARABLE_SCORES.has(kind) && scores !== undefined && theirScores !== undefined
        ? scores.filter((list, q) => !alike(list, theirScores[q] ?? [])).length
        : null,
  };
}

function alike(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((score, i) => Math.abs(score - b[i]!) <= 1e-3 * Math.abs(b[i]!));
}
