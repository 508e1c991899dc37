import { popcount } from "../../bytes/bitset.js";
import type { UnfoldedSection } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { u32OfBytes } from "../u32-of-bytes.js";
import { RANK_WORDS } from "./dense-documents.js";

/** Per group of 512 bits how many of the term's 1 bits are before it. Needs the bits, and which terms there are. */
export function* unfoldDenseRanks(_folded: Uint8Array, { name, target, other }: UnfoldedSection): SlicedWork {
  const bits = u32OfBytes(other(name.replace("ranks", "bits")));
  const termCount = other(name.replace("ranks", "ordinals")).length / 4;
  const ranks = u32OfBytes(target);
  const groupsPerTerm = ranks.length / termCount;
  for (let term = 0; term < termCount; term++) {
    writeRanks(bits, ranks, term * groupsPerTerm, (term + 1) * groupsPerTerm);
    yield;
  }
}

/** Ranks of the groups of one term. */
export function writeRanks(bits: Uint32Array, ranks: Uint32Array, from: number, to: number): void {
  let rank = 0;
  for (let group = from; group < to; group++) {
    ranks[group] = rank;
    for (let word = group * RANK_WORDS; word < (group + 1) * RANK_WORDS; word++)
      rank += popcount(bits[word]!);
  }
}
