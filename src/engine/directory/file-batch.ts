import type {
  AllocateBytes,
  Directory,
  FileChunks,
  NewFile,
  NewFiles,
  RandomAccessFile,
  WrittenFiles,
} from "./directory.js";
import { gatherChunks } from "./gather-chunks.js";
import { sharedBytes } from "./shared-bytes.js";

/**
 * New files that wait in memory until `finish` writes them all with as few syncs as there can be. Before
 * that nothing is on the disk, so a batch that is given up leaves nothing. They can be read while they are
 * being written.
 */
export class FileBatch implements NewFiles, WrittenFiles {
  readonly #directory: Directory;
  readonly #files = new Map<string, NewFile>();
  #finishing: Promise<void> = Promise.resolve();

  constructor(directory: Directory) {
    this.#directory = directory;
  }

  get names(): readonly string[] {
    return [...this.#files.keys()];
  }

  /** The chunks aren't copied: they stay as they are until `finish` has resolved. */
  async write(name: string, chunks: FileChunks): Promise<void> {
    this.#files.set(name, { name, chunks: await gatherChunks(chunks) });
  }

  async delete(name: string): Promise<void> {
    this.#files.delete(name);
  }

  /** A file of the batch, from memory; other ones as the directory has them. */
  async read(name: string, allocate: AllocateBytes = sharedBytes): Promise<Uint8Array<SharedArrayBuffer>> {
    const file = this.#files.get(name);
    if (file === undefined) return this.#directory.read(name, allocate);
    const bytes = allocate(file.chunks.reduce((length, chunk) => length + chunk.length, 0));
    let offset = 0;
    for (const chunk of file.chunks) {
      bytes.set(chunk, offset);
      offset += chunk.length;
    }
    return bytes;
  }

  /** As the directory's, once what `finish` has begun is done. */
  async open(name: string): Promise<RandomAccessFile> {
    await this.#finishing;
    return this.#directory.open(name);
  }

  /** Once it resolves, the files outlive a power loss; on failure none of them is left. */
  finish(): Promise<void> {
    this.#finishing = this.#directory.writeTogether([...this.#files.values()]);
    return this.#finishing;
  }

  /** As `finish`, but a power loss may take the files or a part of them: they have to be synced later. */
  finishUnsynced(): Promise<void> {
    this.#finishing = this.#directory.writeUnsynced([...this.#files.values()]);
    return this.#finishing;
  }
}
