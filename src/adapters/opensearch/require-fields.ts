import type { IndexSchema } from "../../contract/index-schema.js";
import type { EngineField, FieldKind } from "../../engine/server-door.js";
import { FindlingError } from "../../errors/index.js";
import type { QueryAst } from "../../query/query-ast.js";
import type { SearchPlan } from "../../query/search-plan.js";
import { toEngineSchema } from "../embedded/to-engine-schema.js";

const NUMBERS: readonly FieldKind[] = ["bool", "u64", "i64", "f64", "datetime"];

/**
 * Fields that a plan names are there and can be asked for so.
 *
 * @throws FindlingError `unknown_field`, `invalid_request`, `invalid_order_by`
 */
export function requireFieldsOfPlan(plan: SearchPlan, schema: IndexSchema): void {
  const { fields } = toEngineSchema(schema);
  requireFields(plan.ast, fields);
  for (const field of plan.facets) requireField(fields, field, ["facet", "label"]);
  for (const { field, ast } of plan.multiSelectFacets ?? []) {
    requireField(fields, field, ["facet", "label"]);
    requireFields(ast, fields);
  }
  for (const key of plan.orderBy ?? []) {
    if (key.kind === "score") continue;
    const { kind, multi } = fieldNamed(fields, key.field);
    if (multi || kind === "facet" || kind === "opaque")
      throw new FindlingError("invalid_order_by", `'${key.field}' has no order`);
  }
}

/** Requires the fields that a query alone is about. */
export function requireFields(ast: QueryAst, fields: readonly EngineField[]): void {
  switch (ast.kind) {
    case "match_all":
    case "match_none":
    case "document_ids":
      return;
    case "term":
    case "phrase":
    case "prefix":
    case "term_range":
      requireField(fields, ast.field, ["text", "label"]);
      return;
    case "value_set":
      if (fieldNamed(fields, ast.field).keyed === true) return;
      requireField(fields, ast.field, ["keyword", "label", ...NUMBERS]);
      return;
    case "value_range":
      requireField(fields, ast.field, NUMBERS);
      return;
    case "value_prefix":
      requireField(fields, ast.field, ["keyword", "label"]);
      return;
    case "facet":
      requireField(fields, ast.field, ["facet"]);
      return;
    case "exists":
      requireField(fields, ast.field, ["text", "keyword", "label", "facet", ...NUMBERS]);
      return;
    case "fuzzy":
    case "fuzzy_prefix":
      for (const { field } of ast.fields) requireField(fields, field, ["text", "label"]);
      return;
    case "synonyms":
      for (const { field } of ast.fields) requireField(fields, field, ["text", "label"]);
      requireFields(ast.ast, fields);
      return;
    case "words":
      for (const reading of ast.readings) requireFields(reading.ast, fields);
      return;
    case "boost":
    case "constant_score":
      requireFields(ast.ast, fields);
      return;
    case "boolean":
      for (const clause of ast.clauses) requireFields(clause.ast, fields);
      return;
  }
}

function requireField(fields: readonly EngineField[], name: string, kinds: readonly FieldKind[]): void {
  const { kind } = fieldNamed(fields, name);
  if (!kinds.includes(kind)) throw new FindlingError("invalid_request", `'${name}' is of kind ${kind}`);
}

function fieldNamed(fields: readonly EngineField[], name: string): EngineField {
  const field = fields.find((one) => one.name === name);
  if (field === undefined) throw new FindlingError("unknown_field", `'${name}' is not in the schema`);
  return field;
}
