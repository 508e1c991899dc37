import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Token, tokensOf } from "../../analyzer.js";
import { analyzerSettings } from "../../analyzer-settings.js";
import { createAnalyzer } from "../../create-analyzer.js";
import { joinedWords } from "../../joined-words.js";
import { stopWords } from "../../languages/stop-words.js";
import { StopWordSet } from "../../stop-word-set.js";

interface Code {
  readonly code: string;
  /** Texts in which it must not be found. */
  readonly notIn: readonly string[];
  /** Texts in which it is found all the same, since tokens hold no signs. */
  readonly alsoIn?: readonly string[];
}

// Goal: a code is found where it stands, and not where its parts stand otherwise. Method: the query
// side's phrase (contract 5.5, rules 3 and 5) of the code's tokens, on texts around the code.
const CODES = JSON.parse(readFileSync(new URL("./codes.json", import.meta.url), "utf8")) as readonly Code[];

const CODES_MIN = 100;

test("there are as many codes as promised, each with a text to be told from", () => {
  expect(CODES.length).toBeGreaterThanOrEqual(CODES_MIN);
  expect(CODES.filter((code) => code.notIn.length === 0)).toEqual([]);
});

const SETTINGS = [
  {},
  { language: "en", stemming: true },
  { foldDiacritics: true },
  { language: "fr", stemming: true, foldDiacritics: true },
];

describe.each(SETTINGS)("codes with %j", (settings) => {
  const analyzer = createAnalyzer(analyzerSettings(settings));
  const stopWordSet = new StopWordSet(stopWords(settings.language ?? "en"), analyzer);
  const finds = (code: string, text: string): boolean => {
    const phrase = stopWordSet.withoutLoose(tokensOf(analyzer, code), code);
    return phrase.length > 0 && holdsPhrase(tokensOf(analyzer, text), phrase);
  };

  test.each(CODES)("$code", ({ code, notIn, alsoIn }) => {
    const written = code.replace(/^=/, "");
    for (const text of [
      written,
      `Order ${written}, today`,
      `the (${written}) is here; other 1.2 AB`,
      `"${written}".`,
    ]) {
      expect([text, finds(code, text)]).toEqual([text, true]);
      expect([text, finds(code.toUpperCase(), text.toLowerCase())]).toEqual([text, true]);
    }
    for (const text of notIn) expect([text, finds(code, text)]).toEqual([text, false]);
    for (const text of alsoIn ?? []) expect([text, finds(code, text)]).toEqual([text, true]);
  });
});

describe("joinedWords", () => {
  const analyzer = createAnalyzer(analyzerSettings({}));
  const joined = (text: string): string[][] =>
    joinedWords(tokensOf(analyzer, text), text).map((word) => word.map((token) => token.text));

  test("gives the words of several tokens and no others", () => {
    expect(joined("order AB-12/3.4 now, or C++ by mail@example.com\tfor don't & co")).toEqual([
      ["ab", "12", "3", "4"],
      ["mail", "example", "com"],
      ["don", "t"],
    ]);
    expect(joined("")).toEqual([]);
    expect(joined("one two")).toEqual([]);
    expect(joined("東京都 iPhone手機")).toEqual([
      ["東京", "京都"],
      ["iphone", "手機"],
    ]);
  });
});

function holdsPhrase(tokens: readonly Token[], phrase: readonly Token[]): boolean {
  const first = phrase[0]!;
  const at = new Map(tokens.map((token) => [token.position, token.text]));
  return tokens.some((token) =>
    phrase.every((word) => at.get(token.position + word.position - first.position) === word.text),
  );
}
