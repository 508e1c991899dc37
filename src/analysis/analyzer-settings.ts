import { ANALYSIS_VERSION, type AnalysisVersion, type AnalyzerSettings } from "./analyzer.js";
import { stemmingCode } from "./languages/stemmers.js";

/** What an index says of its text. */
export interface TextSettings {
  /** Two-letter code, lower case. */
  readonly language?: string | undefined;
  /** Asks for the language's stemmer; means nothing where there is none. */
  readonly stemming?: boolean | undefined;
  readonly foldDiacritics?: boolean | undefined;
  /** Signs that count as letters. */
  readonly symbols?: string | undefined;
  /** The rules that the documents were analysed by; those of new indexes unless given. */
  readonly version?: AnalysisVersion | undefined;
}

const TURKIC_CASING: ReadonlySet<string> = new Set(["tr", "az"]);

/**
 * The analyzer settings of an index. Only what changes tokens is in them: two indexes whose texts give
 * the same tokens have equal settings, whatever else they say.
 */
export function analyzerSettings({
  language,
  stemming,
  foldDiacritics,
  symbols = "",
  version = ANALYSIS_VERSION,
}: TextSettings): AnalyzerSettings {
  const stemmer = language === undefined || stemming !== true ? null : stemmingCode(language);
  // Folding takes the dots from all four letters, however they were paired.
  const isTurkic = language !== undefined && TURKIC_CASING.has(language) && foldDiacritics !== true;
  return {
    version,
    ...(isTurkic ? { casing: "turkic" } : {}),
    ...(foldDiacritics === true ? { foldDiacritics } : {}),
    ...(stemmer === null ? {} : { stemming: stemmer }),
    ...(symbols === "" ? {} : { symbols: [...new Set(symbols)].sort().join("") }),
  };
}

/** Whether texts analysed by one are good for the other. */
export function haveEqualTokens(one: AnalyzerSettings, other: AnalyzerSettings): boolean {
  return (
    one.version === other.version &&
    one.casing === other.casing &&
    one.foldDiacritics === other.foldDiacritics &&
    one.stemming === other.stemming &&
    one.symbols === other.symbols
  );
}
