// Documents with objects in them: taken apart into fields, and shown as they came.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DocumentNormalizer, NormalizationReport } from "../intake/document-normalizer.js";
import { completeFields } from "../services/indexes/field-definitions.js";
import type { CanonicalDocument } from "./canonical-value.js";
import { changedShapes, nested } from "./nested-fields.js";

const FIELDS = completeFields({
  id: { type: "text" },
  "size.width": { type: "f64" },
  "size.depth.inner": { type: "u64", multi: true },
  "variants.color": { type: "text", multi: true },
  "variants.stock.units": { type: "u64", multi: true },
  "variants.data": { type: "json", multi: true },
  "maker.name": { type: "text", required: false },
  "maker.raw": { type: "json" },
});

function normalized(raw: object): {
  document: CanonicalDocument;
  problems: string[];
  ignored: readonly string[];
} {
  const report = new NormalizationReport();
  const document = new DocumentNormalizer(FIELDS).normalize(raw, "", report);
  return { document, problems: report.problems.map(({ message }) => message), ignored: report.ignoredFields };
}

function shown(raw: object): unknown {
  const { document, problems } = normalized(raw);
  expect(problems).toEqual([]);
  return JSON.parse(JSON.stringify(nested(document, FIELDS))) as unknown;
}

describe("a document of objects", () => {
  test("is kept flat, and shown as it came", () => {
    const raw = {
      id: "1",
      size: { width: 2.5, depth: { inner: [1, 2] } },
      variants: [
        { color: "red", stock: { units: 3 } },
        { color: ["green", "blue"], data: { a: [1] } },
        { stock: { units: [4] } },
      ],
      maker: { name: "Ada", raw: [1, { b: 2 }] },
    };
    expect(normalized(raw).document).toMatchObject({
      id: "1",
      "size.width": 2.5,
      "size.depth.inner": [1, 2],
      "variants.color": ["red", "green", "blue"],
      "variants.stock.units": [3, 4],
      "variants.data": [{ a: [1] }],
      "maker.name": "Ada",
      "maker.raw": [1, { b: 2 }],
    });
    expect(shown(raw)).toEqual(raw);
  });

  test("a member literally named as a field is that field, whole or in part", () => {
    const flat = { id: "1", "size.width": 2, "size.depth.inner": [1] };
    const spelt = { id: "1", size: { width: 2, depth: { inner: [1] } } };
    expect(normalized(flat)).toEqual(normalized(spelt));
    expect(normalized({ id: "1", size: { width: 2, "depth.inner": [1] } })).toEqual(normalized(spelt));
    expect(shown(flat)).toEqual(spelt);
  });

  test("both at once is a mistake, also within a list", () => {
    expect(normalized({ "size.width": 1, size: { width: 1 } }).problems).toEqual([
      "'size.width' is there twice, as a member of that name and within an object",
    ]);
    expect(normalized({ size: { "depth.inner": 1, depth: { inner: 1 } } }).problems).toHaveLength(1);
    expect(normalized({ variants: [{ "stock.units": 1, stock: { units: 2 } }] }).problems).toEqual([
      "'variants[0].stock.units' is there twice, as a member of that name and within an object",
    ]);
    expect(normalized({ size: { width: 1 }, "size.depth": { inner: 2 } }).problems).toEqual([]);
  });

  test("values that are no objects, or too many, are named by their places", () => {
    expect(normalized({ size: "large" }).problems).toEqual([
      "'size' must be an object, or a list of them, not a string",
    ]);
    expect(normalized({ variants: [{ color: "red" }, "blue"] }).problems).toEqual([
      "'variants[1]' must be an object, not a string",
    ]);
    expect(normalized({ variants: [{ stock: { units: "few" } }] }).problems[0]).toContain(
      "'variants[0].stock.units' must be an integer",
    );
    expect(normalized({ size: [{ width: 1 }, { width: 2 }] }).problems).toEqual([
      "'size.width' holds one value, not 2: the field is not 'multi'",
    ]);
  });

  test("nothing in place of an object is no value, and what has no field is told by its path", () => {
    expect(shown({ id: "1", size: null, variants: [], maker: "" })).toEqual({ id: "1" });
    expect(normalized({ id: "1", size: { height: 2, depth: null }, hue: { a: 1 } }).ignored).toEqual([
      "size.height",
      "hue",
    ]);
    expect(shown({ id: "1", size: [{ width: 1 }] })).toEqual({ id: "1", size: [{ width: 1 }] });
    expect(shown({ id: "1", variants: [null, { color: null }, { color: "red" }] })).toEqual({
      id: "1",
      variants: [{}, { color: "red" }],
    });
  });

  test("names that every object has are names like others", () => {
    const fields = completeFields({
      "constructor.toString": { type: "text", multi: true },
      "constructor.valueOf": { type: "text", multi: true },
    });
    const report = new NormalizationReport();
    const raw = JSON.parse('{"constructor":[{"toString":"a"},{"valueOf":"b","toString":"c"}]}') as object;
    const document = new DocumentNormalizer(fields).normalize(raw, "", report);
    expect(report.problems).toEqual([]);
    expect(JSON.parse(JSON.stringify(nested(document, fields)))).toEqual(raw);
  });
});

describe("any document", () => {
  const color = fc.constantFrom("red", "green", "");
  const values = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | T[]> =>
    fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 }));
  const variant = fc.record(
    {
      color: values(color),
      stock: fc.record({ units: values(fc.nat(9)) }),
      data: fc.record({ a: fc.nat(3) }),
    },
    { requiredKeys: [] },
  );
  const raw = fc.record(
    {
      id: fc.constantFrom("1", "2"),
      size: fc.record(
        {
          width: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
          depth: fc.record({ inner: fc.array(fc.nat(9), { minLength: 1 }) }),
        },
        { requiredKeys: [] },
      ),
      variants: fc.array(variant, { minLength: 1, maxLength: 4 }),
      maker: fc.record({
        name: color,
        raw: fc.oneof(fc.nat(9), fc.array(fc.nat(9)), fc.record({ b: fc.nat(9) })),
      }),
    },
    { requiredKeys: ["id"] },
  );

  test("is shown as it came, but for objects without values", () => {
    fc.assert(
      fc.property(raw, (document) => {
        expect(shown(document)).toEqual(withoutEmpty(document));
      }),
    );
  });

  test("means the same spelled flat, where no list of objects says more", () => {
    fc.assert(
      fc.property(raw, ({ variants: _, ...document }) => {
        const flat = Object.fromEntries(leaves(document, ""));
        expect(normalized(flat)).toEqual(normalized(document));
      }),
    );
  });
});

describe("a change", () => {
  const change = (members: object): ReturnType<DocumentNormalizer["normalizeChange"]> => {
    const report = new NormalizationReport();
    const made = new DocumentNormalizer(FIELDS).normalizeChange(
      members as Record<string, unknown>,
      "[0]",
      report,
    );
    expect(report.problems).toEqual([]);
    return made;
  };

  test("of an object is one of the fields that it names", () => {
    expect(change({ size: { width: 3 } })).toMatchObject({ set: { "size.width": 3 }, removed: [] });
    expect(change({ "size.width": null })).toMatchObject({ set: {}, removed: ["size.width"] });
    expect(change({ size: { depth: { inner: null } } }).removed).toEqual(["size.depth.inner"]);
  });

  test("takes all fields of what is named as nothing, and of a list of objects all that it doesn't name", () => {
    expect(change({ size: null }).removed).toEqual(["size.width", "size.depth.inner"]);
    expect(change({ variants: [{ color: "red" }] })).toMatchObject({
      set: { "variants.color": ["red"] },
      removed: ["variants.stock.units", "variants.data"],
    });
  });

  test("keeps how a list looked unless one of its fields changes", () => {
    const { document } = normalized({ id: "1", variants: [{ color: "red" }, { color: "blue" }] });
    expect(changedShapes(document, { id: "2" }, [])).toEqual({ variants: [{ color: 0 }, { color: 0 }] });
    expect(changedShapes(document, {}, ["variants.color"])).toBeUndefined();
    const { set, removed } = change({ variants: [{ data: 1 }] });
    expect(changedShapes(document, set, removed)).toEqual({ variants: [{ data: 0 }] });
  });
});

/** What isn't kept of a document: values that are none, and objects of nothing else. */
function withoutEmpty(value: unknown, isWithinList = false): unknown {
  const object = value as Record<string, unknown>;
  const kept = Object.entries(object).flatMap(([name, each]): [string, unknown][] => {
    if (name === "variants") {
      const list = (each as unknown[]).map((one) => withoutEmpty(one, true));
      return list.every((one) => Object.keys(one as object).length === 0) ? [] : [[name, list]];
    }
    if (name === "size" || name === "depth" || name === "stock" || name === "maker") {
      const inner = withoutEmpty(each, isWithinList) as object;
      return Object.keys(inner).length === 0 ? [] : [[name, inner]];
    }
    return [[name, each]];
  });
  return Object.fromEntries(kept);
}

function leaves(value: object, path: string): [string, unknown][] {
  return Object.entries(value).flatMap(([name, each]): [string, unknown][] =>
    name === "size" || name === "depth" || name === "maker"
      ? leaves(each as object, `${path}${name}.`)
      : [[`${path}${name}`, each]],
  );
}
