import { Lz4Decoder, type Lz4Range } from "../bytes/lz4-decoder.js";
import { MalformedBytesError } from "../bytes/malformed-bytes-error.js";
import { compiledKernels, instantiateKernels, type KernelFunctions } from "./kernel-module.js";

/** Bytes behind a block and behind its target that a decoder may read or overwrite. */
export const DECODER_MARGIN = 16;

/** Decompresses LZ4 blocks within one memory; `Lz4Decoder` says how. */
export interface BlockDecoder {
  /** The memory, zeroed at first. */
  readonly bytes: Uint8Array;
  start(range: Lz4Range): void;
  decodeTo(wanted: number): number;
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

class PlainBlockDecoder extends Lz4Decoder implements BlockDecoder {
  readonly bytes: Uint8Array;

  constructor(length: number) {
    const bytes = new Uint8Array(length);
    super(bytes, bytes);
    this.bytes = bytes;
  }
}

const PAGE_BYTES = 65_536;

/** The same by kernel, which writes up to `DECODER_MARGIN` bytes past the target. */
class KernelBlockDecoder implements BlockDecoder {
  readonly bytes: Uint8Array;
  readonly #kernels: KernelFunctions;
  #range: Lz4Range = { sourceStart: 0, sourceEnd: 0, targetStart: 0, targetEnd: 0 };
  #at = 0;
  #out = 0;

  constructor(module: WebAssembly.Module, length: number) {
    const pages = Math.ceil((length + DECODER_MARGIN) / PAGE_BYTES);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    this.bytes = new Uint8Array(memory.buffer, 0, length);
    this.#kernels = instantiateKernels(module, memory);
  }

  start(range: Lz4Range): void {
    this.#range = range;
    this.#at = range.sourceStart;
    this.#out = range.targetStart;
  }

  decodeTo(wanted: number): number {
    const { sourceEnd, targetStart, targetEnd } = this.#range;
    const kernels = this.#kernels;
    const out = kernels.decodeLz4(this.#at, sourceEnd, targetStart, this.#out, targetEnd, wanted);
    if (out === 0) throw new MalformedBytesError("a compressed block isn't what its header says");
    this.#at = kernels.lz4Position();
    this.#out = out;
    return out;
  }
}
