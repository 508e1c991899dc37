// Random schemas, and documents under them, for properties of what the engine makes of any.
import fc from "fast-check";
import type { CanonicalDocument, CanonicalValue } from "../../src/engine/schema/document.js";
import {
  type DatetimePrecision,
  type EngineField,
  type EngineSchema,
  FIELD_KINDS,
  type FieldKind,
} from "../../src/engine/schema/engine-schema.js";
import { formatInstant, INSTANT_SECONDS_MAX, INSTANT_SECONDS_MIN } from "../../src/engine/schema/instant.js";
import { readJson } from "../../src/json/exact-json.js";

export type Documents = readonly CanonicalDocument[];

const UNIT_NANOSECONDS: Record<DatetimePrecision, number> = {
  seconds: 1e9,
  milliseconds: 1e6,
  microseconds: 1e3,
  nanoseconds: 1,
};

const words = fc.constantFrom(
  "a",
  "b",
  "B",
  "ß",
  "Σ",
  "e\u0301",
  "é",
  "\uffff",
  "😀",
  "_",
  "long".repeat(20),
);
const texts = fc.array(words, { maxLength: 6 }).map((parts) => parts.join(" "));

function integers(min: bigint, max: bigint): fc.Arbitrary<CanonicalValue> {
  const values = fc.oneof(
    fc.bigInt({ min, max }),
    fc.constantFrom(min, max),
    fc.bigInt({ min: 0n, max: 3n }),
  );
  return fc
    .tuple(values, fc.boolean())
    .map(([value, isText]) =>
      Number.isSafeInteger(Number(value)) ? Number(value) : isText ? String(value) : value,
    );
}

function instants(precision: DatetimePrecision): fc.Arbitrary<CanonicalValue> {
  const seconds = fc.oneof(
    fc.integer({ min: INSTANT_SECONDS_MIN, max: INSTANT_SECONDS_MAX }),
    fc.constantFrom(INSTANT_SECONDS_MIN, INSTANT_SECONDS_MAX, 0),
  );
  const unit = UNIT_NANOSECONDS[precision];
  return fc
    .tuple(seconds, fc.nat({ max: 1e9 / unit - 1 }))
    .map(([at, units]) => formatInstant(at, units * unit));
}

function valuesOf(field: EngineField): fc.Arbitrary<CanonicalValue> {
  switch (field.kind) {
    case "text":
      return texts;
    case "keyword":
      return fc.string({ unit: fc.constantFrom("a", "Z", "é", "e\u0301", "😀"), maxLength: 4 });
    case "label":
      return fc.string({
        // Three U+0001 begin a stem's term; no analyzer's words hold one, but those between single spaces would.
        unit: fc.constantFrom("a", "Z", "/", "\u0000", "\u0002", "é", "e\u0301", "😀"),
        minLength: 1,
        maxLength: 4,
      });
    case "facet":
      return fc
        .array(fc.constantFrom("x", "y", "x!", "é", "e\u0301"), { minLength: 1, maxLength: 3 })
        .map((segments) => `/${segments.join("/")}`);
    case "bool":
      return fc.boolean();
    case "u64":
      return integers(0n, 2n ** 64n - 1n);
    case "i64":
      return integers(-(2n ** 63n), 2n ** 63n - 1n);
    case "f64":
      // JSON has no -0.
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
    case "datetime":
      return instants(field.precision ?? "seconds");
    case "opaque":
      return fc.oneof(
        fc.jsonValue({ maxDepth: 1 }).map((value) => readJson(JSON.stringify(value)) as CanonicalValue),
        fc.bigInt(2n ** 53n, 10n ** 40n).map((value) => ({ id: [value, -value] })),
      );
  }
}

/** All, and text several times as often. */
export const DRAWN_KINDS: readonly FieldKind[] = ["text", "text", ...FIELD_KINDS];
const fields = fc.record({
  kind: fc.constantFrom(...DRAWN_KINDS),
  indexed: fc.boolean(),
  stored: fc.boolean(),
  multi: fc.boolean(),
  precision: fc.constantFrom<DatetimePrecision>("seconds", "milliseconds", "microseconds", "nanoseconds"),
});
const names = ["title", "__proto__", "constructor", 'a"b', "größe", "length"];
/** Schemas of one to six fields of all kinds, some with names that objects have members of. */
export const schemas: fc.Arbitrary<EngineSchema> = fc
  .array(fields, { minLength: 1, maxLength: names.length })
  .map((list) => ({
    fields: list.map(({ precision, ...field }, i) => ({
      name: names[i]!,
      ...field,
      ...(field.kind === "datetime" ? { precision } : {}),
    })),
    analyzer: { version: 1 },
  }));

/** Up to `maxLength` documents, each with some of the fields. */
export function documentsOf(schema: EngineSchema, maxLength: number): fc.Arbitrary<Documents> {
  const members = schema.fields.map((field) => {
    const value = valuesOf(field);
    const whole = field.multi ? fc.array(value, { minLength: 1, maxLength: 4 }) : value;
    return fc.option(whole, { nil: undefined, freq: 4 });
  });
  return fc.array(
    // Not by assignment: `__proto__` must become an own member.
    fc
      .tuple(...members)
      .map((row) =>
        Object.fromEntries(
          row.flatMap((value, i) => (value === undefined ? [] : [[schema.fields[i]!.name, value]])),
        ),
      ),
    { maxLength },
  );
}
