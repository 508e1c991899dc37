/**
 * A copy of an index under another analysis, up to date but for what has been written of late. Either
 * `finish` or `abandon` ends it.
 */
export interface IndexRewrite {
  /**
   * Copies the rest, pending writes as pending ones, durably. From the call on, no write may come to
   * the original, unless this throws.
   *
   * @throws FindlingError `storage_unavailable`, `storage_corrupt`
   */
  finish(): Promise<void>;
  /** Drops the copy; to be called after a failed `finish`, too. Never throws. */
  abandon(): Promise<void>;
}
