// Properties: every value seen fits the field inferred for it; the narrowest type is chosen.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FieldDraft } from "../../client/index.js";
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
    [[{ x: 1 }], { type: "json" }],
    [[[{ x: 1 }]], { type: "json" }],
    [["a", { x: 1 }], { type: "json" }],
    [[1, "a"], { type: "text" }],
    [[true, 1], { type: "text" }],
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
          for (const each of values.flat()) expect(fits(each, definition.type)).toBe(true);
        },
      ),
    );
  });
});

function fits(value: unknown, type: FieldDraft["type"]): boolean {
  switch (type) {
    case "text":
      return typeof value !== "object";
    case "u64":
      return Number.isSafeInteger(value) && (value as number) >= 0;
    case "i64":
      return Number.isSafeInteger(value);
    case "f64":
      return typeof value === "number" && Number.isFinite(value);
    case "bool":
      return typeof value === "boolean";
    case "datetime":
      return typeof value === "string" && !Number.isNaN(Date.parse(value));
    case "facet":
      return typeof value === "string" && value.split("/").length > 1 && !value.includes("//");
    default:
      return false;
  }
}
