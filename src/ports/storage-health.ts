/** How the storage of documents and settings fares. */
export interface StorageHealth {
  /** Why nothing can be asked of it, in a sentence; null where it does what it is asked. */
  readonly problem: string | null;
  /** What is set aside as its files are damaged, such as `index 'books'`; absent where the storage knows of no such files. */
  readonly damage?: readonly string[];
}
