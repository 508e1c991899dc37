import { MalformedBytesError } from "../../src/engine/bytes/malformed-bytes-error.js";
import type { Lz4Range } from "../../src/engine/kernels/block-decoder.js";

const MATCH_MIN = 4;
/** From here on the system's copy is quicker than a loop. */
const LONG_COPY = 64;
const ENDS_INSIDE_LENGTH = "a compressed block ends inside a length";

/**
 * What kernels decompress is compared with this. Decompresses blocks of the LZ4 format (drawn in `engine/bytes/lz4.ts`) from one array to another, which may be
 * the same one; as much of a block at a time as is wanted, going on where it stopped. Never reads or
 * writes outside the ranges it was given, whatever the bytes are, and takes time linear in their lengths.
 */
export class Lz4Decoder {
  readonly #source: Uint8Array;
  readonly #target: Uint8Array;
  readonly #sourceView: DataView;
  readonly #targetView: DataView;
  #at = 0;
  #sourceEnd = 0;
  #targetStart = 0;
  #out = 0;
  #targetEnd = 0;

  constructor(source: Uint8Array, target: Uint8Array) {
    this.#source = source;
    this.#target = target;
    this.#sourceView = new DataView(source.buffer, source.byteOffset, source.length);
    this.#targetView = new DataView(target.buffer, target.byteOffset, target.length);
  }

  /** Begins with a block; the one before is forgotten. Nothing is decompressed yet. */
  start({ sourceStart, sourceEnd, targetStart, targetEnd }: Lz4Range): void {
    this.#at = sourceStart;
    this.#sourceEnd = sourceEnd;
    this.#targetStart = targetStart;
    this.#out = targetStart;
    this.#targetEnd = targetEnd;
  }

  /**
   * Goes on until the target is filled up to `wanted`, at most the range's end.
   *
   * @returns how far it is filled: `wanted` or more
   * @throws MalformedBytesError if the source is no block, or one of another length; the block must
   *   then be started anew. What comes after `wanted` isn't looked at.
   */
  decodeTo(wanted: number): number {
    const source = this.#source;
    const target = this.#target;
    const sourceView = this.#sourceView;
    const targetView = this.#targetView;
    const sourceEnd = this.#sourceEnd;
    const targetStart = this.#targetStart;
    const targetEnd = this.#targetEnd;
    let at = this.#at;
    let out = this.#out;
    // Every turn takes at least the token from the source, so the loop ends.
    while (at < sourceEnd && (out < wanted || wanted === targetEnd)) {
      const token = source[at++]!;

      let literals = token >>> 4;
      if (literals === 15) {
        let more = 255;
        while (more === 255) {
          if (at >= sourceEnd) throw new MalformedBytesError(ENDS_INSIDE_LENGTH);
          more = source[at++]!;
          literals += more;
        }
      }
      if (literals > sourceEnd - at || literals > targetEnd - out) {
        throw new MalformedBytesError("a compressed block has more literals than there is room for");
      }
      if (literals > LONG_COPY) {
        target.set(source.subarray(at, at + literals), out);
      } else if (literals + 4 <= sourceEnd - at && literals + 4 <= targetEnd - out) {
        // Up to three bytes too many, which the next ones overwrite.
        for (let index = 0; index < literals; index += 4) {
          targetView.setInt32(out + index, sourceView.getInt32(at + index, true), true);
        }
      } else {
        for (let index = 0; index < literals; index++) target[out + index] = source[at + index]!;
      }
      at += literals;
      out += literals;
      if (at === sourceEnd) break;

      if (sourceEnd - at < 2) throw new MalformedBytesError("a compressed block ends inside an offset");
      const distance = source[at]! | (source[at + 1]! << 8);
      at += 2;
      if (distance === 0 || distance > out - targetStart) {
        throw new MalformedBytesError("a compressed block refers to bytes before its start");
      }
      let matchLength = token & 15;
      if (matchLength === 15) {
        let more = 255;
        while (more === 255) {
          if (at >= sourceEnd) throw new MalformedBytesError(ENDS_INSIDE_LENGTH);
          more = source[at++]!;
          matchLength += more;
        }
      }
      matchLength += MATCH_MIN;
      if (matchLength > targetEnd - out)
        throw new MalformedBytesError("a compressed block is longer than it should be");
      const end = out + matchLength;
      if (distance >= matchLength && matchLength > LONG_COPY) {
        target.copyWithin(out, out - distance, end - distance);
      } else if (distance >= 4 && targetEnd - end >= 4) {
        for (let index = out; index < end; index += 4) {
          targetView.setInt32(index, targetView.getInt32(index - distance, true), true);
        }
      } else {
        // Byte by byte: where the match overlaps what it writes, it repeats.
        for (let index = out; index < end; index++) target[index] = target[index - distance]!;
      }
      out = end;
      // A block ends after literals.
      if (at >= sourceEnd) throw new MalformedBytesError("a compressed block has no last sequence");
    }
    if (at >= sourceEnd && out !== targetEnd) {
      throw new MalformedBytesError("a compressed block is shorter than it should be");
    }
    this.#at = at;
    this.#out = out;
    return out;
  }
}

/**
 * Fills all of `target` from a compressed block: its length is the length before compression.
 * @throws MalformedBytesError if `source` is no block, or one of another length; `target` is then undefined
 */
export function decompressLz4(source: Uint8Array, target: Uint8Array): void {
  if (source.length === 0) throw new MalformedBytesError("a compressed block has no last sequence");
  const decoder = new Lz4Decoder(source, target);
  decoder.start({
    sourceStart: 0,
    sourceEnd: source.length,
    targetStart: 0,
    targetEnd: target.length,
  });
  decoder.decodeTo(target.length);
}
