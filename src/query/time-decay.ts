import type { IndexSchema } from "../contract/index-schema.js";
import type { SearchPlan } from "./search-plan.js";

/** Gives the factor 0.74 at 30 days and 0.026 at 365 (contract 5.7). */
const RATE_PER_DAY = 0.01;

/**
 * How scores fall with age in an index whose settings say so; undefined if they don't.
 *
 * @param nowMs time of the request, in milliseconds since the epoch
 */
export function timeDecayOf(schema: IndexSchema, nowMs: number): SearchPlan["timeDecay"] {
  const { time_decay_field: field } = schema;
  return field === undefined ? undefined : { field, nowSeconds: nowMs / 1000, ratePerDay: RATE_PER_DAY };
}
