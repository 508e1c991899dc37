// Properties: whatever is written reads back, in order and to the last byte; nothing reads past the
// end; a varint takes the fewest bytes.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteReader } from "./byte-reader.js";
import { ByteWriter } from "./byte-writer.js";
import { MalformedBytesError } from "./malformed-bytes-error.js";

const step = fc.oneof(
  fc.record({ kind: fc.constant("u8" as const), value: fc.integer({ min: 0, max: 0xff }) }),
  fc.record({ kind: fc.constant("u16" as const), value: fc.integer({ min: 0, max: 0xffff }) }),
  fc.record({ kind: fc.constant("u32" as const), value: fc.integer({ min: 0, max: 0xffff_ffff }) }),
  fc.record({ kind: fc.constant("varint" as const), value: fc.maxSafeNat() }),
  fc.record({ kind: fc.constant("utf8" as const), value: fc.string({ unit: "binary", maxLength: 300 }) }),
  fc.record({ kind: fc.constant("bytes" as const), value: fc.uint8Array({ maxLength: 40 }) }),
);

describe("ByteWriter and ByteReader", () => {
  test("round trip", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.nat({ max: 20 }), (steps, capacity) => {
        const writer = new ByteWriter(capacity);
        for (const { kind, value } of steps) (writer[kind] as (value: unknown) => void).call(writer, value);
        expect(writer.length).toBe(writer.view().length);
        const reader = new ByteReader(writer.toBytes());
        for (const { kind, value } of steps) {
          expect(kind === "bytes" ? reader.bytes(value.length) : reader[kind]()).toEqual(value);
        }
        expect(reader.remaining).toBe(0);
        expect(() => reader.u8()).toThrow(MalformedBytesError);
      }),
    );
  });

  test("texts one behind the other are their UTF-8", () => {
    const text = fc.oneof(fc.string({ maxLength: 120 }), fc.string({ unit: "binary", maxLength: 120 }));
    fc.assert(
      fc.property(fc.array(text, { maxLength: 8 }), fc.nat({ max: 20 }), (texts, capacity) => {
        const writer = new ByteWriter(capacity);
        for (const each of texts) writer.text(each);
        expect(Buffer.from(writer.view())).toEqual(Buffer.concat(texts.map((each) => Buffer.from(each))));
      }),
    );
  });

  test("short texts as JSON are what JSON.stringify makes of them, or left alone", () => {
    for (let unit = 0; unit < 0x180; unit++) {
      const text = `ab${String.fromCharCode(unit)}c`;
      const writer = new ByteWriter(0);
      const isWritten = writer.shortJson(text);
      expect(isWritten).toBe(unit < 0x80 && JSON.stringify(text).length === 6);
      expect(Buffer.from(writer.view()).toString()).toBe(isWritten ? JSON.stringify(text) : "");
    }
    expect(new ByteWriter().shortJson("x".repeat(97))).toBe(false);
  });

  test("a cut array is malformed, never read past", () => {
    fc.assert(
      fc.property(step, fc.nat(), ({ kind, value }, cut) => {
        const writer = new ByteWriter();
        (writer[kind] as (value: unknown) => void).call(writer, value);
        if (writer.length === 0) return;
        const bytes = writer.toBytes();
        const reader = new ByteReader(bytes, 0, cut % bytes.length);
        expect(() => (kind === "bytes" ? reader.bytes(value.length) : reader[kind]())).toThrow(
          MalformedBytesError,
        );
      }),
    );
  });

  test("varints are as short as can be", () => {
    for (let bits = 0; bits <= 53; bits++) {
      const writer = new ByteWriter();
      writer.varint(2 ** bits - 1);
      expect(writer.length).toBe(Math.max(1, Math.ceil(bits / 7)));
    }
  });

  test("a varint above the safe integers is malformed", () => {
    const eightBytes = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);
    expect(() => new ByteReader(eightBytes).varint()).toThrow(MalformedBytesError);
    expect(() => new ByteReader(new Uint8Array(20).fill(0x80)).varint()).toThrow(MalformedBytesError);
  });

  test("ill-formed text is malformed; a byte order mark is kept", () => {
    expect(() => new ByteReader(Uint8Array.of(2, 0xc3, 0x28)).utf8()).toThrow(MalformedBytesError);
    const writer = new ByteWriter();
    writer.utf8("\ufeffa");
    expect(new ByteReader(writer.view()).utf8()).toBe("\ufeffa");
  });

  test("align, setU32 and clear", () => {
    const writer = new ByteWriter();
    writer.u8(1);
    writer.align(8);
    writer.u32(7);
    writer.setU32(8, 0xdead_beef);
    expect([...writer.view()]).toEqual([1, 0, 0, 0, 0, 0, 0, 0, 0xef, 0xbe, 0xad, 0xde]);
    expect(() => writer.setU32(9, 0)).toThrow(RangeError);
    writer.clear();
    expect(writer.length).toBe(0);
  });
});
