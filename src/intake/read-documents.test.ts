/**
 * Documents that are read piece by piece are those that parsing the whole body and then normalizing it gives,
 * and what is wrong is refused in the same words: for bodies that are right, that break a rule of the
 * schema, that are cut off, that have a byte changed.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FieldType, IndexSchema } from "../contract/index-schema.js";
import { FindlingError } from "../errors/index.js";
import { readJson, writeJson } from "../json/exact-json.js";
import { DocumentRecords, type RecordFormat } from "./document-records.js";
import { normalizeDocuments } from "./normalize-documents.js";
import { normalizeSent } from "./normalize-sent.js";
import { DOCUMENT_BOUNDS, parseJsonBody } from "./parse-json-body.js";
import { readDocuments, type UnreadDocuments } from "./read-documents.js";
import { memoryUpTo, UnreadBody } from "./unread-body.js";

const definition = (type: FieldType, multi = false): IndexSchema["fields"][string] => ({
  type,
  required: type === "u64",
  stored: true,
  indexed: true,
  multi,
});
const FIELDS: IndexSchema["fields"] = {
  year: definition("u64"),
  title: definition("text"),
  tags: definition("text", true),
  more: definition("json"),
};
const MAX_DOCUMENTS = 12;

function unread(bytes: Uint8Array, memoryMax = Infinity): UnreadDocuments {
  return { bytes: new Uint8Array(bytes), fields: FIELDS, maxDocuments: MAX_DOCUMENTS, memoryMax };
}

type Outcome = { readonly documents: unknown; readonly ignored: unknown } | { readonly error: object };

function refusal(error: unknown): Outcome {
  if (!(error instanceof FindlingError)) throw error;
  const { code, message, details, items } = error;
  return { error: { code, message, details, items } };
}

function readInPieces(bytes: Uint8Array, pieceBytes: number): Outcome {
  try {
    const reading = readDocuments(unread(bytes), pieceBytes);
    const documents: unknown[] = [];
    let step = reading.next();
    for (; step.done !== true; step = reading.next()) documents.push(...(step.value ?? []));
    return { documents, ignored: step.value.ignoredFields };
  } catch (error) {
    return refusal(error);
  }
}

/** With bad ones left out. */
function leavingOut(bytes: Uint8Array, pieceBytes: number): Outcome {
  try {
    const reading = readDocuments({ ...unread(bytes), skipsBad: true }, pieceBytes);
    const documents: unknown[] = [];
    let step = reading.next();
    for (; step.done !== true; step = reading.next()) documents.push(...(step.value ?? []));
    const { ignoredFields, leftOut } = step.value;
    const { sentCount, ...left } = leftOut!;
    expect(documents.length + left.skippedCount).toBe(sentCount);
    return { documents: { documents, ...left }, ignored: ignoredFields };
  } catch (error) {
    return refusal(error);
  }
}

async function leavingOutWhole(bytes: Uint8Array): Promise<Outcome> {
  try {
    const body = await parseJsonBody(Buffer.from(bytes), { pieceBytes: 1 << 20, bounds: DOCUMENT_BOUNDS });
    const values: readonly unknown[] = Array.isArray(body) ? body : [body];
    if (values.length > MAX_DOCUMENTS) await normalizeDocuments(FIELDS, values, MAX_DOCUMENTS);
    const sent = values.map((value) => ({ value }));
    const { ignoredFields, ...normalized } = await normalizeSent(FIELDS, sent, true);
    return { documents: normalized, ignored: ignoredFields };
  } catch (error) {
    return refusal(error);
  }
}

async function readWhole(bytes: Uint8Array): Promise<Outcome> {
  try {
    const body = await parseJsonBody(Buffer.from(bytes), { pieceBytes: 1 << 20, bounds: DOCUMENT_BOUNDS });
    const { documents, ignoredFields } = await normalizeDocuments(FIELDS, body, MAX_DOCUMENTS);
    return { documents, ignored: ignoredFields };
  } catch (error) {
    return refusal(error);
  }
}

/** Where in the text the parser gave up is told by the piece, which can see its end coming differently. */
function withoutPlace(outcome: Outcome): Outcome {
  const plain = writeJson(outcome).replace(
    /it (can't be parsed( from character \d+ on)?|ends before it is complete)/,
    "it is broken",
  );
  return readJson(plain) as Outcome;
}

const documents = fc.record(
  {
    year: fc.oneof({ weight: 9, arbitrary: fc.nat() }, { weight: 1, arbitrary: fc.constant("no year") }),
    title: fc.oneof(fc.string({ unit: "grapheme" }), fc.nat(), fc.constant(null)),
    tags: fc.oneof(fc.constant("one"), fc.array(fc.constantFrom("a", "ü", null, 3), { maxLength: 3 })),
    more: fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes("__proto__")),
    unknown: fc.constant(1),
  },
  { requiredKeys: ["year"] },
);
const bodies = fc
  .oneof(
    { weight: 8, arbitrary: fc.array(documents, { maxLength: MAX_DOCUMENTS + 2 }) },
    { weight: 1, arbitrary: documents },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 1 }) },
  )
  .map((body) => Buffer.from(JSON.stringify(body)));
const damaged = fc
  .tuple(bodies, fc.nat(), fc.nat(255), fc.constantFrom("keep", "cut", "change"))
  .map(([bytes, place, byte, how]) => {
    const at = place % bytes.length;
    if (how === "cut") return bytes.subarray(0, Math.max(1, at));
    const copy = Buffer.from(bytes);
    if (how === "change") copy[at] = byte;
    return copy;
  });

const UNLIMITED = { limit: Number.POSITIVE_INFINITY, raiseTo: () => undefined };

function recordsInPieces(format: RecordFormat, bytes: Uint8Array): Outcome {
  try {
    const reading = readDocuments({ ...unread(bytes), format });
    const documents: unknown[] = [];
    let step = reading.next();
    for (; step.done !== true; step = reading.next()) documents.push(...(step.value ?? []));
    return { documents, ignored: step.value.ignoredFields };
  } catch (error) {
    return refusal(error);
  }
}

async function recordsWhole(format: RecordFormat, bytes: Uint8Array): Promise<Outcome> {
  try {
    const sent = await new DocumentRecords(format, new Uint8Array(bytes), UNLIMITED).read(MAX_DOCUMENTS);
    const { documents: normalized, ignoredFields } = await normalizeSent(FIELDS, sent, false);
    return { documents: normalized, ignored: ignoredFields };
  } catch (error) {
    return refusal(error);
  }
}

const record = fc.oneof(
  { weight: 8, arbitrary: documents.map((each) => JSON.stringify(each)) },
  { weight: 1, arbitrary: fc.constantFrom("{", "", "[1]", '{"year":1,"title":"a"', '"x"') },
);
const csvRow = fc.constantFrom("1,one,a", "2,,", "x,two,b", '3,"th,ree",c', "4,four", '5,"fi');

describe("readDocuments", () => {
  test("that leaves bad ones out gives what looking at them one by one gives, errors included", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(bodies, damaged),
        fc.integer({ min: 1, max: 60 }),
        async (body, pieceBytes) => {
          const whole = withoutPlace(await leavingOutWhole(body));
          expect(withoutPlace(leavingOut(body, pieceBytes))).toEqual(whole);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("of lines and rows gives what reading them here does, errors included", async () => {
    const lines = fc.tuple(
      fc.constant("ndjson" as const),
      fc.array(record, { maxLength: MAX_DOCUMENTS + 2 }),
    );
    const rows = fc
      .array(csvRow, { maxLength: MAX_DOCUMENTS + 2 })
      .map((each) => ["csv" as const, ["year,title,tags", ...each]] as const);
    await fc.assert(
      fc.asyncProperty(fc.oneof(lines, rows), async ([format, texts]) => {
        const bytes = Buffer.from(texts.join("\n"));
        expect(recordsInPieces(format, bytes)).toEqual(await recordsWhole(format, bytes));
      }),
      { numRuns: 400 },
    );
  });

  test("gives what parsing and normalizing the whole gives, errors included", async () => {
    await fc.assert(
      fc.asyncProperty(damaged, fc.constantFrom(1, 20, 200, 1 << 15), async (bytes, pieceBytes) => {
        const [pieces, whole] = [readInPieces(bytes, pieceBytes), await readWhole(bytes)];
        expect(withoutPlace(pieces)).toEqual(withoutPlace(whole));
      }),
      { numRuns: 1500 },
    );
  });

  test("says what is wrong with the JSON of the last piece before what is wrong with the documents of the first", () => {
    const first = '{"year":"wrong"},'.repeat(10);
    expect(readInPieces(Buffer.from(`[${first}{"year":1,}]`), 10)).toMatchObject({
      error: { code: "invalid_json" },
    });
    expect(readInPieces(Buffer.from(`[${first}{"year":1}]`), 10)).toMatchObject({
      error: {
        code: "invalid_document",
        items: Array.from({ length: 10 }, (_, i) => ({ path: `[${i}].year` })),
      },
    });
    expect(readInPieces(Buffer.from(`[${first}${first}{"year":1}]`), 10)).toMatchObject({
      error: { code: "invalid_request", message: expect.stringContaining("21 documents") },
    });
  });

  test("refuses more values than there is memory for, before it makes any", async () => {
    const bytes = Buffer.from(`[${"{},".repeat(999)}{}]`);
    expect(() => readDocuments(unread(bytes, 10_000)).next()).toThrow(/as it takes at once/);
    const bodyUpTo = (limit: number): UnreadBody =>
      new UnreadBody(new Uint8Array(bytes), { limit, ...memoryUpTo(limit) });
    await expect(bodyUpTo(10_000).requireJson()).rejects.toMatchObject({ code: "rate_limited" });
    await bodyUpTo(100_000).requireJson();
  });
});
