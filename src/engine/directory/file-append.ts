import type { FileHandle } from "node:fs/promises";
import type { AppendFile } from "./directory.js";
import { storageError } from "./storage-error.js";

/** `AppendFile` over a file of the operating system. */
export class FileAppend implements AppendFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  #size: number;
  #closed = false;

  constructor(path: string, handle: FileHandle, size: number) {
    this.#path = path;
    this.#handle = handle;
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  async append(bytes: Uint8Array): Promise<void> {
    await this.writeAt(this.#size, bytes);
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    await this.#run("write", async () => {
      await writeFully(this.#handle, bytes, offset);
      this.#size = Math.max(this.#size, offset + bytes.length);
    });
  }

  async truncate(size: number): Promise<void> {
    await this.#run("resize", async () => {
      await this.#handle.truncate(size);
      this.#size = size;
    });
  }

  /** Leaves the file's times aside: of what isn't content, only the size has to be durable. */
  async sync(): Promise<void> {
    await this.#run("sync", () => this.#handle.datasync());
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#run("close", () => this.#handle.close());
  }

  async #run(action: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      throw storageError(action, this.#path, error);
    }
  }
}

/** Writes all bytes, however many each call of the system takes. */
export async function writeFully(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  // The system takes less than 2 GiB a call, and smaller pieces leave the thread pool to others.
  const pieceMax = 64 * 1024 * 1024;
  let written = 0;
  while (written < bytes.length) {
    const length = Math.min(bytes.length - written, pieceMax);
    const { bytesWritten } = await handle.write(bytes, written, length, position + written);
    if (bytesWritten === 0) throw new Error("the system took no bytes");
    written += bytesWritten;
  }
}
