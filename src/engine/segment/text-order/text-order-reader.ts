import { CorruptionError } from "../../../errors/index.js";
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
