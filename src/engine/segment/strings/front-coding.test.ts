// Properties: ascending strings come back, those that share more than 255 bytes, and the empty one, too.
import fc from "fast-check";
import { expect, test } from "vitest";
import { reopenSections } from "../../../../tests/kit/reopen-sections.js";
import { compareBytes } from "../../schema/compare-bytes.js";
import { SECTION_ENCODINGS } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { foldFrontCoded } from "./front-coding.js";

const strings = fc
  .uniqueArray(fc.string({ unit: fc.constantFrom("a", "b", "é"), maxLength: 12 }), { maxLength: 60 })
  .chain((short) =>
    fc.boolean().map((isLong) => (isLong ? short.map((text) => "ab".repeat(140) + text) : short)),
  )
  .map((texts) => texts.map((text) => new TextEncoder().encode(text)).sort(compareBytes));

test.each(["terms.bytes", "column.values"])("%s come back", (name) => {
  fc.assert(
    fc.property(strings, (values) => {
      const offsets = new Uint32Array(values.length + 1);
      values.forEach((value, i) => {
        offsets[i + 1] = offsets[i]! + value.length;
      });
      const bytes = Uint8Array.from(values.flatMap((value) => [...value]));
      const folded = foldFrontCoded(bytes, offsets);
      const sections = reopenSections((sink) => {
        sink.addNumbers(name === "terms.bytes" ? "f0.terms.offsets" : "f0.column.valueOffsets", offsets);
        sink.addFolded(`f0.${name}`, SECTION_ENCODINGS.frontCoded, folded, bytes.length);
        return nothing();
      });
      expect([...sections.u8(`f0.${name}`)]).toEqual([...bytes]);
    }),
    { numRuns: 200 },
  );
});

function* nothing(): SlicedWork {
  yield;
}
