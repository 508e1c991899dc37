import type { BuildingMemory } from "../../kernels/building-memory.js";
import type { SlicedWork } from "../sliced-work.js";

/** A multiple of the 128 numbers that are packed together. */
const TERMS_PER_STEP = 16_384;
/** Copied to or from pages that may have to be made. */
const BYTES_PER_STEP = 1 << 20;

/**
 * Does something of all terms, some thousand between two pauses.
 *
 * @param step of the terms from `from` up to, not including, `to`
 */
export function* termsInSlices(termCount: number, step: (from: number, to: number) => void): SlicedWork {
  for (let from = 0; from < termCount; from += TERMS_PER_STEP) {
    step(from, Math.min(from + TERMS_PER_STEP, termCount));
    yield;
  }
}

/** As `memory.place`. */
export function* placeInSlices(
  memory: BuildingMemory,
  { buffer, byteOffset, byteLength }: Uint8Array | Uint32Array,
): SlicedWork<number> {
  const address = memory.functions.allocate(byteLength);
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  for (let from = 0; from < byteLength; from += BYTES_PER_STEP) {
    memory.bytes.set(bytes.subarray(from, from + BYTES_PER_STEP), address + from);
    yield;
  }
  return address;
}

/** Fills the bytes with those at the address. */
export function* takeInSlices(memory: BuildingMemory, address: number, target: Uint8Array): SlicedWork {
  for (let from = 0; from < target.length; from += BYTES_PER_STEP) {
    const to = Math.min(from + BYTES_PER_STEP, target.length);
    target.set(memory.bytes.subarray(address + from, address + to), from);
    yield;
  }
}
