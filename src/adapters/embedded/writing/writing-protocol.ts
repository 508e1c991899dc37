/** What travels between the thread that answers requests and the one that writes. All of it is plain data. */
import type {
  EncodedDocuments,
  EngineSchema,
  HeldCommit,
  KeptValueMatch,
  Query,
  SharedSnapshot,
} from "../../../engine/server-door.js";
import type { UnreadDocuments } from "../../../intake/read-documents.js";
import type { ChangeOptions, DocumentChange } from "../../../ports/document-change.js";
import type { PlainError } from "./plain-error.js";

/** Handed to the thread at its start. */
export interface WritingThreadData {
  readonly pendingBytesMax: number;
}

/** Names an open index; given by the one who asks, and never given again. */
export type IndexNumber = number;

/** Calls for one index take effect in the order in which they were posted, but for `add_unread`, which others overtake (`Index.addInBulk`). */
export type WritingCall =
  | {
      readonly kind: "create";
      readonly index: IndexNumber;
      readonly path: string;
      readonly schema: EngineSchema;
    }
  | { readonly kind: "open" | "open_to_read"; readonly index: IndexNumber; readonly path: string }
  /** The buffers are handed over. Answered with `DocumentsReplaced` where they may replace others, else with null. */
  | { readonly kind: "add"; readonly index: IndexNumber; readonly documents: EncodedDocuments }
  /** The bytes are handed over. Answered with `DocumentsWritten`. */
  | { readonly kind: "add_unread"; readonly index: IndexNumber; readonly documents: UnreadDocuments }
  | {
      readonly kind: "delete_by_query";
      readonly index: IndexNumber;
      readonly query: Query;
      readonly timeLimitMs: number | undefined;
    }
  | {
      readonly kind: "delete_by_kept_value";
      readonly index: IndexNumber;
      readonly field: string;
      readonly match: KeptValueMatch;
      readonly timeLimitMs: number | undefined;
    }
  /** Answered with `DocumentsChanged`. */
  | {
      readonly kind: "change";
      readonly index: IndexNumber;
      readonly changes: readonly DocumentChange[];
      readonly options: ChangeOptions;
    }
  | { readonly kind: "key_conflicts"; readonly index: IndexNumber; readonly field: string }
  | { readonly kind: "delete_all"; readonly index: IndexNumber }
  | { readonly kind: "commit"; readonly index: IndexNumber }
  | { readonly kind: "rollback"; readonly index: IndexNumber }
  /** Answered with a `RemoteHold`. */
  | { readonly kind: "hold_commit"; readonly index: IndexNumber }
  | { readonly kind: "release_commit"; readonly index: IndexNumber; readonly hold: number }
  | { readonly kind: "settled"; readonly index: IndexNumber }
  | { readonly kind: "close"; readonly index: IndexNumber }
  | {
      readonly kind: "begin_rewrite";
      readonly rewrite: number;
      readonly source: IndexNumber;
      readonly target: IndexNumber;
    }
  /** `unwanted` is shared: 1 in its only place once the copy is no longer wanted. */
  | { readonly kind: "catch_up"; readonly rewrite: number; readonly unwanted: Int32Array }
  /** The index is the copy, which has pending writes from now on if the original had. */
  | { readonly kind: "finish_rewrite"; readonly rewrite: number; readonly index: IndexNumber }
  | { readonly kind: "close_rewrite"; readonly rewrite: number }
  | { readonly kind: "end_merges" };

/** A `HeldCommit` that is released by its number. */
export type RemoteHold = Omit<HeldCommit, "release"> & { readonly hold: number };

export type ToWritingThread =
  | { readonly kind: "call"; readonly id: number; readonly call: WritingCall }
  /** The snapshot of that number, and all before it, have been opened: their files may be deleted. */
  | { readonly kind: "opened"; readonly index: IndexNumber; readonly snapshot: number };

export type FromWritingThread =
  /** Comes before the answer of the call that has brought the state about. Numbers ascend from 1. */
  | {
      readonly kind: "snapshot";
      readonly index: IndexNumber;
      readonly number: number;
      readonly snapshot: SharedSnapshot;
      /** As the index's `commits` with this snapshot. */
      readonly commits: number;
    }
  | { readonly kind: "state"; readonly index: IndexNumber; readonly state: IndexState }
  | (Answered & { readonly kind: "answer"; readonly result: unknown })
  | (Answered & { readonly kind: "refusal"; readonly error: PlainError })
  | { readonly kind: "problem"; readonly message: string; readonly error: PlainError };

/** In one message, as each wakes a thread. */
export interface Answered {
  readonly id: number;
  /** What the call's index says of itself, so that whoever has the answer sees what the call has brought about; null if it has none. */
  readonly state: { readonly index: IndexNumber; readonly state: IndexState } | null;
}

/** What an index says of itself, besides the state that searches see. */
export interface IndexState {
  readonly failure: PlainError | null;
  readonly hasPendingWrites: boolean;
  readonly bytesOnDisk: number;
  readonly bytesInMemory: number;
  readonly isSettled: boolean;
}
