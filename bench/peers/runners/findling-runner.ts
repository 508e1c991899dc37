/** Findling's engine in the benchmark's line protocol (`bench/README.md`), from compiled code. */
import type { Index } from "../../../src/engine/server-door.js";
import { buildIndex, bytesOnDisk, openIndex } from "./findling-collection.js";
import { type NumberedSearcher, type SearcherOperation, searcherOperation } from "./findling-operation.js";
import { serve } from "./line-loop.js";

let index: Index | null = null;
let numbered: NumberedSearcher | null = null;

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
    numbered = numberedDocuments(index);
    const bytes = bytesOnDisk(folder);
    return {
      docs: index.documentCount,
      segments: index.segmentCount,
      index_bytes: bytes.index,
      store_bytes: bytes.store,
    };
  },
  operation(query) {
    const opened = numbered!;
    const operation: SearcherOperation = searcherOperation(query);
    return (mode) => operation(opened, mode);
  },
  async close() {
    await index?.close();
  },
});

function numberedDocuments({ searcher }: Index): NumberedSearcher {
  let next = 0;
  const starts = searcher.segments.map(({ maxDoc }) => {
    const start = next;
    next += maxDoc;
    return start;
  });
  return { searcher, starts };
}
