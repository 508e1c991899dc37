/** A month, as `2026-11`, in UTC. */
export type Month = string;

/** Usage events as files, for backups: exactly what is stored, derived columns included. */
export interface EventArchive {
  /** `clickhouse` has backups of its own: it has no months here. */
  readonly kind: "duckdb" | "clickhouse";
  /** Those with events, ascending, once all that was recorded before is in the store. @throws FindlingError `storage_unavailable` */
  months(): Promise<readonly Month[]>;
  /** The month's events as one Parquet file, the same bytes for the same events. */
  parquet(month: Month): AsyncIterable<Uint8Array>;
}
