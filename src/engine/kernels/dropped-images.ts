import { beginCollection } from "../bytes/begin-collection.js";

/** So many bytes of images are worth a collection. */
const DROPPED_BYTES_MAX = 16 * 1024 * 1024;
/** What is dropped together is asked for together, when nobody has it in hand any more. */
const COLLECT_AFTER_MS = 20;

/**
 * Images that a thread has let go of. Their memory is free when all threads have done so and collected their garbage,
 * for which those that drop little else see no reason for half a minute of a load: once many have been dropped, a
 * collection is asked for. Those that were dropped before a collection of V8's own aren't counted, as they went with
 * it: whoever commits one document after the other drops small ones all the time, beside much other garbage, and each
 * collection that is asked for keeps a thread for 40 to 100 ms on a slow machine.
 */
export class DroppedImages {
  readonly #collect: () => void;
  #bytes = 0;
  /** An object that is gone once V8 has collected since the first of them; scavenges let it be. */
  #sinceCollection: WeakRef<object> | null = null;
  #isAsking = false;

  /** @param collect called when it is worth it, a while after the last straw */
  constructor(collect: () => void) {
    this.#collect = collect;
  }

  /** To be told of each image. */
  add(bytes: number): void {
    if (this.#sinceCollection?.deref() === undefined) {
      this.#sinceCollection = new WeakRef({});
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    if (this.#bytes < DROPPED_BYTES_MAX || this.#isAsking) return;
    this.#isAsking = true;
    setTimeout(() => {
      this.#isAsking = false;
      this.#bytes = 0;
      this.#collect();
    }, COLLECT_AFTER_MS).unref();
  }
}

const ofThread = new DroppedImages(beginCollection);

/** To be told of each image that this thread looks at no more. */
export function dropImage({ length }: Uint8Array<SharedArrayBuffer>): void {
  ofThread.add(length);
}
