/** Variants of a word for which there is no room: the table goes on as it was, and takes as many as it has room for. */
import { expect, test } from "vitest";
import { ScratchExhaustedError } from "./image-memory.js";
import type { PostingImage, PostingPlace } from "./posting-image.js";
import { type WordLevel, WordTable } from "./word-table.js";

const PAGE_BYTES = 65_536;
const VARIANT_BYTES = 32;

/** A level of so many variants, in as many documents as their places in the level say, and more than one. */
function levelOf(variantCount: number): WordLevel {
  const places = Array.from(
    { length: variantCount },
    (_, i) => ({ docFreq: i + 2, reference: i + 7 }) as Partial<PostingPlace> as PostingPlace,
  );
  const image = { lastDocs: 0, dataOffsets: 0, docBits: 0, freqBits: 0, data: 0, norms: 0 };
  return {
    image: image as Partial<PostingImage> as PostingImage,
    weight: 1,
    lengthNorms: new Float32Array(256),
    inverseDocFreq: 1,
    steps: 0,
    places,
  };
}

test("more variants than there is room for are refused, and fewer are laid out as before", () => {
  const room = 64;
  const memory = new WebAssembly.Memory({ initial: 1, maximum: room, shared: true });
  const table = new WordTable(memory, { attachWord: () => 0 });
  const few = levelOf(3);
  const before = table.layOut([few]);
  const tooMany = levelOf((room * PAGE_BYTES) / VARIANT_BYTES);
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(() => table.layOut([tooMany])).toThrow(ScratchExhaustedError);
    const used = memory.buffer.byteLength;
    expect(table.layOut([few])).toEqual(before);
    expect(memory.buffer.byteLength).toBe(used);
  }
  const words = new Int32Array(memory.buffer, before.table, 3 * (VARIANT_BYTES / 4));
  expect([words[0], words[1], words[8], words[9], words[16], words[17]]).toEqual([2, 7, 3, 8, 4, 9]);
  // Room for twice as many as were reserved at first is there, and found.
  const more = table.layOut([levelOf(2000)]);
  expect(more.table).not.toBe(before.table);
  expect(more.variantCount).toBe(2000);
});
