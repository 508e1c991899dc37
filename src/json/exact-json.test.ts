import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readExactJson, readJson, writeJson } from "./exact-json.js";

/** JSON of any kind with integers of up to 40 digits, and strings that look like marks. */
const exactValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.bigInt(-(10n ** 40n), 10n ** 40n).map(asRead),
    fc.bigInt(2n ** 53n - 3n, 2n ** 53n + 3n).map(asRead),
    // Doubles that are long integers are written as such, and read with all their digits.
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .filter(
        (number) => !Number.isInteger(number) || Number.isSafeInteger(number) || Math.abs(number) >= 1e21,
      )
      .map((number) => number + 0),
    fc.string(),
    fc.constantFrom("\u0001", "\u0001\u00011234567890123456789", "12345678901234567890", '"\\', "\u2028"),
    fc.constantFrom(null, true, false),
    fc.array(tie("value")),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("12345678901234567890", "\u0001")), tie("value")),
  ),
})).value;

function asRead(integer: bigint): number | bigint {
  const number = Number(integer);
  return Number.isSafeInteger(number) ? number + 0 : integer;
}

/** Number tokens outside of strings, as they stand. */
function numbersOf(text: string): readonly string[] {
  const found = text.match(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/gs) ?? [];
  return found.filter((token) => !token.startsWith('"'));
}

describe("JSON with all its digits", () => {
  test("what is written is read again, and written alike", () => {
    fc.assert(
      fc.property(exactValue, (value) => {
        const text = writeJson(value);
        expect(readJson(text)).toEqual(value);
        expect(readExactJson(text)).toEqual(value);
        expect(writeJson(readJson(text))).toBe(text);
        expect(readJson(writeJson(value, 2))).toEqual(value);
      }),
    );
  });

  test("lines are set off as JSON.stringify sets them off", () => {
    const plain = { a: [1, { b: [], c: {} }, "x"], d: null };
    const lines = JSON.stringify({ ...plain, n: [0] }, null, 2);
    expect(writeJson({ ...plain, n: [10n ** 20n] }, 2)).toBe(lines.replace(/ 0\n/, ` 1${"0".repeat(20)}\n`));
  });

  test("digits of long integers stay, and numbers that doubles hold are as ever", () => {
    const text =
      '{"a":[9007199254740993,-9007199254740993,18446744073709551616,9007199254740991,0.1234567890123456,1e21],"b":10000000000000000000000}';
    expect(writeJson(readJson(text))).toBe(text.replace("1e21", "1e+21"));
    expect(numbersOf(writeJson(readJson(text)))).toEqual(
      numbersOf(text).map((n) => (n === "1e21" ? "1e+21" : n)),
    );
    expect(readJson("12345678901234567890")).toBe(12345678901234567890n);
    expect(readJson(" 1234567890123456 ")).toBe(1234567890123456);
  });

  test("integers that are greater than any double are infinite, as for JSON.parse", () => {
    expect(readJson(`[${"9".repeat(309)}]`)).toEqual([Number.POSITIVE_INFINITY]);
    expect(readJson(`[1${"0".repeat(308)}]`)).toEqual([10n ** 308n]);
    expect(readJson(`[${"1".repeat(100_000)}]`)).toEqual([Number.POSITIVE_INFINITY]);
  });

  test("what is no JSON is refused, wherever digits stand", () => {
    const digits = "12345678901234567890";
    const texts = [
      `{${digits}:1}`,
      `{${digits} :1}`,
      `[0${digits}]`,
      `[${digits}.]`,
      `[.${digits}]`,
      `[+${digits}]`,
      `[--${digits}]`,
      `[${digits} ${digits}]`,
      `["a"${digits}]`,
      `[${digits}"a"]`,
      `[${digits}x]`,
      `[${digits},]`,
      `[${digits}`,
      `["${digits}`,
      `${digits}e`,
      "",
    ];
    for (const text of texts) {
      expect(() => JSON.parse(text) as unknown, text).toThrow(SyntaxError);
      expect(() => readJson(text), text).toThrow(SyntaxError);
      expect(() => readExactJson(text), text).toThrow(SyntaxError);
    }
  });

  test("any text is refused or taken as by JSON.parse", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "\\",
      "-",
      "+",
      ".",
      "e",
      "0",
      " ",
      "12345678901234567890",
      '"a"',
      "\\u0001",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        let plain: unknown;
        try {
          plain = JSON.parse(text);
        } catch {
          expect(() => readExactJson(text)).toThrow(SyntaxError);
          return;
        }
        expect(JSON.stringify(rounded(readExactJson(text)))).toBe(JSON.stringify(plain));
        expect(readJson(text)).toEqual(readExactJson(text));
      }),
      { numRuns: 3_000 },
    );
  });

  test("members named __proto__ hold integers, too", () => {
    const text = '{"__proto__":12345678901234567890,"a":{"__proto__":[12345678901234567890]}}';
    expect(writeJson(readJson(text))).toBe(text);
  });
});

function rounded(value: unknown): unknown {
  return JSON.parse(writeJson(value)) as unknown;
}
