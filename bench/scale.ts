import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { CACHE_FOLDER } from "./corpus.js";
import { evictFromPageCache } from "./page-cache.js";
import { type EngineProgram, indexFolder } from "./peers/engine-program.js";
import { COMPILED_FINDLING, findlingProgram } from "./peers/findling-program.js";
import { digestInput } from "./peers/input-digest.js";
import { zipfInput } from "./peers/input-files.js";
import { PeerEngine } from "./peers/peer-engine.js";
import { machine, reportText } from "./peers/peer-report.js";
import { drawQueryClasses } from "./peers/query-classes.js";
import { type PlacedQuery, placesByClass, timeRounds } from "./peers/rounds.js";
import { median } from "./statistics.js";

export interface ScaleOptions {
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly perClass: number;
  readonly seed: number;
  readonly dist?: string;
  readonly out?: string;
}

export interface SizeFigures {
  readonly docCount: number;
  readonly inputBytes: number;
  readonly buildSeconds: number;
  readonly buildPeakBytes: number;
  readonly indexBytes: number;
  readonly storeBytes: number;
  /** From starting the process to the first answer, the index's files not in the page cache, and in it. */
  readonly coldStartSeconds: number;
  readonly warmStartSeconds: number;
  /** Processor time of the warm start, which a busy machine changes least. */
  readonly startCpuSeconds: number;
  /** After the first answer, and at most while all queries ran. */
  readonly residentBytes: number;
  readonly peakBytes: number;
  /** Median over the class's queries, hot, with the exact count where there is a ranking. */
  readonly microseconds: Readonly<Record<string, number>>;
}

export interface ScaleReport {
  readonly date: string;
  readonly machine: string;
  readonly node: string;
  readonly version: string;
  readonly sizes: readonly SizeFigures[];
}

/** How cost grows: the made-up corpus at several sizes, Findling alone, one segment. */
export async function benchmarkScale(options: ScaleOptions): Promise<void> {
  const program = findlingProgram("findling", options.dist ?? COMPILED_FINDLING);
  if ("missing" in program) throw new Error(program.missing);
  const sizes: SizeFigures[] = [];
  for (const docCount of options.sizes.toSorted((a, b) => a - b)) {
    process.stderr.write(`${docCount} documents\n`);
    sizes.push(await measureSize(program, docCount, options));
  }
  const report: ScaleReport = {
    date: new Date().toISOString().slice(0, 16),
    machine: machine(),
    node: process.versions.node,
    version: program.environment?.["FINDLING_VERSION"] ?? "",
    sizes,
  };
  const file = options.out ?? join(CACHE_FOLDER, "results", `scale-${report.date}.json`);
  mkdirSync(dirname(resolve(file)), { recursive: true });
  writeFileSync(file, reportText(report));
  process.stdout.write(`${scaleTable(report)}\n\nfigures: ${file}\n`);
}

async function measureSize(
  program: Exclude<EngineProgram, { missing: string }>,
  docCount: number,
  options: ScaleOptions,
): Promise<SizeFigures> {
  const input = await zipfInput(docCount);
  const inputName = `zipf-${docCount}`;
  const queries: PlacedQuery[] = drawQueryClasses(
    await digestInput(input),
    options.seed,
    options.perClass,
  ).flatMap(({ name, queries: drawn }) => drawn.map((query) => ({ className: name, query })));
  const start = async (): Promise<{ engine: PeerEngine; seconds: number }> => {
    const begin = performance.now();
    const engine = await PeerEngine.start(program, input, { inputName, rebuilds: false });
    await engine.prepare(queries.map(({ query }) => query));
    await engine.answers("one_pass", [0]);
    return { engine, seconds: (performance.now() - begin) / 1000 };
  };
  // The first start may have to build the index.
  await (await start()).engine.quit();
  const folder = indexFolder(program, inputName);
  evictFromPageCache(readdirSync(folder).map((name) => join(folder, name)));
  const cold = await start();
  await cold.engine.quit();
  const { engine, seconds } = await start();
  const [residentBytes, startCpuSeconds] = [engine.residentBytes(), engine.cpuSeconds()];
  const samples = await timeRounds([engine], queries, { ...options, readsStores: false });
  const microseconds: Record<string, number> = {};
  for (const [name, places] of placesByClass(queries)) {
    const times = places.map(
      (place) =>
        samples.time(engine.name, "hot", "count", place) ?? samples.time(engine.name, "hot", "top10", place)!,
    );
    microseconds[name] = median(times);
  }
  const figures: SizeFigures = {
    docCount,
    inputBytes: statSync(input).size,
    buildSeconds: engine.build.seconds,
    buildPeakBytes: engine.build.peakBytes,
    indexBytes: engine.opened.index_bytes,
    storeBytes: engine.opened.store_bytes,
    coldStartSeconds: cold.seconds,
    warmStartSeconds: seconds,
    startCpuSeconds,
    residentBytes,
    peakBytes: engine.peakBytes(),
    microseconds,
  };
  await engine.quit();
  return figures;
}

export function scaleTable({ sizes, version, node, machine: processors, date }: ScaleReport): string {
  const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`;
  const line = (label: string, value: (figures: SizeFigures) => string): string =>
    `| ${label} | ${sizes.map(value).join(" | ")} |`;
  return [
    `findling ${version}, Node ${node}, ${processors}, ${date}; one segment, times hot and with exact counts`,
    "",
    line("documents", ({ docCount }) => String(docCount)),
    `|---|${sizes.map(() => "---|").join("")}`,
    line("input", ({ inputBytes }) => gigabytes(inputBytes)),
    line(
      "building, merge included",
      ({ buildSeconds, docCount }) =>
        `${buildSeconds.toFixed(0)} s, ${Math.round(docCount / buildSeconds)} documents/s`,
    ),
    line("peak memory, building", ({ buildPeakBytes }) => gigabytes(buildPeakBytes)),
    line("index without documents", ({ indexBytes }) => gigabytes(indexBytes)),
    line("kept documents", ({ storeBytes }) => gigabytes(storeBytes)),
    line("start to first answer, cold", ({ coldStartSeconds }) => `${coldStartSeconds.toFixed(2)} s`),
    line("start to first answer, warm", ({ warmStartSeconds }) => `${warmStartSeconds.toFixed(2)} s`),
    line("processor time of the warm start", ({ startCpuSeconds }) => `${startCpuSeconds.toFixed(2)} s`),
    line("resident memory after it", ({ residentBytes }) => gigabytes(residentBytes)),
    line("the same per million documents, the process included", ({ residentBytes, docCount }) =>
      gigabytes((residentBytes / docCount) * 1e6),
    ),
    line("peak memory, searching", ({ peakBytes }) => gigabytes(peakBytes)),
    ...Object.keys(sizes[0]?.microseconds ?? {}).map((name) =>
      line(
        `${name}, median`,
        ({ microseconds }) => `${(microseconds[name] ?? Number.NaN).toPrecision(3)} µs`,
      ),
    ),
  ].join("\n");
}
