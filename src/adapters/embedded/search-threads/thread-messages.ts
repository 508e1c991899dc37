import type { SharedSnapshot } from "../../../engine/server-door.js";
import type { PlainError } from "../writing/plain-error.js";
import type { OutcomeMessage, SearchTask } from "./search-task.js";

/** What a search thread is started with. */
export interface ThreadStart {
  /** See `SnapshotFollower`. */
  readonly threadNumber: number;
  /** By slot the search that nobody waits for any more, 0 at first. */
  readonly abandoned: Int32Array;
  /** See `ThreadCaches`. */
  readonly caches: Float64Array;
}

/** What travels to a search thread. Snapshots are numbered by the sender. */
export interface ThreadRequest {
  /** Snapshots that the thread can let go of. */
  readonly closes: readonly number[];
  /** Snapshots that the thread hasn't got yet, with their folders. */
  readonly opens: readonly {
    readonly snapshot: number;
    readonly path: string;
    readonly shared: SharedSnapshot;
  }[];
  /** Null: nothing to search. */
  readonly search: {
    readonly id: number;
    /** Where in `abandoned` its caller's going is told; no other search that the thread has been sent has the same. */
    readonly slot: number;
    readonly task: SearchTask;
    /** By member. */
    readonly snapshots: readonly number[];
    /** Milliseconds since the epoch by the process's monotonic clock (`processNow`). */
    readonly endsAtMs: number;
    /** As the message of a search that is stopped says it. */
    readonly limitMs: number;
  } | null;
}

/** What comes back. */
export type ThreadReply =
  /** The thread has started; comes once, first. */
  | { readonly kind: "ready"; readonly id: null }
  | { readonly kind: "found"; readonly id: number; readonly outcome: OutcomeMessage }
  | { readonly kind: "failed"; readonly id: number; readonly error: PlainError }
  /** Files of a snapshot are gone; none of the request's are open in the thread. */
  | { readonly kind: "stale"; readonly id: number };

/** Time that every thread of the process tells alike. */
export function processNow(): number {
  return performance.timeOrigin + performance.now();
}
