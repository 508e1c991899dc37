import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CACHE_FOLDER } from "../corpus.js";
import { compareAnswers, type Differences } from "../peers/compare-answers.js";
import { type AvailableEngine, BASE, type EngineProgram, onLayout } from "../peers/engine-program.js";
import { COMPILED_FINDLING, findlingProgram } from "../peers/findling-program.js";
import { type LayoutVariant, layoutVariants } from "../peers/index-layout.js";
import { digestInput } from "../peers/input-digest.js";
import { type Input, type InputOptions, inputOf } from "../peers/input-files.js";
import { nativeTantivy } from "../peers/native-tantivy.js";
import { PeerEngine } from "../peers/peer-engine.js";
import { machine, reportText } from "../peers/peer-report.js";
import { measureService } from "../service/service.js";
import { serviceTables } from "../service/service-report.js";
import { type FreshTable, freshTable } from "./fresh-figures.js";
import { drawFreshClasses, type FreshClass } from "./fresh-queries.js";
import type { FreshReport } from "./fresh-report.js";
import { timedQueries, timeFresh } from "./fresh-rounds.js";
import { freshTables } from "./fresh-table.js";

export interface FreshOptions extends InputOptions {
  readonly rounds: number;
  /** Absent: a fresh one. */
  readonly seed?: number;
  /** Queries of each class that are timed, and others that are asked before. */
  readonly perClass: number;
  readonly warmUps: number;
  readonly warmUpSeconds: number;
  /** Names of classes, or their beginnings; all unless given. */
  readonly classes?: readonly string[];
  /** Layout besides the single segment; 1 for none. */
  readonly segments: number;
  /** Folder of the compiled project, and of a second one to be measured beside it. */
  readonly dist?: string;
  readonly also?: string;
  /** Whether the server is measured, too; on Debian's packages only. */
  readonly http: boolean;
  /** Whether OpenSearch takes part over HTTP. */
  readonly opensearch: boolean;
  readonly connections: number;
  /** Searches of each kind over HTTP. */
  readonly perKind: number;
  readonly out?: string;
}

const ENGINE = "findling";
const ENGINE_BESIDE = "findling-also";

/** Queries that nobody asked before: Findling's engine beside native Tantivy, and its server beside OpenSearch. */
export async function benchmarkFresh(options: FreshOptions): Promise<void> {
  const input = await inputOf(options);
  const digest = await digestInput(input.file);
  const seed = options.seed ?? Date.now() % 2 ** 31;
  const classes = chosenClasses(options, drawFreshClasses(digest, { ...options, seed }));
  const measured = await measureEngines(options, input, classes, seed);
  const http =
    options.http && options.corpus === "debian" ? await measureService({ ...options, seed }) : undefined;
  const report: FreshReport = {
    corpus: options.corpus === "zipf" ? "zipf" : input.name,
    corpusNote: input.note,
    documents: digest.docCount,
    seed,
    perClass: options.perClass,
    rounds: options.rounds,
    date: new Date().toISOString().slice(0, 16),
    machine: machine(),
    node: process.versions.node,
    ...measured,
    ...(http && { http }),
  };
  const file = options.out ?? join(CACHE_FOLDER, "results", `fresh-${input.name}-${report.date}.json`);
  mkdirSync(dirname(resolve(file)), { recursive: true });
  writeFileSync(file, reportText(report));
  const tables = [freshTables(report), ...(http === undefined ? [] : [serviceTables(http)])];
  process.stdout.write(`${tables.join("\n\n")}\n\nfigures: ${file}\n`);
}

type EngineFigures = Pick<
  FreshReport,
  "classes" | "all" | "segments" | "beside" | "versions" | "missing" | "compared" | "disagreements"
>;

async function measureEngines(
  options: FreshOptions,
  input: Input,
  classes: readonly FreshClass[],
  seed: number,
): Promise<EngineFigures> {
  const clean = [
    nativeTantivy(),
    findlingProgram(ENGINE, options.dist ?? COMPILED_FINDLING),
    ...(options.also === undefined ? [] : [findlingProgram(ENGINE_BESIDE, options.also)]),
  ];
  const missing = clean.flatMap((program) =>
    "missing" in program ? [`${program.name}: ${program.missing}`] : [],
  );
  for (const what of missing) process.stderr.write(`left out: ${what}\n`);
  const rounds = { ...options, input, seed };
  const samples = await timeFresh(available(clean), classes, rounds);
  const table = freshTable(ENGINE, BASE, classes, samples);
  const [variant] = options.segments === 1 ? [] : layoutVariants({ segments: options.segments });
  const cut = variant === undefined ? [] : available(clean.map((program) => onLayout(program, variant)));
  const segments =
    variant === undefined ? null : await measureVariant(cut, variant, classes, rounds, options.segments);
  return {
    ...table,
    ...(segments && { segments }),
    ...(options.also !== undefined && { beside: freshTable(ENGINE, ENGINE_BESIDE, classes, samples) }),
    missing,
    ...(await comparedAnswers([...available(clean), ...cut], variant, input, classes)),
  };
}

async function measureVariant(
  programs: readonly AvailableEngine[],
  { suffix }: LayoutVariant,
  classes: readonly FreshClass[],
  rounds: Parameters<typeof timeFresh>[2],
  count: number,
): Promise<{ readonly count: number } & FreshTable> {
  const samples = await timeFresh(programs, classes, rounds);
  return { count, ...freshTable(ENGINE + suffix, BASE + suffix, classes, samples) };
}

/** In processes of their own, as whatever is compared has been asked. */
async function comparedAnswers(
  programs: readonly AvailableEngine[],
  variant: LayoutVariant | undefined,
  input: Input,
  classes: readonly FreshClass[],
): Promise<Pick<FreshReport, "versions" | "compared" | "disagreements">> {
  const queries = timedQueries(classes);
  const engines: PeerEngine[] = [];
  try {
    for (const program of programs) {
      const engine = await PeerEngine.start(program, input.file, { inputName: input.name, rebuilds: false });
      engines.push(engine);
      await engine.prepare(queries.map(({ query }) => query));
    }
    const differences: Differences[] = [
      ...(await compareAnswers(engines, variant === undefined ? [] : [variant], queries)).values(),
    ];
    return {
      versions: Object.fromEntries(engines.map(({ name, version }) => [name, version])),
      compared: differences.reduce((sum, { compared }) => sum + compared, 0),
      disagreements: differences.flatMap(({ found }) => found),
    };
  } finally {
    for (const engine of engines) await engine.quit();
  }
}

function available(programs: readonly EngineProgram[]): AvailableEngine[] {
  return programs.filter((program): program is AvailableEngine => !("missing" in program));
}

function chosenClasses(options: FreshOptions, classes: readonly FreshClass[]): FreshClass[] {
  const wanted = options.classes;
  const chosen = classes.filter(
    ({ name }) => wanted === undefined || wanted.some((beginning) => name.startsWith(beginning)),
  );
  if (chosen.length === 0) throw new Error(`no class of queries is named ${wanted?.join(" or ")}`);
  return chosen;
}
