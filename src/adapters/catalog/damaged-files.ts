import { CorruptionError } from "../../errors/index.js";
import { FEDERATION_FOLDER, INDEX_FOLDER, NewerFormatError } from "./catalog-file.js";
import type { DurableFolder } from "./durable-folder.js";
import { entryNameOf } from "./entry-file-name.js";

/** A file of the catalog that is set aside: nobody goes by it, and it stays as it is. */
export interface DamagedFile {
  readonly file: string;
  /** Such as `index 'books'`. */
  readonly holder: string;
  readonly error: CorruptionError;
}

/** A file that a disk no longer gives, or not to this user, is as good as a damaged one. */
const UNREADABLE: ReadonlySet<string> = new Set(["EIO", "EACCES", "EPERM", "EUCLEAN", "EBADMSG", "EISDIR"]);

/**
 * The catalog's files that can't be understood. Each stays where it is until another is written in its place, and then
 * as a copy beside it.
 */
export class DamagedFiles {
  readonly #byFile = new Map<string, DamagedFile>();

  all(): readonly DamagedFile[] {
    return [...this.#byFile.values()];
  }

  has(folder: DurableFolder, name: string): boolean {
    return this.#byFile.has(folder.fileOf(name));
  }

  /**
   * What `read` makes of the file; undefined if it is damaged, which is noted.
   *
   * @throws NewerFormatError for a file of a newer version, which a start may not pass over; the system's errors, but
   *   those that are about the file alone
   */
  noting<Content>(folder: DurableFolder, name: string, read: () => Content): Content | undefined {
    try {
      return read();
    } catch (error) {
      const damage = asDamage(error, folder.fileOf(name));
      if (damage === null) throw error;
      this.note(folder, name, damage);
      return undefined;
    }
  }

  note(folder: DurableFolder, name: string, error: CorruptionError): void {
    const file = folder.fileOf(name);
    this.#byFile.set(file, { file, holder: holderOf(folder.path, name), error });
  }

  /** To be called before another file is written in its place. */
  async keep(folder: DurableFolder, name: string): Promise<void> {
    if (this.has(folder, name)) await folder.setAside(name);
  }

  /** To be called after. */
  forget(folder: DurableFolder, name: string): void {
    this.#byFile.delete(folder.fileOf(name));
  }
}

function asDamage(error: unknown, file: string): CorruptionError | null {
  if (error instanceof NewerFormatError) return null;
  if (error instanceof CorruptionError) return error;
  const { code = "" } = error as NodeJS.ErrnoException;
  return UNREADABLE.has(code)
    ? new CorruptionError(file, `it can't be read (${code})`, { cause: error })
    : null;
}

/** Whose file it is. @param folder path of the folder that it is in */
export function holderOf(folder: string, name: string): string {
  if (folder.endsWith(INDEX_FOLDER)) return `index '${entryNameOf(name)}'`;
  if (folder.endsWith(FEDERATION_FOLDER)) return `federation '${entryNameOf(name)}'`;
  return name === "keys.json" ? "access keys" : "aliases";
}
