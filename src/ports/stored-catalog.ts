import type { CatalogIndex } from "./catalog.js";

/** A file of the catalog: an entry, or all entries of a kind. Secrets in it are sealed. */
export interface CatalogFile {
  /** Up to three parts joined by `/`, none of which leads out of a folder. */
  readonly path: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The catalog as it is stored, whatever kinds of entries it has, for backups. */
export interface StoredCatalog {
  /** All files in one state, as no write runs meanwhile. @throws FindlingError `storage_unavailable` */
  files(): Promise<readonly CatalogFile[]>;
  /** The entry of an index; null for files of all other kinds. @throws CorruptionError naming the file */
  indexOf(file: CatalogFile): CatalogIndex | null;
  /** The name of the index, whether or not its entry can be read; null for files of all other kinds. */
  indexNameOf(file: CatalogFile): string | null;
  /** What is damaged and whose it is, in a sentence; null if the file can be read, or is of a kind that isn't known here. */
  problemOf(file: CatalogFile): string | null;
}
