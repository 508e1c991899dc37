import { describe, expect, test } from "vitest";
import { field, sampleIndex } from "../../tests/query-kit/sample-index.js";
import { showAst } from "../../tests/query-kit/show-ast.js";
import { keptValueMatcher } from "../engine/search/kept-value-match.js";
import { FindlingError } from "../errors/index.js";
import { compileDeleteByTerm, type DeletedValue } from "./compile-delete.js";

const index = sampleIndex();

function shown(name: string, ...values: DeletedValue[]): string {
  const plan = compileDeleteByTerm(name, values, index);
  return plan.by === "query" ? showAst(plan.ast) : `kept ${plan.field}`;
}

function matcher(name: string, ...values: DeletedValue[]): (value: unknown) => boolean {
  const plan = compileDeleteByTerm(name, values, index);
  if (plan.by !== "kept_value") throw new Error(`${name} is indexed`);
  const matches = keptValueMatcher(plan.match, index.analyzer);
  return (value) => [value].flat().some(matches);
}

describe("compileDeleteByTerm", () => {
  test("text matches like the quoted phrase, stopwords included", () => {
    expect(shown("title", "King of Spain")).toBe('title:"king of spain"');
    expect(shown("title", "the")).toBe("title:the");
    expect(shown("title", "don't")).toBe('title:"don t"');
    expect(shown("title", "red AND x*")).toBe('title:"red and x"');
    expect(shown("title", "a", "b c")).toBe('(|title:a |title:"b c")');
    expect(shown("title", 5)).toBe("title:5");
    expect(shown("title", "&")).toBe("NONE");
    expect(shown("title", "")).toBe("NONE");
  });

  test("id and _id match whole values", () => {
    expect(shown("id", "Doc 1", 2)).toBe('id="Doc 1","2"');
    expect(shown("_id", "00ff", "11ee")).toBe("_id=00ff,11ee");
  });

  test("facets match with what is below, typed fields by value", () => {
    expect(shown("category", "fiction/space/")).toBe("category@/fiction/space");
    expect(shown("active", true, "FALSE")).toBe("active=true,false");
    expect(shown("price", "5", 6)).toBe("price=5,6");
    expect(shown("price", -1)).toBe("NONE");
    expect(shown("rating", 4.5)).toBe("rating=4.5");
    expect(shown("rating", 1e21)).toBe("rating=1e+21");
    expect(shown("created_at", 1_700_000_000.5)).toBe('created_at="2023-11-14T22:13:20Z"');
  });

  test.each([
    ["nope", "x", "unknown_field"],
    ["nope", 2 ** 53, "unknown_field"],
    ["rating", Infinity, "invalid_field_value"],
    ["__proto__", "x", "unknown_field"],
    ["blob", "x", "field_not_indexed"],
    ["blob", 2 ** 53, "field_not_indexed"],
    ["extra", "x", "field_not_indexed"],
    ["price", "abc", "invalid_field_value"],
    ["price", true, "invalid_field_value"],
    ["hidden_price", "abc", "invalid_field_value"],
    ["category", "a//b", "invalid_field_value"],
    ["created_at", "soon", "invalid_field_value"],
    ["id", 2 ** 53, "invalid_field_value"],
    ["id", Infinity, "invalid_field_value"],
    ["title", 1e20, "invalid_field_value"],
    ["title", 1_234_567_890_123_456_800_000, "invalid_field_value"],
    ["_id", 1e21, "invalid_field_value"],
    ["hidden", 1e20, "invalid_field_value"],
    ["price", 2 ** 64, "invalid_field_value"],
    ["_id", 2 ** 60, "invalid_field_value"],
    ["rating", Infinity, "invalid_field_value"],
  ])("%s %j: %s", (name, value, code) => {
    expect(() => compileDeleteByTerm(name, [value], index)).toThrow(FindlingError);
    try {
      compileDeleteByTerm(name, [value], index);
    } catch (error) {
      expect((error as FindlingError).code).toBe(code);
    }
  });
});

test("text that is long in all is refused, identifiers aren't", () => {
  const values = Array.from({ length: 11 }, () => "word ".repeat(2_000));
  expect(shown("title", ...values.slice(1))).toContain("word");
  expect(() => compileDeleteByTerm("title", values, index)).toThrow(/send fewer values per request/);
  expect(() => compileDeleteByTerm("hidden", values, index)).toThrow(/send fewer values per request/);
  expect(() => compileDeleteByTerm("id", values, index)).not.toThrow();
});

describe("kept values of a field without an index", () => {
  test("text is compared as the phrase, anywhere in a value", () => {
    expect(shown("hidden", "x")).toBe("kept hidden");
    const matches = matcher("hidden", "King of Spain");
    expect(matches("The KING of Spain!")).toBe(true);
    expect(matches("King in Spain")).toBe(false);
    expect(matches("King of")).toBe(false);
    expect(matches(undefined)).toBe(false);
    expect(matcher("hidden", "&")("&")).toBe(false);
    expect(matcher("hidden", "x", "b c")("a b c")).toBe(true);
    expect(matcher("hidden", "b b c")("a b b b c")).toBe(true);
  });

  test("a phrase does not span the values of an array", () => {
    expect(matcher("hidden", "b c")(["a b", "c d"])).toBe(false);
    expect(matcher("hidden", "b c")(["x", "a b c"])).toBe(true);
  });

  test("a dropped token keeps its place", () => {
    const long = "y".repeat(256);
    expect(matcher("hidden", `a ${long} b`)(`a ${long} b`)).toBe(true);
    expect(matcher("hidden", `a ${long} b`)("a b")).toBe(false);
  });

  test("typed values are compared in canonical form", () => {
    expect(matcher("hidden_price", "7.0")(7)).toBe(true);
    expect(matcher("hidden_price", 7)(8)).toBe(false);
    expect(matcher("hidden_price", "18446744073709551615")("18446744073709551615")).toBe(true);
    expect(matcher("hidden_price", -1)(-1)).toBe(false);
    expect(matcher("hidden_at", 0)("1970-01-01T00:00:00Z")).toBe(true);
    expect(matcher("hidden_at", 0)(["2000-01-01T00:00:00Z", "1970-01-01T00:00:00Z"])).toBe(true);
  });

  test("facets are indexed whatever the schema says", () => {
    const unindexed = sampleIndex({ fields: { place: field("facet", { indexed: false }) } });
    expect(compileDeleteByTerm("place", ["a"], unindexed).by).toBe("query");
  });
});
