/** How storage fares that isn't this machine's own. */
export interface StorageHealth {
  /** What is wrong with it, in a sentence; null where it does what it is asked. */
  readonly problem: string | null;
}
