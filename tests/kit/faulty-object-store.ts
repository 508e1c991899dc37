import { FindlingError } from "../../src/errors/index.js";
import { checkObjectKey, type ObjectStore, type StoredObject } from "../../src/ports/object-store.js";

interface Kept {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly modifiedAtMs: number;
}

/**
 * Objects in memory, for several who use them at the same time, and a store over them that fails on command: `dieAt`
 * ends it at an operation, which happens or not, `failAt` fails one. Its lists may be those of a while ago.
 */
export class ObjectsInMemory {
  readonly kept = new Map<string, Kept>();
  /** The store's clock, in milliseconds; tests turn it. */
  nowMs: number = Date.UTC(2026, 10, 26);
}

export class FaultyObjectStore implements ObjectStore {
  readonly description = "the objects in memory";
  operations = 0;
  uploadedBytes = 0;
  /** Whether lists tell what was there when the store was opened. */
  isStale = false;
  /** What is done before each operation, such as what somebody else does meanwhile. */
  before: (operation: string, key: string) => Promise<void> | void = () => undefined;
  readonly #objects: ObjectsInMemory;
  readonly #keysAtOpening: readonly (readonly [string, Kept])[];
  #dieAt = 0;
  #failAt = 0;
  #happens = true;

  constructor(objects: ObjectsInMemory) {
    this.#objects = objects;
    this.#keysAtOpening = [...objects.kept];
  }

  /** @param happens whether the operation at which it ends is carried out, unheard */
  dieAt(operation: number, happens: boolean): void {
    this.#dieAt = operation;
    this.#happens = happens;
  }

  failAt(operation: number): void {
    this.#failAt = operation;
  }

  async put(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    { ifAbsent = false }: { readonly ifAbsent?: boolean } = {},
  ): Promise<boolean> {
    return this.#run("put", key, () => {
      if (ifAbsent && this.#objects.kept.has(key)) return false;
      this.uploadedBytes += bytes.length;
      this.#objects.kept.set(key, { bytes: bytes.slice(), modifiedAtMs: this.#objects.nowMs });
      return true;
    });
  }

  async get(key: string): Promise<AsyncIterable<Uint8Array> | null> {
    const kept = await this.#run("get", key, () => this.#objects.kept.get(key) ?? null);
    return kept === null ? null : chunksOf(kept.bytes);
  }

  async head(key: string): Promise<StoredObject | null> {
    return this.#run("head", key, () => {
      const kept = this.#objects.kept.get(key);
      return kept === undefined ? null : described(key, kept);
    });
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    const kept = await this.#run("list", "list", () =>
      this.isStale ? this.#keysAtOpening : [...this.#objects.kept],
    );
    const found = kept.filter(([key]) => key.startsWith(prefix)).toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [key, each] of found) yield described(key, each);
  }

  async delete(key: string): Promise<void> {
    await this.#run("delete", key, () => this.#objects.kept.delete(key));
  }

  async #run<T>(operation: string, key: string, run: () => T): Promise<T> {
    checkObjectKey(key);
    await this.before(operation, key);
    const number = ++this.operations;
    const isDead = this.#dieAt > 0 && number >= this.#dieAt;
    if (isDead && number === this.#dieAt && this.#happens) run();
    if (isDead || number === this.#failAt)
      throw new FindlingError("storage_unavailable", `operation ${number} (${operation}) failed`);
    return run();
  }
}

function described(key: string, { bytes, modifiedAtMs }: Kept): StoredObject {
  return { key, bytes: bytes.length, modifiedAtMs };
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}
