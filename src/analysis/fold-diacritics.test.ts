import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tokensOf } from "./analyzer.js";
import { createAnalyzer } from "./create-analyzer.js";
import {
  foldArabicEndings,
  foldDiacritics,
  foldKana,
  foldNasalVowels,
  foldVariants,
} from "./fold-diacritics.js";

const fold = (text: string): string => foldDiacritics(text.normalize("NFC"));

describe("foldDiacritics", () => {
  test("takes accents from Latin and Greek letters", () => {
    expect(fold("café résumé naïve ñandú čeština przyjaźń việt")).toBe(
      "cafe resume naive nandu cestina przyjazn viet",
    );
    expect(fold("άνθρωπος ᾧ ΐ ϊ")).toBe("ανθρωπος ω ι ι");
    expect(fold("i\u0307stanbul 5\u0336")).toBe("istanbul 5");
    expect(fold("e\u0323\u0302\u0301x")).toBe("ex");
  });

  test("makes letters with a stroke, without a dot and joined ones plain", () => {
    expect(fold("straße ærø œuvre łódź đà ðorn þing ısı ħamrun ĳs")).toBe(
      "strasse aero oeuvre lodz da dorn thing isi hamrun ijs",
    );
  });

  test("keeps Cyrillic letters that only look accented", () => {
    expect(fold("ёлка йод їжак ўладзімір ѓорче замо\u0301к ѝ")).toBe("елка йод їжак ўладзімір ѓорче замок и");
  });

  test("drops what Hebrew and Arabic readers supply", () => {
    expect(fold("שָׁלוֹם")).toBe("שלום");
    expect(fold("مُحَمَّد أحمد إسلام آمن ٱلكتاب عـــربي قُرْآن")).toBe("محمد احمد اسلام امن الكتاب عربي قران");
    // Points of another script than the letter's are not its diacritics, nor do they end its accents.
    expect(fold("a\u05b8 \u01fd\u0651")).toBe("a\u05b8 ae\u0651");
    expect(fold("سؤال بئر مدرسة على")).toBe("سؤال بئر مدرسة على");
  });

  test("keeps marks that are letters", () => {
    for (const text of ["हिन्दी क़लम", "ไม้เอก น้ำ", "がぎぐ パ", "한국어", "தமிழ்", "မြန်မာ", "ខ្មែរ"]) {
      const composed = text.normalize("NFC");
      expect(fold(text)).toBe(composed);
    }
  });

  test("leaves a token of nothing but droppable signs", () => {
    expect(["\u0640", "\u064b", "\u0301"].map(fold)).toEqual(["\u0640", "\u064b", "\u0301"]);
    expect(fold("ع\u0640\u064e")).toBe("ع");
  });

  test("changes nothing when done again, stays in NFC, never grows, never empties", () => {
    fc.assert(
      fc.property(word, (text) => {
        const composed = text.toLowerCase().normalize("NFC");
        const folded = foldDiacritics(composed);
        expect(foldDiacritics(folded)).toBe(folded);
        expect(folded.normalize("NFC")).toBe(folded);
        expect(Buffer.byteLength(folded)).toBeLessThanOrEqual(Buffer.byteLength(composed));
        expect(folded === "").toBe(composed === "");
      }),
      { numRuns: 3000 },
    );
  });
});

describe("an analyzer that folds", () => {
  const plain = createAnalyzer({ version: 1 });

  test.each([undefined, "fr", "de", "tr", "ru", "ar"])(
    "gives marked and plain words equal tokens, stemming %s",
    (stemming) => {
      const analyzer = createAnalyzer({
        version: 1,
        foldDiacritics: true,
        ...(stemming === undefined ? {} : { stemming }),
      });
      fc.assert(
        fc.property(word, (text) => {
          const tokens = (of: string): string[] => tokensOf(analyzer, of).map((token) => token.text);
          const folded = tokensOf(plain, text).map((token) => foldDiacritics(token.text));
          expect(tokens(folded.join(" "))).toEqual(tokens(text));
        }),
        { numRuns: 300 },
      );
    },
  );

  test("keeps the offsets of the text as it was written", () => {
    const analyzer = createAnalyzer({ version: 1, foldDiacritics: true, stemming: "de" });
    const text = "Die STRAẞEN und Cafe\u0301s";
    const found = tokensOf(analyzer, text).map(({ text: token, word: whole, start, end, position }) => [
      token,
      whole,
      text.slice(start, end),
      position,
    ]);
    expect(found).toEqual([
      ["die", "die", "Die", 0],
      ["strass", "strassen", "STRAẞEN", 1],
      ["und", "und", "und", 2],
      ["caf", "cafes", "Cafe\u0301s", 3],
    ]);
  });
});

const word: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(..."aeinosuyßæøłđıſþðĳ"),
      fc.constantFrom(..."áéüçñåőșğἄᾳΐяеёйїгкоу"),
      fc.constantFrom("\u0300", "\u0301", "\u0308", "\u0306", "\u0323", "\u0338", "\u0345", "\u3099"),
      fc.constantFrom(
        "\u05e9",
        "\u05b8",
        "\u05c1",
        "\u0627",
        "\u0648",
        "\u0654",
        "\u0655",
        "\u0653",
        "\u064e",
        "\u0651",
      ),
      fc.constantFrom("\u0640", "\u0671", "か", "ハ", "한", "न", "\u093c", "ก", "\u0e49"),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 2 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(""));

test("letters at the ends of Arabic words that are mixed up are one", () => {
  expect(foldArabicEndings("على")).toBe("علي");
  expect(foldArabicEndings("مدرسة")).toBe("مدرسه");
  expect(foldArabicEndings("سؤال بئر plain")).toBe("سؤال بئر plain");
});

test("katakana is hiragana, and what has none stays", () => {
  expect(foldKana("スマートフォン")).toBe("すまーとふぉん");
  expect(foldKana("東京タワー ヵヶヽヾ・ヷ plain")).toBe("東京たわー ゕゖゝゞ・ヷ plain");
});

test("signs of nasal vowels are one, nasal consonants stay", () => {
  expect(foldNasalVowels("चाँद")).toBe("चांद");
  expect(foldNasalVowels("આઁખ")).toBe("આંખ");
  expect(foldNasalVowels("हिन्दी plain")).toBe("हिन्दी plain");
});

describe("foldVariants", () => {
  test("makes letters and digits one that differ by the country alone", () => {
    expect(foldVariants("علی")).toBe(foldVariants("علي"));
    expect(foldVariants("کتاب")).toBe(foldVariants("كتاب"));
    expect(foldVariants("گھر")).toBe(foldVariants("گهر"));
    expect(foldVariants("۱۲۳٤٥०९𝟗")).toBe("12345099");
    expect(foldVariants("plain7")).toBe("plain7");
  });

  test("reads every digit's value, in scripts whose rows touch as well", () => {
    for (let codePoint = 0; codePoint <= 0x10_ffff; codePoint++) {
      const digit = String.fromCodePoint(codePoint);
      if (!/^\p{Nd}$/u.test(digit)) continue;
      const folded = foldVariants(digit);
      expect([digit, folded]).toEqual([digit, String((codePoint - zeroOf(codePoint)) % 10)]);
    }
  });
});

/** The first digit of the row, or rows that touch, that the digit stands in. */
function zeroOf(codePoint: number): number {
  let first = codePoint;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(first - 1))) first--;
  return first;
}
