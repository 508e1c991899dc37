import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { EngineProcess } from "../engine-process.js";
import { evictFromPageCache, readIntoPageCache } from "../page-cache.js";
import { type AvailableEngine, indexFolder } from "./engine-program.js";
import { CLEAN_LAYOUT } from "./index-layout.js";
import type { Mode, PeerAnswer, PeerQuery } from "./peer-query.js";
import type {
  AnswersAnswer,
  InfoAnswer,
  OpenAnswer,
  QueriesAnswer,
  RunnerCommand,
  TimesAnswer,
} from "./runner-protocol.js";
import { type BuildFigures, firstBuild } from "./timed-build.js";

/** Ends of the names of files with kept documents: Findling's, Tantivy's, Lucene's. Others keep them elsewhere. */
const STORE_FILES = [".doc", ".store", ".fdt"];

/** An engine with an index open, waiting for queries. */
export class PeerEngine {
  readonly name: string;
  readonly version: string;
  readonly modes: readonly Mode[];
  readonly comparableScores: boolean;
  readonly isSlow: boolean;
  readonly build: BuildFigures;
  readonly opened: OpenAnswer;
  readonly #process: EngineProcess<RunnerCommand>;
  readonly #files: readonly string[];
  readonly #storeFiles: readonly string[];
  #supported: readonly boolean[] = [];

  private constructor(
    program: AvailableEngine,
    info: InfoAnswer,
    build: BuildFigures,
    opened: OpenAnswer,
    process: EngineProcess<RunnerCommand>,
    folder: string,
  ) {
    this.name = program.name;
    this.isSlow = program.isSlow === true;
    this.version = info.version;
    this.modes = info.modes;
    this.comparableScores = info.comparableScores;
    this.build = build;
    this.opened = opened;
    this.#process = process;
    this.#files = readdirSync(folder).map((name) => join(folder, name));
    this.#storeFiles = this.#files.filter((file) => STORE_FILES.some((end) => file.endsWith(end)));
  }

  /** Starts a runner on the index of that input, which is built unless an earlier run has left it. */
  static async start(
    program: AvailableEngine,
    input: string,
    options: { readonly inputName: string; readonly rebuilds: boolean },
  ): Promise<PeerEngine> {
    const folder = indexFolder(program, options.inputName);
    const build = await builtIndex(program, input, folder, options.rebuilds);
    const engine = launch(program);
    const info = await ask<InfoAnswer>(engine, { cmd: "info" });
    const opened = await ask<OpenAnswer>(engine, { cmd: "open", dir: folder });
    const { segments } = program.layout ?? CLEAN_LAYOUT;
    // Engines that don't count theirs say 1.
    if (opened.segments !== segments)
      throw new Error(`${program.name}'s index has ${opened.segments} segments instead of ${segments}`);
    return new PeerEngine(program, info, build, opened, engine, folder);
  }

  async prepare(queries: readonly PeerQuery[]): Promise<void> {
    const { supported } = await ask<QueriesAnswer>(this.#process, { cmd: "queries", queries });
    this.#supported = supported;
  }

  supports(place: number): boolean {
    return this.#supported[place] === true;
  }

  async answers(mode: Mode, places: readonly number[]): Promise<readonly PeerAnswer[]> {
    return (await ask<AnswersAnswer>(this.#process, { cmd: "answers", mode, places })).answers;
  }

  async times(cmd: "hot" | "mixed", mode: Mode, places: readonly number[]): Promise<readonly number[]> {
    return (await ask<TimesAnswer>(this.#process, { cmd, mode, places })).times;
  }

  /** Whether its documents lie in files of their own, which the next two are about. */
  get hasStoreFiles(): boolean {
    return this.#storeFiles.length > 0;
  }

  /** Reads all files of the index, so that no query is the first to want one of their pages. */
  readIndexIntoPageCache(): void {
    readIntoPageCache(this.#files);
  }

  readStoreIntoPageCache(): void {
    readIntoPageCache(this.#storeFiles);
  }

  evictStoreFromPageCache(): void {
    evictFromPageCache(this.#storeFiles);
  }

  /** Resident memory of the searching process in bytes. */
  residentBytes(): number {
    return this.#process.residentBytes();
  }

  /** Processor time of the searching process so far, in seconds, of all its threads. */
  cpuSeconds(): number {
    return this.#process.cpuSeconds();
  }

  /** Peak resident memory of the searching process in bytes. */
  peakBytes(): number {
    return this.#process.peakBytes();
  }

  quit(): Promise<void> {
    return this.#process.quit();
  }
}

function launch(program: AvailableEngine): EngineProcess<RunnerCommand> {
  return new EngineProcess<RunnerCommand>(program.name, program.command, program.environment);
}

function ask<T>(engine: EngineProcess<RunnerCommand>, command: RunnerCommand): Promise<T> {
  return engine.ask<T>(command);
}

async function builtIndex(
  program: AvailableEngine,
  input: string,
  folder: string,
  rebuilds: boolean,
): Promise<BuildFigures> {
  const marker = `${folder}.json`;
  if (!rebuilds && existsSync(marker)) return JSON.parse(readFileSync(marker, "utf8")) as BuildFigures;
  process.stderr.write(`building ${program.name}'s index\n`);
  rmSync(marker, { force: true });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const figures = await firstBuild(program, { input, folder });
  writeFileSync(marker, JSON.stringify(figures));
  return figures;
}

/** Takes an index that was built elsewhere as the one of that input, unless there is one. */
export function keepIndex(
  program: AvailableEngine,
  inputName: string,
  built: { readonly folder: string; readonly figures: BuildFigures; readonly replaces: boolean },
): void {
  const folder = indexFolder(program, inputName);
  const marker = `${folder}.json`;
  if (!built.replaces && existsSync(marker)) return;
  rmSync(marker, { force: true });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(dirname(folder), { recursive: true });
  renameSync(built.folder, folder);
  writeFileSync(marker, JSON.stringify(built.figures));
}
