import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ANALYSIS_VERSION, type Token, tokensOf } from "./analyzer.js";
import { createAnalyzer } from "./create-analyzer.js";

const analyzer = createAnalyzer({ version: 1 });
const tokens = (text: string): Token[] => tokensOf(analyzer, text);
const words = (text: string): string[] => tokens(text).map((token) => token.text);
const positions = (text: string): number[] => tokens(text).map((token) => token.position);

describe("createAnalyzer", () => {
  test("takes runs of letters, marks and digits in lower case, with positions and offsets", () => {
    expect(tokens("The Wi-Fi, 802.11ac!")).toEqual([
      { text: "the", word: "the", position: 0, start: 0, end: 3 },
      { text: "wi", word: "wi", position: 1, start: 4, end: 6 },
      { text: "fi", word: "fi", position: 2, start: 7, end: 9 },
      { text: "802", word: "802", position: 3, start: 11, end: 14 },
      { text: "11ac", word: "11ac", position: 4, start: 15, end: 19 },
    ]);
    expect(words("")).toEqual([]);
    expect(words("don't Ærø ÉCOLE Ⅷ ½ ①")).toEqual(["don", "t", "ærø", "école", "ⅷ", "½", "①"]);
  });

  test("does not fold accents", () => {
    expect(words("résumé resume")).toEqual(["résumé", "resume"]);
  });

  test("lower-cases after no locale, knows no final sigma and stays in NFC", () => {
    expect(words("İSTANBUL")).toEqual(["i\u0307stanbul"]);
    expect(words("J\u030C")).toEqual(["\u01F0"]);
    expect(words("ΟΔΟΣ ΣΑΣ")).toEqual(["οδοσ", "σασ"]);
    expect(words("οδός ΟΔΌΣ οδόσ")).toEqual(["οδόσ", "οδόσ", "οδόσ"]);
    expect(words("\u212B \u212A")).toEqual(["å", "k"]);
    expect(words("𐐀𐐁")).toEqual(["𐐨𐐩"]);
  });

  test("gives canonically equivalent texts the same tokens, with offsets of each text", () => {
    expect(tokens("x cafe\u0301 y")).toEqual([
      { text: "x", word: "x", position: 0, start: 0, end: 1 },
      { text: "café", word: "café", position: 1, start: 2, end: 7 },
      { text: "y", word: "y", position: 2, start: 8, end: 9 },
    ]);
    expect(tokens("한국 z".normalize("NFD")).map((token) => [token.text, token.start])).toEqual([
      ["한국", 0],
      ["z", 7],
    ]);
    expect(words("=\u0338 a")).toEqual(words("≠ a"));
    // One character whose normal form is two: a symbol, and a mark that is a token.
    expect(tokens("x\u2ADC")).toContainEqual({
      text: "\u0338",
      word: "\u0338",
      position: 1,
      start: 1,
      end: 2,
    });
  });

  test("cuts runs of scripts without spaces into overlapping bigrams at consecutive positions", () => {
    expect(words("東京都")).toEqual(["東京", "京都"]);
    expect(positions("a東京都b")).toEqual([0, 1, 2, 3]);
    expect(words("iPhone手機 茶")).toEqual(["iphone", "手機", "茶"]);
    expect(words("食べるカード")).toEqual(["食べ", "べる", "るカ", "カー", "ード"]);
    expect(words("กขลກຂမြ")).toEqual(["กข", "ขล", "ກຂ", "မြ"]);
    expect(words("𠀀𠀁𠀂")).toEqual(["𠀀𠀁", "𠀁𠀂"]);
  });

  test("counts a character and the marks that extend it as one", () => {
    expect(words("葛\u{E0100}城")).toEqual(["葛\u{E0100}城"]);
    expect(words("か\u3099き")).toEqual(["がき"]);
  });

  test("drops tokens over 255 bytes, which keep their position", () => {
    const longest = "a".repeat(255);
    expect(words(`${longest} ${longest}a end`)).toEqual([longest, "end"]);
    expect(positions(`${longest} ${longest}a end`)).toEqual([0, 2]);
    expect(words(`${"é".repeat(127)} ${"é".repeat(128)}`)).toEqual(["é".repeat(127)]);
    expect(words(`${"𐐨".repeat(63)} ${"𐐨".repeat(64)}`)).toEqual(["𐐨".repeat(63)]);
    expect(analyzer.analyze(`${longest}a`, { token: () => {} })).toBe(1);
  });

  test("treats lone surrogates as separators", () => {
    expect(words("a\ud800b\udc00c")).toEqual(["a", "b", "c"]);
    expect(words("\ud800\ud801\udc28")).toEqual(["𐐨"]);
    expect(words("東\udc00京")).toEqual(["東", "京"]);
  });

  test("takes linear time for a long run of marks and of letters that compose", () => {
    expect(words(`e${"\u0323\u0301".repeat(100_000)}`)).toEqual([]);
    expect(words("\u1100\u1161\u11a8".repeat(20_000))).toEqual([]);
  });
});

describe("createAnalyzer, version 2", () => {
  const current = createAnalyzer({ version: 2 });
  const wordsOf = (text: string): string[] => tokensOf(current, text).map((token) => token.text);
  const marked = (text: string): string[] =>
    tokensOf(current, text).map(({ start, end }) => text.slice(start, end));

  test("folds case and compatible forms, and drops what nobody sees", () => {
    expect(wordsOf("ＡＢＣ１２３ ｶﾞｷﾞｸﾞ oﬃce µm Straße STRASSE ẞ")).toEqual(
      wordsOf("abc123 ガギグ office μm strasse strasse ss"),
    );
    expect(wordsOf("Donau\u00addampf\u200bschiff key\u2060board \ufeffx\u200d️y")).toEqual([
      "donaudampfschiff",
      "keyboard",
      "xy",
    ]);
    expect(wordsOf("नमस्\u200dते می\u200cخواهم")).toEqual(wordsOf("नमस्ते میخواهم"));
    expect(wordsOf("İstanbul I\u0307stanbul ΟΔΟΣ οδος ᾼ")).toEqual([
      "istanbul",
      "istanbul",
      "οδοσ",
      "οδοσ",
      "ᾳ",
    ]);
    expect(wordsOf("Windows™ a¨b café")).toEqual(["windows", "a", "b", "café"]);
  });

  test("marks whole words as they were written", () => {
    expect(marked("x oﬃce Donau\u00addampf women’s ｶﾞ z")).toEqual([
      "x",
      "oﬃce",
      "Donau\u00addampf",
      "women’s",
      "ｶﾞ",
      "z",
    ]);
  });

  test("takes the possessive 's to its word, whichever apostrophe it has", () => {
    for (const sign of ["'", "’", "ʼ", "ʻ", "´", "`", "‘"]) {
      expect(wordsOf(`Women${sign}s boys${sign} IT${sign}S d${sign}être x${sign}sy ${sign}s`)).toEqual([
        "women",
        "boys",
        "it",
        "d",
        "être",
        "x",
        "sy",
        "s",
      ]);
    }
    expect(tokensOf(current, "women's shoes").map(({ position }) => position)).toEqual([0, 1]);
    expect(wordsOf("зʼява з'ява")).toEqual(["з", "ява", "з", "ява"]);
  });

  test("holds pictures to be words", () => {
    expect(wordsOf("pizza🍕🍕 👍🏽👍 🇩🇪🇫🇷 ❤️ ™ ©")).toEqual([
      "pizza",
      "🍕",
      "🍕",
      "👍",
      "👍",
      "🇩🇪",
      "🇫🇷",
      "❤",
    ]);
  });

  test("knows signs as letters where the settings say so", () => {
    const signs = createAnalyzer({ version: 2, symbols: "#+" });
    expect(tokensOf(signs, "C++ and C#, 1+1 + ++ a#").map(({ text }) => text)).toEqual([
      "c++",
      "and",
      "c#",
      "1+1",
      "a#",
    ]);
  });

  test("indexes single characters of scripts without spaces beside pairs", () => {
    const stored: [string, number][] = [];
    const text = "犬と猫x水";
    const count = current.analyzeStored(text, {
      token: (token, position) => stored.push([token, position]),
    });
    expect(stored).toEqual([
      ["犬", 0],
      ["犬と", 0],
      ["と", 1],
      ["と猫", 1],
      ["猫", 2],
      ["x", 3],
      ["水", 4],
    ]);
    expect(tokensOf(current, text).map((token) => [token.text, token.position])).toEqual([
      ["犬と", 0],
      ["と猫", 1],
      ["x", 3],
      ["水", 4],
    ]);
    expect(count).toBe(5);
  });
});

describe("createAnalyzer, today's version", () => {
  const current = createAnalyzer({ version: ANALYSIS_VERSION });
  const wordsOf = (text: string): string[] => tokensOf(current, text).map((token) => token.text);

  test.each([
    ["letters for themselves", "\u3134\u3153\u3133"],
    ["half width letters", "\uffa4\uffc6\uffa3"],
    ["letters that join", "\u1102\u1165\u11aa"],
    ["a syllable and a letter", "\ub108\u3133"],
  ])("composes Hangul of %s", (_, text) => {
    expect(wordsOf(text)).toEqual(["\ub10b"]);
    expect(tokensOf(current, text)[0]).toMatchObject({ start: 0, end: text.length });
  });

  test.each([
    ["a\u1ffdb", "a\u00b4b"],
    ["a\u1fef\u0301", "a`\u0301"],
    ["\u0385a", "\u00a8\u0301a"],
  ])("gives canonically equivalent signs the same tokens: %j", (one, other) => {
    expect(wordsOf(one)).toEqual(wordsOf(other));
  });

  test("gives a token's own text back for the token", () => {
    fc.assert(
      fc.property(fc.oneof(mixedText, fc.string({ unit: "grapheme" })), (text) => {
        for (const token of tokensOf(current, text)) expect(wordsOf(token.text)).toEqual([token.text]);
      }),
      { numRuns: 2000 },
    );
  });

  test("gives texts that fold to the same the same tokens", () => {
    fc.assert(
      fc.property(fc.oneof(mixedText, fc.string({ unit: "grapheme" })), (text) => {
        expect(wordsOf(text.normalize("NFD"))).toEqual(wordsOf(text));
        expect(wordsOf([...text].join("\u2060"))).toEqual(wordsOf(text));
      }),
      { numRuns: 2000 },
    );
  });

  test("folding leaves an Arabic noun one stem with its article and without, however it ends", () => {
    const arabic = createAnalyzer({ version: ANALYSIS_VERSION, foldDiacritics: true, stemming: "ar" });
    const stems = tokensOf(arabic, "المكتبة مكتبة المكتبه مكتبه السيارة سيارة").map(({ text }) => text);
    expect(new Set(stems.slice(0, 4)).size).toBe(1);
    expect(stems[4]).toBe(stems[5]);
  });

  test("folding takes katakana for hiragana, in one run with other characters", () => {
    const folded = createAnalyzer({ version: ANALYSIS_VERSION, foldDiacritics: true });
    const words = (text: string): string[] => tokensOf(folded, text).map(({ text: token }) => token);
    expect(words("東京タワー")).toEqual(words("東京たわー"));
    expect(words("ｽｼ")).toEqual(words("すし"));
    expect(tokensOf(current, "スシ")[0]!.text).toBe("スシ");
  });

  test("folding indexes both spellings of nasals at one position, and queries look for what is written", () => {
    const folded = createAnalyzer({ version: ANALYSIS_VERSION, foldDiacritics: true });
    const stored: string[] = [];
    folded.analyzeStored("हिन्दी चांद x", {
      token: (text, position, start, end) => stored.push(`${position} ${text} ${start}-${end}`),
    });
    expect(stored).toEqual(["0 हिंदी 0-6", "0 हिन्दी 0-6", "1 चान्द 7-11", "1 चांद 7-11", "2 x 12-13"]);
    expect(tokensOf(folded, "हिन्दी हिंदी").map(({ text }) => text)).toEqual(["हिन्दी", "हिंदी"]);
    expect(tokensOf(current, "हिन्दी").map(({ text }) => text)).toEqual(["हिन्दी"]);
  });
});

// Goal: the table-driven loops agree with the definition. Method: the definition itself, as regular
// expressions over the normalized text, on texts that mix the characters where they could differ.
describe("createAnalyzer against a Unicode regular expression", () => {
  test("gives the oracle's tokens and positions", () => {
    fc.assert(
      fc.property(mixedText, (text) => {
        expect(tokens(text).map(({ text: token, position }) => ({ token, position }))).toEqual(oracle(text));
      }),
      { numRuns: 2000 },
    );
  });

  test("gives a token's own text back for the token: idempotent", () => {
    fc.assert(
      fc.property(mixedText, (text) => {
        for (const token of tokens(text)) {
          expect(words(token.text)).toEqual([token.text]);
          expect(token.text.normalize("NFC")).toBe(token.text);
          expect(Buffer.byteLength(token.text)).toBeLessThanOrEqual(255);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("gives offsets inside the text, in order, that hold the token", () => {
    fc.assert(
      fc.property(mixedText, (text) => {
        let lastStart = 0;
        let lastPosition = -1;
        const count = analyzer.analyze(text, {
          token: (token, position, start, end) => {
            expect(start).toBeGreaterThanOrEqual(lastStart);
            expect(end).toBeGreaterThan(start);
            expect(end).toBeLessThanOrEqual(text.length);
            expect(position).toBeGreaterThan(lastPosition);
            if (text.normalize("NFC") === text) {
              expect(lowerCase(text.slice(start, end))).toBe(token);
            }
            lastStart = start;
            lastPosition = position;
          },
        });
        expect(count).toBeGreaterThan(lastPosition);
      }),
      { numRuns: 1000 },
    );
  });

  test("gives the same tokens for every canonically equivalent form", () => {
    fc.assert(
      fc.property(mixedText, (text) => {
        const expected = tokens(text.normalize("NFC")).map(({ text: token, position }) => ({
          token,
          position,
        }));
        expect(
          tokens(text.normalize("NFD")).map(({ text: token, position }) => ({ token, position })),
        ).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test("finds the original offsets of a decomposed text", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("é", "ǰ", "한", "ờ", "x", " ", "が", "𑆚"), { maxLength: 20 }),
        (parts) => {
          const composed = parts.join("").normalize("NFC");
          const decomposed = composed.normalize("NFD");
          const slices = tokens(decomposed).map(({ start, end }) =>
            decomposed.slice(start, end).normalize("NFC"),
          );
          expect(slices).toEqual(tokens(composed).map(({ start, end }) => composed.slice(start, end)));
        },
      ),
    );
  });
});

const mixedText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "a",
        "B",
        "z9",
        " ",
        "-",
        "'",
        "é",
        "İ",
        "ß",
        "ẞ",
        "Σ",
        "ς",
        "e",
        "J",
        "ſ",
        "ŉ",
        "\u0345",
        "ǅ",
      ),
      fc.constantFrom(
        "\u0301",
        "\u030C",
        "\u0323",
        "\u0307",
        "\u3099",
        "\u309A",
        "\u{E0100}",
        "\u20DD",
        "\u0338",
        "=",
      ),
      fc.constantFrom(
        "東",
        "京",
        "か",
        "ハ",
        "ー",
        "ﾞ",
        "々",
        "〆",
        "ไ",
        "ท",
        "\u0E31",
        "ລ",
        "ក",
        "\u1025",
        "\u102E",
        "𠀀",
      ),
      fc.constantFrom(
        "한",
        "\u1100",
        "\u1161",
        "\u11A8",
        "𐐀",
        "\ud800",
        "\udc00",
        "\u{16D67}",
        "\u{16D63}",
        "\uF900",
        "\u0958",
      ),
      fc.string({ unit: "binary", maxLength: 3 }),
      fc.string({ unit: "grapheme", maxLength: 3 }),
      fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(""));

const EAST_ASIAN = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}〆〼〱-〵ーｰﾞﾟ]`;
const BIGRAM_SCRIPTS = [
  EAST_ASIAN,
  String.raw`\p{Script=Thai}`,
  String.raw`\p{Script=Lao}`,
  String.raw`\p{Script=Khmer}`,
  String.raw`\p{Script=Myanmar}`,
].map((script) => `(?=[\\p{L}\\p{M}\\p{N}])${script}`);
const EXTENDING = String.raw`(?:(?=[\p{Script=Common}\p{Script=Inherited}])\p{M})`;
const BIGRAM_RUNS = BIGRAM_SCRIPTS.map((script) => `(?:${script}(?:${script}|${EXTENDING})*)`).join("|");
const ANY_BIGRAM_SCRIPT = BIGRAM_SCRIPTS.map((script) => `(?:${script})`).join("|");
const RUN = new RegExp(`(${BIGRAM_RUNS})|((?:(?!${ANY_BIGRAM_SCRIPT})[\\p{L}\\p{M}\\p{N}])+)`, "gu");
const CHARACTER = new RegExp(`.${EXTENDING}*`, "gsu");

function lowerCase(word: string): string {
  return word.toLowerCase().replaceAll("ς", "σ").normalize("NFC");
}

function oracle(text: string): { token: string; position: number }[] {
  const found: { token: string; position: number }[] = [];
  let position = 0;
  for (const [, run, word] of text.normalize("NFC").matchAll(RUN)) {
    const characters = run?.match(CHARACTER) ?? [];
    const pairs = characters.slice(1).map((character, i) => characters[i]! + character);
    const parts = word !== undefined ? [lowerCase(word)] : pairs.length > 0 ? pairs : characters;
    for (const token of parts) {
      if (Buffer.byteLength(token) <= 255) found.push({ token, position });
      position++;
    }
  }
  return found;
}
