import { ByteReader } from "../../bytes/byte-reader.js";
import { ByteWriter } from "../../bytes/byte-writer.js";
import { memoryFor, packNumbers, packPlaced, unpackNumbers } from "../../kernels/pack-numbers.js";
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
  const memory = memoryFor(count);
  if (memory === null) return plainHalvesOf(values).map(packNumbers);
  try {
    const valuesAt = memory.place(values);
    const halves = [4 * count, 4 * count].map((bytes) => memory.functions.allocate(bytes));
    memory.functions.splitLongs(valuesAt, count, halves[0]!, halves[1]!);
    return halves.map((half) => packPlaced(memory, half, count).slice());
  } finally {
    memory.giveBack();
  }
}

function plainHalvesOf(values: Uint8Array): readonly Uint32Array[] {
  const count = values.length / LONG_BYTES;
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  const highs = new Uint32Array(count);
  const lows = new Uint32Array(count);
  let high = 0;
  let low = 0;
  for (let i = 0; i < count; i++) {
    const nextHigh = view.getUint32(LONG_BYTES * i);
    const nextLow = view.getUint32(LONG_BYTES * i + 4);
    lows[i] = nextLow - low;
    highs[i] = nextHigh - high - (nextLow < low ? 1 : 0);
    high = nextHigh;
    low = nextLow;
  }
  return [highs, lows];
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
  const memory = memoryFor(highs.length);
  if (memory === null) {
    joinPlainly(highs, lows, target);
    return;
  }
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

function joinPlainly(highs: Uint32Array, lows: Uint32Array, target: Uint8Array): void {
  const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
  let high = 0;
  let low = 0;
  for (let i = 0; i < highs.length; i++) {
    const sum = low + lows[i]!;
    low = sum >>> 0;
    high = (high + highs[i]! + (sum > 0xffff_ffff ? 1 : 0)) >>> 0;
    view.setUint32(LONG_BYTES * i, high);
    view.setUint32(LONG_BYTES * i + 4, low);
  }
}
