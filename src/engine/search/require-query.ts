import { FindlingError } from "../../errors/index.js";
import { type Occur, type Query, ROW_TERMS_MAX } from "./query.js";
import type { SearchOptions } from "./search-types.js";

const OCCURS: readonly string[] = ["must", "should", "must_not", "filter"] satisfies readonly Occur[];
const DISTANCES: readonly number[] = [0, 1, 2];

/**
 * Refuses what the types don't allow, but callers without types write: a misspelt `occur` would decide nothing, and
 * a deletion take everything. Fields and values are checked against the schema when the query is bound.
 *
 * @throws FindlingError `invalid_request`
 */
export function requireQuery(query: Query): void {
  switch (query.kind) {
    case "boolean":
      for (const { occur, query: clause } of query.clauses) {
        if (!OCCURS.includes(occur))
          throw invalid(`a clause's occur is one of ${OCCURS.join(", ")}, not '${occur}'`);
        requireQuery(clause);
      }
      return;
    case "boost":
      requireAtLeastZero("a boost's factor", query.factor);
      requireQuery(query.query);
      return;
    case "constant_score":
      requireAtLeastZero("a constant score", query.score);
      requireQuery(query.query);
      return;
    case "synonyms":
      for (const { boost } of query.fields) requireAtLeastZero("a field's boost", boost);
      requireQuery(query.query);
      return;
    case "words":
      for (const { start, end, query: reading } of query.readings) {
        if (!isCount(start) || !isCount(end) || start > end)
          throw invalid(`a reading is of words from one to another, not ${start} to ${end}`);
        requireQuery(reading);
      }
      return;
    case "fuzzy":
      if (query.begun !== undefined) requireDistance(query.begun.maxDistance);
      for (const { terms } of query.rows ?? []) {
        if (terms.length < 1 || terms.length > ROW_TERMS_MAX)
          throw invalid(`a row is of one to ${ROW_TERMS_MAX} terms, not ${terms.length}`);
      }
      for (const { boost } of query.fields) requireAtLeastZero("a field's boost", boost);
      requireDistance(query.maxDistance);
      return;
    case "fuzzy_prefix":
      for (const { boost } of query.fields) requireAtLeastZero("a field's boost", boost);
      requireDistance(query.maxDistance);
      return;
    case "match_all":
    case "match_none":
    case "term":
    case "phrase":
    case "prefix":
    case "term_range":
    case "value_set":
    case "value_range":
    case "value_prefix":
    case "facet":
    case "exists":
    case "document_ids":
      return;
    default:
      throw invalid(`there is no query of kind '${(query as { readonly kind: string }).kind}'`);
  }
}

/** @throws FindlingError `invalid_request` */
export function requireSearch({ query, offset, limit, orderBy, timeDecay }: SearchOptions): void {
  if (!isCount(offset)) throw invalid(`an offset is an integer of at least 0, not ${offset}`);
  if (!isCount(limit) && limit !== Number.POSITIVE_INFINITY) {
    throw invalid(`a limit is an integer of at least 0, or Infinity, not ${limit}`);
  }
  if (orderBy?.length === 0) throw invalid("an order needs at least one key");
  if (timeDecay !== undefined) requireAtLeastZero("a decay's rate", timeDecay.ratePerDay);
  requireQuery(query);
}

/** Ranking leaves out what can't reach a threshold, and so relies on clauses that only add, and on decay that only lowers. */
function requireAtLeastZero(what: string, value: number): void {
  if (value >= 0 && value < Number.POSITIVE_INFINITY) return;
  throw invalid(`${what} is a number of at least 0, not ${value}`);
}

function requireDistance(distance: number): void {
  if (!DISTANCES.includes(distance)) throw invalid(`an edit distance is 0, 1 or 2, not ${String(distance)}`);
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0;
}

function invalid(message: string): FindlingError {
  return new FindlingError("invalid_request", message);
}
