/**
 * Long buffers whose memory is the system's again once they are released (`releaseBuffer`) or collected. The C
 * library (glibc) has the system map what is long; but the first such buffer that it frees, unless that is longer
 * than 32 MiB, makes it take all that are no longer from its threads' pools, which keep twice as much as that.
 */

/** The C library lets nothing shorter be mapped when it starts. */
const MAPPED_FROM = 128 * 1024;

/** Longer than what ever comes from a pool. Only pages that are written to take memory. */
const ALWAYS_MAPPED: number = 33 * 1024 * 1024;

/** What takes less may come from a pool: V8 counts all of a buffer when it decides whether to collect garbage. */
const ROOMY_FROM = 1024 * 1024;

/** As it is in Node; TypeScript knows it with a later library only, which has methods that Node 20 hasn't. */
const ResizableBuffer = ArrayBuffer as new (
  length: number,
  options: { readonly maxByteLength: number },
) => ArrayBuffer;

/**
 * `length` zero bytes, for what is copied to and from only: V8 has a buffer that could be resized mapped by itself,
 * but loops over its bytes take up to five times as long (measured).
 */
export function mappedBytes(length: number): Uint8Array<ArrayBuffer> {
  if (length < MAPPED_FROM) return new Uint8Array(length);
  // A view without a length would follow the buffer's, and be slower still.
  return new Uint8Array(new ResizableBuffer(length, { maxByteLength: length }), 0, length);
}

/** A buffer of zeros, `length` bytes long or, where that is long, longer: there is room to grow behind them. */
export function roomyBuffer(length: number): ArrayBuffer {
  return new ArrayBuffer(length < ROOMY_FROM ? length : Math.max(length, ALWAYS_MAPPED));
}

/** Bytes of a buffer that take memory, if `length` of them are written. */
export function residentBytes(buffer: ArrayBufferLike, length: number): number {
  return buffer.byteLength === ALWAYS_MAPPED ? length : buffer.byteLength;
}
