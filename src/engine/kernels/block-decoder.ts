import { FindlingError } from "../../errors/findling-error.js";
import { MalformedBytesError } from "../bytes/malformed-bytes-error.js";
import type { KernelFunctions } from "./kernel-functions.js";
import { compiledKernels, instantiateKernels } from "./kernel-module.js";

/** Bytes behind a block and behind its target that a decoder may read or overwrite. */
export const DECODER_MARGIN = 16;

const PAGE_BYTES = 65_536;
const WRONG_BLOCK = "a compressed block isn't what its header says";

/** Where a block is, and where it is to be decompressed to, as ranges of the decoder's memory. */
export interface Lz4Range {
  readonly sourceStart: number;
  readonly sourceEnd: number;
  readonly targetStart: number;
  /** `targetStart` and the length before compression. */
  readonly targetEnd: number;
}

/**
 * Decompresses LZ4 blocks within one memory, as much of one at a time as is wanted, and finds records in them: by kernel,
 * which never reads or writes beyond the ranges that it was given and the margins behind them.
 */
export class BlockDecoder {
  /** The memory, zeroed at first. */
  readonly bytes: Uint8Array;
  /** Where the record found last begins. */
  recordStart = 0;
  recordEnd = 0;
  /** Whether none of its bytes is above 127. */
  recordIsAscii = false;
  readonly #kernels: KernelFunctions;
  #at = 0;
  #sourceEnd = 0;
  #targetStart = 0;
  #targetEnd = 0;
  #filledTo = 0;

  /** @throws FindlingError `storage_unavailable` if no address space is left for `length` bytes */
  constructor(length: number) {
    const pages = Math.ceil((length + DECODER_MARGIN) / PAGE_BYTES);
    try {
      const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
      this.bytes = new Uint8Array(memory.buffer, 0, length);
      this.#kernels = instantiateKernels(compiledKernels()!, memory);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new FindlingError(
        "storage_unavailable",
        "no memory is left to read documents in; let the process have more address space",
        { cause: error },
      );
    }
  }

  /** Begins with a block; the one before is forgotten. Nothing is decompressed yet. */
  start({ sourceStart, sourceEnd, targetStart, targetEnd }: Lz4Range): void {
    this.#at = sourceStart;
    this.#sourceEnd = sourceEnd;
    this.#targetStart = targetStart;
    this.#targetEnd = targetEnd;
    this.#filledTo = targetStart;
  }

  /** Begins with a block that isn't compressed. */
  startFilled(start: number, end: number): void {
    this.#targetStart = start;
    this.#targetEnd = end;
    this.#filledTo = end;
  }

  /**
   * Goes on until the target is filled up to `wanted`, at most the range's end.
   *
   * @returns how far it is filled: `wanted` or more
   * @throws MalformedBytesError if the source is no block, or one of another length; the block must
   *   then be started anew. What comes after `wanted` isn't looked at.
   */
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

  /**
   * Finds one of a block's records, which are lengths (varints) and as many bytes each, from the target's
   * start on; decompresses no more than it has to.
   *
   * @param ordinal from 0
   * @param expected bytes from the target's start to the record's end, about: these are decompressed first
   * @throws MalformedBytesError
   */
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
