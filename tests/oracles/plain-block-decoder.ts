import { ByteReader } from "../../src/engine/bytes/byte-reader.js";
import type { Lz4Range } from "../../src/engine/kernels/block-decoder.js";
import { Lz4Decoder } from "./lz4-decoder.js";

/** Most bytes that a length takes. */
const VARINT_LENGTH_MAX = 8;

/** `BlockDecoder` without kernels. */
export class PlainBlockDecoder extends Lz4Decoder {
  readonly bytes: Uint8Array;
  recordStart = 0;
  recordEnd = 0;
  recordIsAscii = false;
  #targetStart = 0;
  #targetEnd = 0;
  #filledTo = 0;

  constructor(length: number) {
    const bytes = new Uint8Array(length);
    super(bytes, bytes);
    this.bytes = bytes;
  }

  override start(range: Lz4Range): void {
    super.start(range);
    this.#targetStart = range.targetStart;
    this.#targetEnd = range.targetEnd;
    this.#filledTo = range.targetStart;
  }

  startFilled(start: number, end: number): void {
    this.#targetStart = start;
    this.#targetEnd = end;
    this.#filledTo = end;
  }

  findRecord(ordinal: number, expected: number): void {
    this.#fillTo(this.#targetStart + expected);
    const reader = new ByteReader(this.bytes, this.#targetStart, this.#targetEnd);
    for (let skip = ordinal; skip > 0; skip--) reader.skip(this.#takeLength(reader));
    const length = this.#takeLength(reader);
    this.recordStart = reader.position;
    reader.skip(length);
    this.recordEnd = reader.position;
    this.#fillTo(this.recordEnd);
    this.recordIsAscii = this.bytes.subarray(this.recordStart, this.recordEnd).every((byte) => byte < 128);
  }

  #takeLength(reader: ByteReader): number {
    this.#fillTo(reader.position + VARINT_LENGTH_MAX);
    return reader.varint();
  }

  #fillTo(end: number): void {
    const wanted = Math.min(end, this.#targetEnd);
    if (this.#filledTo < wanted) this.#filledTo = this.decodeTo(wanted);
  }
}
