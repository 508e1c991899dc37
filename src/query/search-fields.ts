import type { Token } from "../analysis/analyzer.js";
import type { IndexSchema } from "../contract/index-schema.js";
import { anyOf, boosted } from "./combine.js";
import { type QueriedField, queriedField } from "./queried-field.js";
import type { QueryAst } from "./query-ast.js";
import type { SearchedIndex } from "./searched-index.js";
import { searchedTokens, tokensAst, type WrittenText } from "./text-ast.js";

/** A field that unfielded words are looked for in, and what its scores count (`weight_multipliers`). */
export interface SearchField {
  readonly field: QueriedField;
  readonly weight: number;
}

/** @throws FindlingError as `queriedField` */
export function searchFieldsOf(schema: IndexSchema): readonly SearchField[] {
  let fields = SEARCH_FIELDS.get(schema);
  if (fields === undefined) {
    fields = schema.search_fields.map((name) => ({
      field: queriedField(schema, name),
      weight: Object.hasOwn(schema.weight_multipliers, name) ? (schema.weight_multipliers[name] ?? 1) : 1,
    }));
    SEARCH_FIELDS.set(schema, fields);
  }
  return fields;
}

/** Every word asks for them. */
const SEARCH_FIELDS = new WeakMap<IndexSchema, readonly SearchField[]>();

/**
 * Documents with the text in any search field; the fields' scores, times their weights, are added up.
 * Null if only stopwords or no tokens remain. In `id` the text is the whole value.
 */
export function unfieldedAst(index: SearchedIndex, written: WrittenText): QueryAst | null {
  const asts: QueryAst[] = [];
  // All text fields share the analyzer.
  let tokens: readonly Token[] | null = null;
  for (const { field, weight } of searchFieldsOf(index.schema)) {
    const ast =
      field.kind === "identifier"
        ? identifierAst(field, written)
        : tokensAst(field.name, (tokens ??= searchedTokens(index, written)), written);
    // What is dropped in one is dropped in all, and then `id` has no say.
    if (ast === null) return null;
    asts.push(boosted(ast, weight));
  }
  return anyOf(asts);
}

/** Documents whose identifier is the text, or starts with it. */
export function identifierAst(field: QueriedField, written: WrittenText): QueryAst {
  return written.isPrefix
    ? { kind: "value_prefix", field: field.name, prefix: written.text }
    : { kind: "value_set", field: field.name, values: [written.text] };
}
