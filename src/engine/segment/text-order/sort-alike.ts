import { BuildingMemory } from "../../kernels/building-memory.js";
import type { SlicedWork } from "../sliced-work.js";
import { numbered } from "../strings/numbered.js";
import { SORTING_MARGIN, sortPlaced } from "../strings/sort-strings.js";
import type { GatheredStrings } from "./gathered-strings.js";

/** Strings gone through between two pauses. */
const STRINGS_PER_STEP = 8192;

/** The lower bits of a sorted entry are a string's number; the upper one says that it equals the one before it. */
export const NUMBER = 0x7fff_ffff;
export const EQUALS_PREVIOUS = 0x8000_0000;

export interface SortedAlike {
  /** Numbers in order. */
  readonly order: Uint32Array;
  /** Starts and ends of what is equal as far as strings go, where that isn't far enough; nothing is marked there. */
  readonly runs: Uint32Array;
}

/**
 * Sorts strings, and marks each that equals the one before it.
 *
 * @param cut strings of so many bytes, the most that there are, are the beginnings of longer ones
 */
export function* sortAlike(strings: GatheredStrings, cut: number): SlicedWork<SortedAlike> {
  const memory = BuildingMemory.borrow();
  try {
    return yield* sortIn(memory, strings, cut);
  } finally {
    memory.giveBack();
  }
}

function* sortIn(memory: BuildingMemory, strings: GatheredStrings, cut: number): SlicedWork<SortedAlike> {
  const { functions } = memory;
  const { starts, count } = strings;
  const orderAt = memory.place(numbered(count));
  const startsAt = memory.place(starts.subarray(0, count + 1));
  const symbolsAt = strings.placeBytes(memory);
  functions.allocate(SORTING_MARGIN);
  yield* sortPlaced(memory, { orderAt, symbolsAt, startsAt, isWide: false, bytesMax: cut }, count);
  const runsAt = functions.zeros(4 * (count + 1));
  for (let from = 0; from < count; ) {
    const stop = Math.min(count, from + STRINGS_PER_STEP);
    from = functions.markAlike(orderAt, from, stop, count, symbolsAt, startsAt, cut, runsAt);
    yield;
  }
  const { words } = memory;
  const runs = runsAt >>> 2;
  return {
    order: words.slice(orderAt >>> 2, (orderAt >>> 2) + count),
    runs: words.slice(runs + 1, runs + 1 + words[runs]!),
  };
}
