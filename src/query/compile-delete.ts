import { type Analyzer, tokensOf } from "../analysis/analyzer.js";
import { isFlatFacet, isIdentifierField } from "../contract/index-schema.js";
import { isExactNumber } from "../contract/values/exact-number.js";
import { FindlingError } from "../errors/index.js";
import { anyOf } from "./combine.js";
import { equalityAst } from "./field-values.js";
import type { KeptValueMatch } from "./kept-value-match.js";
import { fieldDefinition, type QueriedField } from "./queried-field.js";
import type { QueryAst } from "./query-ast.js";
import type { SearchedIndex } from "./searched-index.js";

export type DeletedValue = string | number | bigint | boolean;

/** Which documents a delete by field and term means: by a query, or by their kept values where the field has no index. */
export type DeletePlan =
  | { readonly by: "query"; readonly ast: QueryAst }
  | { readonly by: "kept_value"; readonly field: string; readonly match: KeptValueMatch };

/** Characters of all values for a field of text: they are analysed in one go, and other requests wait meanwhile. */
const TEXT_CHARACTERS_MAX = 100_000;

/** The internal identifier, which no schema holds. */
const DOCUMENT_ID_FIELD = "_id";

/**
 * `DELETE /index/:index/documents` (contract 3.3): documents that hold any of the values. Text matches
 * like a quoted phrase whose stopwords count, `id` and typed values as a whole, facets with what is below.
 *
 * @throws FindlingError `unknown_field`, `field_not_indexed` for bytes and json, `invalid_field_value`, also for a
 *   number such as `1e20`, whose digits are lost; `payload_too_large`
 */
export function compileDeleteByTerm(
  field: string,
  values: readonly DeletedValue[],
  index: SearchedIndex,
): DeletePlan {
  // What is said of a number is of use only where there is such a field.
  const deleted = field === DOCUMENT_ID_FIELD ? null : deletedField(field, index);
  const written = values.map((value) => writtenValue(field, value, index));
  if (deleted === null) return { by: "query", ast: { kind: "document_ids", ids: written } };
  if (deleted.kind === "text") refuseLongText(field, written);
  if (!ALWAYS_ASKED.includes(deleted.kind) && !deleted.definition.indexed) {
    return { by: "kept_value", field, match: keptValueMatch(deleted, written, index.analyzer) };
  }
  if (deleted.kind !== "text") return { by: "query", ast: equalityAst(deleted, written) };
  return { by: "query", ast: anyOf(written.map((text) => phraseWithStopWords(text, field, index.analyzer))) };
}

function refuseLongText(field: string, written: readonly string[]): void {
  const characters = written.reduce((sum, { length }) => sum + length, 0);
  if (characters <= TEXT_CHARACTERS_MAX) return;
  throw new FindlingError(
    "payload_too_large",
    `the values for field '${field}' hold ${characters} characters, at most ${TEXT_CHARACTERS_MAX} are allowed for a field of text; send fewer values per request`,
  );
}

/** @throws FindlingError `invalid_field_value` for a number that may stand for other documents than were meant */
function writtenValue(field: string, value: DeletedValue, { schema }: SearchedIndex): string {
  const isDouble = Object.hasOwn(schema.fields, field) && schema.fields[field]!.type === "f64";
  if (typeof value !== "number" || isDouble || isExactNumber(value)) return String(value);
  throw new FindlingError(
    "invalid_field_value",
    `a number for field '${field}' loses digits beyond ±(2^53-1), as here: ${value}; send it as a string`,
  );
}

/**
 * Which of a field's kept values the delete means: those that the query would find if the field were
 * indexed.
 *
 * @throws FindlingError `invalid_field_value` for text that is no value of the field's type
 */
function keptValueMatch(field: QueriedField, written: readonly string[], analyzer: Analyzer): KeptValueMatch {
  if (field.kind === "text") {
    const phrases = written.map((text) => placedTokens(text, analyzer));
    return { kind: "phrases", phrases: phrases.filter((phrase) => phrase.length > 0) };
  }
  const ast = equalityAst(field, written);
  return { kind: "values", values: ast.kind === "value_set" ? ast.values : [] };
}

function phraseWithStopWords(text: string, field: string, analyzer: Analyzer): QueryAst {
  const terms = placedTokens(text, analyzer);
  const [first] = terms;
  if (first === undefined) return { kind: "match_none" };
  if (terms.length === 1) return { kind: "term", field, term: first.term };
  return { kind: "phrase", field, terms, slop: 0, lastIsPrefix: false };
}

/** The text's tokens, the first at position 0. */
function placedTokens(text: string, analyzer: Analyzer): { term: string; position: number }[] {
  const tokens = tokensOf(analyzer, text);
  const start = tokens[0]?.position ?? 0;
  return tokens.map((token) => ({ term: token.text, position: token.position - start }));
}

/** Kinds that are indexed whatever their definition says. */
const ALWAYS_ASKED: readonly QueriedField["kind"][] = ["identifier", "label", "facet"];

function deletedField(name: string, index: SearchedIndex): QueriedField {
  const definition = fieldDefinition(index.schema, name);
  const kind = isIdentifierField(name, definition)
    ? "identifier"
    : isFlatFacet(definition)
      ? "label"
      : definition.type;
  if (kind === "bytes" || kind === "json") {
    throw new FindlingError(
      "field_not_indexed",
      `field '${name}' of type ${kind} cannot be compared; delete by another field`,
    );
  }
  return { name, kind, definition };
}
