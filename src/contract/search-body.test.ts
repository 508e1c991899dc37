import { describe, expect, test } from "vitest";
import { FindlingError } from "../errors/index.js";
import { DEFAULT_SEARCH_LIMITS, parseDeleteByQueryBody, parseSearchBody } from "./search-body.js";

const parse = (body: unknown) => parseSearchBody(body, DEFAULT_SEARCH_LIMITS);
const X = { mode: "fuzzy", ctx: "x", occur: "should" } as const;
const PLAIN = { clauses: [X], limit: 20, offset: 0, sort: "desc" } as const;

describe("a search body", () => {
  test.each([
    [{ query: { fuzzy: { ctx: "x" } } }, PLAIN],
    [{ query: "x" }, PLAIN],
    [{ query: [{ fuzzy: { ctx: "x" } }] }, PLAIN],
    [
      { query: { fuzzy: { ctx: "x" }, exact: null, occur: null }, limit: null, sort: null, order_by: null },
      PLAIN,
    ],
    [
      { query: { fuzzy: { ctx: "x", another: 1 }, boost: 2 }, another: 1 },
      {
        ...PLAIN,
        ignoredMembers: [
          { name: "another" },
          { name: "boost", path: "query.boost" },
          { name: "another", path: "query.fuzzy.another" },
        ],
      },
    ],
    [{ query: { exact: { ctx: "" } } }, { ...PLAIN, clauses: [{ mode: "exact", ctx: "", occur: "should" }] }],
    [
      { query: { dynamic: { ctx: "x" }, occur: "must" } },
      { ...PLAIN, clauses: [{ mode: "dynamic", ctx: "x", occur: "must" }] },
    ],
    [
      { query: "x", limit: 0 },
      { ...PLAIN, limit: 0 },
    ],
    [
      { query: "x", limit: 200, offset: 1e6 },
      { ...PLAIN, limit: 200, offset: 1e6 },
    ],
    [
      { query: "x", offset: 1e300 },
      { ...PLAIN, offset: Number.MAX_SAFE_INTEGER },
    ],
    [{ query: "x", order_by: "" }, PLAIN],
    [
      { query: "x", order_by: "price", sort: "asc" },
      { ...PLAIN, order_by: "price", sort: "asc" },
    ],
    [
      { query: "x", sort: "asc" },
      { ...PLAIN, sort: "asc" },
    ],
    [
      { query: "x", sort: "price:asc" },
      { ...PLAIN, order_by: "price", sort: "asc" },
    ],
    [
      { query: "x", sort: "a:b:desc", order_by: "c" },
      { ...PLAIN, order_by: "a:b", sort: "desc" },
    ],
    [{ query: "x", order_by: [] }, PLAIN],
    [
      {
        query: "x",
        order_by: ["price", "a:b:asc", { field: "c" }, { field: "d:asc", sort: "desc" }],
        sort: "asc",
      },
      {
        ...PLAIN,
        sort: "asc",
        extensions: {
          orderBy: [
            { kind: "field", field: "price", descending: false },
            { kind: "field", field: "a:b", descending: false },
            { kind: "field", field: "c", descending: false },
            { kind: "field", field: "d:asc", descending: true },
          ],
        },
      },
    ],
    [
      { query: "x", order_by: ["_score", "_score:asc", { field: "_score" }] },
      {
        ...PLAIN,
        extensions: {
          orderBy: [
            { kind: "score", descending: true },
            { kind: "score", descending: false },
            { kind: "score", descending: true },
          ],
        },
      },
    ],
    [
      { query: "x", minimum_number_should_match: 1 },
      { ...PLAIN, minimum_number_should_match: 1 },
    ],
    [
      { query: "x", minimum_number_should_match: 0 },
      { ...PLAIN, minimum_number_should_match: 0 },
    ],
    [
      { query: "x", occur: "must" },
      { ...PLAIN, clauses: [{ ...X, occur: "must" }] },
    ],
    [
      { query: { fuzzy: { ctx: "x" } }, occur: "must" },
      { ...PLAIN, clauses: [{ ...X, occur: "must" }] },
    ],
    [{ query: { fuzzy: { ctx: "x" }, occur: "should" }, occur: "must" }, PLAIN],
    [{ query: [{ fuzzy: { ctx: "x" } }], occur: "must" }, PLAIN],
  ])("%j is read", (body, request) => {
    expect(parse(body)).toEqual(request);
  });

  test.each([
    [undefined, "invalid_request", "the body must be an object"],
    ["x", "invalid_request", "the body must be an object"],
    [[{ query: "x" }], "invalid_request", "the body must be an object"],
    [[], "invalid_request", "'query' is missing"],
    [{}, "invalid_request", "'query' is missing"],
    [{ query: null }, "invalid_request", "'query' is missing"],
    [
      { query: 5 },
      "invalid_request",
      "'query' must be an object, a list of objects or a string, not a number",
    ],
    [{ query: [] }, "invalid_request", "at least one clause"],
    [{ query: Array(65).fill({ fuzzy: { ctx: "x" } }) }, "invalid_request", "at most 64"],
    [{ query: ["x"] }, "invalid_request", "'query[0]' must be an object"],
    [{ query: {} }, "invalid_request", "exactly one of fuzzy, exact, dynamic"],
    [{ query: { occur: "must" } }, "invalid_request", "exactly one"],
    [{ query: { fuzzy: { ctx: "x" }, exact: { ctx: "x" } } }, "invalid_request", "fuzzy and exact"],
    [{ query: { fuzy: { ctx: "x" } } }, "invalid_request", "did you mean 'fuzzy'?"],
    [
      { query: { fuzzy: { ctx: "x" }, phrase: { ctx: "x" } } },
      "invalid_request",
      "'phrase' is not a query mode",
    ],
    [{ query: { fuzzy: "x" } }, "invalid_request", "'query.fuzzy' must be an object"],
    [{ query: { fuzzy: {} } }, "invalid_request", "'query.fuzzy.ctx' is missing"],
    [{ query: { fuzzy: [] } }, "invalid_request", "'query.fuzzy.ctx' is missing"],
    [{ query: [{ fuzzy: { ctx: 5 } }] }, "invalid_request", "'query[0].fuzzy.ctx' must be a string"],
    [
      { query: { fuzzy: { ctx: "x" }, occur: "may" } },
      "invalid_request",
      "'query.occur' must be should or must",
    ],
    [{ query: "x", occur: "MUST" }, "invalid_request", "'occur' must be should or must"],
    [{ query: "x".repeat(10_001) }, "invalid_request", "longer than 10000"],
    [{ query: "\uFDFA".repeat(556) }, "invalid_request", "longer than 10000"],
    [{ query: { fuzzy: { ctx: "…".repeat(3334) } } }, "invalid_request", "longer than 10000"],
    [{ query: "x", limit: -1 }, "invalid_request", "'limit'"],
    [{ query: "x", limit: 1.5 }, "invalid_request", "'limit'"],
    [{ query: "x", limit: "20" }, "invalid_request", "'limit'"],
    [{ query: "x", limit: 201 }, "limit_too_large", "at most 200"],
    [{ query: "x", limit: 1e300 }, "limit_too_large", "'limit' is 1e+300"],
    [{ query: "x", limit: Infinity }, "invalid_request", "'limit'"],
    [{ query: "x", offset: -1 }, "invalid_request", "'offset'"],
    [{ query: "x", offset: true }, "invalid_request", "'offset'"],
    [{ query: "x", order_by: 5 }, "invalid_request", "'order_by'"],
    [{ query: "x", order_by: { field: "price" } }, "invalid_request", "'order_by'"],
    [{ query: "x", order_by: Array(9).fill("price") }, "invalid_request", "'order_by'"],
    [{ query: "x", order_by: ["price", 5] }, "invalid_request", "'order_by[1]'"],
    [{ query: "x", order_by: [null] }, "invalid_request", "'order_by[0]'"],
    [{ query: "x", order_by: [{ sort: "asc" }] }, "invalid_request", "'order_by[0].field'"],
    [{ query: "x", order_by: [{ field: "price", sort: "up" }] }, "invalid_request", "'order_by[0].sort'"],
    [{ query: "x", order_by: ["price"], sort: "price:asc" }, "invalid_request", "'sort'"],
    [{ query: "x", sort: "up" }, "invalid_request", "'sort'"],
    [{ query: "x", sort: "ASC" }, "invalid_request", "'sort'"],
    [{ query: "x", sort: ":asc" }, "invalid_request", "'sort'"],
    [{ query: "x", sort: 1 }, "invalid_request", "'sort'"],
    [{ query: "x", minimum_number_should_match: 2 }, "minimum_should_match_too_large", "which is 1"],
    [{ query: "x", minimum_number_should_match: -1 }, "minimum_should_match_too_large", "which is 1"],
    [{ query: "x", minimum_number_should_match: 0.5 }, "minimum_should_match_too_large", "which is 1"],
    [{ query: "x", minimum_number_should_match: "1" }, "minimum_should_match_too_large", "which is 1"],
    [
      { query: "x", occur: "must", minimum_number_should_match: 1 },
      "minimum_should_match_too_large",
      "which is 0",
    ],
  ])("%j is refused", (body, code, message) => {
    const error = errorOf(() => parse(body));
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });

  test("counts characters, not UTF-16 units", () => {
    expect(parse({ query: "😀".repeat(10_000) }).clauses).toHaveLength(1);
    expect(errorOf(() => parse({ query: "😀".repeat(10_001) })).code).toBe("invalid_request");
  });
});

describe("the body of a delete by query", () => {
  const parseDelete = (body: unknown) => parseDeleteByQueryBody(body, DEFAULT_SEARCH_LIMITS);
  test.each([
    [{ query: { fuzzy: { ctx: "x" } }, limit: -1, minimum_number_should_match: 99 }],
    [{ query: "x" }],
    [{ fuzzy: { ctx: "x" } }],
    [{ query: [{ fuzzy: { ctx: "x" } }] }],
  ])("%j is read", (body) => {
    expect(parseDelete(body)).toEqual([X]);
  });

  test.each([
    [undefined],
    [{}],
    [[]],
    [{ ctx: "x" }],
    [{ query: [] }],
    [{ fuzzy: { ctx: "x" }, exact: { ctx: "x" } }],
    [{ fuzzy: "x" }],
  ])("%j is refused", (body) => {
    expect(errorOf(() => parseDelete(body)).code).toBe("invalid_request");
  });
});

function errorOf(work: () => unknown): FindlingError {
  try {
    work();
  } catch (error) {
    if (error instanceof FindlingError) return error;
    throw error;
  }
  throw new Error("no error was thrown");
}
