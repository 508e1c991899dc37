import { decompressLz4 } from "../../bytes/lz4-decoder.js";
import { type BlockDecoder, createBlockDecoder, DECODER_MARGIN } from "../../kernels/block-decoder.js";

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
  if (payload.length > BYTES_MAX || rawLength > BYTES_MAX) {
    const raw = new Uint8Array(rawLength);
    decompressLz4(payload, raw);
    return raw;
  }
  ofThread ??= createBlockDecoder(TARGET_START + BYTES_MAX + DECODER_MARGIN);
  const targetEnd = TARGET_START + rawLength;
  ofThread.bytes.set(payload);
  ofThread.start({ sourceStart: 0, sourceEnd: payload.length, targetStart: TARGET_START, targetEnd });
  ofThread.decodeTo(targetEnd);
  return ofThread.bytes.subarray(TARGET_START, targetEnd);
}
