import { readStreamAt } from "../../bytes/bit-packing.js";
import { fieldNormCode } from "../../bytes/field-norm.js";
import type { UnfoldedSection } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { u32OfBytes } from "../u32-of-bytes.js";

/** Lengths whose codes are looked up. */
const LOOKED_UP = 4096;
const CODES = Uint8Array.from({ length: LOOKED_UP }, (_, length) => fieldNormCode(length));
const DOCUMENTS_PER_STEP = 1 << 18;

/** Norms of the field's lengths. */
export function* unfoldNorms(_folded: Uint8Array, { name, target, other }: UnfoldedSection): SlicedWork {
  const prefix = name.slice(0, -"norms".length);
  const bits = u32OfBytes(other(`${prefix}lengths.header`))[0]!;
  const packed = other(`${prefix}lengths.packed`);
  for (let docId = 0; docId < target.length; docId += DOCUMENTS_PER_STEP) {
    putNorms(packed, bits, target, docId, Math.min(docId + DOCUMENTS_PER_STEP, target.length));
    yield;
  }
}

/** Puts norms of the documents from `start` up to, not including, `end`. */
function putNorms(packed: Uint8Array, bits: number, norms: Uint8Array, start: number, end: number): void {
  for (let docId = start; docId < end; docId++) {
    const length = readStreamAt(packed, bits, docId);
    norms[docId] = length < LOOKED_UP ? CODES[length]! : fieldNormCode(length);
  }
}
