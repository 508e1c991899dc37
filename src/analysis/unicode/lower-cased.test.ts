import { describe, expect, test } from "vitest";
import { lowerCased } from "./lower-cased.js";
import { TOKEN_CLASSES_UNICODE_VERSION } from "./token-class-ranges.js";

describe("lowerCased", () => {
  const sameUnicode = process.versions["unicode"] === TOKEN_CLASSES_UNICODE_VERSION;

  test.runIf(sameUnicode)("agrees with the running Node on every code point", () => {
    const wrong: string[] = [];
    for (let codePoint = 0; codePoint <= 0x10_ffff; codePoint++) {
      if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
      const character = String.fromCodePoint(codePoint);
      if (character === "ς" || character.normalize("NFC") !== character) continue;
      if (lowerCased(character) !== character.toLowerCase().normalize("NFC"))
        wrong.push(codePoint.toString(16));
    }
    expect(wrong).toEqual([]);
  });

  test("knows the capitals that an older Node doesn't", () => {
    const capitals = [
      0x1c89, 0xa7cb, 0xa7cc, 0xa7ce, 0xa7d2, 0xa7d4, 0xa7da, 0xa7dc, 0x10d50, 0x10d65, 0x16ea0, 0x16eb8,
    ];
    const small = [
      0x1c8a, 0x264, 0xa7cd, 0xa7cf, 0xa7d3, 0xa7d5, 0xa7db, 0x19b, 0x10d70, 0x10d85, 0x16ebb, 0x16ed3,
    ];
    expect(capitals.map((capital) => lowerCased(String.fromCodePoint(capital)).codePointAt(0))).toEqual(
      small,
    );
    expect(lowerCased("AꟋB\u{10d50}C")).toBe("aɤb\u{10d70}c");
  });

  test("makes every sigma a plain one, so that a prefix is one of the whole word", () => {
    expect(["ΟΔΟΣ", "οδος", "οδοσ", "Σ", "ς", "ΣΑΣ"].map(lowerCased)).toEqual([
      "οδοσ",
      "οδοσ",
      "οδοσ",
      "σ",
      "σ",
      "σασ",
    ]);
    expect(lowerCased("ΟΔΟΣΗΜΑ").startsWith(lowerCased("ΟΔΟΣ"))).toBe(true);
  });

  test("composes what lower-casing brings together", () => {
    expect(lowerCased("J\u030c")).toBe("\u01f0");
  });
});
