// Proves: sections come back as they were added, aligned; every changed byte and every cut is
// noticed and named.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CorruptionError, FindlingError } from "../../../errors/index.js";
import { runWhole } from "../sliced-work.js";
import { ContainerReader } from "./container-reader.js";
import { ContainerWriter } from "./container-writer.js";

/** In a shared buffer, as a directory reads it. */
function fileOf(writer: ContainerWriter): Uint8Array {
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
  return runWhole(ContainerReader.open(bytes, fileName));
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
          expect(reader.lengthOf(name)).toBe(data.length);
        }
      }),
    );
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
