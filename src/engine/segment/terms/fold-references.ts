import { BLOCK_SIZE } from "../../bytes/bit-packing.js";
import { ByteReader } from "../../bytes/byte-reader.js";
import { ByteWriter } from "../../bytes/byte-writer.js";
import { BuildingMemory } from "../../kernels/building-memory.js";
import { packPlaced, unpackNumbers } from "../../kernels/pack-numbers.js";
import type { UnfoldedSection } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { u32OfBytes } from "../u32-of-bytes.js";

/**
 * Where terms' postings are: the documents of terms in one document only, then the places of short lists,
 * both as packed numbers, the first behind their length in bytes (u32). Lists in blocks follow one another.
 */
export function foldReferences(references: Uint32Array, docFreqs: Uint32Array): Uint8Array {
  const singles = packReferences(references, docFreqs, 1, 1);
  const shorts = packReferences(references, docFreqs, 2, BLOCK_SIZE - 1);
  const folded = new ByteWriter(singles.length + shorts.length + 4);
  folded.u32(singles.length);
  folded.bytes(singles);
  folded.bytes(shorts);
  return folded.toBytes();
}

/** Needs the terms' document frequencies. */
export function* unfoldReferences(folded: Uint8Array, { name, target, other }: UnfoldedSection): SlicedWork {
  const docFreqs = u32OfBytes(other(name.replace("references", "docFreqs")));
  const reader = new ByteReader(folded);
  const singlesLength = reader.u32();
  const singles = new Uint32Array(countOf(docFreqs, 1, 1));
  unpackNumbers(reader.bytes(singlesLength), singles);
  const shorts = new Uint32Array(countOf(docFreqs, 2, BLOCK_SIZE - 1));
  unpackNumbers(folded.subarray(4 + singlesLength), shorts);
  yield;
  placeReferences(u32OfBytes(target), docFreqs, singles, shorts);
}

// Loops run once for each field of a segment. In functions of their own they are compiled in a few milliseconds;
// as part of the generators above, with all that is inlined there, it took the compiler a tenth of a second.

function countOf(docFreqs: Uint32Array, least: number, most: number): number {
  let count = 0;
  for (let term = 0; term < docFreqs.length; term++) {
    const docFreq = docFreqs[term]!;
    if (docFreq >= least && docFreq <= most) count++;
  }
  return count;
}

function placeReferences(
  references: Uint32Array,
  docFreqs: Uint32Array,
  singles: Uint32Array,
  shorts: Uint32Array,
): void {
  let single = 0;
  let short = 0;
  let block = 0;
  for (let term = 0; term < references.length; term++) {
    const docFreq = docFreqs[term]!;
    if (docFreq === 1) references[term] = singles[single++]!;
    else if (docFreq < BLOCK_SIZE) references[term] = shorts[short++]!;
    else {
      references[term] = block;
      block += Math.ceil(docFreq / BLOCK_SIZE);
    }
  }
}

/** Where terms' positions are, as packed numbers; lists in blocks begin where their first block does. */
export function foldPositionReferences(references: Uint32Array, docFreqs: Uint32Array): Uint8Array {
  return packReferences(references, docFreqs, 0, BLOCK_SIZE - 1);
}

/** Packs the references of terms in `least` to `most` documents. */
function packReferences(
  references: Uint32Array,
  docFreqs: Uint32Array,
  least: number,
  most: number,
): Uint8Array {
  const count = references.length;
  const memory = BuildingMemory.borrow();
  try {
    const referencesAt = memory.place(references);
    const docFreqsAt = memory.place(docFreqs);
    const selected = memory.functions.allocate(4 * count);
    const number = memory.functions.selectReferences(referencesAt, docFreqsAt, count, least, most, selected);
    return packPlaced(memory, selected, number).slice();
  } finally {
    memory.giveBack();
  }
}

/** Needs the terms' document frequencies, and the offsets of blocks' positions. */
export function* unfoldPositionReferences(
  folded: Uint8Array,
  { name, target, other }: UnfoldedSection,
): SlicedWork {
  const docFreqs = u32OfBytes(other(name.replace("positionReferences", "docFreqs")));
  const blockOffsets = u32OfBytes(other(name.replace("terms.positionReferences", "blocks.positionOffsets")));
  const shorts = new Uint32Array(countOf(docFreqs, 0, BLOCK_SIZE - 1));
  unpackNumbers(folded, shorts);
  yield;
  placePositionReferences(u32OfBytes(target), docFreqs, shorts, blockOffsets);
}

function placePositionReferences(
  references: Uint32Array,
  docFreqs: Uint32Array,
  shorts: Uint32Array,
  blockOffsets: Uint32Array,
): void {
  let short = 0;
  let block = 0;
  for (let term = 0; term < references.length; term++) {
    const docFreq = docFreqs[term]!;
    if (docFreq < BLOCK_SIZE) references[term] = shorts[short++]!;
    else {
      references[term] = blockOffsets[block]!;
      block += Math.ceil(docFreq / BLOCK_SIZE);
    }
  }
}
