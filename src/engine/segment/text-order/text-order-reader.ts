import { CorruptionError } from "../../../errors/index.js";
import { compareBytes } from "../../schema/compare-bytes.js";
import { textSortBytes } from "../../schema/text-sort-bytes.js";
import type { SectionSource } from "../sections.js";
import type { TextOrder } from "../segment-reader.js";

/** The ranks under the prefix, or null if there are none. @throws CorruptionError naming `fileName` */
export function openTextOrder(
  source: SectionSource,
  prefix: string,
  maxDoc: number,
  fileName: string,
): TextOrder | null {
  if (!source.has(`${prefix}ranks`)) return null;
  const ranks = source.u32(`${prefix}ranks`);
  if (ranks.length !== maxDoc)
    throw new CorruptionError(fileName, `section '${prefix}ranks' is not of ${maxDoc} documents`);
  return { ranks };
}

/** Number of different ranks that documents have: the greatest. */
export function rankCount(ranks: Uint32Array): number {
  let greatest = 0;
  for (let docId = 0; docId < ranks.length; docId++) greatest = Math.max(greatest, ranks[docId]!);
  return greatest;
}

/**
 * What is wrong with ranks, one sentence each.
 *
 * @param textOf a document's value, null if it has none
 */
export function checkTextOrder(order: TextOrder, textOf: (docId: number) => string | null): string[] {
  const { ranks } = order;
  const docOfRank = new Int32Array(ranks.length + 1).fill(-1);
  for (let docId = 0; docId < ranks.length; docId++) {
    const rank = ranks[docId]!;
    if (rank > ranks.length) return [`document ${docId} has rank ${rank} of ${ranks.length}`];
    const text = textOf(docId);
    if ((text === null) !== (rank === 0))
      return [`document ${docId} has a rank without a value or a value without a rank`];
    if (text === null) continue;
    const other = docOfRank[rank]!;
    if (other >= 0 && compareBytes(textSortBytes(textOf(other)!), textSortBytes(text)) !== 0) {
      return [`documents ${other} and ${docId} have one rank and different values`];
    }
    docOfRank[rank] = docId;
  }
  const count = rankCount(ranks);
  let previous: Uint8Array | null = null;
  for (let rank = 1; rank <= count; rank++) {
    const docId = docOfRank[rank]!;
    if (docId < 0) return [`no document has rank ${rank} of ${count}`];
    const value = textSortBytes(textOf(docId)!);
    if (previous !== null && compareBytes(previous, value) >= 0)
      return [`rank ${rank} is not greater than the one before`];
    previous = value;
  }
  return [];
}
