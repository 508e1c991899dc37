// A long document's answer is what a short one's would be, whatever its fields are called.
import fc from "fast-check";
import { expect, test } from "vitest";
import { StoredDocument } from "../../services/documents/stored-document.js";
import { documentAnswer } from "./document-answer.js";
import { successAnswer, WrittenAnswer } from "./envelope.js";
import { JsonWriter } from "./json-writer.js";

const long = 'ü "quoted" '.repeat(20_000);

function storedOf(doc: Readonly<Record<string, unknown>>): StoredDocument {
  const json = JSON.stringify(doc);
  return new StoredDocument({
    json,
    documentId: "01a2",
    sourceIndex: "books",
    memberNames: Object.keys(doc),
    version: () => "0123456789abcdef",
  });
}

test("is the same as of its view", () => {
  const name = fc.oneof(
    fc.stringMatching(/^[a-z_]{1,10}$/),
    fc.constantFrom("doc", "document_id", "score", "source_index", "status", "data", "message", "error", "7"),
  );
  fc.assert(
    fc.property(fc.dictionary(name, fc.jsonValue(), { maxKeys: 5 }), (fields) => {
      const stored = storedOf({ ...fields, text: long });
      expect(String(successAnswer(documentAnswer(stored), true))).toBe(
        String(successAnswer(stored.view, true)),
      );
    }),
    { numRuns: 50 },
  );
});

test("holds a long document's bytes, not copies of them", () => {
  const answer = documentAnswer(storedOf({ text: long }));
  if (!(answer instanceof WrittenAnswer)) throw new TypeError("it was parsed");
  const parts = answer.parts()!;
  const buffers = new Set(parts.filter(({ length }) => length > 10_000).map(({ buffer }) => buffer));
  expect(buffers.size).toBe(1);
  const writer = new JsonWriter();
  answer.writeTo(writer);
  expect(Buffer.concat(parts).equals(writer.take())).toBe(true);
});

test("a short one is parsed", () => {
  const stored = storedOf({ text: "short" });
  expect(documentAnswer(stored)).toEqual(stored.view);
});
