import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { classifyCodePoint, tokenClassRangesModule } from "./classify-code-points.js";
import { TOKEN_CLASSES_UNICODE_VERSION } from "./token-class-ranges.js";
import { astralTokenClass, BMP_TOKEN_CLASSES } from "./token-classes.js";

describe("token classes", () => {
  const sameUnicode = process.versions["unicode"] === TOKEN_CLASSES_UNICODE_VERSION;

  test.runIf(sameUnicode)("the committed table is what the generator gives", () => {
    const committed = readFileSync(new URL("./token-class-ranges.ts", import.meta.url), "utf8");
    expect(committed).toBe(tokenClassRangesModule(TOKEN_CLASSES_UNICODE_VERSION));
  });

  test.runIf(sameUnicode)("every code point's class reads back", () => {
    const wrong: number[] = [];
    for (let codePoint = 0; codePoint <= 0x10_ffff; codePoint++) {
      const read = codePoint > 0xffff ? astralTokenClass(codePoint) : BMP_TOKEN_CLASSES[codePoint];
      if (read !== classifyCodePoint(codePoint)) wrong.push(codePoint);
    }
    expect(wrong).toEqual([]);
  });

  test("the table is read without regard to the running Unicode", () => {
    expect(BMP_TOKEN_CLASSES.reduce((sum, tokenClass) => sum + (tokenClass > 0 ? 1 : 0), 0)).toBeGreaterThan(
      50_000,
    );
    expect([astralTokenClass(0x1_f600), astralTokenClass(0x1_0400), astralTokenClass(0x10_ffff)]).toEqual([
      10, 3, 0,
    ]);
  });
});
