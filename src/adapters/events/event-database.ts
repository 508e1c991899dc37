import type { Dialect } from "./sql/dialect.js";
import type { Statement } from "./sql/statement.js";

/** A row's values in the order of the statement's columns; whole numbers are exact up to 2^53. */
export type ResultRow = readonly (string | number | null | readonly string[])[];

/** Events that go in together or not at all. */
export interface EventBatch {
  readonly id: string;
  /** Lines of JSON as `toRow` makes them, each ending in a line feed. */
  readonly rows: readonly Buffer[];
  /** Whether an earlier attempt may have put it in. */
  readonly isUncertain: boolean;
}

/**
 * What differs between the stores besides SQL. It connects, and brings the schema up to date, when it
 * is first needed, and again after it could not.
 *
 * Errors: `storage_unavailable` if it can't be reached, is too slow or refuses; `storage_locked`,
 * `storage_corrupt` for DuckDB's file.
 */
export interface EventDatabase {
  readonly kind: "duckdb" | "clickhouse";
  readonly dialect: Dialect;
  /**
   * Durable when it resolves. A batch that is already there changes nothing.
   *
   * @throws RefusedBatchError if it will never take this batch
   */
  insert(batch: EventBatch): Promise<void>;
  select(statement: Statement): Promise<readonly ResultRow[]>;
  /** As `select`, without ever holding all rows. */
  stream(statement: Statement): AsyncIterable<readonly ResultRow[]>;
  /** The rows as one Parquet file; its columns are named as the statement's. */
  parquet(statement: Statement): AsyncIterable<Uint8Array>;
  /** Deletes the events that meet the condition. @returns how many */
  deleteWhere(condition: Statement): Promise<number>;
  /** May forget which batches it has taken long ago, but for those that may be offered once more. */
  forgetBatchesExcept(ids: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** The store has read the batch and won't take it, now or later. */
export class RefusedBatchError extends Error {
  constructor(cause: unknown) {
    super("the event store refuses a batch of events", { cause });
    this.name = "RefusedBatchError";
  }
}
