/**
 * Property: documents that are packed by kernel, some at a time, make the file that they make one by one, whatever
 * their lengths, beside documents that come with members kept apart.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { documentPackerOfThread } from "../../kernels/document-packer.js";
import { DocStoreWriter } from "./doc-store-writer.js";

const RUNS = Number(process.env["FINDLING_TEST_KERNEL_RUNS"] ?? 100);
const EMPTY_JSON = new TextEncoder().encode("{}");

/** Documents by length and how well they compress, and in how many calls they are added. */
const documents = fc.array(
  fc.record({
    length: fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 0, max: 700 }) },
      { weight: 3, arbitrary: fc.integer({ min: 3900, max: 4300 }) },
      { weight: 1, arbitrary: fc.constantFrom(127, 128, 16_383, 16_384, 32_767, 32_768, 32_769, 70_000) },
    ),
    letters: fc.constantFrom(1, 3, 256),
    endsCall: fc.boolean(),
    hasUnstored: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  }),
  { maxLength: 300 },
);

function bytesOf({ length, letters }: { length: number; letters: number }, seed: number): Uint8Array {
  let state = seed + 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return 97 + ((state >>> 24) % letters);
  });
}

test("documents packed together make the file that they make one by one", () => {
  expect(documentPackerOfThread()).not.toBeNull();
  fc.assert(
    fc.property(documents, fc.integer({ min: 0, max: 9 }), (all, between) => {
      const together = new DocStoreWriter();
      const single = new DocStoreWriter(together.owner);
      const json: number[] = [];
      const offsets: number[] = [];
      const calls: (readonly [number, number])[] = [];
      let start = 0;
      all.forEach((each, i) => {
        const bytes = bytesOf(each, i);
        for (let n = 0; n < between; n++) json.push(0x2c);
        const begin = json.length;
        for (const byte of bytes) json.push(byte);
        offsets.push(begin, 0, json.length);
        single.append(bytes, each.hasUnstored ? bytes : EMPTY_JSON);
        if (!each.endsCall && !each.hasUnstored && i < all.length - 1) return;
        calls.push([start, each.hasUnstored ? i : i + 1]);
        start = i + 1;
      });
      const source = Uint8Array.from(json);
      for (const [from, to] of calls) {
        together.appendStored(source, Uint32Array.from(offsets), from, to);
        // A call that ends before the next one's start leaves out the document with members kept apart.
        const left = together.docCount;
        if (left < all.length && all[left]!.hasUnstored && left === to) {
          const bytes = source.subarray(offsets[3 * left], offsets[3 * left + 2]);
          together.append(bytes, bytes);
        }
      }
      expect(together.docCount).toBe(all.length);
      expect(together.byteLength).toBe(single.byteLength);
      expect(Buffer.compare(Buffer.concat(together.finish()), Buffer.concat(single.finish()))).toBe(0);
    }),
    { numRuns: RUNS },
  );
});
