// Conditions that the console composes mean what was chosen, whatever is typed as their value.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ComposedClause,
  contextOf,
  OCCURS,
  OPERATORS,
  queryClauseOf,
  readClause,
  writeClause,
} from "../../console/api/clauses.js";
import { parseQueryString } from "../../src/query/parser.js";
import { WireServer } from "../wire/wire-server.js";

const made = (changes: Partial<ComposedClause>): ComposedClause => ({
  occur: "must",
  field: "title",
  operator: "is",
  value: "",
  upper: "",
  ...changes,
});

const hostile = fc.oneof(
  fc.constantFrom(
    '"',
    "\\",
    "a b",
    "x:y",
    "*",
    "-a",
    "+",
    "[a TO b]",
    "“a” ’",
    'a" OR "b',
    "AND",
    "(",
    "^2",
    "~1",
  ),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
  fc.string({ minLength: 1, maxLength: 8 }),
);
const typed = hostile.filter((value) => value.trim() !== "");

describe("composed conditions", () => {
  const itemOf = (clause: ComposedClause) => {
    const { items } = parseQueryString(contextOf(clause), { depthMax: 8 });
    expect(items).toHaveLength(1);
    return items[0]!.node;
  };

  test("a value is text, whatever is in it, and so is a field's name", () => {
    fc.assert(
      fc.property(typed, typed, (field, value) => {
        expect(itemOf(made({ field, value }))).toMatchObject({
          kind: "phrase",
          field: { name: field },
          phrase: { text: value.trim(), isPrefix: false, slop: 0 },
        });
        expect(itemOf(made({ field, value, operator: "begins" }))).toMatchObject({
          kind: "words",
          words: [{ text: value.trim(), isPrefix: true }],
        });
        expect(itemOf(made({ field, value, operator: "from" }))).toMatchObject({
          kind: "range",
          lower: { value: { text: value.trim() }, inclusive: true },
          upper: null,
        });
        expect(
          itemOf(made({ field, value, upper: value, operator: "between", occur: "must_not" })),
        ).toMatchObject({
          kind: "not",
          operand: {
            kind: "range",
            lower: { value: { text: value.trim() } },
            upper: { value: { text: value.trim() } },
          },
        });
      }),
    );
  });

  test("an address says what it was written from", () => {
    const any = fc.record({
      occur: fc.constantFrom(...OCCURS),
      operator: fc.constantFrom(...OPERATORS.filter((each) => each !== "exists")),
      field: hostile,
      value: hostile,
      upper: fc.constant(""),
    });
    fc.assert(
      fc.property(any, (clause) => {
        const query = new URLSearchParams([["clause", writeClause(clause)]]);
        expect(readClause(new URLSearchParams(query.toString()).get("clause")!)).toEqual(clause);
      }),
    );
    for (const other of ["", "must", "must:is", "never:is:title:x", "must:is:%:x"])
      expect(readClause(other)).toBeUndefined();
  });
});

describe("composed conditions on a server", () => {
  let server: WireServer;
  beforeAll(async () => {
    server = await WireServer.start();
    await server.createIndex("shop", {
      fields: {
        id: { type: "text" },
        title: { type: "text" },
        kind: { type: "facet" },
        price: { type: "f64" },
        made: { type: "datetime" },
        sold: { type: "bool" },
      },
    });
    await server.addCommitted("shop", [
      {
        id: "a-1",
        title: "red garden chair",
        kind: "/garden/chairs",
        price: -2.5,
        made: "2022-01-01",
        sold: true,
      },
      { id: "a-2", title: "garden table", kind: "/garden", price: 10, made: "2023-01-01", sold: false },
      { id: "b 3", title: "chair, garden style", kind: "/house", price: 20 },
    ]);
  });
  afterAll(() => server.stopAndRemove());

  test.each<[Partial<ComposedClause>, string[]]>([
    [{ operator: "all", value: "chair garden" }, ["a-1", "b 3"]],
    [{ operator: "any", value: "red table" }, ["a-1", "a-2"]],
    [{ operator: "phrase", value: "garden chair" }, ["a-1"]],
    [{ operator: "begins", value: "styl" }, ["b 3"]],
    [{ field: "kind", operator: "below", value: "/garden" }, ["a-1", "a-2"]],
    [{ field: "kind", operator: "in", value: "/house, /garden/chairs," }, ["a-1", "b 3"]],
    [{ field: "id", operator: "is", value: "b 3" }, ["b 3"]],
    [{ field: "id", operator: "begins", value: "b 3" }, ["b 3"]],
    [{ field: "id", operator: "begins", value: "a-" }, ["a-1", "a-2"]],
    [{ field: "price", operator: "is", value: "-2.5" }, ["a-1"]],
    [{ field: "price", operator: "in", value: "10, 20" }, ["a-2", "b 3"]],
    [{ field: "price", operator: "from", value: "10" }, ["a-2", "b 3"]],
    [{ field: "price", operator: "above", value: "10" }, ["b 3"]],
    [{ field: "price", operator: "to", value: "10" }, ["a-1", "a-2"]],
    [{ field: "price", operator: "less", value: "10" }, ["a-1"]],
    [{ field: "price", operator: "between", value: "-3", upper: "15" }, ["a-1", "a-2"]],
    [{ field: "price", operator: "between", upper: "15" }, ["a-1", "a-2"]],
    [{ field: "made", operator: "above", value: "2022-06-01T00:00:00Z" }, ["a-2"]],
    [{ field: "sold", operator: "is", value: "true" }, ["a-1"]],
    [{ field: "sold", operator: "exists" }, ["a-1", "a-2"]],
    [{ field: "sold", operator: "exists", occur: "must_not" }, ["b 3"]],
    [{ operator: "all", value: "chair garden", occur: "must_not" }, ["a-2"]],
  ])("%j finds %j", async (changes, ids) => {
    const { status, text, json } = await server.post("/index/shop/search", {
      query: queryClauseOf(made(changes)),
    });
    expect(status, text).toBe(200);
    expect(json.data.hits.map(({ doc }: { doc: { id: string } }) => doc.id).sort()).toEqual(ids);
  });
});
