import { createAnalyzer } from "../analysis/create-analyzer.js";
import type { IndexSchema } from "../contract/index-schema.js";
import { indexAnalysis } from "./index-analysis.js";
import type { QueryLimits, SearchedIndex } from "./searched-index.js";

/**
 * What queries on an index are compiled with: for services, which know nothing of analysis. Make one
 * for each state of the index's settings and keep it.
 */
export function indexQueryContext(
  schema: IndexSchema,
  customStopwords: readonly string[],
  limits: QueryLimits,
): SearchedIndex {
  return { schema, customStopwords, analyzer: createAnalyzer(indexAnalysis(schema)), limits };
}
