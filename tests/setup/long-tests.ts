/**
 * Test files that `npm test` leaves to `npm run test:long`: they start many processes, need programs that a machine
 * needn't have, or take more than some five seconds of processor time for their random cases. All others are the quick
 * suite. Globs from the project's root.
 */
export const LONG_TESTS: readonly string[] = [
  // Processes: killed, short of memory, short of files, or one for each command.
  "tests/crash/**/*.test.ts",
  "tests/cli/**/*.test.ts",
  "tests/backup/**/*.test.ts",
  "tests/package/**/*.test.ts",
  "tests/docs/manual-commands.test.ts",
  "tests/scripts/check-layers.test.ts",
  // Programs and packages that are installed for them.
  "tests/bench/**/*.test.ts",
  "tests/ports/event-store-clickhouse.test.ts",
  "tests/ports/object-store/s3-object-store.test.ts",
  "tests/console/**/*.test.ts",
  "tests/ports/opensearch/**/*.test.ts",
  "tests/cluster/{damaged-catalog,doctor,interrupted-writes,killed-nodes,move,servers,slow-cluster,unwell-cluster}.test.ts",
  "tests/wire/behind-proxies.test.ts",
  "tests/providers/{llama-server,many-streams}.test.ts",
  // Judged collections.
  "tests/relevance/**/*.test.ts",
  // Thousands of random cases, or large ones.
  "tests/simulation/**/*.test.ts",
  "tests/wire/{engine-alone,fuzz,large-answers,summary-load,tracing}.test.ts",
  "src/adapters/embedded/{merge-turns,opened-search,search-federation,sleeping-indexes}.test.ts",
  "src/engine/memory-budget.test.ts",
  "src/engine/indexer/journal-commits.test.ts",
  "src/engine/search/{fuzzy-search,search-interrupt,searcher}.test.ts",
  "src/engine/search/automaton/term-expansion.test.ts",
  "src/engine/search/ranking/rank-in-kernels.test.ts",
  "src/query/query-fuzz.test.ts",
];
