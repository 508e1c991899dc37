import { ByteReader } from "../bytes/byte-reader.js";
import { Lz4Decoder, type Lz4Range } from "../bytes/lz4-decoder.js";
import { MalformedBytesError } from "../bytes/malformed-bytes-error.js";
import type { KernelFunctions } from "./kernel-functions.js";
import { compiledKernels, instantiateKernels } from "./kernel-module.js";

/** Bytes behind a block and behind its target that a decoder may read or overwrite. */
export const DECODER_MARGIN = 16;

/** Decompresses LZ4 blocks within one memory; `Lz4Decoder` says how. Finds records in them. */
export interface BlockDecoder {
  /** The memory, zeroed at first. */
  readonly bytes: Uint8Array;
  /** Where the record found last begins. */
  readonly recordStart: number;
  readonly recordEnd: number;
  /** Whether none of its bytes is above 127. */
  readonly recordIsAscii: boolean;

  start(range: Lz4Range): void;
  /** Begins with a block that isn't compressed. */
  startFilled(start: number, end: number): void;
  decodeTo(wanted: number): number;
  /**
   * Finds one of a block's records, which are lengths (varints) and as many bytes each, from the target's
   * start on; decompresses no more than it has to.
   *
   * @param ordinal from 0
   * @param expected bytes from the target's start to the record's end, about: these are decompressed first
   * @throws MalformedBytesError
   */
  findRecord(ordinal: number, expected: number): void;
}

/** A decoder over `length` bytes of its own: by kernel where there are kernels. */
export function createBlockDecoder(length: number): BlockDecoder {
  const kernels = compiledKernels();
  if (kernels !== null) {
    try {
      return new KernelBlockDecoder(kernels, length);
    } catch {
      // No address space is left for a memory of its own.
    }
  }
  return new PlainBlockDecoder(length);
}

/** Most bytes that a length takes. */
const VARINT_LENGTH_MAX = 8;

export class PlainBlockDecoder extends Lz4Decoder implements BlockDecoder {
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

const PAGE_BYTES = 65_536;
const WRONG_BLOCK = "a compressed block isn't what its header says";

/** Decodes by kernel, which writes up to `DECODER_MARGIN` bytes past the target. */
class KernelBlockDecoder implements BlockDecoder {
  readonly bytes: Uint8Array;
  recordStart = 0;
  recordEnd = 0;
  recordIsAscii = false;
  readonly #kernels: KernelFunctions;
  #at = 0;
  #sourceEnd = 0;
  #targetStart = 0;
  #targetEnd = 0;
  #filledTo = 0;

  constructor(module: WebAssembly.Module, length: number) {
    const pages = Math.ceil((length + DECODER_MARGIN) / PAGE_BYTES);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    this.bytes = new Uint8Array(memory.buffer, 0, length);
    this.#kernels = instantiateKernels(module, memory);
  }

  start({ sourceStart, sourceEnd, targetStart, targetEnd }: Lz4Range): void {
    this.#at = sourceStart;
    this.#sourceEnd = sourceEnd;
    this.#targetStart = targetStart;
    this.#targetEnd = targetEnd;
    this.#filledTo = targetStart;
  }

  startFilled(start: number, end: number): void {
    this.#targetStart = start;
    this.#targetEnd = end;
    this.#filledTo = end;
  }

  decodeTo(wanted: number): number {
    const kernels = this.#kernels;
    const out = kernels.decodeLz4(
      this.#at,
      this.#sourceEnd,
      this.#targetStart,
      this.#filledTo,
      this.#targetEnd,
      wanted,
    );
    if (out === 0) throw new MalformedBytesError(WRONG_BLOCK);
    this.#at = kernels.lz4Position();
    this.#filledTo = out;
    return out;
  }

  findRecord(ordinal: number, expected: number): void {
    const kernels = this.#kernels;
    const start = kernels.findRecord(
      this.#at,
      this.#sourceEnd,
      this.#targetStart,
      this.#filledTo,
      this.#targetEnd,
      this.#targetStart + expected,
      ordinal,
    );
    if (start === 0) throw new MalformedBytesError(WRONG_BLOCK);
    this.#at = kernels.lz4Position();
    this.#filledTo = kernels.lz4FilledTo();
    this.recordStart = start;
    this.recordEnd = kernels.lz4RecordEnd();
    this.recordIsAscii = kernels.lz4RecordIsAscii() === 1;
  }
}
