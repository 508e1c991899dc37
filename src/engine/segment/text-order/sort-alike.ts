import { GrowableU32 } from "../../bytes/growable-u32.js";
import { BuildingMemory } from "../../kernels/building-memory.js";
import type { SlicedWork } from "../sliced-work.js";
import { numbered } from "../strings/numbered.js";
import { sortPlaced, sortStrings } from "../strings/sort-strings.js";
import type { AlikeStrings, ByteStrings } from "./byte-strings.js";

/** Fewer strings are sorted where they are. */
const STRINGS_MIN = 512;
/** Strings gone through between two pauses. */
const STRINGS_PER_STEP = 8192;
/** Bytes behind the strings that kernels may read. */
const MARGIN = 8;

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
export function* sortAlike(strings: AlikeStrings, cut: number): SlicedWork<SortedAlike> {
  const memory = strings.count < STRINGS_MIN ? null : BuildingMemory.borrow();
  if (memory === null) return yield* sortPlainly(strings.joined(), cut);
  try {
    return yield* sortByKernel(memory, strings, cut);
  } finally {
    memory.giveBack();
  }
}

function* sortByKernel(memory: BuildingMemory, strings: AlikeStrings, cut: number): SlicedWork<SortedAlike> {
  const { functions } = memory;
  const { starts, count } = strings;
  const orderAt = memory.place(numbered(count));
  const startsAt = memory.place(starts.subarray(0, count + 1));
  const symbolsAt = strings.placeBytes(memory);
  functions.allocate(MARGIN);
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

function* sortPlainly(strings: ByteStrings, cut: number): SlicedWork<SortedAlike> {
  const { bytes, starts, count } = strings;
  const order = numbered(count);
  yield* sortStrings(order, bytes.bytes, starts);
  const runs = new GrowableU32();
  for (let from = 0; from < count; ) {
    from = markAlike(strings, order, from, Math.min(count, from + STRINGS_PER_STEP), cut, runs);
    yield;
  }
  return { order, runs: runs.toSection() };
}

/** Goes through some strings from `from` on, which begins a run; returns where it stopped. */
function markAlike(
  strings: ByteStrings,
  order: Uint32Array,
  from: number,
  stop: number,
  cut: number,
  runs: GrowableU32,
): number {
  const { starts } = strings;
  let at = from;
  while (at < stop) {
    const first = order[at]!;
    let end = at + 1;
    while (end < order.length && strings.compare(first, strings, order[end]!) === 0) end++;
    if (end - at > 1 && starts[first + 1]! - starts[first]! >= cut) {
      runs.push(at);
      runs.push(end);
    } else {
      for (let i = at + 1; i < end; i++) order[i]! |= EQUALS_PREVIOUS;
    }
    at = end;
  }
  return at;
}
