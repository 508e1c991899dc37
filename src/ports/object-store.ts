/** An object as a listing or a look at it tells. */
export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
  /** When it was put, by the store's own clock: milliseconds since the Unix epoch. */
  readonly modifiedAtMs: number;
}

/**
 * Where backups are: bytes under keys, in a folder or in a bucket. A key is one to ten parts of letters, digits and
 * `._-`, none beginning with a full stop, joined by `/`. What is put is there whole or not at all, and durable once
 * `put` resolves. Attempts that fail in a way that may pass (a busy store, a connection that ends) are made again
 * before an error is thrown.
 *
 * Errors: FindlingError `storage_unavailable`, without credentials in its message.
 */
export interface ObjectStore {
  /** Its address for messages, without credentials. */
  readonly description: string;
  /**
   * Puts an object, in place of what has its key.
   *
   * @param bytes the caller's again once it is put, or can't be
   * @param ifAbsent puts nothing if there is one; of several at the same time one gets through
   * @returns false if there was one
   */
  put(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    options?: { readonly ifAbsent?: boolean },
  ): Promise<boolean>;
  /** The object's bytes as they arrive; null if there is none. An error may come in the middle. */
  get(key: string): Promise<AsyncIterable<Uint8Array> | null>;
  /** Null if there is none. */
  head(key: string): Promise<StoredObject | null>;
  /** Objects whose keys begin with the prefix, in ascending order of keys; what was put or deleted just now may be told late. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Deleting what isn't there is fine. */
  delete(key: string): Promise<void>;
}

/** @throws RangeError if the text is no key */
export function checkObjectKey(key: string): void {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*){0,9}$/.test(key) || key.length > 512)
    throw new RangeError(`'${key}' is no key of an object`);
}
