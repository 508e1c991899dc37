/** Whether tokens of a language can be stemmed, so whether `AnalyzerSettings.stemming` may name it. */
export function hasStemmer(_language: string): boolean {
  return false;
}
