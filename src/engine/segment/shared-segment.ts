import type { ScratchLedger } from "../kernels/scratch-ledger.js";
import type { SharedDocStoreIndex } from "./doc-store/doc-store-index.js";
import type { DocBits } from "./segment-reader.js";

/**
 * A segment under one set of live documents, as plain data that can be posted to another thread of the
 * process. All of it lies in shared memory but the documents, which each thread reads from their file.
 */
export interface SharedSegment {
  readonly data: SharedSegmentData;
  /** A text that is the same in every thread for the same data and live documents. */
  readonly key: string;
  /** In shared memory; null: none is deleted. */
  readonly liveDocs: DocBits | null;
}

/** Everything of a segment that deletes don't change. */
export interface SharedSegmentData {
  /** A text that is the same in every thread for the same data; no two segments of a process have the same. */
  readonly key: string;
  readonly name: string;
  readonly indexFileLength: number;
  /** What the index file has become by opening it, alone or from address 0 of a memory for kernels. */
  readonly image:
    | Uint8Array<SharedArrayBuffer>
    | { readonly memory: WebAssembly.Memory; readonly bytes: number; readonly ledger: ScratchLedger };
  readonly documents: SharedDocStoreIndex;
}

/** 128 random bits for this thread, since names can come again after a crash, and a number. */
export function newSharedKey(): string {
  return `${THREAD_KEY}-${(shared++).toString(36)}`;
}

const THREAD_KEY: string = [...crypto.getRandomValues(new Uint32Array(4))]
  .map((word) => word.toString(36))
  .join("-");
/** Keys given so far. */
let shared = 0;
