import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CACHE_FOLDER } from "../corpus.js";
import { type BuildingFigures, timeBuilding } from "./building-rounds.js";
import { compareAnswers, type Differences } from "./compare-answers.js";
import { type AvailableEngine, BASE, type EngineProgram, onLayout } from "./engine-program.js";
import { COMPILED_FINDLING, findlingProgram } from "./findling-program.js";
import { type LayoutVariant, layoutVariants } from "./index-layout.js";
import { digestInput } from "./input-digest.js";
import { type Input, type InputOptions, inputOf } from "./input-files.js";
import { javaScriptPrograms } from "./javascript-program.js";
import { layoutReports } from "./layout-report.js";
import { luceneProgram } from "./lucene-program.js";
import { nativeTantivy } from "./native-tantivy.js";
import { keepIndex, PeerEngine } from "./peer-engine.js";
import { engineReport, machine, type PeerReport, reportText } from "./peer-report.js";
import { formatReport } from "./peer-table.js";
import { profileFindling } from "./profile.js";
import { drawQueryClasses } from "./query-classes.js";
import { type PlacedQuery, timeColdDocuments, timeRounds } from "./rounds.js";
import { sqliteProgram } from "./sqlite-program.js";

export interface PeersOptions extends InputOptions {
  readonly rounds: number;
  /** Times that Findling's and Tantivy's indexes are built to be timed; default: `BUILDING_ROUNDS`. */
  readonly building?: number;
  /** Absent: a fresh one. */
  readonly seed?: number;
  readonly perClass: number;
  /** Names of classes, or their beginnings; all unless given. */
  readonly classes?: readonly string[];
  /** Folder of the compiled engine, and of a second one to be measured beside it. */
  readonly dist?: string;
  readonly also?: string;
  /** Engines besides Tantivy, from `PEERS`. */
  readonly beside?: readonly string[];
  /** Findling and Tantivy once more with that share of the documents deleted, and with that many segments. */
  readonly deleted?: number;
  readonly segments?: number;
  /** Only Findling, under V8's profiler. */
  readonly profile?: boolean;
  readonly rebuild?: boolean;
  readonly out?: string;
}

/** Findling's engine beside native engines: interleaved rounds, answers compared, goals and figures side by side. */
export async function benchmarkPeers(options: PeersOptions): Promise<void> {
  const input = await inputOf(options);
  const digest = await digestInput(input.file);
  const seed = options.seed ?? Date.now() % 2 ** 31;
  const queries = chosenQueries(options, drawQueryClasses(digest, seed, options.perClass));
  if (queries.length === 0) throw new Error(`no class of queries is named ${options.classes?.join(" or ")}`);
  if (options.profile === true) return profileFindling(options.dist ?? COMPILED_FINDLING, input, queries);
  const variants = layoutVariants(options);
  const programs = enginePrograms(options, variants);
  const missing = programs.flatMap((program) =>
    "missing" in program ? [`${program.name}: ${program.missing}`] : [],
  );
  for (const what of missing) process.stderr.write(`left out: ${what}\n`);
  const available = programs.filter((program): program is AvailableEngine => !("missing" in program));
  const engines: PeerEngine[] = [];
  const building = await timedBuilding(options, available, input);
  try {
    for (const program of available) {
      const engine = await PeerEngine.start(program, input.file, {
        inputName: input.name,
        rebuilds: options.rebuild === true && !building.has(program.name),
      });
      engines.push(engine);
      await engine.prepare(queries.map(({ query }) => query));
    }
    const differences = await compareAnswers(engines, variants, queries);
    const differencesOf = (name: string): Differences => differences.get(name) ?? NOTHING_COMPARED;
    // First, as files that are mapped stay in memory from when they are asked for.
    const cold = await timeColdDocuments(engines, queries, options.rounds);
    const samples = await timeRounds(engines, queries, { rounds: options.rounds, seed, readsStores: true });
    const report: PeerReport = {
      corpus: input.note,
      docCount: digest.docCount,
      seed,
      rounds: options.rounds,
      queries: queries.length,
      date: new Date().toISOString().slice(0, 16),
      machine: machine(),
      node: process.versions.node,
      missing,
      engines: engines
        .filter(({ name }) => !variants.some(({ suffix }) => name.endsWith(suffix)))
        .map((engine) =>
          engineReport(
            engine,
            building.get(engine.name) ?? null,
            queries,
            { samples, cold },
            differencesOf(engine.name),
          ),
        ),
      layouts: layoutReports(engines, variants, queries, samples, differencesOf),
    };
    const file = options.out ?? join(CACHE_FOLDER, "results", `peers-${input.name}-${report.date}.json`);
    mkdirSync(dirname(resolve(file)), { recursive: true });
    writeFileSync(file, reportText(report));
    process.stdout.write(`${formatReport(report)}\nfigures: ${file}\n`);
  } finally {
    for (const engine of engines) await engine.quit();
  }
}

/** How often building is timed, unless only some classes of queries are asked for: then not at all. */
const BUILDING_ROUNDS: Readonly<Record<PeersOptions["corpus"], number>> = { debian: 3, zipf: 1 };

/** Builds Findling's and Tantivy's indexes. The first ones are kept for the queries unless earlier runs have left some. */
async function timedBuilding(
  options: PeersOptions,
  programs: readonly AvailableEngine[],
  input: Input,
): Promise<Map<string, BuildingFigures>> {
  const rounds = options.building ?? (options.classes === undefined ? BUILDING_ROUNDS[options.corpus] : 0);
  if (rounds === 0) return new Map();
  const timed = programs.filter(
    ({ name, layout }) => layout === undefined && (name === BASE || name.startsWith("findling")),
  );
  return await timeBuilding(timed, input.file, rounds, {
    scratch: CACHE_FOLDER,
    keep: (program, folder, figures) => {
      keepIndex(program, input.name, { folder, figures, replaces: options.rebuild === true });
    },
  });
}

/** Engines that can be measured beside Findling; on a million documents only those that finish within the hour. */
const PEERS: Readonly<Record<PeersOptions["corpus"], readonly string[]>> = {
  debian: ["lucene", "fts5", "minisearch"],
  zipf: ["lucene"],
};

const NOTHING_COMPARED: Differences = { found: [], compared: 0 };

function enginePrograms(options: PeersOptions, variants: readonly LayoutVariant[]): EngineProgram[] {
  const clean = [nativeTantivy(), findlingProgram("findling", options.dist ?? COMPILED_FINDLING)];
  const programs = [
    clean,
    ...variants.map((variant) => clean.map((program) => onLayout(program, variant))),
  ].flat();
  if (options.also !== undefined) programs.push(findlingProgram("findling-also", options.also));
  const wanted = options.beside ?? PEERS[options.corpus];
  if (wanted.includes("lucene")) programs.push(luceneProgram());
  if (wanted.includes("fts5")) programs.push(sqliteProgram());
  programs.push(...javaScriptPrograms(wanted));
  return programs;
}

function chosenQueries(options: PeersOptions, classes: ReturnType<typeof drawQueryClasses>): PlacedQuery[] {
  const wanted = options.classes;
  return classes
    .filter(({ name }) => wanted === undefined || wanted.some((beginning) => name.startsWith(beginning)))
    .flatMap(({ name, queries }) => queries.map((query) => ({ className: name, query })));
}
