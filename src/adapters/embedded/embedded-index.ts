import { type EngineSchema, FileDirectory, Index, type IndexOptions } from "../../engine/index.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";

/**
 * One index and its life in the server: opened once, opened again after a failure of the disk, and
 * kept closed while its files are damaged, so that nothing is written over them.
 */
export class EmbeddedIndex {
  readonly #path: string;
  readonly #options: IndexOptions;
  #index: Index | null = null;
  /** Why the index can't be opened; every call is answered with it. */
  #damage: FindlingError | null = null;
  #reopening: Promise<Index> | null = null;
  #isClosed = false;

  constructor(path: string, options: IndexOptions) {
    this.#path = path;
    this.#options = { ...options, lock: false };
  }

  async create(schema: EngineSchema): Promise<void> {
    this.#index = await Index.create(await this.#directory(true), schema, this.#options);
  }

  /** @returns the problem if the index is damaged or can't be read now; it then answers every call with it */
  async open(): Promise<FindlingError | null> {
    try {
      this.#index = await Index.open(await this.#directory(false), this.#options);
      this.#damage = null;
      return null;
    } catch (error) {
      if (!(error instanceof FindlingError)) throw error;
      this.#damage =
        error.code === "index_not_found"
          ? new CorruptionError(this.#path, "the index's files are gone")
          : error;
      return this.#damage;
    }
  }

  /** For reading. @throws FindlingError `storage_corrupt`, `storage_unavailable` */
  get reader(): Index {
    if (this.#index === null)
      throw this.#damage ?? new FindlingError("storage_unavailable", "the index is closed");
    return this.#index;
  }

  /** For writing: opens the index again first if the disk failed it. @throws as `reader` does */
  async writer(): Promise<Index> {
    if (this.#isClosed) return this.reader;
    if (this.#index !== null && this.#index.failure === null) return this.#index;
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = null;
    });
    return this.#reopening;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reopening?.catch(() => undefined);
    const index = this.#index;
    this.#index = null;
    await index?.close();
  }

  async #reopen(): Promise<Index> {
    const failed = this.#index;
    // The failed one keeps answering searches until the new one is there. A merge of it that is still
    // under way would write files that the new one doesn't know of.
    await failed?.settled();
    const problem = await this.open();
    if (problem !== null) {
      this.#index = failed;
      throw problem;
    }
    await failed?.close().catch(() => undefined);
    return this.reader;
  }

  #directory(create: boolean): Promise<FileDirectory> {
    return FileDirectory.open(this.#path, { create });
  }
}
