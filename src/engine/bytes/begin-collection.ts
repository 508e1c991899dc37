import { mappedBytes } from "./mapped-bytes.js";

/** Once so much has come to be since the last collection, V8 begins another one, in steps beside other work. */
const COLLECTING_BYTES = 65 * 1024 * 1024;

/**
 * Asks V8 for a whole collection of the calling thread's garbage, by a buffer that is never touched: it marks in helper
 * threads and in steps between other work, and is done some 10 to 50 ms later. `gc` would keep the thread from
 * everything else meanwhile, and goes through the heap twice where V8 has begun by itself.
 */
export function beginCollection(): void {
  try {
    mappedBytes(COLLECTING_BYTES);
  } catch {
    // No address space is left for it: garbage is collected by whoever fails to get some next, and nobody waits here.
  }
}
