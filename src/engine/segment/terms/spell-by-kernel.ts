import type { BuildingMemory } from "../../kernels/building-memory.js";
import type { SlicedWork } from "../sliced-work.js";
import { ALPHABET_MAX, CODE_POINTS, TERM_LENGTH_MAX } from "./term-letters.js";

/** Bytes behind letters that kernels may read. */
const MARGIN = 8;

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
 * `spellTerms` by kernel; null if tries can't hold the terms.
 *
 * @param offsets u32
 */
export function* spellByKernel(
  memory: BuildingMemory,
  bytes: Uint8Array,
  offsets: Uint8Array | Uint32Array,
): SlicedWork<PlacedLetters | null> {
  const { functions } = memory;
  const termCount = offsets.byteLength / 4 - 1;
  const alphabet = functions.allocate(4 * ALPHABET_MAX);
  const letterOf = functions.zeros(2 * CODE_POINTS);
  const bytesAt = memory.place(bytes);
  const offsetsAt = memory.place(offsets);
  functions.markCodePoints(bytesAt, bytesAt + bytes.length, letterOf);
  const alphabetLength = functions.numberLetters(letterOf, alphabet, ALPHABET_MAX);
  if (alphabetLength > ALPHABET_MAX) return null;
  yield;
  const letters = functions.allocate(2 * bytes.length + MARGIN);
  const starts = functions.allocate(offsets.byteLength);
  const longest = functions.spellTerms(bytesAt, offsetsAt, termCount, letterOf, letters, starts);
  if (longest > TERM_LENGTH_MAX) return null;
  yield;
  return { alphabet, alphabetLength, letters, starts, termCount, longest };
}
