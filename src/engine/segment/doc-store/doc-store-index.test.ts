/** The block with a document is found whatever blocks hold, as many documents each or some far more than others. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { DocStoreIndex } from "./doc-store-index.js";

test("finds the block of each document", () => {
  const length = fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 3 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 200 }) },
  );
  fc.assert(
    fc.property(fc.array(length, { minLength: 1, maxLength: 60 }), fc.boolean(), (drawn, isSorted) => {
      const lengths = isSorted ? drawn.toSorted((a, b) => a - b) : drawn;
      const blocks = lengths.flatMap((count, block) => Array<number>(count).fill(block));
      const firstDocs = Uint32Array.from(lengths, (_, block) => blocks.indexOf(block));
      const offsets = Float64Array.from({ length: lengths.length + 1 }, (_, block) => block * 100);
      const index = new DocStoreIndex({ owner: null, docCount: blocks.length, firstDocs, offsets });
      expect(blocks.map((_, docId) => index.blockOf(docId))).toEqual(blocks);
    }),
    { numRuns: 300 },
  );
});
