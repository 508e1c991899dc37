/** `npm run bench [-- what] [options]`: see `bench/README.md`. */
import { Command, Option } from "commander";
import { type BackupOptions, benchmarkBackup } from "./backup/backup.js";
import { benchmarkCluster, type ClusterOptions } from "./cluster/cluster.js";
import { benchmarkConsole, type ConsoleOptions } from "./console/console.js";
import { type PicturesOptions, takePictures } from "./console/pictures.js";
import { benchmarkFresh, type FreshOptions } from "./fresh/fresh.js";
import { benchmarkIndexes, type IndexesOptions } from "./indexes/indexes.js";
import { benchmarkMeasure, type MeasureOptions } from "./measure/measure.js";
import { type BuildingOptions, benchmarkBuilding } from "./peers/building.js";
import { benchmarkPeers, type PeersOptions } from "./peers/peers.js";
import { benchmarkRelevance, type RelevanceOptions } from "./relevance/relevance.js";
import { benchmarkScale, type ScaleOptions } from "./scale.js";
import { benchmarkService, type ServiceOptions } from "./service/service.js";
import { benchmarkSummaries, type SummariesOptions } from "./summaries/summaries.js";
import { benchmarkThreads, type ThreadsOptions } from "./threads/threads.js";
import { benchmarkTyping, type TypingOptions } from "./typing/typing.js";
import { writeDocumentation } from "./write-documentation.js";
import { benchmarkImports, type ImportsOptions } from "./writing/imports.js";
import { benchmarkIngest, type IngestOptions } from "./writing/ingest.js";
import { benchmarkReplacing, type ReplacingOptions } from "./writing/replacing.js";
import { benchmarkWriting, type WritingOptions } from "./writing/writing.js";

const program = new Command("npm run bench --").description(
  "Findling's benchmarks; every figure is beside a peer's where there is one",
);

const integer = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`'${text}' is not a positive whole number`);
  return value;
};

const whole = (text: string): number => (text === "0" ? 0 : integer(text));

const share = (text: string): number => {
  const value = Number(text);
  if (!(value > 0 && value < 1)) throw new Error(`'${text}' is not a number between 0 and 1`);
  return value;
};

program
  .command("fresh", { isDefault: true })
  .description(
    "queries that nobody asked before: the engine beside native Tantivy, the server beside OpenSearch",
  )
  .addOption(new Option("--corpus <name>", "documents").choices(["debian", "zipf"]).default("debian"))
  .option("--docs <n>", "documents of the made-up corpus", integer, 1_000_000)
  .option("--rounds <n>", "processes of each engine that every query is asked in, once each", integer, 3)
  .option("--seed <n>", "seed of the queries (default: a fresh one)", integer)
  .option("--per-class <n>", "queries of each class that are timed", integer, 40)
  .option("--warm-ups <n>", "other queries of each class, asked before", integer, 40)
  .option("--warm-up-seconds <n>", "how long they are asked in each process", integer, 8)
  .option("--classes <names...>", "classes to run, or beginnings of their names (default: all)")
  .option("--segments <n>", "segments of a second layout; 1: none", integer, 5)
  .option("--dist <folder>", "compiled project to measure (default: dist)")
  .option("--also <folder>", "another compiled project, measured beside it")
  .option("--no-http", "leave the server out; it is measured on Debian's packages only")
  .option("--no-opensearch", "leave OpenSearch out")
  .option("--connections <n>", "requests at a time over HTTP", integer, 10)
  .option("--per-kind <n>", "searches of each kind over HTTP", integer, 2500)
  .option("--out <file>", "write the figures there, as JSON (default: in the cache)")
  .action((options: FreshOptions) => benchmarkFresh(options));

program
  .command("peers")
  .description("the engine beside native Tantivy and other engines; goals and figures side by side")
  .addOption(new Option("--corpus <name>", "documents").choices(["debian", "zipf"]).default("debian"))
  .option("--docs <n>", "documents of the made-up corpus", integer, 1_000_000)
  .option("--rounds <n>", "timed rounds", integer, 5)
  .option("--seed <n>", "seed of the queries (default: a fresh one)", integer)
  .option("--per-class <n>", "queries of each class", integer, 18)
  .option("--classes <names...>", "classes to run, or beginnings of their names (default: all)")
  .option("--dist <folder>", "compiled engine to measure (default: dist)")
  .option("--also <folder>", "another compiled engine, measured beside it")
  .option("--beside <engines...>", "engines besides Tantivy: lucene, fts5, minisearch, orama, or none")
  .option("--deleted <share>", "also with that share of the documents deleted, such as 0.1", share)
  .option("--segments <n>", "also cut into that many segments, such as 5", integer)
  .option(
    "--building <n>",
    "rounds of timed building (default: 3, 1 of the made-up corpus; 0 with --classes)",
    whole,
  )
  .option("--profile", "only Findling, under V8's profiler: where its time goes")
  .option("--rebuild", "build all indexes anew")
  .option("--out <file>", "write the figures there, as JSON (default: in the cache)")
  .action((options: PeersOptions) => benchmarkPeers(options));

program
  .command("building")
  .description("building an index, beside native Tantivy: a process's first, and one after a small one")
  .addOption(new Option("--corpus <name>", "documents").choices(["debian", "zipf"]).default("debian"))
  .option("--docs <n>", "documents of the made-up corpus", integer, 1_000_000)
  .option("--rounds <n>", "builds of either kind by every engine", integer, 3)
  .option("--dist <folder>", "compiled engine to measure (default: dist)")
  .option("--also <folder>", "another compiled engine, measured beside it")
  .action((options: BuildingOptions) => benchmarkBuilding(options));

program
  .command("scale")
  .description("how cost grows: building, memory, start and latency at several sizes of the made-up corpus")
  .option("--sizes <n...>", "documents", (text, sizes: number[] | undefined) => [
    ...(sizes ?? []),
    integer(text),
  ])
  .option("--rounds <n>", "timed rounds", integer, 2)
  .option("--seed <n>", "seed of the queries", integer, 1)
  .option("--per-class <n>", "queries of each class", integer, 6)
  .option("--dist <folder>", "compiled engine to measure (default: dist)")
  .option("--out <file>", "write the figures there, as JSON (default: in the cache)")
  .action((options: Omit<ScaleOptions, "sizes"> & { sizes?: number[] }) =>
    benchmarkScale({ ...options, sizes: options.sizes ?? [100_000, 1_000_000, 10_000_000] }),
  );

program
  .command("cluster")
  .description("the server before an OpenSearch node beside that node alone: writing, and each search once")
  .option("--documents <n>", "only the first so many of the corpus", integer)
  .option("--per-kind <n>", "searches of each kind", integer, 200)
  .option("--seed <n>", "seed of the searches", integer, 1)
  .option("--out <file>", "write the figures there, as JSON (default: in the cache)")
  .action((options: ClusterOptions) => benchmarkCluster(options));

program
  .command("service")
  .description("the server beside OpenSearch and beside an empty route, each search asked once")
  .option("--connections <n>", "requests at a time", integer, 10)
  .option("--per-kind <n>", "searches of each kind", integer, 2500)
  .option("--kinds <names...>", "kinds of searches, or beginnings of their names (default: all)")
  .option("--seed <n>", "seed of the searches", integer, 1)
  .option("--no-opensearch", "leave OpenSearch out")
  .option("--dist <folder>", "compiled server to measure (default: dist)")
  .option("--also <folder>", "another compiled server, measured beside it")
  .option("--profile <folder>", "run the server under V8's profiler, which writes there")
  .option("--out <file>", "write the figures there, as JSON (default: in the cache)")
  .action((options: ServiceOptions) => benchmarkService(options));

program
  .command("typing")
  .description("what a search box sends while someone types, beside the same words whole, each asked once")
  .option("--connections <n>", "requests at a time", integer, 1)
  .option("--per-kind <n>", "searches of each kind", integer, 1500)
  .option("--warm-ups <n>", "others of each kind that are asked before", integer, 500)
  .option("--seed <n>", "seed of the searches", integer, 1)
  .option("--dist <folder>", "compiled server to measure (default: dist)")
  .option("--opensearch", "before an OpenSearch node of its own, whose processor time counts as well")
  .action((options: TypingOptions) => benchmarkTyping(options));

program
  .command("console")
  .description("the console in Debian's Chromium: paint, keystrokes, long lists, many indexes, Lighthouse")
  .option("--rounds <n>", "first visits, and rounds of typing", integer, 5)
  .option("--rows <n>", "documents of the long list", integer, 100_000)
  .option("--indexes <n>", "indexes of the overview", integer, 10_000)
  .option("--dist <folder>", "compiled server to measure", "dist")
  .option("--no-lighthouse", "leave Lighthouse out, which npx fetches")
  .action((options: ConsoleOptions) => benchmarkConsole(options));

program
  .command("pictures")
  .description("pictures of every page of the console at 360, 1024 and 1920 pixels, light and dark")
  .requiredOption("--to <folder>", "where they go; those of the manual are in docs/console-pictures")
  .option("--only <name>", "pages whose name begins so", "")
  .option("--widths <pixels>", "of windows, separated by commas", "360,1024,1920")
  .option("--dist <folder>", "compiled server and console", "dist")
  .action((options: PicturesOptions) => takePictures(options));

program
  .command("document")
  .description("write tables and plots of docs/benchmarks.md anew, from the figures in docs/benchmarks")
  .action(writeDocumentation);

program
  .command("measure")
  .description(
    "usage events: rate of taking them in beside searches, disk, memory, latency of the dashboards",
  )
  .option("--events <n>", "events that the dashboards are asked about, over 30 days", integer, 1_000_000)
  .option("--sent <n>", "events that are sent over HTTP", integer, 200_000)
  .option("--seed <n>", "seed of the events", integer, 1)
  .action((options: MeasureOptions) => benchmarkMeasure(options));

program
  .command("summaries")
  .description("first events of summaries, and many streams beside searches: latency, memory, processor time")
  .option("--streams <n>", "summaries that are read at a time", integer, 200)
  .option("--seconds <n>", "length of each stream", integer, 20)
  .option("--every-ms <n>", "time between the model's pieces", integer, 100)
  .option("--piece-characters <n>", "length of each piece, at least 14", integer, 20)
  .option("--rounds <n>", "searches alone, beside streams elsewhere, beside the server's", integer, 6)
  .option("--pairs <n>", "first events that are measured with each kind of model", integer, 100)
  .option("--bursts <n>", "times that all readers come at once, to look at first events alone", integer, 3)
  .option("--pause-ms <n>", "from a search's answer to the next search", integer, 10)
  .option("--dist <folder>", "compiled server to measure", "dist")
  .option("--profile <folder>", "run the server under V8's profiler, which writes there")
  .action((options: SummariesOptions) => benchmarkSummaries(options));

program
  .command("writing")
  .description("a load at full speed with searches beside it, memory, and how soon one document is visible")
  .option("--documents <n>", "documents of the load", integer, 500_000)
  .option("--batch <n>", "documents of one request", integer, 1000)
  .option("--connections <n>", "requests under way at a time", integer, 4)
  .option("--commit-every <n>", "documents between two commits", integer, 20_000)
  .option("--per-second <n>", "searches that begin each second", integer, 50)
  .option("--commits <n>", "one-document commits on the idle server", integer, 300)
  .option("--budget <mb>", "memory for writing, in MiB", integer, 128)
  .option("--dist <folder>", "compiled server to measure", "dist")
  .option("--profile <folder>", "run the server under V8's profiler, which writes there")
  .action((options: WritingOptions) => benchmarkWriting(options));

program
  .command("backup")
  .description("searches beside a load and the backups made meanwhile, and how soon restored data answers")
  .option("--documents <n>", "documents of the index to begin with", integer, 1_000_000)
  .option("--batch <n>", "documents of one request", integer, 1000)
  .option("--connections <n>", "requests under way at a time", integer, 4)
  .option("--commit-every <n>", "documents between two commits", integer, 20_000)
  .option("--per-second <n>", "searches that begin each second", integer, 50)
  .option(
    "--samples <n>",
    "searches that are timed at least beside backups, and as many without",
    integer,
    2000,
  )
  .option("--dist <folder>", "compiled server to measure", "dist")
  .action((options: BackupOptions) => benchmarkBackup(options));

program
  .command("ingest")
  .description("whether the memory budget holds through a load ten times as long, with nothing beside it")
  .option("--budget <mb>", "memory for writing, in MiB", integer, 128)
  .option("--budgets <n>", "length of the load, in budgets", integer, 10)
  .option("--commit-every <n>", "documents between two commits; 0: only one at the end", whole, 20_000)
  .option("--dist <folder>", "compiled server to measure", "dist")
  .action((options: IngestOptions) => benchmarkIngest(options));

program
  .command("replacing")
  .description("replacing documents by their keys beside adding them, changes of one member, growth")
  .option("--docs <n>", "documents that are added, and all replaced", integer, 200_000)
  .option("--rounds <n>", "times that each is done, in turns", integer, 3)
  .option("--growth-docs <n>", "documents of which all are replaced again and again", integer, 50_000)
  .option("--growth-rounds <n>", "how often", integer, 10)
  .option("--dist <folder>", "compiled server to measure", "dist")
  .action((options: ReplacingOptions) => benchmarkReplacing(options));

program
  .command("imports")
  .description("a table imported as CSV beside the same documents as NDJSON, by the command line, in turns")
  .option("--docs <n>", "documents of each file", integer, 1_000_000)
  .option("--rounds <n>", "times that each file is imported", integer, 3)
  .option("--dist <folder>", "compiled project to measure", "dist")
  .action((options: ImportsOptions) => benchmarkImports(options));

program
  .command("threads")
  .description("searches that take long in one and two threads, cheap ones beside them, time limits")
  .option("--documents <n>", "documents of the index", integer, 250_000)
  .option("--seconds <n>", "length of each load", integer, 5)
  .option("--rounds <n>", "times that everything is repeated", integer, 3)
  .action((options: ThreadsOptions) => benchmarkThreads(options));

program
  .command("indexes")
  .description("many small indexes on one server: start, memory and file handles asleep, searches of any")
  .option("--indexes <n>", "indexes", integer, 10_000)
  .option("--documents <n>", "documents of each", integer, 50)
  .option("--searches <n>", "searches, each of an index drawn at random", integer, 2000)
  .option("--dist <folder>", "compiled server to measure", "dist")
  .action((options: IndexesOptions) => benchmarkIndexes(options));

program
  .command("relevance")
  .description("how good rankings are, on judged queries and misspelt words, beside Tantivy and Lucene")
  .option("--seed <n>", "seed of the typos", integer, 1)
  .option("--draws <n>", "times that typos are drawn for every query", integer, 3)
  .option("--out <file>", "write every query's nDCG@10 there, as JSON")
  .action((options: RelevanceOptions) => benchmarkRelevance(options));

await program.parseAsync();
// The loader of TypeScript would keep the process alive.
process.exit();
