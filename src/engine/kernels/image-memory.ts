/**
 * Memory for segment images that kernels can work on: a WebAssembly memory each, which holds the image
 * from address 0 and grows by scratch space behind it once a search needs any. It takes address space
 * beyond what is used, so small images, for which kernels are hardly faster, get plain shared buffers.
 */

import { mappedBytes } from "../bytes/mapped-bytes.js";
import { type ScratchLedger, ScratchPlace } from "./scratch-ledger.js";

const PAGE_BYTES = 65_536;
/** WebAssembly addresses 4 GiB. */
const PAGES_MAX = 65_536;
/**
 * Scratch pages that can be had behind an image at least, 256 MiB: for 7 threads whose searches score a million documents
 * before they rank them, some 35 MiB each (3 of what every search needs, up to 32 of scored documents), or for 28 with a
 * quarter of the documents. Threads that find no more room rank with evaluators.
 */
const SCRATCH_PAGES_MAX = 4096;
/** How much longer than its file an image can be, if it has kernel memory. */
const UNFOLDING_MAX = 4;

/** Smallest image that gets a memory for kernels. Tests lower it, to run kernels over small segments. */
export const imageThreshold: { bytes: number } = { bytes: 256 * 1024 };

const memories = new WeakMap<SharedArrayBuffer, WebAssembly.Memory>();
/** Where this thread has a place of its own in a memory that another one made. */
const places = new WeakMap<WebAssembly.Memory, ScratchPlace>();

/**
 * V8 counts no shared memory when it decides whether to collect garbage: indexes that are opened and
 * put to sleep in turn would leave gigabytes behind (measured: 2.2 GB of images of 200 MB, instead of
 * 0.45). So images come with ordinary buffers of their length, one for several small ones, which are never
 * touched and take no memory.
 */
const counted = new WeakMap<WebAssembly.Memory, ArrayBuffer>();
/** So many are worth a buffer. */
const COUNTED_BYTES = 32 * 1024 * 1024;
/** What images in this thread take that no buffer stands for yet. */
let uncountedBytes = 0;

/**
 * `length` zero bytes shared between threads, from offset 0 of a buffer that is as long or longer by
 * whole multiples of 64 bytes. In kernel memory where that is worth it and to be had.
 */
export function allocateImage(length: number): Uint8Array<SharedArrayBuffer> {
  const pages = Math.ceil(length / PAGE_BYTES);
  if (length >= imageThreshold.bytes && pages + SCRATCH_PAGES_MAX <= PAGES_MAX) {
    try {
      const memory = new WebAssembly.Memory({
        initial: Math.max(1, pages),
        maximum: Math.min(PAGES_MAX, UNFOLDING_MAX * pages + SCRATCH_PAGES_MAX),
        shared: true,
      });
      return imageIn(memory, length);
    } catch {
      // No address space is left, or no shared memory here: evaluators need neither.
    }
  }
  const rounded = Math.max(64, Math.ceil(length / 64) * 64);
  return new Uint8Array(new SharedArrayBuffer(rounded), 0, length);
}

/**
 * An image that another thread has read, in a memory that came from there.
 *
 * @param place what this thread takes of the memory: the ledger that came with it, and the number of
 *   its place; null if it takes none
 */
export function adoptImage(
  memory: WebAssembly.Memory,
  length: number,
  place: { readonly ledger: ScratchLedger; readonly number: number } | null,
): Uint8Array<SharedArrayBuffer> {
  if (place !== null) places.set(memory, new ScratchPlace(place.ledger, place.number));
  return imageIn(memory, length);
}

/**
 * An image that has grown to `length` bytes: the same up to `kept`, 0 behind that. In the same memory if
 * it is kernel memory, else in a buffer of its own.
 */
export function growImage(
  image: Uint8Array<SharedArrayBuffer>,
  kept: number,
  length: number,
): Uint8Array<SharedArrayBuffer> {
  const memory = imageMemoryOf(image);
  if (memory !== null && reaches(memory, length)) {
    // What it grows by is 0 already.
    return imageIn(memory, length, length - image.length).fill(0, kept, image.length);
  }
  const grown = allocateImage(length);
  grown.set(image.subarray(0, kept));
  return grown;
}

/** Whether a memory is so long, or could be grown. */
function reaches(memory: WebAssembly.Memory, length: number): boolean {
  const pages = Math.ceil((length - memory.buffer.byteLength) / PAGE_BYTES);
  if (pages <= 0) return true;
  try {
    memory.grow(pages);
    return true;
  } catch {
    return false;
  }
}

/** The kernel memory that a view's buffer is, null if it is another buffer. */
export function imageMemoryOf(view: ArrayBufferView): WebAssembly.Memory | null {
  return view.buffer instanceof SharedArrayBuffer ? (memories.get(view.buffer) ?? null) : null;
}

/** Thrown where a memory has no more room: what asked for it has to be done without kernels. */
export class ScratchExhaustedError extends Error {}

/**
 * Adds scratch space to a memory; returns its address. Views of the image stay valid.
 *
 * @throws ScratchExhaustedError
 */
export function growByScratch(memory: WebAssembly.Memory, bytes: number): number {
  const grow = (): number => {
    try {
      return memory.grow(Math.ceil(bytes / PAGE_BYTES)) * PAGE_BYTES;
    } catch (error) {
      throw new ScratchExhaustedError("a segment's memory has no more room for scratch space", {
        cause: error,
      });
    }
  };
  const place = places.get(memory);
  if (place === undefined) return grow();
  const used = place.takeUsed(bytes);
  if (used === null) return place.note(grow(), bytes);
  // As new: who had it before may have been ended at any point.
  new Uint8Array(memory.buffer, used, bytes).fill(0);
  return used;
}

/** @param added bytes of it that this thread hasn't counted before */
function imageIn(
  memory: WebAssembly.Memory,
  length: number,
  added: number = length,
): Uint8Array<SharedArrayBuffer> {
  memories.set(memory.buffer, memory);
  uncountedBytes += Math.max(0, added);
  if (uncountedBytes >= COUNTED_BYTES) {
    counted.set(memory, mappedBytes(uncountedBytes).buffer);
    uncountedBytes = 0;
  }
  return new Uint8Array(memory.buffer, 0, length);
}
