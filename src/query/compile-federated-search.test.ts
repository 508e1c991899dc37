// Contract 5.8: which indexes of a federation a request leaves out, and when it is an error.
import { describe, expect, test } from "vitest";
import { field, sampleIndex } from "../../tests/query-kit/sample-index.js";
import type { FieldDefinition } from "../contract/index-schema.js";
import type { SearchRequest } from "../contract/search.js";
import { FindlingError } from "../errors/index.js";
import { compileFederatedSearch } from "./compile-federated-search.js";
import { compileSearch } from "./compile-search.js";
import type { SearchedIndex } from "./searched-index.js";

const NOW = 0;

function indexWith(fields: Readonly<Record<string, FieldDefinition>>): SearchedIndex {
  return sampleIndex({
    fields: { title: field("text"), ...fields },
    search_fields: ["title"],
    weight_multipliers: {},
  });
}

const number = indexWith({ value: field("u64") });
const signed = indexWith({ value: field("i64") });
const text = indexWith({ value: field("text") });
const instant = indexWith({ value: field("datetime", { precision: "seconds" }) });
const hidden = indexWith({ value: field("text", { indexed: false }) });
const slow = indexWith({ value: field("u64", { fast: false }) });
const none = indexWith({});

function requestOf(ctx: string, more: Partial<SearchRequest> = {}): SearchRequest {
  return { clauses: [{ mode: "exact", ctx, occur: "should" }], limit: 10, offset: 0, sort: "desc", ...more };
}

/** By index: whether it is searched; or the code of the error. */
function searched(request: SearchRequest, ...indexes: readonly SearchedIndex[]): readonly boolean[] | string {
  try {
    return compileFederatedSearch(request, indexes, NOW).map((plan) => plan !== null);
  } catch (error) {
    if (error instanceof FindlingError) return error.code;
    throw error;
  }
}

describe("a federated search", () => {
  test("is compiled for each index in its own terms", () => {
    const request = requestOf("value:5");
    expect(compileFederatedSearch(request, [number, text], NOW)).toEqual([
      compileSearch(request, number, NOW),
      compileSearch(request, text, NOW),
    ]);
    expect(compileFederatedSearch(request, [], NOW)).toEqual([]);
  });

  test.each<[string, readonly SearchedIndex[], readonly boolean[] | string]>([
    // An index that lacks the field is left out, be it the last.
    ["value:5", [number, none, signed], [true, false, true]],
    ["title:x OR value:5", [none, number], [false, true]],
    ["value:*", [none], [false]],
    ["nowhere:1", [number, text, none], [false, false, false]],
    ["nowhere:1", [], []],
    // So is one whose field takes no such value, or can't be queried.
    ["value:five", [number, text], [false, true]],
    ["value:>x", [number, text, none], [false, true, false]],
    ["value:-1", [number, signed], [true, true]],
    ["value:x", [hidden, text], [false, true]],
    // In all that have it that is an error.
    ["value:five", [number, signed], "invalid_field_value"],
    ["value:five", [none, number], "invalid_field_value"],
    ["value:x", [hidden], "field_not_indexed"],
    ["value:x", [hidden, none], "field_not_indexed"],
    // What no index can read is a syntax error, whatever else is wrong.
    ["value:5 AND", [number, none], "query_syntax"],
    ["nowhere:1 (", [number], "query_syntax"],
    ["(", [none, none], "query_syntax"],
    // How a value is written depends on the field's type: an index without the field has no say in it.
    ["value:2024-01-01T00:00:00Z", [instant, none], [true, false]],
    ["value:2024-01-01T00:00:00Z", [none, instant], [false, true]],
    ["value:2024-01-01T00:00:00Z", [text, instant], [false, true]],
    ["value:2024-01-01T00:00:00Z", [none, text], "query_syntax"],
    ["value:2024-01-01T00:00:00Z AND nowhere:1", [instant, none], [false, false]],
  ])("%s", (ctx, indexes, expected) => {
    expect(searched(requestOf(ctx), ...indexes)).toEqual(expected);
  });

  test("looks for syntax errors in every clause, also behind one that leaves an index out", () => {
    const request = requestOf("value:5", {
      clauses: [
        { mode: "exact", ctx: "nowhere:1", occur: "must" },
        { mode: "exact", ctx: "a AND", occur: "should" },
      ],
    });
    expect(searched(request, number, none)).toBe("query_syntax");
  });

  test("reads other modes as plain text, which leaves nothing out", () => {
    for (const mode of ["fuzzy", "dynamic"] as const) {
      const request = requestOf("", { clauses: [{ mode, ctx: "nowhere:1 (", occur: "must" }] });
      expect(searched(request, number, none)).toEqual([true, true]);
    }
  });

  test("is refused as a whole for what is wrong with the request itself", () => {
    expect(searched(requestOf("x", { minimum_number_should_match: 2 }), number, none)).toBe(
      "minimum_should_match_too_large",
    );
    const narrow = { ...number, limits: { ...number.limits, termsMax: 1 } };
    expect(searched(requestOf("a OR b OR c"), narrow, narrow)).toBe("invalid_request");
  });

  test.each<[readonly SearchedIndex[], readonly boolean[] | string]>([
    [
      [number, none, signed],
      [true, false, true],
    ],
    [[none], [false]],
    // The first index that can be ordered says what is ordered: numbers of every kind go together.
    [
      [number, text, signed],
      [true, false, true],
    ],
    [
      [text, number],
      [true, false],
    ],
    [
      [slow, instant, text, number],
      [false, true, false, false],
    ],
    [[slow], "invalid_order_by"],
    [[slow, none], "invalid_order_by"],
  ])("with an order leaves out what lacks the field or can't be ordered by it (%#)", (indexes, expected) => {
    expect(searched(requestOf("*", { order_by: "value" }), ...indexes)).toEqual(expected);
  });
});
