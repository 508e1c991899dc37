import { tokensOf } from "../analysis/analyzer.js";
import { createAnalyzer } from "../analysis/create-analyzer.js";
import { SynonymMap } from "../analysis/synonym-map.js";
import type { IndexSchema } from "../contract/index-schema.js";
import { indexAnalysis } from "./index-analysis.js";
import type { QueryLimits, SearchedIndex } from "./searched-index.js";

/** Whether a text holds a word at all, as an index of the schema reads it. */
export function holdsWord(schema: IndexSchema, text: string): boolean {
  return tokensOf(createAnalyzer(indexAnalysis(schema)), text).length > 0;
}

/**
 * What queries on an index are compiled with: for services, which know nothing of analysis. Make one
 * for each state of the index's settings and keep it.
 */
export function indexQueryContext(
  schema: IndexSchema,
  dictionaries: {
    readonly custom_stopwords: readonly string[];
    readonly stopword_exceptions?: readonly string[];
    readonly synonyms: Readonly<Record<string, readonly string[]>>;
  },
  limits: QueryLimits,
): SearchedIndex {
  const analyzer = createAnalyzer(indexAnalysis(schema));
  return {
    schema,
    customStopwords: dictionaries.custom_stopwords,
    stopwordExceptions: dictionaries.stopword_exceptions,
    analyzer,
    synonyms: new SynonymMap(dictionaries.synonyms, analyzer),
    limits,
  };
}
