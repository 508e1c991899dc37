import { ByteReader } from "../../bytes/byte-reader.js";
import { ByteWriter } from "../../bytes/byte-writer.js";
import { BuildingMemory } from "../../kernels/building-memory.js";
import { packPlaced, unpackNumbers } from "../../kernels/pack-numbers.js";
import type { UnfoldedSection } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";

const LONG_BYTES = 8;

/**
 * Values of eight bytes each, ascending: their differences from the value before, from 0 for the first,
 * as two lists of packed numbers, high halves and low halves, each behind its length in bytes (u32).
 */
export function foldLongs(values: Uint8Array): Uint8Array {
  const folded = new ByteWriter(values.length + 8);
  for (const half of halvesOf(values)) {
    folded.u32(half.length);
    folded.bytes(half);
  }
  return folded.toBytes();
}

/** High halves and low halves of the differences, packed. */
function halvesOf(values: Uint8Array): readonly Uint8Array[] {
  const count = values.length / LONG_BYTES;
  const memory = BuildingMemory.borrow();
  try {
    const valuesAt = memory.place(values);
    const halves = [4 * count, 4 * count].map((bytes) => memory.functions.allocate(bytes));
    memory.functions.splitLongs(valuesAt, count, halves[0]!, halves[1]!);
    return halves.map((half) => packPlaced(memory, half, count).slice());
  } finally {
    memory.giveBack();
  }
}

export function* unfoldLongs(folded: Uint8Array, { target }: UnfoldedSection): SlicedWork {
  const count = target.length / LONG_BYTES;
  const reader = new ByteReader(folded);
  const highs = new Uint32Array(count);
  const lows = new Uint32Array(count);
  for (const half of [highs, lows]) unpackNumbers(reader.bytes(reader.u32()), half);
  yield;
  joinLongs(highs, lows, target);
}

function joinLongs(highs: Uint32Array, lows: Uint32Array, target: Uint8Array): void {
  const memory = BuildingMemory.borrow();
  try {
    const highsAt = memory.place(highs);
    const lowsAt = memory.place(lows);
    const values = memory.functions.allocate(target.length);
    memory.functions.joinLongs(highsAt, lowsAt, highs.length, values);
    target.set(memory.bytes.subarray(values, values + LONG_BYTES * highs.length));
  } finally {
    memory.giveBack();
  }
}
