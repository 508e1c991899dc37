/** What services need of analysis, which they do not import themselves. */
export type { Analyzer, AnalyzerSettings } from "../analysis/analyzer.js";
export { createAnalyzer } from "../analysis/create-analyzer.js";
export { hasStemmer } from "../analysis/languages/stemmers.js";
