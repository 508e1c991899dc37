import { ByteWriter } from "../../src/engine/bytes/byte-writer.js";
import { packNumbers } from "./packed-numbers.js";

const SHARED_MAX = 255;
const LONG_BYTES = 8;

/** As `foldFrontCoded`, in plain TypeScript. */
export function foldFrontCodedPlainly(bytes: Uint8Array, offsets: Uint32Array): Uint8Array {
  const count = offsets.length - 1;
  const shared = new Uint8Array(count);
  const rests = new Uint8Array(bytes.length);
  let restLength = 0;
  for (let i = 0; i < count; i++) {
    const start = offsets[i]!;
    const end = offsets[i + 1]!;
    let at = start;
    if (i > 0) {
      const limit = Math.min(start + SHARED_MAX, end);
      for (let before = offsets[i - 1]!; at < limit && before < start; at++, before++) {
        if (bytes[at] !== bytes[before]) break;
      }
    }
    shared[i] = at - start;
    while (at < end) rests[restLength++] = bytes[at++]!;
  }
  const packed = packNumbers(shared);
  const folded = new ByteWriter(packed.length + restLength + 4);
  folded.u32(packed.length);
  folded.bytes(packed);
  folded.bytes(rests.subarray(0, restLength));
  return folded.toBytes();
}

/** As `foldLongs`, in plain TypeScript. */
export function foldLongsPlainly(values: Uint8Array): Uint8Array {
  const folded = new ByteWriter(values.length + 8);
  for (const half of plainHalvesOf(values).map(packNumbers)) {
    folded.u32(half.length);
    folded.bytes(half);
  }
  return folded.toBytes();
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

/** As `foldReferences`, in plain TypeScript. */
export function foldReferencesPlainly(references: Uint32Array, docFreqs: Uint32Array): Uint8Array {
  const of = (least: number, most: number): Uint8Array =>
    packNumbers(references.filter((_, term) => docFreqs[term]! >= least && docFreqs[term]! <= most));
  const singles = of(1, 1);
  const folded = new ByteWriter(singles.length + 4);
  folded.u32(singles.length);
  folded.bytes(singles);
  folded.bytes(of(2, 127));
  return folded.toBytes();
}
