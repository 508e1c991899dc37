import { MalformedBytesError } from "../../bytes/malformed-bytes-error.js";
import { BlockDecoder, DECODER_MARGIN } from "../../kernels/block-decoder.js";
import { BuildingMemory } from "../../kernels/building-memory.js";

/** Blocks with more, before or after compression, hold one long document each, and are few. */
const BYTES_MAX = 1 << 16;
const TARGET_START = BYTES_MAX + DECODER_MARGIN;

let ofThread: BlockDecoder | null = null;

/** What a compressed block holds, in memory of its own. @throws MalformedBytesError if it is of another length */
export function decompressBlock(payload: Uint8Array, rawLength: number): Uint8Array {
  const bytes = decompressInPassing(payload, rawLength);
  return bytes.buffer === ofThread?.bytes.buffer ? bytes.slice() : bytes;
}

/** A block decompressed where another one may be when the thread decompresses the next one. */
export function decompressInPassing(payload: Uint8Array, rawLength: number): Uint8Array {
  if (payload.length > BYTES_MAX || rawLength > BYTES_MAX) return decompressLong(payload, rawLength);
  ofThread ??= new BlockDecoder(TARGET_START + BYTES_MAX + DECODER_MARGIN);
  const targetEnd = TARGET_START + rawLength;
  ofThread.bytes.set(payload);
  ofThread.start({ sourceStart: 0, sourceEnd: payload.length, targetStart: TARGET_START, targetEnd });
  ofThread.decodeTo(targetEnd);
  return ofThread.bytes.subarray(TARGET_START, targetEnd);
}

function decompressLong(payload: Uint8Array, rawLength: number): Uint8Array {
  const memory = BuildingMemory.borrow();
  try {
    const { functions } = memory;
    const source = memory.place(payload);
    functions.allocate(DECODER_MARGIN);
    const target = functions.allocate(rawLength + DECODER_MARGIN);
    if (functions.decodeBlock(source, payload.length, target, rawLength) === 0)
      throw new MalformedBytesError("a compressed block isn't what its header says");
    return memory.bytes.slice(target, target + rawLength);
  } finally {
    memory.giveBack();
  }
}
