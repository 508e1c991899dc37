// Properties: a code's length maps back to the code; a length loses at most an eighth; codes ascend.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fieldNormCode, fieldNormLength } from "./field-norm.js";

describe("field norm", () => {
  test("every code is the code of its own length", () => {
    for (let code = 0; code < 256; code++) expect(fieldNormCode(fieldNormLength(code))).toBe(code);
  });

  test("the table is Lucene's and Tantivy's", () => {
    const codes = [0, 1, 39, 40, 41, 48, 49, 56, 64, 255];
    expect(codes.map(fieldNormLength)).toEqual([0, 1, 39, 40, 42, 56, 60, 88, 152, 2_013_265_944]);
  });

  test("a code is the greatest whose length is at most the true one", () => {
    fc.assert(
      fc.property(fc.oneof(fc.nat({ max: 2000 }), fc.nat()), (length) => {
        const code = fieldNormCode(length);
        expect(fieldNormLength(code)).toBeLessThanOrEqual(length);
        if (code < 255) expect(fieldNormLength(code + 1)).toBeGreaterThan(length);
        if (code < 255) expect(length - fieldNormLength(code)).toBeLessThanOrEqual(length / 8);
      }),
    );
  });
});
