/** The kernel's JSON of texts is that of `JSON.stringify`, byte for byte; what it leaves alone, it leaves alone. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { utf8Bytes } from "../schema/utf8-bytes.js";
import { TextQuoter } from "./text-quoter.js";

const stringified = (text: string): string => Buffer.from(utf8Bytes(JSON.stringify(text))).toString();
const quoted = (quoter: TextQuoter, text: string): string | null => {
  const bytes = quoter.quoted(text);
  return bytes === null ? null : Buffer.from(bytes).toString();
};

describe("texts as JSON", () => {
  test("are what JSON.stringify makes of them", () => {
    const quoter = new TextQuoter();
    const piece = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 40 }),
      fc.string({ unit: "binary-ascii", maxLength: 40 }),
      fc.constantFrom(
        '"',
        "\\",
        "\n",
        "\u0000",
        "\u001f",
        "\u007f",
        "\u2028",
        "ﬁ",
        "ｗ",
        "😀",
        " ",
        "plain words",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { minLength: 3, maxLength: 30 }), (pieces) => {
        const text = pieces.join("");
        const actual = quoted(quoter, text);
        if (actual !== null) expect(actual).toBe(stringified(text));
        else expect(text.length < 48 || text.includes("\ufffd") || /\p{Surrogate}/u.test(text)).toBe(true);
      }),
    );
  });

  test("of every character that has an escape, at every place of a vector", () => {
    const quoter = new TextQuoter();
    for (let code = 0; code < 0x80; code++) {
      const text = "x".repeat(50 + (code % 16)) + String.fromCharCode(code) + "y".repeat(code % 19);
      expect(quoted(quoter, text)).toBe(stringified(text));
    }
    const controls = "\u0001".repeat(3000);
    expect(quoted(quoter, controls)).toBe(stringified(controls));
  });

  test("are left to JSON.stringify where they are short, very long or hold half a pair of surrogates", () => {
    const quoter = new TextQuoter();
    expect(quoter.quoted("short")).toBeNull();
    expect(quoter.quoted("x".repeat(70_000))).toBeNull();
    for (const odd of ["\ud800", "\udc00", "\ufffd"]) expect(quoter.quoted("x".repeat(60) + odd)).toBeNull();
  });
});
