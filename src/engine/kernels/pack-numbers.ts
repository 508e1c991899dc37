import {
  type NumberArray,
  packNumbers as packPlainly,
  unpackNumbers as unpackPlainly,
} from "../bytes/packed-numbers.js";
import { BuildingMemory } from "./building-memory.js";

/** Fewer numbers are packed where they are. */
const NUMBERS_MIN = 256;
/** So are more, which would take much of the memory that there can be. */
const NUMBERS_MAX = 1 << 27;
/** Bytes behind packed numbers that kernels may read and overwrite. */
export const PACKING_MARGIN = 16;

/** As `packNumbers` of `bytes/packed-numbers.ts`, byte for byte; by kernel where that is worth it. */
export function packNumbers(numbers: NumberArray): Uint8Array {
  const memory = memoryFor(numbers.length);
  if (memory === null) return packPlainly(numbers);
  try {
    return packPlaced(memory, placeWords(memory, numbers), numbers.length).slice();
  } finally {
    memory.giveBack();
  }
}

/** As `unpackNumbers` there. @throws MalformedBytesError if the bytes are of another number of them */
export function unpackNumbers(bytes: Uint8Array, target: NumberArray): void {
  const memory = memoryFor(target.length);
  if (memory === null) {
    unpackPlainly(bytes, target);
    return;
  }
  try {
    const { functions } = memory;
    const count = target.length;
    const width = target.BYTES_PER_ELEMENT;
    const source = memory.place(bytes);
    functions.allocate(PACKING_MARGIN);
    const words = functions.allocate(4 * count);
    const end = source + bytes.length;
    // What is wrong is told by the plain code.
    if (functions.unpackNumbers(source, end, words, count) !== end) {
      unpackPlainly(bytes, target);
      return;
    }
    if (width < 4) functions.narrowNumbers(words, width, count, words);
    const { buffer, byteOffset, byteLength } = target;
    new Uint8Array(buffer, byteOffset, byteLength).set(memory.bytes.subarray(words, words + byteLength));
  } finally {
    memory.giveBack();
  }
}

/** A memory for so many numbers; null where plain code does as well, or there are no kernels. */
export function memoryFor(count: number): BuildingMemory | null {
  return count < NUMBERS_MIN || count > NUMBERS_MAX ? null : BuildingMemory.borrow();
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
