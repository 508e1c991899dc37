// Properties: every value seen fits the field inferred for it; the narrowest type is chosen.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldDraft } from "../../client/index.js";
import type { FieldDefinition } from "../../contract/index-schema.js";
import { isExactNumber } from "../../contract/values/exact-number.js";
import { canonicalValue, ValueProblem } from "../../intake/canonical-value.js";
import { SchemaInference } from "./schema-inference.js";

function infer(
  documents: readonly Record<string, unknown>[],
  areValuesText = false,
): Record<string, FieldDraft> {
  const inference = new SchemaInference({ areValuesText });
  for (const document of documents) inference.add(document);
  return inference.result("test").index.fields as Record<string, FieldDraft>;
}

const of = (...values: readonly unknown[]): FieldDraft | undefined =>
  infer(values.map((value) => ({ field: value })))["field"];
const ofText = (...values: readonly string[]): FieldDraft | undefined =>
  infer(
    values.map((value) => ({ field: value })),
    true,
  )["field"];

describe("SchemaInference", () => {
  it.each<[readonly unknown[], FieldDraft]>([
    [["a", "b"], { type: "text" }],
    [[1, 2], { type: "u64" }],
    [[1, -2], { type: "i64" }],
    [[-2], { type: "i64" }],
    [[1, 2.5], { type: "f64" }],
    [[2 ** 60], { type: "f64" }],
    [[true, false], { type: "bool" }],
    [["2024-01-31", "2024-01-31T10:00:00Z"], { type: "datetime" }],
    [["2024-01-31T10:00:00.5+02:00"], { type: "datetime", precision: "milliseconds" }],
    [["2024-01-31T10:00:00.123456Z"], { type: "datetime", precision: "microseconds" }],
    [["2024-01-31T10:00:00.1234567Z"], { type: "datetime", precision: "nanoseconds" }],
    [["2024-13-45"], { type: "text" }],
    [["/a/b", "/c"], { type: "facet" }],
    [["/a//b"], { type: "text" }],
    [["/"], { type: "text" }],
    [["/a", "b"], { type: "text" }],
    [[["/a", "/b"], "/c"], { type: "facet", multi: true }],
    [[[1], [2, 3]], { type: "u64", multi: true }],
    [[{ x: 1 }, 3], { type: "json" }],
    [[[{ x: 1 }, 3]], { type: "json" }],
    [["a", { x: 1 }], { type: "json" }],
    [[1, "a"], { type: "text" }],
    [[true, 1], { type: "bool", coerce: true }],
    [[true, 2], { type: "text" }],
    [["2023-12-31 23:59:59", "2024-01-31"], { type: "datetime", coerce: true }],
    [["2023-12-31 23:59:59.125"], { type: "datetime", coerce: true, precision: "milliseconds" }],
    [["131.56", "7"], { type: "text" }],
    [[131.56, "7"], { type: "f64" }],
    [[1, ""], { type: "u64", coerce: true }],
    [["", ""], { type: "text" }],
    [["5"], { type: "text" }],
    [["a", null, undefined].slice(0, 2), { type: "text" }],
  ])("%j becomes %j", (values, expected) => {
    expect(of(...values)).toEqual(expected);
  });

  it.each<[readonly string[], FieldDraft]>([
    [["1", "20"], { type: "u64" }],
    [["1", "-20"], { type: "i64" }],
    [["1", "2.50", "1e3"], { type: "f64" }],
    [["007"], { type: "text" }],
    [["true", "false"], { type: "bool" }],
    [["yes"], { type: "text" }],
    [["yes", "no"], { type: "bool", coerce: true }],
    [["TRUE", "0"], { type: "bool", coerce: true }],
    [["t", "f", "NULL"], { type: "bool", coerce: true }],
    [["0", "1"], { type: "u64" }],
    [["s", "m"], { type: "text" }],
    [["12.0", "+5"], { type: "u64", coerce: true }],
    [["12.0", "NULL"], { type: "u64", coerce: true }],
    [["NULL"], { type: "text" }],
    [["a", "\\N"], { type: "text", coerce: true }],
    [["1,5", "2"], { type: "f64", coerce: true, format: "1.234,56" }],
    [["1.234,56", "2"], { type: "f64", coerce: true, format: "1.234,56" }],
    [["1,234.56", "2"], { type: "f64", coerce: true, format: "1,234.56" }],
    [["1,234", "12,500"], { type: "f64", coerce: true, format: "1,234.56" }],
    [["1 234,5"], { type: "f64", coerce: true, format: "1 234,56" }],
    [["12,50 €"], { type: "f64", coerce: true, format: "1.234,56" }],
    [["0123,4"], { type: "text" }],
    [["31.12.2023", "01.02.2024"], { type: "datetime", coerce: true, format: "DD.MM.YYYY" }],
    [["31.12.2023 10:15"], { type: "datetime", coerce: true, format: "DD.MM.YYYY HH:mm" }],
    [["1.2.2024"], { type: "datetime", coerce: true, format: "D.M.YYYY" }],
    [["12/31/2023"], { type: "datetime", coerce: true, format: "MM/DD/YYYY" }],
    [["31/12/2023"], { type: "datetime", coerce: true, format: "DD/MM/YYYY" }],
    [["01/02/2023"], { type: "text" }],
    [["12/31/23 1:05 PM"], { type: "datetime", coerce: true, format: "M/D/YY h:mm A" }],
    [["31-DEC-23"], { type: "datetime", coerce: true, format: "DD-MMM-YY" }],
    [
      ["Tue, 02 Jan 2024 10:00:00 GMT"],
      { type: "datetime", coerce: true, format: "ddd, DD MMM YYYY HH:mm:ss Z" },
    ],
    [["0000-00-00", "2023-12-31"], { type: "datetime", coerce: true }],
    [
      ["Clothing > Men", "Sale", "Clothing > Women > Shoes"],
      { type: "facet", coerce: true, path_separator: ">" },
    ],
    [
      ["Clothing > Men, Clothing > Sale", "Clothing > Men"],
      { type: "facet", coerce: true, path_separator: ">", multi: true, separator: "," },
    ],
    [["<p>a</p>", "<b>b</b>"], { type: "text" }],
    [["a -> b", "c -> d"], { type: "text" }],
    [['["a","b"]', "[]"], { type: "text", multi: true, coerce: true }],
    [["{1,2}", "{3}"], { type: "u64", multi: true, coerce: true }],
    [["2024-01-31"], { type: "datetime" }],
    [["12345678901234567890"], { type: "text" }],
    [["/a"], { type: "facet" }],
  ])("text %j becomes %j", (values, expected) => {
    expect(ofText(...values)).toEqual(expected);
  });

  it("keeps a member called id as text, leaves out null, empty arrays and names that no field may have", () => {
    const inference = new SchemaInference({ areValuesText: false });
    inference.add({ id: 7, _id: "x", empty: [], nothing: null, "with space": 1, fine: 1 });
    const result = inference.result("test");
    expect(result.index).toEqual({ name: "test", fields: { id: { type: "text" }, fine: { type: "u64" } } });
    expect(result.unusableNames).toEqual(["with space"]);
  });

  it.each<[string, readonly unknown[], object | undefined]>([
    ["a word among numbers", ["big"], { type: "u64", values: 1, allValues: 21, example: "big" }],
    ["a word among numbers of two kinds", [-1, "big"], { type: "i64", values: 1, example: "big" }],
    ["a number among words", [...Array<string>(180).fill("a"), 1], undefined],
    ["many words among numbers", ["a", "b", "c"], undefined],
    ["nothing odd", [], undefined],
  ])("remarks on %s if those alone make a field text", (_, odd, expected) => {
    const inference = new SchemaInference({ areValuesText: false });
    for (const value of [...Array<number>(20).fill(7), ...odd]) inference.add({ field: value, id: value });
    const [field, id] = inference.result("test").fields;
    if (expected === undefined) expect(field!.misfits).toBeUndefined();
    else expect(field!.misfits).toMatchObject(expected);
    expect(id!.misfits).toBeUndefined();
  });

  it.each([
    [["12 kg", "7.5 kg"], "12 kg"],
    [["5%", "12.5 %"], "5%"],
    [["USD 12", "EUR 1.299,00"], "USD 12"],
    [["12 €", "-7,50 €", "1.299 EUR"], "12 €"],
    [["12kg", "3mm", "4m²", "5 Liter", "20 °C"], "12kg"],
    [["M8", "M10"], undefined],
    [["12AB", "13AC"], undefined],
    [["SKU 12", "SKU 13"], undefined],
    [["12 kg", "a long story", "another one"], undefined],
    [Array.from({ length: 20 }, (_, i) => `1 ${String.fromCharCode(97 + i)}`), undefined],
    [["12", "13"], undefined],
  ])("tells why texts that are numbers with units stay text: %j", (values, expected) => {
    const inference = new SchemaInference({ areValuesText: true });
    for (const value of values) inference.add({ field: value });
    const [field] = inference.result("test").fields;
    expect(field!.measured).toBe(expected);
    if (expected !== undefined) expect(field!.definition.type).toBe("text");
  });

  it("never chooses a type that a value seen doesn't fit", () => {
    const value = fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.string(),
      fc.constantFrom("/a/b", "2024-01-31", "true", "5", "-1"),
    );
    fc.assert(
      fc.property(
        fc.array(fc.oneof(value, fc.array(value, { minLength: 1 })), { minLength: 1 }),
        (values) => {
          const definition = of(...values)!;
          if (values.some(Array.isArray)) expect(definition.multi).toBe(true);
          const field = { required: false, stored: true, indexed: true, multi: false, ...definition };
          for (const each of values.flat()) {
            // Digits that JSON has lost are refused whatever the type.
            if (definition.type === "text" && typeof each === "number" && !isExactNumber(each)) continue;
            expect(canonicalValue(field as FieldDefinition, each)).not.toBeInstanceOf(ValueProblem);
          }
        },
      ),
    );
  });
});

const column = (values: readonly string[]): ReturnType<SchemaInference["result"]> => {
  const inference = new SchemaInference({ areValuesText: true });
  for (const [i, value] of values.entries()) inference.add({ id: `${i}`, title: `Item ${i}`, brand: value });
  return inference.result("test");
};
const repeated = (...values: readonly string[]): readonly string[] =>
  Array.from({ length: 30 }, (_, i) => values[i % values.length]!);

describe("texts that repeat", () => {
  it("are a flat facet, which stays a search field", () => {
    const { index } = column(repeated("AC/DC", "O'Neill", "3/4 inch"));
    expect(index.fields["brand"]).toEqual({ type: "facet", hierarchical: false });
    expect(index.search_fields).toEqual(["title", "brand"]);
  });

  it("are lists where a separator makes few of many", () => {
    const lists = ["S|M", "M|L", "S", "L|XL|S", "XL", "M|XL", "S|L", "M", "L", "S|XL"];
    expect(column(repeated(...lists, "S|M|L", "S|M|XL")).index.fields["brand"]).toEqual({
      type: "facet",
      hierarchical: false,
      multi: true,
      coerce: true,
      separator: "|",
    });
    const tags = column(repeated("red, large", "red", "blue, large", "blue, small", "green, small", "small"));
    expect(tags.index.fields["brand"]).toMatchObject({ multi: true, separator: "," });
  });

  it("are text where they are long, many or few altogether", () => {
    for (const values of [
      repeated(
        "a sentence that goes on and on, for more than eighty characters, which nobody would tick a box for",
      ),
      Array.from({ length: 30 }, (_, i) => `brand ${i % 15}`),
      ["a", "a", "b"],
    ]) {
      const { index } = column(values);
      expect(index.fields["brand"]).toEqual({ type: "text" });
      expect(index.search_fields).toBeUndefined();
    }
  });
});

it("reads 1.234 as a thousand where the file has fractions behind a comma", () => {
  const inference = new SchemaInference({ areValuesText: true });
  inference.add({ a: "1,5", b: "1.234" });
  inference.add({ a: "2", b: "12.500" });
  expect(inference.result("test").index.fields["b"]).toEqual({
    type: "f64",
    coerce: true,
    format: "1.234,56",
  });
});

it("says which dates could be either of two days", () => {
  const [field] = (() => {
    const inference = new SchemaInference({ areValuesText: true });
    inference.add({ at: "01/02/2023" });
    return inference.result("test").fields;
  })();
  expect(field!.ambiguous).toEqual(["DD/MM/YYYY", "MM/DD/YYYY"]);
});

it("keeps a primary key as it is", () => {
  const inference = new SchemaInference({ areValuesText: true, primaryKey: "sku" });
  for (let i = 0; i < 30; i++) inference.add({ sku: ["1.0", "2.0"][i % 2]! });
  expect(inference.result("test").index.fields["sku"]).toEqual({ type: "text" });
});

describe("objects", () => {
  const guessed = (documents: readonly object[]): Readonly<Record<string, object>> => {
    const inference = new SchemaInference({ areValuesText: false });
    for (const document of documents) inference.add(document as never);
    return inference.result("shop").index.fields as never;
  };

  it("become fields of their members, lists of them such of several values", () => {
    const fields = guessed([
      {
        maker: { name: "Ada Lovelace of London", born: 1815 },
        variants: [{ units: 1 }, { units: 2, raw: [[1]] }],
      },
      { maker: { name: "Grace Hopper of New York", address: { zip: "01234" } }, variants: [] },
      { maker: "", variants: null },
    ]);
    expect(fields).toMatchObject({
      "maker.name": { type: "text" },
      "maker.born": { type: "u64" },
      "maker.address.zip": { type: "text" },
      "variants.units": { type: "u64", multi: true },
      "variants.raw": { type: "json", multi: true },
    });
    expect(Object.keys(fields)).toHaveLength(5);
  });

  it("that are something else elsewhere, empty, of unusable names or of very many are kept as they are", () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, i]));
    const fields = guessed([
      { mixed: { a: 1 }, empty: {}, odd: { "a b": 1 }, many, list: [{ a: 1 }, 2] },
      { mixed: 3, empty: {}, odd: { c: 1 } },
    ]);
    expect(fields).toEqual(
      Object.fromEntries(["mixed", "empty", "odd", "many", "list"].map((name) => [name, { type: "json" }])),
    );
  });

  it("may be spelled with dots", () => {
    expect(guessed([{ "maker.name": "Ada Lovelace, of London" }])).toMatchObject({
      "maker.name": { type: "text" },
    });
  });
});
