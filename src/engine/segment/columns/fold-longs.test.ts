// Property: ascending values of eight bytes come back, whatever their distances.
import fc from "fast-check";
import { expect, test } from "vitest";
import { reopenSections } from "../../../../tests/kit/reopen-sections.js";
import { SECTION_ENCODINGS } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { foldLongs } from "./fold-longs.js";

const longs = fc.array(
  fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.bigInt({ min: 0n, max: 5000n })),
  { maxLength: 300 },
);

test("values come back", () => {
  fc.assert(
    fc.property(longs, (values) => {
      const bytes = new Uint8Array(8 * values.length);
      const view = new DataView(bytes.buffer);
      values
        .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
        .forEach((value, i) => {
          view.setBigUint64(8 * i, value);
        });
      const sections = reopenSections((sink) => {
        sink.addFolded("values", SECTION_ENCODINGS.longs, foldLongs(bytes), bytes.length);
        return nothing();
      });
      expect([...sections.u8("values")]).toEqual([...bytes]);
    }),
    { numRuns: 200 },
  );
});

function* nothing(): SlicedWork {
  yield;
}
