import type { AnalyzerSettings } from "../analysis/analyzer.js";
import { analyzerSettings, haveEqualTokens } from "../analysis/analyzer-settings.js";
import type { IndexSchema } from "../contract/index-schema.js";

/** How an index's text becomes tokens, in its documents and in queries (contract 5.1). */
export function indexAnalysis(schema: IndexSchema): AnalyzerSettings {
  return analyzerSettings({
    language: schema.language,
    stemming: schema.enable_language_stemming,
    foldDiacritics: schema.fold_diacritics,
  });
}

/** Whether documents that were indexed under one schema's settings have to be analysed anew for the other's. */
export function differInAnalysis(one: IndexSchema, other: IndexSchema): boolean {
  return !haveEqualTokens(indexAnalysis(one), indexAnalysis(other));
}
