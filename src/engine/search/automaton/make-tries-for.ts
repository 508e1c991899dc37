import type { SegmentReader } from "../../segment/segment-reader.js";
import type { SlicedWork } from "../../segment/sliced-work.js";
import type { Query } from "../query.js";

/**
 * Makes the tries that a query looks for misspelt words in, for who can't be interrupted while it is matched. Those
 * that there is no memory for aren't made: their terms are compared one by one.
 */
export function* makeTriesFor(query: Query, segments: readonly SegmentReader[]): SlicedWork {
  for (const field of new Set(fuzzyFields(query))) {
    for (const segment of segments) {
      const tries = segment.terms(field)?.tries ?? null;
      if (tries === null || tries.areMade) continue;
      try {
        yield* tries.make();
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
      }
    }
  }
}

/** Recursion is as deep as the query, which is bounded. */
function fuzzyFields(query: Query): readonly string[] {
  switch (query.kind) {
    case "fuzzy":
      if (query.maxDistance === 0 && (query.begun?.maxDistance ?? 0) === 0) return [];
      return [...query.fields.map(({ field }) => field), ...(query.statisticsFields ?? [])];
    case "fuzzy_prefix":
      return query.fields.map(({ field }) => field);
    case "synonyms":
    case "boost":
    case "constant_score":
      return fuzzyFields(query.query);
    case "words":
      return query.readings.flatMap((reading) => fuzzyFields(reading.query));
    case "boolean":
      return query.clauses.flatMap((clause) => fuzzyFields(clause.query));
    default:
      return [];
  }
}
