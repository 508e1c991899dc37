import { CorruptionError } from "../../errors/index.js";
import { decodeCatalogFile, encodeCatalogFile } from "./catalog-file.js";
import type { CatalogFileKind } from "./catalog-shapes.js";
import type { DamagedFiles } from "./damaged-files.js";
import { DurableFolder } from "./durable-folder.js";
import { entryFileName, isEntryFileName } from "./entry-file-name.js";

/** Entries of one kind, a file each in a folder of their own, all held in memory by name. */
export class CatalogEntries<Entry> {
  readonly folder: DurableFolder;
  readonly #kind: CatalogFileKind;
  readonly #nameOf: (entry: Entry) => string;
  readonly #entries: Map<string, Entry>;

  private constructor(
    folder: DurableFolder,
    kind: CatalogFileKind,
    nameOf: (entry: Entry) => string,
    entries: Map<string, Entry>,
  ) {
    this.folder = folder;
    this.#kind = kind;
    this.#nameOf = nameOf;
    this.#entries = entries;
  }

  /**
   * Reads the folder, which is made if it is missing. Files that are cut, flipped, or another entry's are noted and
   * passed over.
   *
   * @throws CorruptionError naming a file of a newer version
   */
  static async open<Entry>(
    path: string,
    kind: CatalogFileKind,
    { nameOf, damaged }: { readonly nameOf: (entry: Entry) => string; readonly damaged: DamagedFiles },
  ): Promise<CatalogEntries<Entry>> {
    const folder = await DurableFolder.open(path);
    const entries = new Map<string, Entry>();
    for (const fileName of await folder.list()) {
      if (!isEntryFileName(fileName)) continue;
      const entry = damaged.noting(folder, fileName, () => {
        const bytes = folder.readNow(fileName);
        if (bytes === null) return undefined;
        const read = decodeCatalogFile(kind, bytes, folder.fileOf(fileName)) as Entry;
        const name = nameOf(read);
        if (entryFileName(name) !== fileName)
          throw new CorruptionError(folder.fileOf(fileName), `it holds the ${kind} '${name}'`);
        return read;
      });
      if (entry !== undefined) entries.set(nameOf(entry), entry);
    }
    return new CatalogEntries(folder, kind, nameOf, entries);
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** By name. */
  all(): readonly Entry[] {
    return [...this.#entries.values()].toSorted((a, b) => (this.#nameOf(a) < this.#nameOf(b) ? -1 : 1));
  }

  get(name: string): Entry | undefined {
    return this.#entries.get(name);
  }

  /** The file of the entry as it is now; null if there is none. */
  encoded(name: string): Uint8Array | null {
    const entry = this.#entries.get(name);
    return entry === undefined ? null : this.encode(entry);
  }

  encode(entry: Entry): Uint8Array {
    return encodeCatalogFile(this.#kind, entry);
  }

  /** In memory only, once the file has been written. */
  set(entry: Entry): void {
    this.#entries.set(this.#nameOf(entry), entry);
  }

  /** In memory only, once the file has been removed. */
  delete(name: string): void {
    this.#entries.delete(name);
  }
}
