import {
  type BackupEvents,
  type BackupFailure,
  type BackupFile,
  type BackupIndex,
  type BackupManifest,
  type BackupPiece,
  PIECE_BYTES_MAX,
} from "../../contract/backup-manifest.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import type { Catalog, CatalogIndex } from "../../ports/catalog.js";
import type { Clock } from "../../ports/clock.js";
import type { EventArchive } from "../../ports/event-archive.js";
import type { HeldFiles, IndexFile, IndexFiles } from "../../ports/index-files.js";
import type { CatalogFile, StoredCatalog } from "../../ports/stored-catalog.js";
import type { BackupStore } from "./backup-store.js";
import { sha256Of } from "./sha256.js";
import { keepMarking, waitForPruning } from "./store-markers.js";

export interface BackupSources {
  readonly catalog: Catalog;
  readonly storedCatalog: StoredCatalog;
  readonly indexFiles: IndexFiles;
  /** Null: measuring is off. */
  readonly events: EventArchive | null;
}

/** Backups whose files are looked through for those that needn't be read again. */
const EARLIER_BACKUPS = 3;
/** How often indexes that came or went meanwhile are looked for. */
const ROUNDS_MAX = 5;

/** Fills the bytes with what stands in a file from the offset on. */
type ReadPart = (offset: number, bytes: Uint8Array<ArrayBuffer>) => Promise<void>;

/**
 * Makes one backup: every index at a commit of its own, then usage events, then the catalog. Nothing counts before the
 * manifest is put, which comes last.
 */
export class BackupCreation {
  readonly #sources: BackupSources;
  readonly #store: BackupStore;
  readonly #clock: Clock;
  readonly #serverVersion: string;
  readonly #isWanted: () => boolean;
  readonly #createdAtMs: number;
  readonly id: string;
  /** Pieces of files that earlier backups have, by what names their content for ever. */
  readonly #known = new Map<string, readonly BackupPiece[]>();
  /** Pieces that are sure to be in the store, and those that weren't put there by this backup. */
  readonly #stored = new Map<string, BackupPiece>();
  readonly #reused = new Map<string, BackupPiece>();
  #uploadedBytes = 0;
  /**
   * What one piece after the other is read into. A new one for each would make the runtime collect the garbage of the
   * thread that answers requests every other piece, and searches would wait for that.
   */
  readonly #buffer = new Uint8Array(PIECE_BYTES_MAX);

  constructor(
    sources: BackupSources,
    store: BackupStore,
    options: {
      readonly id: string;
      readonly clock: Clock;
      readonly serverVersion: string;
      readonly isWanted: () => boolean;
    },
  ) {
    this.#sources = sources;
    this.#store = store;
    this.#clock = options.clock;
    this.#serverVersion = options.serverVersion;
    this.#isWanted = options.isWanted;
    this.#createdAtMs = options.clock.now();
    this.id = options.id;
  }

  /** @throws FindlingError `storage_unavailable` if the store or the catalog can't be used; then there is no backup */
  async run(): Promise<BackupManifest> {
    const { id } = this;
    const store = this.#store;
    const marking = await keepMarking(this.#clock, () => store.putMarker(id));
    try {
      await waitForPruning(store, marking.first, { clock: this.#clock, isWanted: this.#isWanted });
      await this.#learn();
      const copied = await this.#copyAll();
      await this.#requireReused();
      const files = [
        ...copied.indexes.flatMap(({ entry, files: own }) => [entry, ...own]),
        ...copied.catalog,
        ...copied.events.files,
      ];
      const manifest: BackupManifest = {
        id,
        created_at: new Date(this.#createdAtMs).toISOString(),
        finished_at: new Date(this.#clock.now()).toISOString(),
        server_version: this.#serverVersion,
        ...copied,
        total_bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
        uploaded_bytes: this.#uploadedBytes,
      };
      await store.putManifest(manifest);
      return manifest;
    } finally {
      await marking.end();
      // One that stays is passed over once it is old.
      await store.deleteMarker(id).catch(() => undefined);
    }
  }

  /** What the newest backups have needn't be read and sent again. One that is damaged is nothing to go by. */
  async #learn(): Promise<void> {
    const ids = (await this.#store.ids()).slice(-EARLIER_BACKUPS);
    for (const id of ids) {
      const manifest = await this.#store.manifest(id).catch(() => null);
      for (const { files } of manifest?.indexes ?? []) {
        for (const { identity, bytes, pieces } of files)
          if (identity !== undefined) this.#known.set(`${identity}:${bytes}`, pieces);
      }
    }
  }

  async #copyAll(): Promise<Pick<BackupManifest, "indexes" | "failed" | "catalog" | "events">> {
    const { catalog, storedCatalog } = this.#sources;
    const copied = new Map<string, Omit<BackupIndex, "entry" | "name" | "storage_id">>();
    const failures = new Map<string, BackupFailure>();
    for (const index of catalog.indexes()) await this.#copyIndex(index, copied, failures);
    const events = await this.#copyEvents();
    // What the catalog names in the end: indexes that were made, replaced or analysed anew meanwhile are copied then.
    for (let round = 1; ; round++) {
      const { entries, damaged, others } = sortFiles(await storedCatalog.files(), storedCatalog);
      const missing = entries.filter(
        ({ index: { storageId } }) => !copied.has(storageId) && !failures.has(storageId),
      );
      if (missing.length === 0 || round === ROUNDS_MAX) {
        return {
          indexes: await this.#withEntries(entries, copied),
          failed: [
            ...failuresOf(entries, copied, failures),
            ...damaged,
            ...problemsOf(others, storedCatalog),
          ],
          catalog: await this.#copyFiles(others),
          events,
        };
      }
      for (const { index } of missing) await this.#copyIndex(index, copied, failures);
    }
  }

  /** One that can't be read costs itself, and no other. */
  async #copyIndex(
    { schema, storageId }: CatalogIndex,
    copied: Map<string, Omit<BackupIndex, "entry" | "name" | "storage_id">>,
    failures: Map<string, BackupFailure>,
  ): Promise<void> {
    this.#refuseUnwanted();
    let held: HeldFiles | null = null;
    try {
      held = await unlessUnreadable(this.#sources.indexFiles.hold(storageId));
      const files: BackupFile[] = [];
      for (const file of held.files) files.push(await this.#copyFile(file, held));
      copied.set(storageId, {
        document_count: held.documentCount,
        pending_writes_left_out: held.hasPendingWrites,
        commit: held.commit,
        files,
      });
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      // Deleted or replaced meanwhile: the catalog says it in the end.
      failures.set(storageId, { index: schema.name, problem: error.message });
    } finally {
      held?.release();
    }
  }

  async #copyFile({ name, bytes, identity }: IndexFile, held: HeldFiles): Promise<BackupFile> {
    const known = identity === null ? undefined : this.#known.get(`${identity}:${bytes}`);
    const isThere = known !== undefined && (await this.#haveAll(known));
    const pieces = isThere
      ? known
      : await this.#put(bytes, (offset, part) => unlessUnreadable(held.readInto(name, offset, part)));
    return { name, bytes, ...(identity !== null && { identity }), pieces };
  }

  async #copyEvents(): Promise<BackupEvents> {
    const { events } = this.#sources;
    if (events === null) return { kind: "off", files: [] };
    if (events.kind === "clickhouse") return { kind: "clickhouse", files: [] };
    try {
      const files: BackupFile[] = [];
      for (const month of await unlessUnreadable(events.months())) {
        this.#refuseUnwanted();
        files.push(await this.#copyChunks(`${month}.parquet`, events.parquet(month)));
      }
      return { kind: "duckdb", files };
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error;
      return { kind: "failed", problem: error.message, files: [] };
    }
  }

  async #withEntries(
    entries: SortedFiles["entries"],
    copied: ReadonlyMap<string, Omit<BackupIndex, "entry" | "name" | "storage_id">>,
  ): Promise<readonly BackupIndex[]> {
    const indexes: BackupIndex[] = [];
    for (const { file, index } of entries) {
      const copy = copied.get(index.storageId);
      if (copy === undefined) continue;
      const [entry] = await this.#copyFiles([file]);
      indexes.push({ name: index.schema.name, storage_id: index.storageId, ...copy, entry: entry! });
    }
    return indexes;
  }

  async #copyFiles(files: readonly CatalogFile[]): Promise<readonly BackupFile[]> {
    const copied: BackupFile[] = [];
    for (const { path, bytes } of files) {
      const pieces = await this.#put(bytes.length, async (offset, part) =>
        part.set(bytes.subarray(offset, offset + part.length)),
      );
      copied.push({ name: path, bytes: bytes.length, pieces });
    }
    return copied;
  }

  /** A file whose length isn't known before. */
  async #copyChunks(name: string, chunks: AsyncIterable<Uint8Array>): Promise<BackupFile> {
    const pieces: BackupPiece[] = [];
    const gathered = this.#buffer;
    let length = 0;
    const flush = async (): Promise<void> => {
      pieces.push(await this.#putPiece(gathered.subarray(0, length)));
      length = 0;
    };
    const iterator = chunks[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await unlessUnreadable(iterator.next());
        if (next.done === true) break;
        for (let at = 0; at < next.value.length; ) {
          const part = next.value.subarray(at, at + PIECE_BYTES_MAX - length);
          gathered.set(part, length);
          length += part.length;
          at += part.length;
          if (length === PIECE_BYTES_MAX) await flush();
        }
      }
      if (length > 0) await flush();
    } finally {
      await iterator.return?.();
    }
    return { name, bytes: pieces.reduce((sum, { bytes }) => sum + bytes, 0), pieces };
  }

  /** Puts a file's pieces, those that aren't there, one after the other. */
  async #put(bytes: number, read: ReadPart): Promise<readonly BackupPiece[]> {
    const pieces: BackupPiece[] = [];
    for (let offset = 0; offset < bytes; offset += PIECE_BYTES_MAX) {
      this.#refuseUnwanted();
      const part = this.#buffer.subarray(0, Math.min(PIECE_BYTES_MAX, bytes - offset));
      await read(offset, part);
      pieces.push(await this.#putPiece(part));
    }
    return pieces;
  }

  async #putPiece(bytes: Uint8Array<ArrayBuffer>): Promise<BackupPiece> {
    const piece = { sha256: await sha256Of(bytes), bytes: bytes.length };
    if (await this.#have(piece)) return piece;
    await this.#store.putPiece(piece, bytes);
    this.#stored.set(piece.sha256, piece);
    this.#uploadedBytes += bytes.length;
    return piece;
  }

  async #haveAll(pieces: readonly BackupPiece[]): Promise<boolean> {
    for (const piece of pieces) if (!(await this.#have(piece))) return false;
    return true;
  }

  /** The store is asked about the piece itself: lists may be late. */
  async #have(piece: BackupPiece): Promise<boolean> {
    if (this.#stored.has(piece.sha256)) return true;
    if (!(await this.#store.hasPiece(piece))) return false;
    this.#stored.set(piece.sha256, piece);
    this.#reused.set(piece.sha256, piece);
    return true;
  }

  /** Whoever deletes old backups sees this one's marker, or its list was late: then what it deleted shows here. */
  async #requireReused(): Promise<void> {
    for (const piece of this.#reused.values()) {
      if (await this.#store.hasPiece(piece)) continue;
      throw new FindlingError(
        "storage_unavailable",
        `in ${this.#store.description} a piece of an earlier backup was deleted while this one was made; make it again`,
      );
    }
  }

  #refuseUnwanted(): void {
    if (!this.#isWanted())
      throw new FindlingError("shutting_down", "the server stops; the backup is given up");
  }
}

/** What the source of a file can't give, in contrast to what the store can't take. */
class UnreadableError extends Error {}

async function unlessUnreadable<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    throw new UnreadableError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

interface SortedFiles {
  readonly entries: readonly { readonly file: CatalogFile; readonly index: CatalogIndex }[];
  /** Indexes whose entries can't be read. */
  readonly damaged: readonly BackupFailure[];
  /** What is copied as it is, damaged or not. */
  readonly others: readonly CatalogFile[];
}

function sortFiles(files: readonly CatalogFile[], storedCatalog: StoredCatalog): SortedFiles {
  const entries: { file: CatalogFile; index: CatalogIndex }[] = [];
  const damaged: BackupFailure[] = [];
  for (const file of files) {
    const name = storedCatalog.indexNameOf(file);
    if (name === null) continue;
    try {
      entries.push({ file, index: storedCatalog.indexOf(file)! });
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
      damaged.push({ index: name, problem: error.message });
    }
  }
  return { entries, damaged, others: files.filter((file) => storedCatalog.indexNameOf(file) === null) };
}

/** What is copied though it is damaged: perhaps somebody can mend it. */
function problemsOf(
  others: readonly CatalogFile[],
  storedCatalog: Pick<StoredCatalog, "problemOf">,
): readonly BackupFailure[] {
  return others.flatMap((file) => {
    const problem = storedCatalog.problemOf(file);
    return problem === null ? [] : [{ index: null, problem }];
  });
}

/** Indexes of the catalog that are missing in the backup. */
function failuresOf(
  entries: SortedFiles["entries"],
  copied: ReadonlyMap<string, unknown>,
  failures: ReadonlyMap<string, BackupFailure>,
): readonly BackupFailure[] {
  return entries
    .filter(({ index }) => !copied.has(index.storageId))
    .map(
      ({ index }) =>
        failures.get(index.storageId) ?? {
          index: index.schema.name,
          problem: "it was replaced again and again while the backup was made",
        },
    );
}
