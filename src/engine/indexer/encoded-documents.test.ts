/**
 * Whatever order a document's members come in, and whichever are stored: the journal's JSON is the
 * whole document, the store's two are its stored and its unstored members in schema order.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson, writeJson } from "../../json/exact-json.js";
import { giveBackBuffer, takeSpareBuffer } from "../bytes/spare-buffers.js";
import type { CanonicalDocument, CanonicalValue } from "../schema/document.js";
import { DocumentIdSource } from "../schema/document-ids.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { runWhole } from "../segment/sliced-work.js";
import {
  type DocumentReading,
  documentOf,
  encodeDocuments,
  encodeHere,
  encodeReading,
  jsonOf as jsonPartsOf,
  releaseEncoded,
} from "./encoded-documents.js";

const NAMES = ["b", "toString", "10", "a", 'é"\n', "2"];
const decoder = new TextDecoder();

const schemas = fc
  .uniqueArray(fc.record({ name: fc.constantFrom(...NAMES), stored: fc.boolean() }), {
    selector: ({ name }) => name,
    minLength: 1,
  })
  .map(
    (fields): EngineSchema => ({
      fields: fields.map((field) => ({ ...field, kind: "opaque", indexed: false, multi: false })),
      analyzer: { version: 1 },
    }),
  );
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<CanonicalValue>,
  fc.bigInt(2n ** 53n, 10n ** 40n).map((value) => [{ id: value }]),
);

/** Members in any order, some of them undefined. */
function documentsOf(schema: EngineSchema): fc.Arbitrary<CanonicalDocument[]> {
  const names = schema.fields.map(({ name }) => name);
  const document = fc
    .tuple(
      fc.shuffledSubarray(names),
      fc.array(fc.option(values, { freq: 9, nil: undefined }), { minLength: 6, maxLength: 6 }),
    )
    .map(
      ([members, values]) =>
        Object.fromEntries(members.map((name, i) => [name, values[i]])) as CanonicalDocument,
    );
  return fc.array(document, { maxLength: 40 });
}

function jsonOf(schema: EngineSchema, document: CanonicalDocument, stored: boolean): string {
  const members = schema.fields.flatMap(({ name, stored: isStored }) => {
    const value = Object.hasOwn(document, name) ? document[name] : undefined;
    return value === undefined || isStored !== stored ? [] : [`${JSON.stringify(name)}:${writeJson(value)}`];
  });
  return `{${members.join(",")}}`;
}

describe("encoded documents", () => {
  it("hold each document whole, and apart what is stored and what isn't", () => {
    fc.assert(
      fc.property(
        schemas.chain((schema) => documentsOf(schema).map((documents) => ({ schema, documents }))),
        ({ schema, documents }) => {
          const ids = documents.map((_, i) => `id${i}`);
          const encoded = runWhole(encodeDocuments(schema, ids, documents));
          // Through JSON on both sides: an undefined member is none, and -0 is 0.
          expect(readJson(decoder.decode(encoded.json))).toEqual(readJson(writeJson({ ids, documents })));
          documents.forEach((document, i) => {
            const json = jsonPartsOf(encoded, i);
            expect(decoder.decode(json.stored)).toBe(jsonOf(schema, document, true));
            const { documents: _documents, ...travelled } = encoded;
            expect(documentOf(travelled, i)).toEqual(readJson(writeJson(document)));
            expect(decoder.decode(json.unstored)).toBe(jsonOf(schema, document, false));
          });
        },
      ),
      { numRuns: 300 },
    );
  });

  it("leave their room to those behind them where the reading ends half-way", () => {
    const schema: EngineSchema = { fields: [], analyzer: { version: 1 } };
    const room = takeSpareBuffer(1);
    new Uint8Array(room)[room.byteLength - 1] = 42;
    giveBackBuffer(room);
    function* broken(): DocumentReading<void> {
      yield [{}];
      throw new Error("the body ends here");
    }
    const encoding = encodeReading(schema, new DocumentIdSource(), broken(), 1);
    expect(() => runWhole(encoding)).toThrow("the body ends here");
    expect(new Uint8Array(takeSpareBuffer(1)).at(-1)).toBe(42);
  });

  it("lie, where many are written here, in room that comes again, and nobody reads on there", () => {
    const schema: EngineSchema = {
      fields: [{ name: "a", kind: "text", stored: true, indexed: true, multi: false }],
      analyzer: { version: 1 },
    };
    const documents = Array.from({ length: 70 }, (_, i) => ({ a: `${i} `.repeat(9) }));
    const ids = new DocumentIdSource().next(documents.length);
    const wanted = runWhole(encodeDocuments(schema, ids, documents));
    const first = runWhole(encodeHere(schema, ids, documents));
    expect(decoder.decode(first.json)).toBe(decoder.decode(wanted.json));
    expect(first.offsets).toEqual(wanted.offsets);
    const { byteLength } = first.json.buffer;
    new Uint8Array(first.json.buffer)[byteLength - 1] = 42;
    releaseEncoded(first);
    expect(first.json).toHaveLength(0);
    const broken = [...documents, { a: 5 }] as CanonicalDocument[];
    expect(() => runWhole(encodeHere(schema, ids, broken))).toThrow("wants a string");
    const second = runWhole(encodeHere(schema, ids, documents));
    expect(decoder.decode(second.json)).toBe(decoder.decode(wanted.json));
    expect(second.json.buffer.byteLength).toBe(byteLength);
    expect(new Uint8Array(second.json.buffer)[byteLength - 1]).toBe(42);
    releaseEncoded(second);
    // A few don't take it.
    expect(
      runWhole(encodeHere(schema, ids.slice(0, 2), documents.slice(0, 2))).json.buffer.byteLength,
    ).toBeLessThan(byteLength);
  });
});
