import { closeSync, fdatasync, ftruncateSync, write, writeSync } from "node:fs";
import { promisify } from "node:util";
import type { AppendFile } from "./directory.js";
import { storageError } from "./storage-error.js";

/** The system takes less than 2 GiB a call, and smaller pieces leave the thread pool to others. */
const PIECE_MAX = 64 * 1024 * 1024;
/** So many bytes go to the system's memory at once: a turn of the thread pool takes longer. */
const AT_ONCE_MAX = 64 * 1024;

const writeBytes = promisify(write);
const syncData = promisify(fdatasync);

/**
 * `AppendFile` over a file of the operating system. By its descriptor: when a thread ends, Node closes the
 * descriptors that it opened, but forgets a `FileHandle` that is being closed in the thread pool.
 */
export class FileAppend implements AppendFile {
  readonly #path: string;
  readonly #descriptor: number;
  #size: number;
  #closed = false;
  /** Calls under way: the descriptor may be another file's once it is closed. */
  readonly #running = new Set<Promise<void>>();

  /** @param descriptor belongs to the file from now on */
  constructor(path: string, descriptor: number, size: number) {
    this.#path = path;
    this.#descriptor = descriptor;
    this.#size = size;
  }

  get size(): number {
    return this.#size;
  }

  async append(bytes: Uint8Array): Promise<void> {
    await this.writeAt(this.#size, bytes);
  }

  async writeAt(offset: number, bytes: Uint8Array): Promise<void> {
    await this.#run("write", async (descriptor) => {
      await writeFully(descriptor, bytes, offset);
      this.#size = Math.max(this.#size, offset + bytes.length);
    });
  }

  async truncate(size: number): Promise<void> {
    await this.#run("resize", async (descriptor) => {
      ftruncateSync(descriptor, size);
      this.#size = size;
    });
  }

  /** Leaves the file's times aside: of what isn't content, only the size has to be durable. */
  async sync(): Promise<void> {
    await this.#run("sync", (descriptor) => syncData(descriptor));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await Promise.allSettled(this.#running);
    try {
      closeSync(this.#descriptor);
    } catch (error) {
      throw storageError("close", this.#path, error);
    }
  }

  async #run(action: string, work: (descriptor: number) => Promise<void>): Promise<void> {
    if (this.#closed) throw storageError(action, this.#path, new Error("the file is closed"));
    const running = work(this.#descriptor);
    this.#running.add(running);
    try {
      await running;
    } catch (error) {
      throw storageError(action, this.#path, error);
    } finally {
      this.#running.delete(running);
    }
  }
}

/** Writes all bytes, however many each call of the system takes. */
export async function writeFully(descriptor: number, bytes: Uint8Array, position: number): Promise<void> {
  let written = bytes.length > AT_ONCE_MAX ? 0 : writeSync(descriptor, bytes, 0, bytes.length, position);
  while (written < bytes.length) {
    const length = Math.min(bytes.length - written, PIECE_MAX);
    const { bytesWritten } = await writeBytes(descriptor, bytes, written, length, position + written);
    if (bytesWritten === 0) throw new Error("the system took no bytes");
    written += bytesWritten;
  }
}
