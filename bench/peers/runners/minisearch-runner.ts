/**
 * MiniSearch in the benchmark's line protocol. It lives in memory, ranks by BM25+, has no phrases, and
 * sorts by a field only in our code; its edit distance takes a swap for two edits.
 */
import type { PeerAnswer } from "../peer-query.js";
import { greatestNumbers, rememberedInput, rememberInput, rowsOf } from "./in-memory-rows.js";
import { serve } from "./line-loop.js";

interface MiniSearchIndex {
  add(document: { readonly id: number; readonly t: string }): void;
  search(
    text: string,
    options: {
      combineWith: "AND" | "OR";
      fuzzy?: number;
      prefix?: boolean;
      filter?: (hit: Match) => boolean;
    },
  ): Match[];
}

interface Match {
  readonly id: number;
  readonly score: number;
}

interface MiniSearchModule {
  readonly default: new (options: object) => MiniSearchIndex;
}

const { default: MiniSearch } = (await import(process.env["PEER_MODULE"]!)) as MiniSearchModule;

let index: MiniSearchIndex;
let numbers: number[] = [];

async function read(input: string): Promise<void> {
  index = new MiniSearch({ fields: ["t"], tokenize: (text: string) => text.split(" ") });
  numbers = [];
  for await (const { t, n } of rowsOf(input)) {
    index.add({ id: numbers.length, t });
    numbers.push(n);
  }
}

const ranked = (matches: readonly Match[]): PeerAnswer => ({
  count: matches.length,
  docs: matches.slice(0, 10).map(({ id }) => id),
  scores: matches.slice(0, 10).map(({ score }) => score),
});

await serve({
  info: {
    engine: "minisearch",
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
    return { docs: numbers.length, segments: 1, index_bytes: 0, store_bytes: 0 };
  },
  operation({ kind, terms = [], distance, lower, upper }) {
    const text = terms.join(" ");
    switch (kind) {
      case "term":
      case "and":
        return () => ranked(index.search(text, { combineWith: "AND" }));
      case "or":
        return () => ranked(index.search(text, { combineWith: "OR" }));
      case "prefix":
        return () => ranked(index.search(text, { combineWith: "AND", prefix: true }));
      case "fuzzy":
        return () => ranked(index.search(text, { combineWith: "AND", fuzzy: distance! }));
      case "term_range": {
        const filter = ({ id }: Match): boolean => numbers[id]! >= lower! && numbers[id]! <= upper!;
        return () => ranked(index.search(text, { combineWith: "AND", filter }));
      }
      case "sort":
        if (terms.length === 0) return null;
        return () => {
          const matches = index.search(text, { combineWith: "AND" });
          return greatestNumbers(
            matches.map(({ id }) => id),
            numbers,
          );
        };
      default:
        return null;
    }
  },
  close: () => Promise.resolve(),
});
