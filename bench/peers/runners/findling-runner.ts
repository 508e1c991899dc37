/** Findling's engine in the benchmark's line protocol (`bench/README.md`), from compiled code. */
import type { Index } from "../../../src/engine/index.js";
import { buildIndex, bytesOnDisk, openIndex } from "./findling-collection.js";
import { type SearcherOperation, searcherOperation } from "./findling-operation.js";
import { serve } from "./line-loop.js";

let index: Index | null = null;

await serve({
  info: {
    engine: "findling",
    version: process.env["FINDLING_VERSION"] ?? "",
    modes: ["top10", "one_pass"],
    comparableScores: true,
  },
  build: buildIndex,
  async open(folder) {
    index = await openIndex(folder);
    const bytes = bytesOnDisk(folder);
    return {
      docs: index.documentCount,
      segments: index.segmentCount,
      index_bytes: bytes.index,
      store_bytes: bytes.store,
    };
  },
  operation(query) {
    const { searcher } = index!;
    const operation: SearcherOperation = searcherOperation(query);
    return (mode) => operation(searcher, mode);
  },
  async close() {
    await index?.close();
  },
});
