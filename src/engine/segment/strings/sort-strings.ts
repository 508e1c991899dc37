import { BuildingMemory } from "../../kernels/building-memory.js";
import type { SlicedWork } from "../sliced-work.js";

/** Bytes behind the symbols that the kernel may read. */
export const SORTING_MARGIN = 8;
/** Strings looked at between two pauses. */
const STRINGS_PER_STEP = 65_536;

/** What the kernel looks at together, and room for that and the string's number. */
const KEY_BYTES = 8;
const SPARE_BYTES = 12;
/** A range that waits to be sorted, and how many of them may share a depth at most: 2 · log2(strings). */
const RANGE_BYTES = 16;
const RANGES_PER_DEPTH = 64;

/**
 * Sorts strings of numbers, such as the bytes of terms: `order` holds numbers of strings, string i being
 * `symbols[starts[i]]` up to, not including, `symbols[starts[i + 1]]`. Equal strings may come in any order.
 *
 * @param symbols those of two bytes are above 0
 */
export function* sortStrings(
  order: Uint32Array,
  symbols: Uint8Array | Uint16Array,
  starts: Uint32Array,
): SlicedWork {
  if (order.length < 2) return;
  const { count, end, lengthMax } = extentOf(order, starts);
  const memory = BuildingMemory.borrow();
  try {
    const startsAt = memory.place(starts.subarray(0, count + 1));
    const symbolsAt = memory.place(symbols.subarray(0, end));
    memory.functions.allocate(SORTING_MARGIN);
    const isWide = symbols.BYTES_PER_ELEMENT === 2;
    const bytesMax = lengthMax * symbols.BYTES_PER_ELEMENT;
    yield* sortOrder(memory, { symbolsAt, startsAt, isWide, bytesMax }, order);
  } finally {
    memory.giveBack();
  }
}

/** Sorts an order of strings that are in the memory. */
export function* sortOrder(
  memory: BuildingMemory,
  strings: Omit<PlacedStrings, "orderAt">,
  order: Uint32Array,
): SlicedWork {
  const top = memory.functions.heapTop();
  const orderAt = memory.place(order);
  yield* sortPlaced(memory, { ...strings, orderAt }, order.length);
  order.set(memory.words.subarray(orderAt >>> 2, (orderAt >>> 2) + order.length));
  memory.functions.releaseTo(top);
}

export interface PlacedStrings {
  readonly orderAt: number;
  /** Eight bytes behind them are read. */
  readonly symbolsAt: number;
  readonly startsAt: number;
  readonly isWide: boolean;
  /** How long the longest is. */
  readonly bytesMax: number;
}

/** Sorts strings that are in the memory. */
export function* sortPlaced(
  { functions }: BuildingMemory,
  { orderAt, symbolsAt, startsAt, isWide, bytesMax }: PlacedStrings,
  count: number,
): SlicedWork {
  const top = functions.heapTop();
  const keys = functions.allocate(KEY_BYTES * count);
  const spare = functions.allocate(SPARE_BYTES * count);
  const depths = Math.ceil(bytesMax / KEY_BYTES) + 1;
  // Those that wait share no string, and have two at least.
  const rangesMax = Math.min(RANGES_PER_DEPTH * depths, (count >>> 1) + 1);
  const ranges = functions.allocate(RANGE_BYTES * rangesMax);
  functions.beginSort(orderAt, keys, spare, symbolsAt, startsAt, isWide ? 1 : 0, ranges, count);
  while (functions.sortOn(STRINGS_PER_STEP) === 0) yield;
  functions.releaseTo(top);
}

/** How many strings there are at least, where the last of them ends, and how long the longest is. */
function extentOf(
  order: Uint32Array,
  starts: Uint32Array,
): { readonly count: number; readonly end: number; readonly lengthMax: number } {
  let last = -1;
  let lengthMax = 0;
  for (let i = 0; i < order.length; i++) {
    const string = order[i]!;
    const length = starts[string + 1]! - starts[string]!;
    if (length > lengthMax) lengthMax = length;
    if (string > last) last = string;
  }
  return { count: last + 1, end: starts[last + 1] ?? 0, lengthMax };
}
