// Proves: sections come back as they were added, aligned; every changed byte and every cut is
// noticed and named.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CorruptionError, FindlingError } from "../../../errors/index.js";
import { allocateImage, imageMemoryOf, imageThreshold } from "../../kernels/image-memory.js";
import { SECTION_ENCODINGS, type SectionEncoding } from "../sections.js";
import { runWhole } from "../sliced-work.js";
import { ContainerReader } from "./container-reader.js";
import { ContainerWriter } from "./container-writer.js";

/** In a shared buffer, as a directory reads it. */
function fileOf(writer: ContainerWriter): Uint8Array<SharedArrayBuffer> {
  const chunks = writer.chunks();
  const bytes = new Uint8Array(new SharedArrayBuffer(chunks.reduce((sum, chunk) => sum + chunk.length, 0)));
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}

function openWhole(bytes: Uint8Array, fileName: string): ContainerReader {
  const shared = new Uint8Array(new SharedArrayBuffer(Math.ceil(bytes.length / 64) * 64), 0, bytes.length);
  shared.set(bytes);
  return runWhole(ContainerReader.open(shared, fileName));
}

/** Packed and plain sections in turn, as `i % 2` has it. */
function mixedFile(lists: readonly (readonly number[])[]): Uint8Array {
  const writer = new ContainerWriter();
  lists.forEach((numbers, i) => {
    if (i % 2 === 0) writer.addNumbers(`n${i}`, Uint32Array.from(numbers));
    else writer.add(`n${i}`, Uint32Array.from(numbers));
  });
  return fileOf(writer);
}

const sectionLists = fc.uniqueArray(
  fc.record({ name: fc.stringMatching(/^[a-z.]{0,12}$/), data: fc.uint8Array({ maxLength: 200 }) }),
  { selector: ({ name }) => name, maxLength: 6 },
);

describe("container", () => {
  test("gives sections back, at multiples of 64", () => {
    fc.assert(
      fc.property(sectionLists, (sections) => {
        const writer = new ContainerWriter();
        for (const { name, data } of sections) writer.add(name, data);
        const reader = openWhole(fileOf(writer), "a.idx");
        expect(reader.sectionNames).toEqual(sections.map(({ name }) => name));
        for (const { name, data } of sections) {
          expect([...reader.u8(name)]).toEqual([...data]);
          expect(reader.u8(name).byteOffset % 64).toBe(0);
          expect(reader.u8(name).length).toBe(data.length);
        }
      }),
    );
  });

  test("gives packed numbers back, in plain memory and where kernels work", () => {
    const numberLists = fc.array(fc.array(fc.nat({ max: 70_000 }), { maxLength: 300 }), { maxLength: 6 });
    const threshold = imageThreshold.bytes;
    try {
      fc.assert(
        fc.property(numberLists, fc.boolean(), (lists, isInKernelMemory) => {
          imageThreshold.bytes = isInKernelMemory ? 1 : 2 ** 40;
          const file = mixedFile(lists);
          const bytes = allocateImage(file.length);
          bytes.set(file);
          const reader = runWhole(ContainerReader.open(bytes, "a.idx"));
          expect(imageMemoryOf(reader.image) !== null).toBe(isInKernelMemory);
          expect([...reader.sectionNames].sort()).toEqual(lists.map((_, i) => `n${i}`).sort());
          lists.forEach((numbers, i) => {
            expect([...reader.u32(`n${i}`)]).toEqual(numbers);
            expect(reader.u32(`n${i}`).byteOffset % 64).toBe(0);
          });
          // What was made of it is a container, too.
          const again = ContainerReader.reopen(reader.image, "a.idx");
          lists.forEach((numbers, i) => {
            expect([...again.u32(`n${i}`)]).toEqual(numbers);
          });
        }),
        { numRuns: 60 },
      );
    } finally {
      imageThreshold.bytes = threshold;
    }
  });

  test("grows into another memory where one can't grow so far", () => {
    const threshold = imageThreshold.bytes;
    imageThreshold.bytes = 1;
    try {
      const writer = new ContainerWriter();
      writer.add("plain", Uint8Array.of(1, 2, 3));
      // 400 MB of zeros take nothing in the file, whose memory is reserved for far less.
      writer.addFolded("zeros", SECTION_ENCODINGS.withAnother, new Uint8Array(0), 400_000_000);
      const file = fileOf(writer);
      const bytes = allocateImage(file.length);
      bytes.set(file);
      const reader = runWhole(ContainerReader.open(bytes, "a.idx"));
      expect([...reader.u8("plain")]).toEqual([1, 2, 3]);
      expect(reader.u8("zeros").length).toBe(400_000_000);
      expect(imageMemoryOf(reader.image)).not.toBe(imageMemoryOf(bytes));
    } finally {
      imageThreshold.bytes = threshold;
    }
  });

  test("refuses folded sections that can't be unfolded", () => {
    const writer = new ContainerWriter();
    writer.addFolded("a", SECTION_ENCODINGS.words, Uint8Array.of(0, 0, 33), 4);
    expect(() => openWhole(fileOf(writer), "a.idx")).toThrowError(CorruptionError);
    const unknown = new ContainerWriter();
    unknown.addFolded("a", 99 as SectionEncoding, Uint8Array.of(1), 4);
    expect(() => openWhole(fileOf(unknown), "a.idx")).toThrowError(/unknown encoding 99/);
    const lonely = new ContainerWriter();
    lonely.addFolded("f0.norms", SECTION_ENCODINGS.norms, new Uint8Array(0), 4);
    expect(() => openWhole(fileOf(lonely), "a.idx")).toThrowError(/'f0.lengths.header' is missing/);
  });

  test("views every width", () => {
    const writer = new ContainerWriter();
    writer.add("u16", Uint16Array.of(1, 0xffff));
    writer.add("u32", Uint32Array.of(1, 0xffff_ffff));
    writer.add("i32", Int32Array.of(-1, 7).subarray(1));
    const reader = openWhole(fileOf(writer), "a.idx");
    expect([...reader.u16("u16")]).toEqual([1, 0xffff]);
    expect([...reader.u32("u32")]).toEqual([1, 0xffff_ffff]);
    expect([...reader.i32("i32")]).toEqual([7]);
    expect(reader.has("u8")).toBe(false);
    expect(() => reader.u8("u8")).toThrowError(CorruptionError);
    expect(() => reader.u32("u16")).not.toThrow();
    writer.add("odd", Uint8Array.of(1, 2, 3));
    expect(() => openWhole(fileOf(writer), "a.idx").u16("odd")).toThrowError(CorruptionError);
  });

  test("refuses a name twice", () => {
    const writer = new ContainerWriter();
    writer.add("a", new Uint8Array(0));
    expect(() => writer.add("a", new Uint8Array(0))).toThrowError(FindlingError);
  });

  test("notices every changed byte and every cut", () => {
    const writer = new ContainerWriter();
    writer.add("a", Uint8Array.of(1, 2, 3));
    writer.add("empty", new Uint8Array(0));
    writer.add("full", new Uint8Array(64).fill(7));
    writer.addNumbers("packed", Uint32Array.of(5, 6, 7, 900, 5, 5, 5, 5, 5, 5));
    const good = fileOf(writer);
    expect(() => openWhole(good, "a.idx")).not.toThrow();
    for (let i = 0; i < good.length; i++) {
      for (const flip of [1, 0x80, 0xff]) {
        const bad = good.slice();
        bad[i]! ^= flip;
        expect(() => openWhole(bad, "a.idx"), `byte ${i}`).toThrowError(/^file 'a.idx' is damaged: /);
      }
    }
    for (let length = 0; length < good.length; length++) {
      expect(() => openWhole(good.slice(0, length), "a.idx"), `cut at ${length}`).toThrowError(
        CorruptionError,
      );
    }
    const longer = new Uint8Array(good.length + 64);
    longer.set(good);
    expect(() => openWhole(longer, "a.idx")).toThrowError(CorruptionError);
  });
});
