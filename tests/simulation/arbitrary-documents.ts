/** Random schemas, documents and the spreading of documents over segments. */
import fc from "fast-check";
import type { CanonicalDocument, CanonicalValue } from "../../src/engine/schema/document.js";
import type { EngineField, EngineSchema } from "../../src/engine/schema/engine-schema.js";

/** Words with near neighbours, shared beginnings, other scripts and lengths, so that every query kind has something to find. */
export const WORDS: readonly string[] = [
  "winter",
  "winters",
  "wintr",
  "witner",
  "winner",
  "tale",
  "tales",
  "tail",
  "a",
  "ab",
  "abc",
  "acb",
  "of",
  "straße",
  "strasse",
  "wínter",
  "täles",
  "naïve",
  "日本",
  "1999",
  "extraordinarilylongcompoundword",
  "extraordinarilylongcompundwords",
];

export const word: fc.Arbitrary<string> = fc.constantFrom(...WORDS);
const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(" "));
const facetPath = fc
  .array(fc.constantFrom("a", "b", "ab", "c d", "é"), { minLength: 1, maxLength: 3 })
  .map((segments) => `/${segments.join("/")}`);
const keyword = fc.oneof(
  fc.constantFrom("abc", "Abc", "ABD", "b-1", "Émile", "émile", "zoo", ""),
  fc.string({ maxLength: 3, unit: "grapheme" }),
);
/** Words, so that words are found in them, and whatever a path would not take. */
const label = fc.oneof(
  fc.constantFrom(
    "winter tale",
    "Winter Tales",
    "AC/DC",
    "/a/b",
    "a\u0000b",
    "a\u0001b",
    "a\u0002",
    "\u0000",
    "ab",
    "Ab",
  ),
  fc.string({ maxLength: 3, unit: "grapheme" }),
);

/** Any canonical value of a kind, from few enough that values recur. */
export function arbitraryValue(field: EngineField): fc.Arbitrary<CanonicalValue> {
  switch (field.kind) {
    case "text":
      return text;
    case "keyword":
      return keyword;
    case "label":
      return label;
    case "facet":
      return facetPath;
    case "bool":
      return fc.boolean();
    case "u64":
      return fc.oneof(fc.nat({ max: 9 }), fc.constantFrom("18446744073709551615", 4_294_967_296));
    case "i64":
      return fc.oneof(fc.integer({ min: -5, max: 5 }), fc.constantFrom("-9223372036854775808"));
    case "f64":
      return fc.constantFrom(-2.5, -1, 0, 0.5, 0.25, 1, 9.75, 1e6);
    case "datetime":
      return fc
        .tuple(fc.nat({ max: 4 }), fc.constantFrom(0, 250, 500))
        .map(([day, milliseconds]) => instant(day, field.precision === "seconds" ? 0 : milliseconds));
    case "opaque":
      // As text, -0 is 0.
      return fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as CanonicalValue);
  }
}

/** Days after 2024-01-01, in canonical form. */
function instant(day: number, milliseconds: number): string {
  const time = new Date(Date.UTC(2024, 0, 1 + day, 0, 0, 0, milliseconds)).toISOString();
  return time.replace(/\.?0*Z$/, "Z");
}

/** One field of every kind under names that queries can rely on; text, keyword, label and facet also as lists. */
export const arbitrarySchema: fc.Arbitrary<EngineSchema> = fc
  .record({
    stored: fc.array(fc.boolean(), { minLength: 15, maxLength: 15 }),
    multi: fc.boolean(),
    precision: fc.constantFrom("seconds" as const, "milliseconds" as const),
  })
  .map(({ stored, multi, precision }) => {
    const kinds: readonly Omit<EngineField, "indexed" | "stored">[] = [
      { name: "id", kind: "keyword", multi: false },
      { name: "title", kind: "text", multi: false },
      { name: "body", kind: "text", multi: true },
      { name: "note", kind: "text", multi: false },
      { name: "tags", kind: "keyword", multi: true },
      { name: "category", kind: "facet", multi: true },
      { name: "shelf", kind: "facet", multi: false },
      { name: "brand", kind: "label", multi: false },
      { name: "colours", kind: "label", multi: true },
      { name: "flag", kind: "bool", multi },
      { name: "count", kind: "u64", multi },
      { name: "delta", kind: "i64", multi: false },
      { name: "price", kind: "f64", multi },
      { name: "at", kind: "datetime", multi: false, precision },
      { name: "times", kind: "datetime", multi: true, precision },
    ];
    return {
      fields: kinds.map((field, i) => ({ ...field, indexed: true, stored: stored[i]! })),
      analyzer: { version: 1 },
    };
  });

/** A document of a schema; any field may be absent. */
export function arbitraryDocument(schema: EngineSchema): fc.Arbitrary<CanonicalDocument> {
  const members = schema.fields.map((field) => {
    const value: fc.Arbitrary<CanonicalValue> = field.multi
      ? fc.array(arbitraryValue(field), { minLength: 1, maxLength: 3 })
      : arbitraryValue(field);
    return fc.option(value, { nil: undefined, freq: 3 }).map((member) => [field.name, member] as const);
  });
  return fc
    .tuple(...members)
    .map(
      (entries) =>
        Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as CanonicalDocument,
    );
}
