// What the query language refuses, by rules 10 and 12 of contract 5.5.
import { describe, expect, test } from "vitest";
import { sampleIndex } from "../../tests/query-kit/sample-index.js";
import { FindlingError } from "../errors/index.js";
import { compileExact } from "./compile-exact.js";

const index = sampleIndex();

function codeOf(ctx: string): string {
  try {
    compileExact(ctx, index);
    return "none";
  } catch (error) {
    if (error instanceof FindlingError) return error.code;
    throw error;
  }
}

describe("the query language refuses with a code", () => {
  test.each([
    ["price:abc", "invalid_field_value"],
    ["price:", "query_syntax"],
    ["price:1_000", "invalid_field_value"],
    ["price:0x10", "invalid_field_value"],
    ['price:""', "invalid_field_value"],
    ["price:foo*", "invalid_field_value"],
    ["category:/x*", "invalid_field_value"],
    ['price:"5"~2', "invalid_field_value"],
    ['price:IN ["5"*]', "invalid_field_value"],
    ['price:["1"~2 TO 5]', "invalid_field_value"],
    ["price:[1 TO abc]", "invalid_field_value"],
    ["active:yes", "invalid_field_value"],
    ["active:[false TO true]", "invalid_field_value"],
    ["id:[a TO b]", "invalid_field_value"],
    ["id:>a", "invalid_field_value"],
    ["category:[a TO b]", "invalid_field_value"],
    ["category:a//b", "invalid_field_value"],
    ["category:/", "invalid_field_value"],
    ["created_at:yesterday", "invalid_field_value"],
    ["created_at:2023-02-29", "invalid_field_value"],
    ["created_at:2024-01-01T25:00:00Z", "invalid_field_value"],
    ["created_at:>x", "invalid_field_value"],
    ["body:[a-b TO c]", "invalid_field_value"],
    ["body:[& TO c]", "invalid_field_value"],
    ["nope:x", "unknown_field"],
    ["x nope:IN [a]", "unknown_field"],
    ["nope:[1 TO 2]", "unknown_field"],
    ["nope:*", "unknown_field"],
    ["nope:(x)", "unknown_field"],
    ["-nope:the", "unknown_field"],
    ["constructor:x", "unknown_field"],
    ["__proto__:x", "unknown_field"],
    ["http://example.org", "unknown_field"],
    ["hidden:x", "field_not_indexed"],
    ["hidden:*", "field_not_indexed"],
    ["blob:x", "field_not_indexed"],
    ["extra:x", "field_not_indexed"],
  ])("%s: %s", (ctx, code) => {
    expect(codeOf(ctx)).toBe(code);
  });

  test("a refused value is repeated only in part", () => {
    expect(() => compileExact(`price:${"x".repeat(5000)}`, index)).toThrow(
      /^'x{100}…' is no value of field 'price' \(u64\)/,
    );
  });
});
