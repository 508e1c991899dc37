/**
 * Bytes that compression can need for `length` bytes that don't compress at all, in the LZ4 block format (github.com/lz4/lz4, `doc/lz4_Block_format.md`). A block is a row of sequences:
 *
 *     +-------------------+----------------+----------+------------------+----------------+
 *     | token             | more literal   | literals | offset           | more match     |
 *     | high 4: literals  | length, bytes  |          | u16, 1 to 65,535 | length, bytes  |
 *     | low 4: match - 4  | of 255 + last  |          | bytes back       | of 255 + last  |
 *     +-------------------+----------------+----------+------------------+----------------+
 *
 * A length nibble of 15 goes on in the bytes after it. The last sequence ends after its literals. An
 * encoder must leave the last 5 bytes literal and start no match within the last 12.

 */
export function lz4Bound(length: number): number {
  return length + Math.floor(length / 255) + 16;
}
