import { ByteReader } from "../../bytes/byte-reader.js";
import { ByteWriter } from "../../bytes/byte-writer.js";
import { packNumbers, unpackNumbers } from "../../bytes/packed-numbers.js";
import type { UnfoldedSection } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";

const LONG_BYTES = 8;

/**
 * Values of eight bytes each, ascending: their differences from the value before, from 0 for the first,
 * as two lists of packed numbers, high halves and low halves, each behind its length in bytes (u32).
 */
export function foldLongs(values: Uint8Array): Uint8Array {
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
  const folded = new ByteWriter(values.length);
  for (const half of [highs, lows]) {
    const packed = packNumbers(half);
    folded.u32(packed.length);
    folded.bytes(packed);
  }
  return folded.toBytes();
}

export function* unfoldLongs(folded: Uint8Array, { target }: UnfoldedSection): SlicedWork {
  const count = target.length / LONG_BYTES;
  const reader = new ByteReader(folded);
  const highs = new Uint32Array(count);
  const lows = new Uint32Array(count);
  for (const half of [highs, lows]) unpackNumbers(reader.bytes(reader.u32()), half);
  yield;
  const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
  let high = 0;
  let low = 0;
  for (let i = 0; i < count; i++) {
    const sum = low + lows[i]!;
    low = sum >>> 0;
    high = (high + highs[i]! + (sum > 0xffff_ffff ? 1 : 0)) >>> 0;
    view.setUint32(LONG_BYTES * i, high);
    view.setUint32(LONG_BYTES * i + 4, low);
  }
}
