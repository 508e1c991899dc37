import { BuildingMemory } from "../../kernels/building-memory.js";
import type { SlicedWork } from "../sliced-work.js";
import { sortSymbolStrings } from "./sort-symbol-strings.js";

/** Fewer strings are sorted where they are. */
const STRINGS_MIN = 512;
/** So are longer ones. */
const BYTES_MAX = 512;
/** Bytes behind the symbols that the kernel may read. */
const MARGIN = 8;
/** Strings looked at between two pauses. */
const STRINGS_PER_STEP = 65_536;

/** What the kernel looks at together, and room for that and the string's number. */
const KEY_BYTES = 8;
const SPARE_BYTES = 12;
/** A range that waits to be sorted, and how many of them may share a depth: 2 · log2(strings). */
const RANGE_BYTES = 16;
const RANGES_PER_DEPTH = 64;

/**
 * `sortSymbolStrings`, by kernel where that is worth it. Equal strings may come in another order.
 *
 * @param symbols those of two bytes are above 0
 */
export function* sortStrings(
  order: Uint32Array,
  symbols: Uint8Array | Uint16Array,
  starts: Uint32Array,
): SlicedWork {
  const { count, end, lengthMax } = extentOf(order, starts);
  const bytesMax = lengthMax * symbols.BYTES_PER_ELEMENT;
  const memory = order.length < STRINGS_MIN || bytesMax > BYTES_MAX ? null : BuildingMemory.borrow();
  if (memory === null) return yield* sortSymbolStrings(order, symbols, starts);
  try {
    const orderAt = memory.place(order);
    const startsAt = memory.place(starts.subarray(0, count + 1));
    const symbolsAt = memory.place(symbols.subarray(0, end));
    memory.functions.allocate(MARGIN);
    const isWide = symbols.BYTES_PER_ELEMENT === 2;
    yield* sortPlaced(memory, { orderAt, symbolsAt, startsAt, isWide, bytesMax }, order.length);
    order.set(memory.words.subarray(orderAt >>> 2, (orderAt >>> 2) + order.length));
  } finally {
    memory.giveBack();
  }
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
  const ranges = functions.allocate(RANGE_BYTES * RANGES_PER_DEPTH * depths);
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
