import { type FieldDefinition, type IndexSchema, isFlatFacet } from "../contract/index-schema.js";
import { nearestNameAdvice } from "../contract/nearest-name.js";
import { isListEntry, type OrderKey } from "../contract/order-key.js";
import type { SearchClause, SearchRequest } from "../contract/search.js";
import { FindlingError } from "../errors/index.js";
import { compileExact } from "./compile-exact.js";
import { compileFuzzy } from "./compile-fuzzy.js";
import { expandDynamicMode } from "./expand-dynamic-mode.js";
import { hitPartsOf } from "./hit-parts.js";
import { withoutFilterOn } from "./multi-select-facets.js";
import type { QueryAst } from "./query-ast.js";
import type { SearchPlan } from "./search-plan.js";
import type { SearchedIndex } from "./searched-index.js";
import { requireTermCount } from "./term-count.js";
import { timeDecayOf } from "./time-decay.js";

/**
 * A search request in the terms of one index (contract 5.2 to 5.7).
 *
 * @param nowMs time of the request, in milliseconds since the epoch
 * @throws FindlingError `query_syntax`, `unknown_field`, `field_not_indexed`, `invalid_field_value`,
 *   `invalid_order_by`, `minimum_should_match_too_large`, `invalid_request` for more terms than the limit
 */
export function compileSearch(request: SearchRequest, index: SearchedIndex, nowMs: number): SearchPlan {
  const ast = compileClauses(request.clauses, request.minimum_number_should_match, index);
  const { offset, limit } = request;
  const orderBy = orderOf(request);
  const { facets: chosenFacets, explain } = request.extensions ?? {};
  const hitParts =
    request.extensions === undefined ? undefined : hitPartsOf(request.extensions, index.schema);
  const known = facetFieldsOf(index.schema);
  const allFacets = chosenFacets === undefined ? known : known.filter((name) => chosenFacets.has(name));
  const multiSelectFacets =
    chosenFacets === undefined
      ? []
      : allFacets
          .filter((name) => chosenFacets.get(name)?.ownFilter === false)
          .map((field) => ({ field, ast: withoutFilterOn(field, ast) }))
          .filter((facet) => facet.ast !== ast);
  const timeDecay = timeDecayOf(index.schema, nowMs);
  for (const key of orderBy) {
    if (key.kind === "field") requireSortable(index.schema, key.field);
  }
  const facets =
    multiSelectFacets.length === 0
      ? allFacets
      : allFacets.filter((name) => !multiSelectFacets.some(({ field }) => field === name));
  // Assigned one by one where there is something: spreading each takes several times as long.
  const plan: Mutable<SearchPlan> = { ast, offset, limit, facets };
  if (multiSelectFacets.length > 0) plan.multiSelectFacets = multiSelectFacets;
  if (explain !== undefined) plan.explain = explain;
  if (hitParts !== undefined) plan.hitParts = hitParts;
  if (orderBy.length > 0) plan.orderBy = orderBy;
  if (timeDecay !== undefined) plan.timeDecay = timeDecay;
  return plan;
}

type Mutable<T> = { -readonly [Member in keyof T]: T[Member] };

/** In schema order. */
function facetFieldsOf(schema: IndexSchema): readonly string[] {
  let fields = FACET_FIELDS.get(schema);
  if (fields === undefined) {
    fields = Object.keys(schema.fields).filter((name) => schema.fields[name]!.type === "facet");
    FACET_FIELDS.set(schema, fields);
  }
  return fields;
}

/** Every search asks for them. */
const FACET_FIELDS = new WeakMap<IndexSchema, readonly string[]>();

/** The keys that a request orders by; none if by relevance alone. */
export function orderOf({ order_by: field, sort, extensions }: SearchRequest): readonly OrderKey[] {
  const keys = extensions?.orderBy ?? [];
  if (field !== undefined) return [{ kind: "field", field, descending: sort === "desc" }];
  const [only] = keys;
  return keys.length === 1 && only?.kind === "score" && only.descending ? [] : keys;
}

/**
 * A request's clauses as one query (contract 5.6); for deletes by query too.
 *
 * @throws FindlingError as `compileSearch`
 */
export function compileClauses(
  clauses: readonly SearchClause[],
  minimumShouldMatch: number | undefined,
  index: SearchedIndex,
): QueryAst {
  checkMinimum(clauses, minimumShouldMatch);
  const compiled = clauses.map((clause) => ({ occur: clause.occur, ast: compileClause(clause, index) }));
  const ast = combined(compiled, minimumShouldMatch);
  requireTermCount(ast, index.limits.termsMax);
  return ast;
}

function combined(
  compiled: readonly { readonly occur: SearchClause["occur"]; readonly ast: QueryAst }[],
  minimumShouldMatch: number | undefined,
): QueryAst {
  const [only] = compiled;
  // A lone clause must match whatever the minimum says: one should clause still has to (contract 5.6).
  if (only !== undefined && compiled.length === 1) return only.ast;
  if (only === undefined) return { kind: "match_none" };
  return {
    kind: "boolean",
    clauses: compiled,
    ...(minimumShouldMatch === undefined ? {} : { minimumShouldMatch }),
  };
}

function compileClause(clause: SearchClause, index: SearchedIndex): QueryAst {
  switch (clause.mode) {
    case "exact":
      return compileExact(clause.ctx, index, clause.as_you_type);
    case "fuzzy":
      return compileFuzzy(clause.ctx, index, {
        isBeingTyped: clause.as_you_type === true,
        needsAll: clause.match === "all",
      });
    case "dynamic":
      return expandDynamicMode(clause.ctx, index, clause.as_you_type);
  }
}

function checkMinimum(clauses: readonly SearchClause[], minimum: number | undefined): void {
  if (minimum === undefined) return;
  const shouldCount = clauses.filter((clause) => clause.occur === "should").length;
  if (Number.isInteger(minimum) && minimum >= 0 && minimum <= shouldCount) return;
  throw new FindlingError(
    "minimum_should_match_too_large",
    `minimum_number_should_match must be an integer from 0 to the number of should clauses, ${shouldCount}`,
  );
}

function requireSortable(schema: IndexSchema, name: string): void {
  const definition = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
  if (definition !== undefined && isSortable(definition)) return;
  throw new FindlingError(
    "invalid_order_by",
    `order_by '${name}': ${definition === undefined ? lackOf(name, schema) : `it cannot be ordered by; ${SORTABLE}`}`,
  );
}

const SORTABLE =
  "use a single-valued text field, or a single-valued number, datetime or bool field with 'fast'";

function lackOf(name: string, schema: IndexSchema): string {
  const lack = `index '${schema.name}' has no such field`;
  if (isListEntry(name)) return `${lack}; in a list it would say more: "order_by": ["${name}"]`;
  const advice = nearestNameAdvice(name, Object.keys(schema.fields));
  return advice === "" ? `${lack}; ${SORTABLE}` : `${lack}${advice}`;
}

function isSortable(definition: FieldDefinition): boolean {
  if (definition.multi) return false;
  switch (definition.type) {
    case "text":
      return true;
    case "bool":
    case "u64":
    case "i64":
    case "f64":
    case "datetime":
      return definition.fast === true;
    case "facet":
      return isFlatFacet(definition);
    case "bytes":
    case "json":
      return false;
  }
}
