// Proves: a name is that of its bytes, however often and among whatever others it is read; what is no text is refused.
import fc from "fast-check";
import { expect, test } from "vitest";
import { MalformedBytesError } from "../../bytes/malformed-bytes-error.js";
import { sectionName } from "./section-names.js";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test("names come back, more than are kept", () => {
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 5000; i++) expect(sectionName(bytesOf(`f${i}.terms`))).toBe(`f${i}.terms`);
  }
});

test("names of any letters come back, each time", () => {
  const names = fc.array(
    fc.oneof(fc.string({ unit: "grapheme", maxLength: 5 }), fc.constantFrom("é", "\u0000", "")),
  );
  fc.assert(
    fc.property(names, (some) => {
      for (const name of [...some, ...some]) expect(sectionName(bytesOf(name))).toBe(name);
    }),
  );
});

test("bytes that are no UTF-8 are no name, though they are the units of one", () => {
  expect(sectionName(bytesOf("é"))).toBe("é");
  expect(() => sectionName(Uint8Array.of(0xe9))).toThrowError(MalformedBytesError);
});
