import { crc32 as zlibCrc32 } from "node:zlib";

/**
 * CRC-32 of the bytes (ISO 3309, the polynomial of gzip), from 0 to 2^32 - 1. `start` is the
 * checksum of the bytes before these, to go on from. About 5 GB/s.
 */
export function crc32(bytes: Uint8Array, start = 0): number {
  return zlibCrc32(bytes, start);
}

/** By byte: the remainder of its eight bits. */
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ ((remainder & 1) * 0xedb8_8320);
  return remainder;
});

/** As `crc32`, of the bytes from `from` to `to`: quicker for a few bytes, since it leaves JavaScript for none. */
export function crc32OfFew(bytes: Uint8Array, from: number, to: number): number {
  let value = 0xffff_ffff;
  for (let at = from; at < to; at++) value = (value >>> 8) ^ REMAINDERS[(value ^ bytes[at]!) & 0xff]!;
  return ~value >>> 0;
}
