import { FileDirectory, isWantOfRoom, type WriteLock } from "../../engine/server-door.js";
import { FindlingError } from "../../errors/index.js";

/**
 * A server's data folder, and the right of this process to write to it. A file system that takes nothing new, full or
 * read-only as it is, takes no claim either: then the folder is only read, and claimed when somebody wants to write.
 */
export class DataFolder {
  readonly #directory: FileDirectory;
  #lock: WriteLock | null;
  /** Why there is no lock. */
  #problem: FindlingError | null;
  #taking: Promise<void> | null = null;
  #isReleased = false;

  private constructor(directory: FileDirectory) {
    this.#directory = directory;
    this.#lock = null;
    this.#problem = null;
  }

  /** Makes the folder if need be. @throws FindlingError `storage_locked`, `storage_unavailable` */
  static async open(path: string): Promise<DataFolder> {
    const folder = new DataFolder(await FileDirectory.open(path, { create: true }));
    await folder.#take().catch((error: unknown) => {
      if (!isWantOfRoom(error)) throw error;
    });
    return folder;
  }

  /** Why it can only be read; null while it can be written. */
  get problem(): FindlingError | null {
    return this.#lock === null ? this.#problem : this.#lock.lost;
  }

  /** @throws FindlingError `storage_unavailable` */
  async requireWritable(): Promise<void> {
    if (this.#lock === null) {
      if (this.#isReleased) throw new FindlingError("storage_unavailable", "the data folder is closed");
      this.#taking ??= this.#take().finally(() => {
        this.#taking = null;
      });
      await this.#taking;
    }
    if (this.#lock?.lost != null) throw this.#lock.lost;
  }

  async release(): Promise<void> {
    this.#isReleased = true;
    await this.#taking?.catch(() => undefined);
    await this.#lock?.release();
  }

  async #take(): Promise<void> {
    try {
      this.#lock = await this.#directory.lock();
      this.#problem = null;
    } catch (error) {
      if (error instanceof FindlingError) this.#problem = error;
      throw error;
    }
  }
}
