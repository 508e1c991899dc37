/**
 * Findling's full-text engine as a library: a durable index of JSON documents in a folder or in memory.
 *
 * ```ts
 * const films = await Index.openOrCreate("films-index", { title: "text", year: "u64", genre: "facet" });
 * await films.add([{ title: "The Third Man", year: 1949, genre: "/crime" }]);
 * await films.commit();
 * films.search("thrid man", { highlight: true, facets: ["genre"] }).hits;
 * await films.close();
 * ```
 */
export {
  type CanonicalDocument,
  type CanonicalValue,
  type CheckReport,
  CorruptionError,
  type CountedFacet,
  checkIndex,
  type Directory,
  type DocumentId,
  type DocumentsReplaced,
  type EngineField,
  type EngineHit,
  type EngineSchema,
  type EngineSearchResult,
  type ErrorCode,
  type Explanation,
  type FacetNode,
  type FieldKind,
  type FieldShorthand,
  FileDirectory,
  FindlingError,
  type HeldSearcher,
  type IndexOptions,
  MemoryDirectory,
  type MergePolicy,
  type OrderKey,
  type Query,
  type Searcher,
  type SearchInterrupt,
  type SearchOptions,
  TieredMergePolicy,
  TimeLimit,
} from "../engine/server-door.js";
export { defineSchema, type SchemaInput, type TextAnalysis } from "./define-schema.js";
export { escapeText } from "./escape-text.js";
export { Index, type LibraryOptions } from "./text-index.js";
export type {
  HighlightOptions,
  SearchMode,
  SuggestOptions,
  TextSearchOptions,
} from "./text-search-options.js";
export type { Suggestions, TextDocument, TextHit, TextSearchResult } from "./text-search-result.js";
export type { TextSettings } from "./text-settings.js";
