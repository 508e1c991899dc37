// AssemblyScript. Packs documents into blocks of a document store, as `segment/doc-store/FORMAT.md` has them.

import { compressShortLz4 } from "./lz4-compress";

/** Of a document's members that are kept apart, where it has none: a length, and an empty object. */
const NO_UNSTORED: u32 = 0x7d_7b_02;
const NO_UNSTORED_BYTES: usize = 3;
const EMPTY_JSON_BYTES: u32 = 2;

/** Documents, and the block that they go to; TypeScript fills it in. */
@unmanaged
export class Packing {
  /** Address and length of the JSON of each document that isn't packed yet, and where these end. */
  next: usize;
  end: usize;
  /** The open block, its bytes, and how many of them close it. */
  raw: usize;
  rawLength: u32;
  rawLengthMax: u32;
  /** For what the block is compressed to, and the compressor's table. */
  target: usize;
  table: usize;
}

/**
 * Puts documents into the open block until that is closed, or none is left. Returns how many bytes the closed block
 * takes compressed; 0 if it is still open. A byte more may be overwritten behind it.
 */
export function packBlock(packing: Packing): u32 {
  const raw = packing.raw;
  const closing = raw + packing.rawLengthMax;
  const end = packing.end;
  let next = packing.next;
  let out = raw + packing.rawLength;
  let isClosed = false;
  while (next < end && !isClosed) {
    const length = load<u32>(next, 4);
    if (length + EMPTY_JSON_BYTES >= packing.rawLengthMax && out > raw) {
      isClosed = true;
      break;
    }
    out = putLength(out, length);
    memory.copy(out, <usize>load<u32>(next), length);
    out += length;
    store<u32>(out, NO_UNSTORED);
    out += NO_UNSTORED_BYTES;
    next += 8;
    isClosed = out >= closing;
  }
  packing.next = next;
  packing.rawLength = <u32>(out - raw);
  if (!isClosed) return 0;
  return <u32>(compressShortLz4(raw, packing.rawLength, packing.target, packing.table) - packing.target);
}

@inline
function putLength(at: usize, value: u32): usize {
  while (value > 0x7f) {
    store<u8>(at++, (value & 0x7f) | 0x80);
    value >>>= 7;
  }
  store<u8>(at++, value);
  return at;
}
