import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FieldDraft } from "../contract/index-bodies.js";
import type { FieldType, IndexSchema } from "../contract/index-schema.js";
import { isExactNumber } from "../contract/values/exact-number.js";
import { FindlingError } from "../errors/index.js";
import { completeFields } from "../services/indexes/field-definitions.js";
import { completeSchema } from "../services/indexes/index-settings.js";
import {
  type NormalizedDocuments,
  normalization,
  normalizeDocuments as normalizeInSlices,
} from "./normalize-documents.js";

function schemaOf(fields: Readonly<Record<string, FieldDraft>>): IndexSchema {
  return completeSchema({ name: "books", fields: completeFields(fields), ai_enabled: false }, {});
}

function normalizeDocuments(schema: IndexSchema, body: unknown, maxDocuments: number): NormalizedDocuments {
  const work = normalization(schema.fields, body, maxDocuments);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** The canonical form of one value, undefined if it is absent; throws what the request would be answered. */
function canonical(field: FieldDraft, value: unknown): unknown {
  const schema = schemaOf({ f: field, other: { type: "bool" } });
  const { documents } = normalizeDocuments(schema, [{ f: value, other: true }], 10);
  return documents[0]?.["f"];
}

function errorOf(work: () => unknown): FindlingError {
  try {
    work();
  } catch (error) {
    if (error instanceof FindlingError) return error;
  }
  throw new Error("no error was thrown");
}

describe("a single value", () => {
  const accepted: readonly (readonly [FieldType, unknown, unknown])[] = [
    ["text", "Straße", "Straße"],
    ["text", "", ""],
    ["text", 5, "5"],
    ["text", 9007199254740991, "9007199254740991"],
    ["text", -0.5, "-0.5"],
    ["text", 1e-7, "1e-7"],
    ["text", true, "true"],
    ["facet", "/a/b", "/a/b"],
    ["facet", "a/b/", "/a/b"],
    ["bool", false, false],
    ["bool", "true", true],
    ["u64", 3, 3],
    ["u64", 3.0, 3],
    ["u64", "007", 7],
    ["u64", "18446744073709551615", "18446744073709551615"],
    ["u64", "9007199254740991", 9007199254740991],
    ["u64", "9007199254740992", "9007199254740992"],
    ["i64", "-9223372036854775808", "-9223372036854775808"],
    ["i64", -5, -5],
    ["f64", 5, 5],
    ["f64", "1.0", 1],
    ["f64", "1e3", 1000],
    ["datetime", "2024-05-01T12:00:00.5+02:00", "2024-05-01T10:00:00Z"],
    ["datetime", "2024-05-01", "2024-05-01T00:00:00Z"],
    ["datetime", 0, "1970-01-01T00:00:00Z"],
    ["datetime", "1700000000", "2023-11-14T22:13:20Z"],
    ["bytes", "aGVsbG8=", "aGVsbG8="],
    ["bytes", "", ""],
    ["json", { a: [1, null] }, { a: [1, null] }],
    ["json", [1, 2], [1, 2]],
    ["json", "x", "x"],
  ];
  test.each(accepted)("of %s %j is kept as %j", (type, raw, expected) => {
    expect(canonical({ type }, raw)).toEqual(expected);
  });

  const refused: readonly (readonly [FieldType, unknown])[] = [
    ["text", {}],
    ["text", 2 ** 53],
    ["text", -(2 ** 53)],
    ["text", 999_999_999_999_999_900_000],
    ["text", 1e21],
    ["text", -1_234_567_890_123_456_800_000_000],
    ["text", Infinity],
    ["text", ["a", "b"]],
    ["text", [["a"]]],
    ["facet", ""],
    ["facet", "/"],
    ["facet", "a//b"],
    ["facet", 5],
    ["bool", "yes"],
    ["bool", "TRUE"],
    ["bool", 1],
    ["u64", -1],
    ["u64", 1.5],
    ["u64", "1.0"],
    ["u64", 2 ** 53],
    ["u64", "18446744073709551616"],
    ["u64", ""],
    ["u64", true],
    ["i64", "9223372036854775808"],
    ["i64", "-"],
    ["f64", "NaN"],
    ["f64", "Infinity"],
    ["f64", "1e999"],
    ["f64", ""],
    ["f64", "0x10"],
    ["f64", true],
    ["datetime", "yesterday"],
    ["datetime", "2024-02-30"],
    ["datetime", "2024-05-01T12:00:00"],
    ["datetime", true],
    ["datetime", 1e300],
    ["bytes", "aGVsbG8"],
    ["bytes", "a=b="],
    ["bytes", "a-_b"],
    ["bytes", 5],
    ["json", Infinity],
    ["json", { a: [1, { b: -Infinity }] }],
  ];
  test.each(refused)("of %s may not be %j", (type, raw) => {
    const error = errorOf(() => canonical({ type }, raw));
    expect(error.code).toBe("invalid_document");
    expect(error.items?.[0]?.path).toMatch(/^\[0\]\.f(\[0\])?$/);
    expect(error.message).toContain("[0].f");
    expect(error.details).toBeUndefined();
  });

  test("of text may take one mebibyte of UTF-8 and no more", () => {
    const mebibyte = 1024 * 1024;
    expect(canonical({ type: "text" }, "a".repeat(mebibyte))).toHaveLength(mebibyte);
    expect(canonical({ type: "text" }, "é".repeat(mebibyte / 2))).toHaveLength(mebibyte / 2);
    expect(errorOf(() => canonical({ type: "text" }, "a".repeat(mebibyte + 1))).code).toBe(
      "invalid_document",
    );
    expect(errorOf(() => canonical({ type: "text" }, "€".repeat(mebibyte / 2))).code).toBe(
      "invalid_document",
    );
  });

  test("of datetime keeps its precision", () => {
    const instant = "2024-05-01T12:00:00.123456789Z";
    const kept = (["seconds", "milliseconds", "microseconds", "nanoseconds"] as const).map((precision) =>
      canonical({ type: "datetime", precision }, instant),
    );
    expect(kept).toEqual(
      ["00Z", "00.123Z", "00.123456Z", "00.123456789Z"].map((end) => `2024-05-01T12:00:${end}`),
    );
  });

  test("of json may not be nested so deep that it can't be written out", () => {
    let value: unknown = 1;
    for (let i = 0; i < 50_000; i++) value = [value];
    expect(errorOf(() => canonical({ type: "json" }, value)).message).toContain("levels deep");
  });
});

describe("several values", () => {
  test.each([
    [{ type: "text" }, ["a"], "a"],
    [{ type: "text" }, [null, "a"], "a"],
    [{ type: "text" }, [], undefined],
    [{ type: "text" }, null, undefined],
    [{ type: "text", multi: true }, "a", ["a"]],
    [{ type: "text", multi: true }, ["b", "a", "b", null, 1], ["b", "a", "b", "1"]],
    [{ type: "text", multi: true }, [], undefined],
    [{ type: "text", multi: true }, [null], undefined],
    [{ type: "json", multi: true }, [[1], { a: 1 }], [[1], { a: 1 }]],
    [{ type: "json" }, [], []],
  ] as const)("of %j: %j is kept as %j", (field, raw, expected) => {
    expect(canonical(field, raw)).toEqual(expected);
  });

  test("are named by their place", () => {
    const error = errorOf(() => canonical({ type: "u64", multi: true }, [1, "x", 2, -1]));
    expect(error.items?.map((item) => item.path)).toEqual(["[0].f[1]", "[0].f[3]"]);
  });

  test.each([undefined, null, [], [null]])("%j is no value where one is required", (raw) => {
    for (const multi of [false, true]) {
      const error = errorOf(() => canonical({ type: "text", required: true, multi }, raw));
      expect(error.message).toContain("'[0].f' is required");
      expect(error.items).toHaveLength(1);
    }
  });
});

describe("documents", () => {
  const schema = schemaOf({ title: { type: "text" }, rating: { type: "u64" } });

  test("keep their members in the schema's order", () => {
    const { documents } = normalizeDocuments(schema, [{ rating: 1, title: "T" }], 10);
    expect(JSON.stringify(documents[0])).toBe('{"title":"T","rating":1}');
  });

  test("lose members that the schema doesn't have, which are named, at most twenty", () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`x${i}`, 1]));
    const odd = JSON.parse(
      '{"title":"T","__proto__":{"a":1},"constructor":1,"_id":"5","nothing":null}',
    ) as unknown;
    expect(normalizeDocuments(schema, [odd], 10)).toEqual({
      documents: [{ title: "T" }],
      ignoredFields: ["__proto__", "constructor", "_id"],
    });
    const known = { ...many, rating: 1 };
    expect(normalizeDocuments(schema, [known, known], 10).ignoredFields).toHaveLength(20);
    expect(normalizeDocuments(schema, [{ title: "T" }], 10).ignoredFields).toEqual([]);
  });

  test("don't take values from the prototype", () => {
    const fields: readonly [string, FieldDraft][] = [
      ["constructor", { type: "text" }],
      ["toString", { type: "text", required: true }],
    ];
    const inherits = schemaOf(Object.fromEntries(fields));
    expect(errorOf(() => normalizeDocuments(inherits, [{}], 10)).message).toContain(
      "'[0].toString' is required",
    );
    expect(normalizeDocuments(inherits, [{ toString: "x" }], 10).documents).toEqual([{ toString: "x" }]);
  });

  test("are all refused where one is wrong, each place named", () => {
    const body = [{ rating: 1 }, { rating: "x" }, 5, { rating: [1, 2] }];
    const error = errorOf(() => normalizeDocuments(schema, body, 10));
    expect(error.code).toBe("invalid_document");
    expect(error.items?.map((item) => item.path)).toEqual(["[1].rating", "[2]", "[3].rating"]);
    expect(error.message).toBe(`no document was added: ${error.items?.[0]?.message}`);
  });

  test.each([
    [{}, "'[1]' has no value for any field of the index"],
    [[], "'[1]' has no value for any field of the index"],
    [{ title: null, rating: [] }, "'[1]' has no value for any field of the index"],
    [
      { titel: "T" },
      "'[1]' has no value for any field of the index: there is no field 'titel', did you mean 'title'?",
    ],
  ])("of which nothing is kept are refused: %j", (document, message) => {
    const error = errorOf(() => normalizeDocuments(schema, [{ rating: 1 }, document], 10));
    expect(error.items).toEqual([{ path: "[1]", message }]);
  });

  test("stop being read when enough is wrong", () => {
    const body = Array.from({ length: 1000 }, () => ({ rating: "x" }));
    expect(errorOf(() => normalizeDocuments(schema, body, 10_000)).items).toHaveLength(20);
  });

  test("let the event loop turn while there are many", async () => {
    const body = Array.from({ length: 100_000 }, (_, i) => ({ title: `T${i}`, rating: String(i) }));
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const { documents } = await normalizeInSlices(schema.fields, body, 100_000);
    clearInterval(timer);
    expect(documents).toHaveLength(body.length);
    expect(turns).toBeGreaterThan(0);
  });

  test("may come as one by itself", () => {
    expect(normalizeDocuments(schema, { title: "T" }, 10).documents).toEqual([{ title: "T" }]);
    expect(errorOf(() => normalizeDocuments(schema, { rating: "x" }, 10)).items?.[0]?.path).toBe("rating");
  });

  test.each([
    [[], "invalid_request"],
    [Array.from({ length: 11 }, () => ({})), "invalid_request"],
    [undefined, "invalid_document"],
    [null, "invalid_document"],
    ["text", "invalid_document"],
    [[null], "invalid_document"],
    [[[1]], "invalid_document"],
  ])("can't be %j", (body, code) => {
    expect(errorOf(() => normalizeDocuments(schema, body, 10)).code).toBe(code);
  });
});

// Goal: a stored document can be sent back as it is. Method: whatever is accepted, once canonical, stays.
test("a canonical document normalizes to itself", () => {
  fc.assert(
    fc.property(fc.array(fieldAndValue, { minLength: 1, maxLength: 8 }), (members) => {
      const fields = Object.fromEntries(members.map(([field], i) => [`f${i}`, field]));
      const schema = schemaOf({ ...fields, other: { type: "bool" } });
      const raw = { ...Object.fromEntries(members.map(([, value], i) => [`f${i}`, value])), other: true };
      const { documents } = normalizeDocuments(schema, [raw], 1);
      const again = normalizeDocuments(schema, documents, 1);
      expect(again).toEqual({ documents, ignoredFields: [] });
      expect(JSON.parse(JSON.stringify(documents))).toEqual(documents);
      for (const [i, [field]] of members.entries()) {
        const value = documents[0]?.[`f${i}`];
        if (value !== undefined && field.type !== "json") expect(Array.isArray(value)).toBe(field.multi);
      }
    }),
  );
});

const segment = fc.stringMatching(/^[a-zA-Z ]{1,5}$/);
const instant = fc.date({ min: new Date("0001-01-02"), max: new Date("9999-12-30"), noInvalidDate: true });

const rawValues: Readonly<Record<FieldType, fc.Arbitrary<unknown>>> = {
  text: fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter(isExactNumber),
    fc.boolean(),
  ),
  facet: fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join("/")}`),
  bool: fc.constantFrom(true, false, "true", "false"),
  f64: fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .chain((value) => fc.constantFrom(value, String(value))),
  u64: fc.bigInt(0n, 2n ** 64n - 1n).map(String),
  i64: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String),
  datetime: instant.chain((date) =>
    fc.constantFrom(date.toISOString(), date.getTime() / 1000, String(Math.trunc(date.getTime() / 1000))),
  ),
  bytes: fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  // As text, -0 is 0.
  json: fc
    .jsonValue()
    .filter((value) => value !== null)
    .map((value) => JSON.parse(JSON.stringify(value))),
};

const fieldAndValue: fc.Arbitrary<[FieldDraft, unknown]> = fc
  .record({
    type: fc.constantFrom(...(Object.keys(rawValues) as FieldType[])),
    multi: fc.boolean(),
    precision: fc.constantFrom("seconds", "milliseconds", "microseconds", "nanoseconds"),
  })
  .chain((field) => {
    const one = rawValues[field.type];
    const value = field.multi ? fc.oneof(one, fc.array(fc.option(one), { maxLength: 4 })) : fc.option(one);
    return value.map((raw): [FieldDraft, unknown] => [field, raw]);
  });

describe("a field with coerce", () => {
  const NONE = undefined;
  const accepted: readonly (readonly [FieldDraft, unknown, unknown])[] = [
    [{ type: "f64" }, " 131.56 ", 131.56],
    [{ type: "f64" }, "", NONE],
    [{ type: "f64" }, "NaN", NONE],
    [{ type: "f64", format: "1.234,56" }, "1.234,56 €", 1234.56],
    [{ type: "f64", format: "1.234,56" }, 1.5, 1.5],
    [{ type: "u64" }, "12.0", 12],
    [{ type: "u64" }, "+12", 12],
    [{ type: "u64" }, "18446744073709551615", "18446744073709551615"],
    [{ type: "i64", format: "1,234.56" }, "-1,234", -1234],
    [{ type: "i64" }, "NULL", NONE],
    [{ type: "i64" }, "\\N", NONE],
    [{ type: "bool" }, "TRUE", true],
    [{ type: "bool" }, "no", false],
    [{ type: "bool" }, "f", false],
    [{ type: "bool" }, 1, true],
    [{ type: "bool" }, 0, false],
    [{ type: "datetime" }, "2023-12-31 23:59:59", "2023-12-31T23:59:59Z"],
    [{ type: "datetime" }, "0000-00-00 00:00:00", NONE],
    [{ type: "datetime" }, 1_700_000_000, "2023-11-14T22:13:20Z"],
    [{ type: "datetime", format: "DD.MM.YYYY" }, "31.12.2023", "2023-12-31T00:00:00Z"],
    [{ type: "datetime", format: "unix_ms" }, 1_700_000_000_123, "2023-11-14T22:13:20Z"],
    [{ type: "datetime", format: "YYYYMMDD" }, 20_231_231, "2023-12-31T00:00:00Z"],
    [{ type: "text" }, "NULL", "NULL"],
    [{ type: "text" }, "\\N", NONE],
    [{ type: "text" }, "", ""],
    [{ type: "facet", path_separator: ">" }, "Clothing > Men > Jackets", "/Clothing/Men/Jackets"],
    [{ type: "facet", path_separator: ">" }, " TV / Audio >", "/TV ∕ Audio"],
    [{ type: "facet", path_separator: ">" }, " > ", NONE],
    [{ type: "facet" }, "a/b", "/a/b"],
    [{ type: "facet" }, " ", NONE],
    [{ type: "text", multi: true, separator: "|" }, "a | b||c", ["a", "b", "c"]],
    [{ type: "u64", multi: true, separator: "," }, "1, 2,3", [1, 2, 3]],
    [{ type: "u64", multi: true }, "[1, 2, null]", [1, 2]],
    [{ type: "text", multi: true }, '{a,"b, \\"c\\"",NULL}', ["a", 'b, "c"']],
    [{ type: "text", multi: true }, "{}", NONE],
    [{ type: "text", multi: true }, "{a,{b}}", ["{a,{b}}"]],
    [{ type: "text", multi: true }, "[Deluxe] chair", ["[Deluxe] chair"]],
    [{ type: "text", multi: true, separator: "|" }, ["a|b"], ["a|b"]],
    [
      { type: "facet", multi: true, separator: ",", path_separator: ">" },
      "Clothing > Men, Sale",
      ["/Clothing/Men", "/Sale"],
    ],
    [{ type: "json" as const }, "[1]", "[1]"],
  ];
  test.each(accepted)("%j takes %j as %j", (field, value, expected) => {
    const coerce = field.type === "json" ? {} : { coerce: true };
    expect(canonical({ ...field, ...coerce }, value)).toEqual(expected);
  });

  const refused: readonly (readonly [FieldDraft, unknown, string])[] = [
    [{ type: "f64" }, "1,5", "must be a finite number, not '1,5'"],
    [{ type: "u64" }, "1.5", "must be an integer"],
    [{ type: "u64" }, "1.23E+12", "must be an integer"],
    [{ type: "bool" }, "maybe", "must be true or false, not 'maybe'"],
    [{ type: "bool" }, 2, "must be true or false, not 2"],
    [{ type: "datetime" }, "31.12.2023", "must be a time"],
    [{ type: "datetime", format: "DD.MM.YYYY" }, "31.02.2023", "must be a time"],
  ];
  test.each(refused)("%j refuses %j", (field, value, problem) => {
    const error = errorOf(() => canonical({ ...field, coerce: true }, value));
    expect(error.code).toBe("invalid_document");
    expect(error.message).toContain(problem);
  });

  test("canonical values stay as they are", () => {
    fc.assert(
      fc.property(fc.constantFrom(...accepted), ([field, value]) => {
        const definition = field.type === "json" ? field : { ...field, coerce: true };
        const once = canonical(definition, value);
        if (once !== undefined) expect(canonical(definition, once)).toEqual(once);
      }),
    );
  });

  test("a value without coerce is taken strictly", () => {
    for (const [type, value] of [
      ["bool", "TRUE"],
      ["bool", 1],
      ["f64", ""],
      ["datetime", "2023-12-31 23:59:59"],
      ["u64", "12.0"],
    ] as const)
      expect(errorOf(() => canonical({ type }, value)).code).toBe("invalid_document");
  });

  const badDefinitions: readonly (readonly [FieldDraft, string])[] = [
    [{ type: "json", coerce: true }, "'fields.f.coerce' means nothing"],
    [{ type: "f64", format: "1.234,56" }, "'fields.f.format' needs '\"coerce\": true'"],
    [{ type: "f64", coerce: true, format: "DD.MM.YYYY" }, "'fields.f.format' must be one of"],
    [
      { type: "datetime", coerce: true, format: "1.234,56" },
      "'fields.f.format' must be unix_ms, or a pattern",
    ],
    [{ type: "text", coerce: true, format: "1.234,56" }, "'fields.f.format' is for numbers and datetimes"],
    [{ type: "text", coerce: true, separator: "," }, "'fields.f.separator' needs '\"multi\": true'"],
    [{ type: "text", coerce: true, path_separator: ">" }, "'fields.f.path_separator' is for facets of paths"],
    [{ type: "text", hierarchical: false }, "'fields.f.hierarchical' is for fields of type facet"],
  ];
  test.each(badDefinitions)("%j is no definition", (field, problem) => {
    const error = errorOf(() => completeFields({ f: field }));
    expect(error.code).toBe("invalid_schema");
    expect(error.message).toContain(problem);
  });
});

describe("a flat facet", () => {
  const flat: FieldDraft = { type: "facet", hierarchical: false };
  test.each([
    ["3/4 inch", "3/4 inch"],
    ["/AC//DC/", "/AC//DC/"],
    ["O'Neill", "O'Neill"],
    ["Cafe\u0301", "Cafe\u0301"],
    ["a\0b", "a\0b"],
    [" ", " "],
    [5, "5"],
    [true, "true"],
    ["", undefined],
  ])("%j is %j", (value, expected) => {
    expect(canonical(flat, value)).toBe(expected);
  });

  test("empty texts are no values, also where one is required", () => {
    expect(canonical({ ...flat, multi: true }, ["", "a", ""])).toEqual(["a"]);
    expect(canonical({ ...flat, multi: true }, [""])).toBeUndefined();
    expect(errorOf(() => canonical({ ...flat, required: true }, "")).message).toContain(
      "'[0].f' is required",
    );
  });

  test("a value has at most 4,096 bytes", () => {
    expect(canonical(flat, "é".repeat(2048))).toBe("é".repeat(2048));
    const error = errorOf(() => canonical(flat, `${"é".repeat(2048)}a`));
    expect(error.message).toContain("is longer than 4096 bytes");
  });
});
