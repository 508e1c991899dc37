/**
 * Test files of the quick suite that get a process of their own: they put other modules in the place of Node's, or
 * measure what is the whole process's. All others share theirs and its modules, so that none may leave anything behind
 * (`leaves-nothing.ts`). Globs from the project's root.
 */
export const TESTS_IN_PROCESSES_OF_THEIR_OWN: readonly string[] = [
  // Modules of Node's that fail.
  "src/adapters/catalog/{catalog-secrets,file-catalog}.test.ts",
  // Memory, and when it is collected.
  "src/adapters/embedded/{buffer-garbage,merge-garbage}.test.ts",
  "src/adapters/events/duckdb/{freed-memory,freed-memory-descriptors}.test.ts",
  "src/engine/bytes/{mapped-bytes,own-text,release-buffer}.test.ts",
  "src/engine/directory/file-directory.test.ts",
  "src/engine/kernels/dropped-images.test.ts",
  "src/engine/search/{held-room,phrase-memory}.test.ts",
  "src/engine/search/weights/remembered-texts.test.ts",
  "tests/wire/bodies-as-they-come.test.ts",
  // Caches of the process and its threads.
  "src/adapters/embedded/slow-disk.test.ts",
  "src/engine/segment/doc-store/{block-pool,recent-documents}.test.ts",
  "tests/wire/metrics.test.ts",
];
