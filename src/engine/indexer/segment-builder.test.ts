/**
 * Documents that are read again from the JSON that was written of them give, byte for byte, the segment that they give as
 * values, one by one or several at a time: whatever their fields, names and letters.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DRAWN_KINDS } from "../../../tests/kit/arbitrary-documents.js";
import { withoutOwner } from "../../../tests/kit/file-owners.js";
import { releaseShortBuffersToo } from "../../../tests/setup/release-short-buffers.js";
import type { AnalyzerSettings } from "../../analysis/analyzer.js";
import { createAnalyzer } from "../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../directory/memory-directory.js";
import type { CanonicalDocument, CanonicalValue } from "../schema/document.js";
import { DocumentIdSource } from "../schema/document-ids.js";
import type { EngineField, EngineSchema, FieldKind } from "../schema/engine-schema.js";
import { runWhole } from "../segment/sliced-work.js";
import { encodeDocuments } from "./encoded-documents.js";
import { SegmentBuilder } from "./segment-builder.js";

releaseShortBuffersToo();

const NUM_RUNS = Number(process.env["FINDLING_TEST_KERNEL_RUNS"] ?? 150);

const LETTERS = [
  ..."aAzZ09 .-_/'\"\\\0\t\n\r\b\f\u001f\u007f",
  ..."éÉßŸıİΣσςЖאª¼\u0301\u2028",
  ..."’…→漢字กÅ",
  "\u{1f600}",
  "\u{10400}",
  "\ud800",
  "\udc00",
  ',"',
  '":',
  "]}",
];
const texts = fc.oneof(
  fc.array(fc.constantFrom(...LETTERS), { maxLength: 90 }).map((letters) => letters.join("")),
  fc.string({ unit: "grapheme-ascii", maxLength: 200 }),
  // Around a beginning's length, and long.
  fc
    .tuple(
      fc.integer({ min: 58, max: 70 }),
      fc.constantFrom("", "é", "\u0301", "\\", '"', "\0", "漢", "\u{1f600}"),
    )
    .map(([length, last]) => "Word ".repeat(20).slice(0, length) + last),
  fc.constantFrom("x".repeat(255), "x".repeat(256), `${"ab ".repeat(25_000)}é`),
);
const numbers = fc.oneof(
  fc.nat(),
  fc.constantFrom(
    0,
    10 ** 14,
    10 ** 15 - 1,
    10 ** 15,
    Number.MAX_SAFE_INTEGER,
    "0007",
    "18446744073709551615",
    18446744073709551615n,
    9007199254740993n,
  ),
);
const signed = fc.oneof(
  fc.integer(),
  fc.constantFrom(-1, "-9223372036854775808", -9223372036854775808n, -(10 ** 15), 10 ** 15),
);
const paths = fc
  .array(
    fc.string({
      unit: fc.constantFrom("a", "é", '"', "\\", "\n", "\ud800", "漢", "x".repeat(90)),
      minLength: 1,
      maxLength: 4,
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => `/${parts.join("/")}`);

function valuesOf(kind: FieldKind): fc.Arbitrary<CanonicalValue> {
  switch (kind) {
    case "text":
    case "keyword":
    case "label":
      return texts;
    case "facet":
      return paths;
    case "bool":
      return fc.boolean();
    case "u64":
      return numbers as fc.Arbitrary<CanonicalValue>;
    case "i64":
      return signed as fc.Arbitrary<CanonicalValue>;
    case "f64":
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case "datetime":
      return fc.constantFrom(
        "2024-05-01T12:00:00Z",
        "0001-01-02T00:00:00.5+01:00",
        "1969-12-31T23:59:59.999999999Z",
      );
    case "opaque":
      return fc
        .jsonValue({ maxDepth: 2 })
        .map((value) => JSON.parse(JSON.stringify(value)) as CanonicalValue);
  }
}

const NAMES = ["title", "__proto__", "10", 'a"b', "toString", "größe", "titl", "\ud800"];
const SETTINGS: readonly AnalyzerSettings[] = [
  { version: 1 },
  { version: 1, casing: "turkic" },
  { version: 1, foldDiacritics: true, stemming: "en" },
  { version: 1, stemming: "de" },
];

const schemas = fc
  .tuple(
    fc.array(
      fc.record({
        name: fc.constantFrom(...NAMES),
        kind: fc.constantFrom(...DRAWN_KINDS),
        indexed: fc.boolean(),
        stored: fc.boolean(),
        multi: fc.boolean(),
        composed: fc.constantFrom(undefined, true as const),
      }),
      { minLength: 1, maxLength: NAMES.length },
    ),
    fc.constantFrom(...SETTINGS),
  )
  .map(([fields, analyzer]): EngineSchema => {
    const named = fields.filter(({ name }, i) => fields.findIndex((field) => field.name === name) === i);
    return {
      fields: named.map(({ composed, ...field }) => (composed ? { ...field, composed } : field)),
      analyzer,
    };
  });

/** Members in any order; what is undefined counts as missing. */
function documentsOf(fields: readonly EngineField[]): fc.Arbitrary<CanonicalDocument[]> {
  const members = fields.map((field) => {
    const value = valuesOf(field.kind);
    const whole = field.multi ? fc.array(value, { minLength: 1, maxLength: 3 }) : value;
    return fc.option(whole, { nil: undefined, freq: 5 }).map((value) => [field.name, value] as const);
  });
  const document = fc
    .tuple(...members)
    .chain((row) => fc.shuffledSubarray(row, { minLength: row.length }))
    .map((row) => Object.fromEntries(row) as CanonicalDocument);
  return fc.array(document, { minLength: 4, maxLength: 90 });
}

const cases = schemas.chain((schema) =>
  fc.record({
    schema: fc.constant(schema),
    documents: documentsOf(schema.fields),
    step: fc.constantFrom(4, 5, 16, 1000),
    isAtHand: fc.boolean(),
  }),
);

async function filesOf(builder: SegmentBuilder): Promise<Record<string, string>> {
  const directory = new MemoryDirectory();
  const { files } = await builder.write(directory, "s");
  const contents: Record<string, string> = {};
  for (const file of files)
    contents[file] = withoutOwner(file, await directory.read(file)).toString("base64");
  builder.close();
  return contents;
}

describe("documents read again from their JSON", () => {
  it("give the segment of the same documents as values", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ schema, documents, step, isAtHand }) => {
        const analyzer = createAnalyzer(schema.analyzer);
        const ids = new DocumentIdSource().next(documents.length);
        const oneByOne = new SegmentBuilder(schema, analyzer);
        for (const [i, document] of documents.entries()) oneByOne.add(ids[i]!, document);
        const all = runWhole(encodeDocuments(schema, ids, documents));
        const { documents: _, ...written } = all;
        const encoded = isAtHand ? all : written;
        const together = new SegmentBuilder(schema, analyzer);
        for (let from = 0; from < documents.length; from += step)
          together.addEncoded(encoded, from, Math.min(from + step, documents.length));
        expect(await filesOf(together)).toEqual(await filesOf(oneByOne));
      }),
      { numRuns: NUM_RUNS },
    );
  });
});
