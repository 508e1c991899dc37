import type { BuildingMemory } from "../../kernels/building-memory.js";
import type { SlicedWork } from "../sliced-work.js";
import { placeInSlices, termsInSlices } from "./terms-in-slices.js";

/** Labels are u16, 0 means "term ends here" and sorting needs the highest number free. */
export const ALPHABET_MAX = 65_534;
/** Depths are u8. */
export const TERM_LENGTH_MAX = 255;

/** Bytes behind letters that kernels may read. */
const MARGIN = 8;
/** Bytes whose code points are noted between two pauses. */
const BYTES_PER_STEP = 1 << 18;

/** Terms as letters, at addresses of the memory. */
export interface PlacedLetters {
  /** Distinct code points, ascending, u32; letter n is the one before number n. */
  readonly alphabet: number;
  readonly alphabetLength: number;
  /** u16. */
  readonly letters: number;
  /** By term, and behind the last, the first of its letters, u32. */
  readonly starts: number;
  readonly termCount: number;
  /** Letters of the longest. */
  readonly longest: number;
}

/**
 * Spells terms, well-formed UTF-8 one after the other, in letters. Null if their alphabet has more than 65,534 code
 * points or one is longer than 255 code points, which tries can't hold.
 *
 * @param offsets u32
 */
export function* spellTerms(
  memory: BuildingMemory,
  bytes: Uint8Array,
  offsets: Uint8Array | Uint32Array,
): SlicedWork<PlacedLetters | null> {
  const { functions } = memory;
  const termCount = offsets.byteLength / 4 - 1;
  const bytesAt = yield* placeInSlices(memory, bytes);
  const offsetsAt = yield* placeInSlices(memory, offsets);
  const bytesEnd = bytesAt + bytes.length;
  let bound = 0;
  for (let at = bytesAt; at < bytesEnd; at += BYTES_PER_STEP) {
    bound = Math.max(bound, functions.codePointsBound(at, Math.min(at + BYTES_PER_STEP, bytesEnd)));
    yield;
  }
  const letterOf = functions.zeros(2 * bound);
  const alphabet = functions.allocate(4 * Math.min(bound, ALPHABET_MAX));
  for (let at = bytesAt; at < bytesEnd; ) {
    at = functions.markCodePoints(at, Math.min(at + BYTES_PER_STEP, bytesEnd), letterOf);
    yield;
  }
  const alphabetLength = functions.numberLetters(letterOf, bound, alphabet, ALPHABET_MAX);
  if (alphabetLength > ALPHABET_MAX) return null;
  yield;
  const letters = functions.allocate(2 * bytes.length + MARGIN);
  const starts = functions.allocate(offsets.byteLength);
  let longest = 0;
  yield* termsInSlices(termCount, (from, to) => {
    const length = functions.spellTerms(bytesAt, offsetsAt, from, to, letterOf, letters, starts);
    longest = Math.max(longest, length);
  });
  if (longest > TERM_LENGTH_MAX) return null;
  return { alphabet, alphabetLength, letters, starts, termCount, longest };
}

/** Turns every term's letters round, in place. */
export function reverseTerms(
  { functions }: BuildingMemory,
  { letters, starts, termCount }: PlacedLetters,
): SlicedWork {
  return termsInSlices(termCount, (from, to) => {
    functions.reverseTerms(letters, starts + 4 * from, to - from);
  });
}
