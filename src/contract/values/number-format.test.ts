import fc from "fast-check";
import { expect, test } from "vitest";
import { NUMBER_FORMATS, plainNumber } from "./number-format.js";

test.each([
  ["131.56", undefined, "131.56"],
  [" +7 ", undefined, "+7"],
  ["$1.5", undefined, "1.5"],
  ["-$1.5", undefined, "-1.5"],
  ["1e-3", undefined, "1e-3"],
  ["1,5", undefined, null],
  ["", undefined, null],
  ["NaN", undefined, null],
  ["0x10", undefined, null],
  ["1.234,56", "1.234,56", "1234.56"],
  ["1234,56", "1.234,56", "1234.56"],
  ["1.234", "1.234,56", "1234"],
  ["1.5", "1.234,56", null],
  ["1.2345", "1.234,56", null],
  [",5", "1.234,56", "0.5"],
  [",", "1.234,56", null],
  ["-12,50 €", "1.234,56", "-12.50"],
  ["1.234.567", "1.234,56", "1234567"],
  ["1,234.56", "1,234.56", "1234.56"],
  ["12,34.56", "1,234.56", null],
  ["1\u202f234,5", "1 234,56", "1234.5"],
  ["1\u00a0234.5", "1 234.56", "1234.5"],
  ["1’234.50", "1'234.56", "1234.50"],
  ["1'234,50", "1'234,56", "1234.50"],
] as const)("%j in the format %j is %j", (text, format, plain) => {
  expect(plainNumber(text, format)).toBe(plain);
});

test("what a format writes is read back, whatever the number", () => {
  const number = fc.tuple(
    fc.boolean(),
    fc.bigInt({ min: 0n, max: 10n ** 20n }),
    fc.stringMatching(/^\d{0,6}$/),
  );
  fc.assert(
    fc.property(
      number,
      fc.constantFrom(...NUMBER_FORMATS),
      fc.boolean(),
      ([negative, whole, fraction], format, grouped) => {
        const digits = grouped ? String(whole).replace(/\B(?=(\d{3})+$)/g, format[1]!) : String(whole);
        const sign = negative ? "-" : "";
        const point = fraction === "" ? "" : format[5]!;
        const plain = plainNumber(`${sign}${digits}${point}${fraction}`, format);
        expect(plain).toBe(`${sign}${whole}${fraction === "" ? "" : `.${fraction}`}`);
      },
    ),
  );
});
