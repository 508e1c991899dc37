import { describe, expect, test } from "vitest";
import { FindlingError } from "../errors/index.js";
import { ANALYSIS_VERSION, tokensOf } from "./analyzer.js";
import { analyzerSettings, haveEqualTokens, type TextSettings } from "./analyzer-settings.js";
import { createAnalyzer } from "./create-analyzer.js";

const ALL: readonly TextSettings[] = [undefined, "en", "nb", "no", "de", "tr", "az", "zh", "xx"].flatMap(
  (language) =>
    [undefined, false, true].flatMap((stemming) =>
      [undefined, false, true].map((foldDiacritics) => ({ language, stemming, foldDiacritics })),
    ),
);

describe("analyzerSettings", () => {
  test("names only what changes tokens", () => {
    expect(analyzerSettings({})).toEqual({ version: ANALYSIS_VERSION });
    expect(analyzerSettings({ language: "de", stemming: false, foldDiacritics: false })).toEqual({
      version: ANALYSIS_VERSION,
    });
    expect(analyzerSettings({ language: "de", stemming: true })).toEqual({
      version: ANALYSIS_VERSION,
      stemming: "de",
    });
    expect(analyzerSettings({ language: "zh", stemming: true })).toEqual({ version: ANALYSIS_VERSION });
    expect(analyzerSettings({ stemming: true, foldDiacritics: true })).toEqual({
      version: ANALYSIS_VERSION,
      foldDiacritics: true,
    });
    expect(analyzerSettings({ language: "az", stemming: true })).toEqual({
      version: ANALYSIS_VERSION,
      casing: "turkic",
    });
    expect(analyzerSettings({ language: "tr", stemming: true })).toEqual({
      version: ANALYSIS_VERSION,
      casing: "turkic",
      stemming: "tr",
    });
    expect(analyzerSettings({ language: "tr", stemming: true, foldDiacritics: true })).toEqual({
      version: ANALYSIS_VERSION,
      foldDiacritics: true,
      stemming: "tr",
    });
    expect(analyzerSettings({ symbols: "#+#" })).toEqual({ version: ANALYSIS_VERSION, symbols: "#+" });
    expect(analyzerSettings({ version: 1, language: "tr" })).toEqual({ version: 1, casing: "turkic" });
  });

  test("are equal exactly if they give equal tokens", () => {
    const text = "Isı İl I CAFÉ Häuser opplevelsenes kitapları running";
    const tokens = (settings: TextSettings): string =>
      tokensOf(createAnalyzer(analyzerSettings(settings)), text)
        .map((token) => token.text)
        .join(" ");
    for (const one of ALL) {
      for (const other of ALL) {
        const equal = haveEqualTokens(analyzerSettings(one), analyzerSettings(other));
        expect([one, other, equal]).toEqual([one, other, tokens(one) === tokens(other)]);
      }
    }
  });

  test("survive being stored as JSON", () => {
    for (const settings of ALL.map(analyzerSettings)) {
      expect(haveEqualTokens(settings, JSON.parse(JSON.stringify(settings)))).toBe(true);
    }
  });

  test("of a newer program, or of a language without a stemmer, are refused", () => {
    expect(() => createAnalyzer(JSON.parse('{"version":6}'))).toThrow(FindlingError);
    expect(() => createAnalyzer({ version: 1, stemming: "xx" })).toThrow(/no stemmer for language 'xx'/);
  });
});
