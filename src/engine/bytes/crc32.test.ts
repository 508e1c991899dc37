// Properties: equals the bitwise definition, going on from an earlier checksum included.
import fc from "fast-check";
import { expect, test } from "vitest";
import { crc32, crc32OfFew } from "./crc32.js";

test("equals the bitwise definition", () => {
  expect(crc32(new TextEncoder().encode("123456789"))).toBe(0xcbf4_3926);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat({ max: 100 }), (bytes, cut) => {
      expect(crc32(bytes)).toBe(slowCrc32(bytes));
      expect(crc32(bytes.subarray(cut), crc32(bytes.subarray(0, cut)))).toBe(slowCrc32(bytes));
      const end = Math.min(cut, bytes.length);
      expect(crc32OfFew(bytes, end >>> 1, end)).toBe(slowCrc32(bytes.subarray(end >>> 1, end)));
    }),
  );
});

function slowCrc32(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ ((crc & 1) === 1 ? 0xedb8_8320 : 0);
  }
  return (crc ^ 0xffff_ffff) >>> 0;
}
