import type { EngineField, EngineSchema } from "../../engine/server-door.js";
import { OWN_IDF } from "./own-statistics.js";
import type { IndexDefinition } from "./owned-index.js";
import { isFoundWhole } from "./whole-value.js";

/** Stands between the tokens of a text. */
export const TOKEN_SEPARATOR = " ";
/** Takes a position without being a token: neither in words nor in the marks of stems, as what follows. */
export const EMPTY_POSITION = "\u0003";
/** Stands between tokens of one position. */
export const TOKEN_STACK = "\u0004";

/** What a document's `died` says while nothing has deleted it: more than any generation. */
export const ALIVE: number = Number.MAX_SAFE_INTEGER;

/** Longest value by which text is ordered, and longest identifier that is found, in UTF-16 units. */
export const ORDERED_UNITS_MAX = 2_000;
const KEYWORD_UNITS_MAX = 8_000;
/** Texts of more words are no query alone (`nearness.ts`). */
export const COUNTED_LENGTH_MAX = 255;

/**
 * By which part of a field a query asks: `t` the tokens of text, `v` values as `sortBytes` in hexadecimal, or an
 * identifier as it is, `o` text to order by, `f` a facet's paths and what is above them, `d` instants in seconds, `l` how
 * many words a short text has.
 */
export type FieldPart = "t" | "v" | "o" | "f" | "d" | "l";

/** A field's part by the name that it has in the cluster, where dots and other signs mean something. */
export function partOf(part: FieldPart, field: string): string {
  return `${part}.${clusterName(field)}`;
}

/** Injective; letters, digits, hyphen and underscore stay. */
export function clusterName(field: string): string {
  return field.replace(/[^A-Za-z0-9_-]/gu, (sign) => `~${sign.codePointAt(0)!.toString(16)}~`);
}

export interface ShardSettings {
  /** Primary shards of each index. */
  readonly shards: number;
  /** Copies of each shard besides, as many as there are nodes for. */
  readonly replicas: number;
}

/**
 * BM25 without idf, which queries bring as their boost, counted over live documents: k1 = 1.2, b = 0.75. Where the index
 * counts nothing but live documents, they bring `OWN_IDF`, and it is worked out here, rounded
 * as a boost that is brought, so that a word's score is the same in both ways. Of a query with several terms the
 * similarity adds this up for each, so that boosts of phrases are divided by their number.
 */
const WEIGHT = `
if (query.boost == 0.0 || query.boost > ${OWN_IDF * 2 ** 22}) return 2.2 * query.boost;
float idf = (float) Math.log(1.0 + (field.docCount - term.docFreq + 0.5) / (term.docFreq + 0.5));
float boost = (float) ((double) idf * query.boost / ${OWN_IDF});
return 2.2 * boost;
`;
const SIMILARITY = `
double average = field.docCount > 0 ? (double) field.sumTotalTermFreq / field.docCount : 1.0;
double length = average > 0 ? doc.length / average : 1.0;
return weight * doc.freq / (doc.freq + 1.2 * (0.25 + 0.75 * length));
`;

const ANALYSIS = {
  tokenizer: {
    findling: { type: "char_group", tokenize_on_chars: [TOKEN_SEPARATOR], max_token_length: 1_000_000 },
  },
  filter: {
    findling_stack: {
      type: "pattern_capture",
      preserve_original: false,
      patterns: [`([^${TOKEN_STACK}]+)`],
    },
    findling_gap: { type: "stop", stopwords: [EMPTY_POSITION] },
  },
  analyzer: {
    findling: { type: "custom", tokenizer: "findling", filter: ["findling_stack", "findling_gap"] },
  },
} as const;

/** The index of an index's documents. Text arrives as tokens, so that analysis is the engine's. */
export function documentsDefinition(
  schema: EngineSchema,
  { shards, replicas }: ShardSettings,
): IndexDefinition {
  const parts: Record<FieldPart, Record<string, unknown>> = { t: {}, v: {}, o: {}, f: {}, d: {}, l: {} };
  for (const field of schema.fields) {
    for (const [part, mapping] of partsOf(field)) parts[part][clusterName(field.name)] = mapping;
  }
  return {
    settings: {
      number_of_shards: shards,
      auto_expand_replicas: `0-${replicas}`,
      // Nothing is seen before a commit, which refreshes.
      "index.refresh_interval": "-1",
      "index.mapping.total_fields.limit": 20_000,
      "index.translog.durability": "request",
      // Lengths count stems beside words, as the sum of all lengths does.
      similarity: {
        findling: {
          type: "scripted",
          discount_overlaps: false,
          weight_script: { source: WEIGHT },
          script: { source: SIMILARITY },
        },
      },
      analysis: ANALYSIS,
    },
    mappings: {
      dynamic: "strict",
      properties: {
        doc: { type: "keyword", index: false, doc_values: false },
        member: { type: "keyword" },
        born: { type: "long" },
        died: { type: "long" },
        seq: { type: "long" },
        has: { type: "keyword", doc_values: false },
        // Of which document it is a later state; absent where the cluster's id is the document's own.
        of: { type: "keyword", doc_values: false },
        // The operation that wrote it or let it die last (`write-turns.ts`).
        operation: { type: "keyword", doc_values: false },
        ...Object.fromEntries(
          Object.entries(parts).map(([part, properties]) => [part, { dynamic: "strict", properties }]),
        ),
      },
    },
  };
}

function partsOf(field: EngineField): readonly (readonly [FieldPart, unknown])[] {
  const words = ["t", { type: "text", analyzer: "findling", similarity: "findling" }] as const;
  const length = ["l", { type: "short", index: false }] as const;
  const order = ["o", { type: "keyword", index: false }] as const;
  const paths = ["f", { type: "keyword" }] as const;
  const value = ["v", { type: "keyword", ignore_above: KEYWORD_UNITS_MAX }] as const;
  switch (field.kind) {
    case "text":
      return [...(field.indexed ? [words, length] : []), order, ...(isFoundWhole(field) ? [value] : [])];
    case "label":
      return [words, length, order, paths, value];
    case "keyword":
      return [value, order];
    case "facet":
      return [paths];
    case "datetime":
      return [value, ["d", { type: "double", index: false }]];
    case "bool":
    case "u64":
    case "i64":
    case "f64":
      return [value];
    case "opaque":
      return [];
  }
}

/** Code points of the longest beginning by which words that are still being typed are looked up. */
export const BEGINNING_MAX = 24;

/** The index of the distinct words of an index's fields. Words stay when the last document with them goes. */
export const WORDS_DEFINITION: (shards: ShardSettings) => IndexDefinition = ({ replicas }) => ({
  settings: {
    number_of_shards: 1,
    auto_expand_replicas: `0-${replicas}`,
    "index.refresh_interval": "-1",
  },
  mappings: {
    dynamic: "strict",
    properties: {
      field: { type: "keyword" },
      word: { type: "keyword" },
      beginnings: { type: "keyword", doc_values: false },
    },
  },
});
