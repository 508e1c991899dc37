import { releaseBuffer } from "./release-buffer.js";

/** More at a time is rare where bodies are encoded one behind the other. */
const KEPT_MAX = 2;

/** Longer ones would keep much memory for good. */
const KEPT_LENGTH_MAX = 2 * 1024 * 1024;

/** Lengths are whole multiples of it, so that one buffer does for bodies of about one length. */
const LENGTH_STEP = 256 * 1024;

/** What this thread keeps. */
const kept: ArrayBuffer[] = [];

/**
 * A buffer that is at least so long, of any content, to be given back: for what comes again and again in a thread,
 * such as the documents of a body. New ones each time come from the C library's pools, and what else was allocated
 * meanwhile keeps those from shrinking: nearly all of the writing thread's was free when it was looked at (ADR 19).
 */
export function takeSpareBuffer(length: number): ArrayBuffer {
  const fitting = kept.findIndex(({ byteLength }) => byteLength >= length);
  if (fitting >= 0) return kept.splice(fitting, 1)[0]!;
  return new ArrayBuffer(Math.ceil(length / LENGTH_STEP) * LENGTH_STEP);
}

/** Views of the buffer are empty afterwards; nothing may be reading or writing it, the system included. */
export function giveBackBuffer(buffer: ArrayBuffer): void {
  if (buffer.byteLength > KEPT_LENGTH_MAX || buffer.byteLength < LENGTH_STEP) releaseBuffer(buffer);
  else kept.push(structuredClone(buffer, { transfer: [buffer] }));
  // Too short for whatever came, perhaps.
  if (kept.length > KEPT_MAX) releaseBuffer(kept.shift()!);
}

/** For a thread at rest: those that are kept are the system's again. */
export function forgetSpareBuffers(): void {
  for (const buffer of kept.splice(0)) releaseBuffer(buffer);
}
