/** What clients did to one index, and what they saw, with when each call began and ended by one clock. */
export type Operation =
  | WriteOperation
  | DeleteOperation
  | CommitOperation
  | RollbackOperation
  | ReadOperation;

interface Timed {
  /** Milliseconds of one monotonic clock. */
  readonly invoked: number;
  /** Null: the call failed or its answer was lost, so that it may have happened at any time since, or never. */
  readonly returned: number | null;
}

/** Documents are added, to be seen from the next commit on. No two writes add documents of one name. */
export interface WriteOperation extends Timed {
  readonly kind: "write";
  readonly documents: readonly string[];
}

/** Those of the documents that are there, committed or pending, are deleted, from the next commit on. */
export interface DeleteOperation extends Timed {
  readonly kind: "delete";
  readonly documents: readonly string[];
  /** How many the answer says there were; anything where the answer was lost. */
  readonly count: number;
}

export interface CommitOperation extends Timed {
  readonly kind: "commit";
}

/** All writes and deletes since the last commit are undone. */
export interface RollbackOperation extends Timed {
  readonly kind: "rollback";
}

/** All documents that a search found. One that failed has seen nothing, and is none. */
export interface ReadOperation extends Timed {
  readonly kind: "read";
  readonly documents: readonly string[];
  readonly returned: number;
}
