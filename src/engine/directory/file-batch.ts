import type { Directory, FileChunks, NewFile, NewFiles } from "./directory.js";
import { gatherChunks } from "./gather-chunks.js";

/**
 * New files that wait in memory until `finish` writes them all with as few syncs as there can be. Before
 * that nothing is on the disk, so a batch that is given up leaves nothing.
 */
export class FileBatch implements NewFiles {
  readonly #directory: Directory;
  readonly #files = new Map<string, NewFile>();

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

  /** Once it resolves, the files outlive a power loss; on failure none of them is left. */
  async finish(): Promise<void> {
    await this.#directory.writeTogether([...this.#files.values()]);
  }
}
