import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FindlingError } from "../../errors/index.js";
import { parseJsonBody } from "./parse-json-body.js";

const BOUNDS = { depthMax: 20, valuesMax: 1000, namesMax: 100 };

describe("parseJsonBody", () => {
  // Goal: for JSON as programs write it, the extra checks change nothing.
  test("agrees with JSON.parse on everything JSON.stringify writes", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        fc.pre(!text.includes("__proto__") && !/\\ud[89a-f]/.test(text));
        expect(
          parseJsonBody(Buffer.from(text), { depthMax: 20, valuesMax: 100_000, namesMax: 10_000 }),
        ).toEqual(JSON.parse(text));
      }),
    );
  });

  test("agrees with JSON.parse on whether any text is JSON at all", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "\\",
      '"a"',
      '"b"',
      "1",
      "true",
      " ",
      "\\u",
      "0041",
      "\\n",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        fc.pre(text !== "");
        if (!isJson(text)) expect(problemOf(text)).toMatch(/is not acceptable JSON/);
      }),
    );
  });

  test.each([
    ["a repeated name", '{"a":1,"b":{"c":1,"d":[{"c":2,"c":3}]}}', "an object names the member 'c' twice"],
    ["a name repeated under an escape", '{"a":1,"\\u0061":2}', "an object names the member 'a' twice"],
    ["an empty name repeated", '{"":1,"" :2}', "an object names the member '' twice"],
    [
      "a name that could reach a prototype",
      '[{"x":{"__proto__":{"admin":true}}}]',
      "must not be named '__proto__'",
    ],
    ["the same, escaped", '{"\\u005f_proto__":1}', "must not be named '__proto__'"],
    ["the first half of a surrogate pair", '"\\ud83d"', "half of a surrogate pair is escaped at byte 1"],
    ["the second half", '{"a":"x\\udE00"}', "half of a surrogate pair is escaped at byte 7"],
    ["two first halves", '"\\ud83d\\ud83d"', "half of a surrogate pair is escaped at byte 1"],
    ["a first half before a plain character", '"\\ud83d\\u0041"', "half of a surrogate pair"],
    ["a byte order mark", '\ufeff{"a":1}', "byte order mark"],
    ["too much depth", `${"[".repeat(21)}${"]".repeat(21)}`, "more than 20 deep"],
    ["a text that ends early", '{"a":', "ends before it is complete"],
    ["a text with a mistake", '{"a":1,}', "can't be parsed from character 7 on"],
  ])("refuses %s", (_case, text, problem) => {
    expect(problemOf(text)).toContain(problem);
  });

  test("accepts what only looks like those", () => {
    for (const text of [
      '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
      '{"constructor":1,"prototype":2,"toString":3}',
      '"\\ud83d\\ude00"',
      '"\\\\ud83d"',
      '{"a":"{\\"b\\":1,\\"b\\":2}"}',
      '{"a":"__proto__"}',
      '["a:b",":","\\":"]',
      "[".repeat(20) + "]".repeat(20),
    ]) {
      expect(parseJsonBody(Buffer.from(text), BOUNDS)).toEqual(JSON.parse(text));
    }
  });

  test("refuses bytes that are not UTF-8", () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0xaf, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xf0, 0x9f],
    ]) {
      expect(() => parseJsonBody(Buffer.from(bytes))).toThrow(/not UTF-8/);
    }
    expect(() => parseJsonBody(Buffer.from('{"a":1}', "utf16le"))).toThrow(FindlingError);
  });

  test("never quotes the body, which may hold secrets, for a mistake in it", () => {
    expect(problemOf('{"llm_api_key":"sk-very-secret"oops}')).not.toContain("sk-very-secret");
  });

  test("refuses more values than its bound before it builds them", () => {
    const exactly = JSON.stringify(Array.from({ length: 998 }, () => 1));
    expect(parseJsonBody(Buffer.from(exactly), BOUNDS)).toHaveLength(998);
    for (const text of [
      `[${"1,".repeat(5000)}1]`,
      `[${"[],".repeat(5000)}1]`,
      `{${'"a":1,'.repeat(5000)}"b":1}`,
    ]) {
      expect(codeOf(text)).toBe("payload_too_large");
    }
  });

  test("refuses more different names than its bound, however often names are repeated", () => {
    const objects = (distinct: number): string =>
      JSON.stringify(Array.from({ length: 400 }, (_, index) => ({ [`name-${index % distinct}`]: 1 })));
    expect(parseJsonBody(Buffer.from(objects(100)), BOUNDS)).toHaveLength(400);
    expect(codeOf(objects(101))).toBe("payload_too_large");
  });

  test("refuses a hundred thousand brackets and their like without overflowing", () => {
    for (const text of [
      "[".repeat(100_000),
      '{"a":'.repeat(100_000),
      `${"[".repeat(1e5)}${"]".repeat(1e5)}`,
    ]) {
      expect(codeOf(text)).toBe("invalid_json");
    }
  });

  test("finds a repeated name behind long strings full of escapes", () => {
    const long = "\\\\\\n".repeat(300_000);
    expect(problemOf(`{"a":"${long}","b":1,"b":"${long}"}`)).toContain("the member 'b' twice");
  });
});

function problemOf(text: string): string {
  return errorOf(text).message;
}

function codeOf(text: string): string {
  return errorOf(text).code;
}

function errorOf(text: string): FindlingError {
  try {
    parseJsonBody(Buffer.from(text), BOUNDS);
  } catch (error) {
    if (error instanceof FindlingError) return error;
    throw error;
  }
  throw new Error("the text was accepted");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
