import { decodeUtf8 } from "../../bytes/byte-reader.js";
import { compareBytes } from "../../schema/compare-bytes.js";
import { textSortBytes } from "../../schema/text-sort-bytes.js";
import type { OrdinalColumn } from "../../segment/segment-reader.js";

/**
 * Ranks of a keyword column's values by their folded form, from 1, by ordinal; null if the values
 * have no upper-case ASCII and nothing beyond ASCII, so that ordinals are in that order anyway.
 */
export function foldedRanks(column: OrdinalColumn): Uint32Array | null {
  if (isFolded(column)) return null;
  const folded: Uint8Array[] = [];
  for (let ordinal = 0; ordinal < column.valueCount; ordinal++) {
    folded.push(textSortBytes(decodeUtf8(column.valueBytes(ordinal)), false));
  }
  const order = Uint32Array.from(folded, (_, ordinal) => ordinal);
  order.sort((a, b) => compareBytes(folded[a]!, folded[b]!));
  const ranks = new Uint32Array(column.valueCount);
  let rank = 0;
  for (let i = 0; i < order.length; i++) {
    if (i === 0 || compareBytes(folded[order[i - 1]!]!, folded[order[i]!]!) !== 0) rank++;
    ranks[order[i]!] = rank;
  }
  return ranks;
}

function isFolded(column: OrdinalColumn): boolean {
  for (let ordinal = 0; ordinal < column.valueCount; ordinal++) {
    const bytes = column.valueBytes(ordinal);
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i]!;
      if (byte >= 0x80 || (byte >= 0x41 && byte <= 0x5a)) return false;
    }
  }
  return true;
}
