import { createAnalyzer } from "../../src/analysis/create-analyzer.js";
import type { FieldDefinition, FieldType, IndexSchema } from "../../src/contract/index-schema.js";
import type { SearchedIndex } from "../../src/query/searched-index.js";

export function field(type: FieldType, options: Partial<FieldDefinition> = {}): FieldDefinition {
  return { type, required: false, stored: true, indexed: true, multi: false, fast: true, ...options };
}

/** An index with a field of every kind; `title` counts twice, `body` once. */
export function sampleIndex(
  schema: Partial<IndexSchema> = {},
  customStopwords: readonly string[] = [],
): SearchedIndex {
  return {
    schema: {
      name: "sample",
      fields: {
        id: field("text", { indexed: false }),
        title: field("text"),
        body: field("text"),
        section_name: field("text"),
        tags: field("text", { multi: true }),
        category: field("facet", { multi: true }),
        active: field("bool"),
        rating: field("f64"),
        price: field("u64"),
        reviews: field("i64"),
        created_at: field("datetime", { precision: "seconds" }),
        updated_at: field("datetime", { precision: "milliseconds" }),
        slow: field("u64", { fast: false }),
        hidden: field("text", { indexed: false }),
        hidden_price: field("u64", { indexed: false }),
        hidden_at: field("datetime", { indexed: false, precision: "seconds" }),
        place: field("facet"),
        blob: field("bytes"),
        extra: field("json"),
      },
      search_fields: ["title", "body"],
      weight_multipliers: { title: 2 },
      enable_language_stemming: false,
      exclude_stop_words: true,
      auto_commit_delay: 0,
      ai_enabled: false,
      ...schema,
    },
    customStopwords,
    analyzer: createAnalyzer({ version: 1 }),
    limits: { depthMax: 64, termsMax: 20_000 },
  };
}
