/** `npm run bench [-- what] [options]`: see `bench/README.md`. */
import { Command } from "commander";
import { benchmarkPeers } from "./peers.js";
import { benchmarkRelevance, type RelevanceOptions } from "./relevance/relevance.js";
import { benchmarkService } from "./service.js";

const program = new Command("npm run bench --").description(
  "Findling's benchmarks; every figure is beside a peer's where there is one",
);

const integer = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`'${text}' is not a positive whole number`);
  return value;
};

program
  .command("peers", { isDefault: true })
  .description("the engine beside Tantivy, interleaved rounds, counts and scores compared")
  .option("--per-kind <n>", "queries of each kind", integer, 30)
  .option("--rounds <n>", "timed rounds", integer, 5)
  .option("--seed <n>", "seed of the queries", integer, 1)
  .action((options: { perKind: number; rounds: number; seed: number }) => benchmarkPeers(options));

program
  .command("service")
  .description("import over HTTP, size on disk, memory, latency and throughput of searches")
  .option("--seconds <n>", "length of each load", integer, 5)
  .action((options: { seconds: number }) => benchmarkService(options));

program
  .command("relevance")
  .description("how good rankings are, on judged queries and misspelt words, beside Tantivy and Lucene")
  .option("--seed <n>", "seed of the typos", integer, 1)
  .option("--draws <n>", "times that typos are drawn for every query", integer, 3)
  .option("--out <file>", "write every query's nDCG@10 there, as JSON")
  .action((options: RelevanceOptions) => benchmarkRelevance(options));

await program.parseAsync();
