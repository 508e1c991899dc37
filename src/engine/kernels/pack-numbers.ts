import { MalformedBytesError } from "../bytes/malformed-bytes-error.js";
import { BuildingMemory } from "./building-memory.js";

/** Bytes behind packed numbers that kernels may read and overwrite. */
export const PACKING_MARGIN = 16;

export type NumberArray = Uint8Array | Uint16Array | Uint32Array;

/**
 * Packs the numbers as `unpackNumbers` reads them; `assembly/building/packed-numbers.ts` says how. Equal numbers give
 * equal bytes.
 */
export function packNumbers(numbers: NumberArray): Uint8Array {
  const memory = BuildingMemory.borrow();
  try {
    return packPlaced(memory, placeWords(memory, numbers), numbers.length).slice();
  } finally {
    memory.giveBack();
  }
}

/** Unpacks as many numbers as `target` holds. @throws MalformedBytesError if the bytes are of another number of them */
export function unpackNumbers(bytes: Uint8Array, target: NumberArray): void {
  const memory = BuildingMemory.borrow();
  try {
    const { functions } = memory;
    const count = target.length;
    const width = target.BYTES_PER_ELEMENT;
    const source = memory.place(bytes);
    functions.allocate(PACKING_MARGIN);
    const words = functions.allocate(4 * count);
    const end = source + bytes.length;
    if (functions.unpackNumbers(source, end, words, count) !== end)
      throw new MalformedBytesError(`${bytes.length} bytes aren't ${count} packed numbers`);
    if (width < 4) functions.narrowNumbers(words, width, count, words);
    const { buffer, byteOffset, byteLength } = target;
    new Uint8Array(buffer, byteOffset, byteLength).set(memory.bytes.subarray(words, words + byteLength));
  } finally {
    memory.giveBack();
  }
}

/** Packs u32 at an address. The bytes are valid until the next call of a function that allocates. */
export function packPlaced(memory: BuildingMemory, wordsAt: number, count: number): Uint8Array {
  const { functions } = memory;
  const target = functions.allocate(functions.measureNumbers(wordsAt, count) + PACKING_MARGIN);
  const end = functions.packNumbers(wordsAt, count, target);
  return memory.bytes.subarray(target, end);
}

/** The address of the numbers as u32. */
function placeWords(memory: BuildingMemory, numbers: NumberArray): number {
  const at = memory.place(numbers);
  if (numbers.BYTES_PER_ELEMENT === 4) return at;
  const words = memory.functions.allocate(4 * numbers.length);
  memory.functions.widenNumbers(at, numbers.BYTES_PER_ELEMENT, numbers.length, words);
  return words;
}
