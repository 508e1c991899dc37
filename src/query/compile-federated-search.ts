import { fieldDefinition, isFlatFacet } from "../contract/index-schema.js";
import type { OrderKey } from "../contract/order-key.js";
import type { SearchRequest } from "../contract/search.js";
import { FindlingError } from "../errors/index.js";
import { parseExact } from "./compile-exact.js";
import { compileSearch, orderOf } from "./compile-search.js";
import { parseQueryString } from "./parser.js";
import type { SearchPlan } from "./search-plan.js";
import type { SearchedIndex } from "./searched-index.js";

/**
 * A search request in the terms of each index of a federation (contract 5.8), null for one that it
 * leaves out: because the index lacks a field that the request names; because the field is there but
 * takes no such value, can't be queried or can't be ordered by; or because its values have no order
 * in common with those of the first index that can be ordered.
 *
 * Where no index is left, what only needed a field leaves no hits, anything else is an error.
 *
 * @param nowMs time of the request, in milliseconds since the epoch
 * @param onUnordered told each index that is left out for its order though it has the field, by its place, and why
 * @throws FindlingError `query_syntax` if no index can read a clause; `field_not_indexed`,
 *   `invalid_field_value`, `invalid_order_by` if no index is left and one that has the field refuses
 *   it so; what `compileSearch` throws beyond these
 */
export function compileFederatedSearch(
  request: SearchRequest,
  indexes: readonly SearchedIndex[],
  nowMs: number,
  onUnordered: (place: number, reason: string) => void = () => undefined,
): readonly (SearchPlan | null)[] {
  const federatedSchemas = indexes.map(({ schema }) => schema);
  const federated = indexes.map((index) => ({ ...index, federatedSchemas }));
  const outcomes = federated.map((index) => compiled(request, index, nowMs));
  if (outcomes.every(({ plan }) => plan === null)) throwRefusal(request, federated, outcomes);
  outcomes.forEach(({ refusal }, i) => {
    if (refusal?.code === "invalid_order_by" && !isLack(refusal, request, federated[i]!))
      onUnordered(i, refusal.message);
  });
  return withOneOrder(outcomes, federated, onUnordered);
}

/**
 * Where a federation has no index left: what none could read is no query all the same (contract 5.8).
 *
 * @throws FindlingError `query_syntax`
 */
export function requireReadable({ clauses }: SearchRequest, depthMax: number): void {
  for (const { mode, ctx } of clauses) {
    // Of all ways to write a value, the one that allows what each other does.
    if (mode === "exact") parseQueryString(ctx, { valueSyntax: () => "datetime_word", depthMax });
  }
}

interface Outcome {
  readonly plan: SearchPlan | null;
  /** Why there is no plan. */
  readonly refusal: FindlingError | null;
}

/** Codes of errors that are about one index's fields and not about the request. */
const INDEX_ERRORS: readonly string[] = [
  "query_syntax",
  "unknown_field",
  "field_not_indexed",
  "invalid_field_value",
  "invalid_order_by",
];

function compiled(request: SearchRequest, index: SearchedIndex, nowMs: number): Outcome {
  try {
    return { plan: compileSearch(request, index, nowMs), refusal: null };
  } catch (error) {
    if (!(error instanceof FindlingError) || !INDEX_ERRORS.includes(error.code)) throw error;
    return { plan: null, refusal: error };
  }
}

function throwRefusal(
  request: SearchRequest,
  indexes: readonly SearchedIndex[],
  outcomes: readonly Outcome[],
): void {
  for (const clause of request.clauses) {
    if (clause.mode === "exact") requireSyntax(clause.ctx, indexes);
  }
  outcomes.forEach(({ refusal }, i) => {
    if (refusal !== null && !isLack(refusal, request, indexes[i]!)) throw refusal;
  });
}

/**
 * How values are written depends on the fields' types, so that one index may fail where another
 * reads on. What none can read is no query.
 */
function requireSyntax(ctx: string, indexes: readonly SearchedIndex[]): void {
  let failure: FindlingError | null = null;
  for (const index of indexes) {
    try {
      parseExact(ctx, index);
      return;
    } catch (error) {
      if (!(error instanceof FindlingError)) throw error;
      failure ??= error;
    }
  }
  if (failure !== null) throw failure;
}

/** Whether the index was refused for a field that it doesn't have at all. */
function isLack(refusal: FindlingError, request: SearchRequest, { schema }: SearchedIndex): boolean {
  if (refusal.code !== "invalid_order_by") return refusal.code === "unknown_field";
  return orderOf(request).some(
    (key) => key.kind === "field" && fieldDefinition(schema, key.field) === undefined,
  );
}

/** Leaves out indexes whose order has nothing in common with the first one's. */
function withOneOrder(
  outcomes: readonly Outcome[],
  indexes: readonly SearchedIndex[],
  onUnordered: (place: number, reason: string) => void,
): readonly (SearchPlan | null)[] {
  let order: string | undefined;
  return outcomes.map(({ plan }, i) => {
    if (plan?.orderBy === undefined) return plan;
    const own = plan.orderBy.map((key) => scaleOf(indexes[i]!, key)).join();
    order ??= own;
    if (own === order) return plan;
    onUnordered(
      i,
      `values of 'order_by' are of type ${own} here and of ${order} elsewhere, which have no order in common`,
    );
    return null;
  });
}

/** Values of one scale can be compared with each other, whatever numbers they are. */
function scaleOf(index: SearchedIndex, key: OrderKey): string | undefined {
  if (key.kind === "score") return "score";
  const definition = fieldDefinition(index.schema, key.field);
  const type = definition?.type;
  if (type === "u64" || type === "i64" || type === "f64") return "number";
  return definition !== undefined && isFlatFacet(definition) ? "text" : type;
}
