/**
 * Whatever order a document's members come in, and whichever are stored: the journal's JSON is the
 * whole document, the store's two are its stored and its unstored members in schema order.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { giveBackBuffer, takeSpareBuffer } from "../bytes/spare-buffers.js";
import type { CanonicalDocument, CanonicalValue } from "../schema/document.js";
import { DocumentIdSource } from "../schema/document-ids.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { runWhole } from "../segment/sliced-work.js";
import {
  type DocumentReading,
  documentOf,
  encodeDocuments,
  encodeReading,
  jsonOf as jsonPartsOf,
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
const values = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<CanonicalValue>;

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
    return value === undefined || isStored !== stored
      ? []
      : [`${JSON.stringify(name)}:${JSON.stringify(value)}`];
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
          expect(JSON.parse(decoder.decode(encoded.json))).toEqual(
            JSON.parse(JSON.stringify({ ids, documents })),
          );
          documents.forEach((document, i) => {
            const json = jsonPartsOf(encoded, i);
            expect(decoder.decode(json.stored)).toBe(jsonOf(schema, document, true));
            const { documents: _documents, ...travelled } = encoded;
            expect(documentOf(travelled, i)).toEqual(JSON.parse(JSON.stringify(document)));
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
});
