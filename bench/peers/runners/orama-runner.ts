/**
 * Orama in the benchmark's line protocol. It lives in memory; of its searches these have the meaning
 * that the workload wants: any of the words, words with typos (a swap is two edits), a prefix.
 */
import type { PeerAnswer } from "../peer-query.js";
import { rememberedInput, rememberInput, rowsOf } from "./in-memory-rows.js";
import { serve } from "./line-loop.js";

interface OramaResults {
  readonly count: number;
  readonly hits: readonly { readonly id: string; readonly score: number }[];
}

interface OramaModule {
  create(options: object): object;
  insertMultiple(database: object, documents: readonly object[], batchSize: number): unknown;
  search(database: object, options: object): OramaResults;
}

const DOCUMENTS_PER_INSERT = 1000;
const orama = (await import(process.env["PEER_MODULE"]!)) as OramaModule;

let database: object;
let docCount = 0;

async function read(input: string): Promise<void> {
  database = orama.create({
    schema: { t: "string", n: "number" },
    components: {
      tokenizer: {
        language: "english",
        normalizationCache: new Map(),
        tokenize: (text: string) => text.split(" "),
      },
    },
  });
  docCount = 0;
  let batch: object[] = [];
  for await (const { t, n } of rowsOf(input)) {
    batch.push({ id: String(docCount++), t, n });
    if (batch.length < DOCUMENTS_PER_INSERT) continue;
    await orama.insertMultiple(database, batch, DOCUMENTS_PER_INSERT);
    batch = [];
  }
  await orama.insertMultiple(database, batch, DOCUMENTS_PER_INSERT);
}

function ask(term: string, options: object): PeerAnswer {
  const relevance = { k: 1.2, b: 0.75, d: 0 };
  const { count, hits } = orama.search(database, {
    term,
    properties: ["t"],
    limit: 10,
    relevance,
    ...options,
  });
  return { count, docs: hits.map(({ id }) => Number(id)), scores: hits.map(({ score }) => score) };
}

await serve({
  info: {
    engine: "orama",
    version: process.env["PEER_VERSION"] ?? "",
    modes: ["top10", "one_pass"],
    comparableScores: false,
  },
  async build(input, folder) {
    await read(input);
    rememberInput(folder, input);
  },
  async open(folder) {
    await read(rememberedInput(folder));
    return { docs: docCount, segments: 1, index_bytes: 0, store_bytes: 0 };
  },
  operation({ kind, terms = [], distance }) {
    const text = terms.join(" ");
    switch (kind) {
      case "or":
        return () => ask(text, { threshold: 1 });
      case "prefix":
        return () => ask(text, {});
      case "fuzzy":
        return () => ask(text, { tolerance: distance });
      default:
        return null;
    }
  },
  close: () => Promise.resolve(),
});
