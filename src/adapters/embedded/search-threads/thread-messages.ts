import type { SharedSnapshot } from "../../../engine/index.js";
import { type ErrorCode, type ErrorItem, FindlingError } from "../../../errors/index.js";
import type { SearchOutcome, SearchTask } from "./search-task.js";

/** What a search thread is started with. */
export interface ThreadStart {
  /** See `SnapshotFollower`. */
  readonly threadNumber: number;
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
  | { readonly kind: "found"; readonly id: number; readonly outcome: SearchOutcome }
  | { readonly kind: "failed"; readonly id: number; readonly error: PostedError }
  /** Files of a snapshot are gone; none of the request's are open in the thread. */
  | { readonly kind: "stale"; readonly id: number };

/** An error as plain data. */
export interface PostedError {
  /** Null: not a `FindlingError`. */
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly stack: string | undefined;
  readonly details: string | undefined;
  readonly items: readonly ErrorItem[] | undefined;
  readonly retryAfterSeconds: number | undefined;
}

/** The same moment in every thread of the process. */
export function processNow(): number {
  return performance.timeOrigin + performance.now();
}

export function toPosted(error: unknown): PostedError {
  const isOurs = error instanceof FindlingError;
  return {
    code: isOurs ? error.code : null,
    message: error instanceof Error ? error.message : String(error),
    stack: error instanceof Error ? error.stack : undefined,
    details: isOurs ? error.details : undefined,
    items: isOurs ? error.items : undefined,
    retryAfterSeconds: isOurs ? error.retryAfterSeconds : undefined,
  };
}

export function fromPosted(posted: PostedError): Error {
  const { code, message, stack, details, items, retryAfterSeconds } = posted;
  const cause = { cause: stack };
  if (code === null) return new Error(message, cause);
  return new FindlingError(code, message, {
    ...cause,
    ...(details === undefined ? {} : { details }),
    ...(items === undefined ? {} : { items }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
