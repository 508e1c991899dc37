import {
  BACKUP_ID_PATTERN,
  type BackupFile,
  type BackupManifest,
  type BackupPiece,
} from "../../contract/backup-manifest.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import type { ObjectStore, StoredObject } from "../../ports/object-store.js";
import { decodeManifest, encodeManifest } from "./manifest-format.js";
import { sha256Of } from "./sha256.js";

/** Pieces that are read ahead of who takes them. */
const READ_AHEAD = 3;
/** A manifest of a million pieces takes less. */
const MANIFEST_BYTES_MAX = 256 * 1024 * 1024;

const MANIFESTS = "backups/";
const PIECES = "pieces/";
const MARKERS = "making/";
const PRUNING = "pruning";
/** Ids have room for no later one. */
const LAST_MOMENT_MS = Date.UTC(10_000, 0, 1) - 1;

/** A backup of the list, whose manifest may be damaged. */
export interface ListedBackup {
  readonly id: string;
  readonly manifest: BackupManifest | null;
  /** Why there is no manifest. */
  readonly problem: string | null;
}

/**
 * What lies where in the store:
 *
 * ```
 * backups/<id>.json         a manifest, put last and only if there is none
 * pieces/<2 digits>/<sha256>  up to 8 MiB of a file, once for all backups
 * making/<id>               a backup is being made; put again every minute
 * pruning                   old backups are being deleted; put again every minute
 * ```
 */
export class BackupStore {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  get description(): string {
    return this.#store.description;
  }

  /** Ids, the oldest first. */
  async ids(): Promise<readonly string[]> {
    const ids: string[] = [];
    for await (const { key } of this.#store.list(MANIFESTS)) {
      const id = key.slice(MANIFESTS.length).replace(/\.json$/, "");
      if (isBackupId(id) && key === manifestNameOf(id)) ids.push(id);
    }
    return ids.sort();
  }

  /** All backups, the newest first; one whose manifest can't be read doesn't keep back the others. */
  async list(): Promise<readonly ListedBackup[]> {
    const ids = (await this.ids()).toReversed();
    const listed: ListedBackup[] = [];
    for (const id of ids) {
      try {
        listed.push({ id, manifest: await this.manifest(id), problem: null });
      } catch (error) {
        // Deleted meanwhile.
        if (!(error instanceof FindlingError)) throw error;
        if (error.code === "backup_not_found") continue;
        if (!(error instanceof CorruptionError)) throw error;
        listed.push({ id, manifest: null, problem: error.message });
      }
    }
    return listed;
  }

  /** The id, or the newest backup's for `latest`. @throws FindlingError `backup_not_found` if there is none at all */
  async settledId(id: string): Promise<string> {
    if (id !== "latest") return id;
    const newest = (await this.ids()).at(-1);
    if (newest === undefined) throw new FindlingError("backup_not_found", "there is no backup yet");
    return newest;
  }

  /** @throws FindlingError `backup_not_found`; CorruptionError if it is damaged */
  async manifest(id: string): Promise<BackupManifest> {
    const chunks = isBackupId(id) ? await this.#store.get(manifestNameOf(id)) : null;
    if (chunks === null) throw new FindlingError("backup_not_found", `there is no backup '${id}'`);
    const source = manifestNameOf(id);
    return decodeManifest(source, await gathered(source, chunks, MANIFEST_BYTES_MAX), id);
  }

  /** From here on the backup exists. @throws FindlingError `storage_unavailable`, also if there is one of that id */
  async putManifest(manifest: BackupManifest): Promise<void> {
    const key = manifestNameOf(manifest.id);
    const bytes = await encodeManifest(manifest);
    if (await this.#store.put(key, bytes, { ifAbsent: true })) return;
    // An attempt whose answer got lost may have put it.
    const there = await this.#store.get(key);
    if (there !== null && sameBytes(await gathered(key, there, bytes.length), bytes)) return;
    throw new FindlingError(
      "storage_unavailable",
      `in ${this.description} there is a backup '${manifest.id}' already`,
    );
  }

  async deleteManifest(id: string): Promise<void> {
    await this.#store.delete(manifestNameOf(id));
  }

  async hasPiece({ sha256, bytes }: BackupPiece): Promise<boolean> {
    return (await this.#store.head(pieceKey(sha256)))?.bytes === bytes;
  }

  /** @param piece that has these bytes */
  async putPiece(piece: BackupPiece, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#store.put(pieceKey(piece.sha256), bytes);
  }

  /** All pieces that are there, whether a backup names them or not. */
  async *pieces(): AsyncGenerator<{ readonly sha256: string; readonly object: StoredObject }> {
    for await (const object of this.#store.list(PIECES)) {
      const sha256 = object.key.slice(object.key.lastIndexOf("/") + 1);
      if (/^[0-9a-f]{64}$/.test(sha256) && object.key === pieceKey(sha256)) yield { sha256, object };
    }
  }

  async deletePiece(sha256: string): Promise<void> {
    await this.#store.delete(pieceKey(sha256));
  }

  /**
   * The piece's bytes, which are what its name says.
   *
   * @param buffer what they are read into, of that length at least; the default is new memory
   * @throws CorruptionError if they aren't, or it is missing
   */
  async readPiece(
    { sha256, bytes: length }: BackupPiece,
    buffer: Uint8Array<ArrayBuffer> = new Uint8Array(length),
  ): Promise<Uint8Array<ArrayBuffer>> {
    const key = pieceKey(sha256);
    const chunks = await this.#store.get(key);
    if (chunks === null) throw new CorruptionError(key, "it is missing");
    const bytes = buffer.subarray(0, length);
    let read = 0;
    for await (const chunk of chunks) {
      if (read + chunk.length > length) throw new CorruptionError(key, `it has more than ${length} bytes`);
      bytes.set(chunk, read);
      read += chunk.length;
    }
    if (read !== length) throw new CorruptionError(key, `it has ${read} bytes of ${length}`);
    if ((await sha256Of(bytes)) !== sha256)
      throw new CorruptionError(key, "it does not have the SHA-256 that it should have");
    return bytes;
  }

  /** A file's bytes piece by piece, each checked before it is given. @throws as `readPiece` */
  async *read({ pieces }: BackupFile): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const ahead: Promise<Uint8Array<ArrayBuffer>>[] = [];
    let next = 0;
    try {
      while (next < pieces.length || ahead.length > 0) {
        while (next < pieces.length && ahead.length < READ_AHEAD) {
          const reading = this.readPiece(pieces[next++]!);
          reading.catch(() => undefined);
          ahead.push(reading);
        }
        yield await ahead.shift()!;
      }
    } finally {
      await Promise.allSettled(ahead);
    }
  }

  async readWhole(file: BackupFile): Promise<Uint8Array<ArrayBuffer>> {
    return gathered(file.name, this.read(file), file.bytes);
  }

  /** Says that a backup is being made. */
  async putMarker(id: string): Promise<StoredObject | null> {
    return this.#putEmpty(MARKERS + id);
  }

  async deleteMarker(id: string): Promise<void> {
    await this.#store.delete(MARKERS + id);
  }

  async markers(): Promise<readonly StoredObject[]> {
    const markers: StoredObject[] = [];
    for await (const marker of this.#store.list(MARKERS)) markers.push(marker);
    return markers;
  }

  async deleteObject({ key }: StoredObject): Promise<void> {
    await this.#store.delete(key);
  }

  /** Says that old backups are being deleted. */
  async putPruning(): Promise<StoredObject | null> {
    return this.#putEmpty(PRUNING);
  }

  async pruning(): Promise<StoredObject | null> {
    return this.#store.head(PRUNING);
  }

  async deletePruning(): Promise<void> {
    await this.#store.delete(PRUNING);
  }

  /** @returns what the store says of it, its time above all */
  async #putEmpty(key: string): Promise<StoredObject | null> {
    await this.#store.put(key, new Uint8Array(0));
    return this.#store.head(key);
  }
}

export function isBackupId(text: string): boolean {
  return new RegExp(BACKUP_ID_PATTERN).test(text);
}

/**
 * An id behind the newest one: which backup is the newest, and which are too old, goes by the order they were made in,
 * even if the clock was set back.
 */
export function newBackupId(nowMs: number, newest?: string): string {
  const afterNewestMs = newest === undefined ? nowMs : Math.min(momentOf(newest) + 1, LAST_MOMENT_MS);
  const moment = new Date(Math.max(nowMs, afterNewestMs)).toISOString().replace(/[-:.]/g, "");
  return `${moment}-${crypto.randomUUID().slice(0, 8)}`;
}

/** Milliseconds since 1970; nonsense such as a 14th month counts as long ago. */
function momentOf(id: string): number {
  const ms = Date.parse(
    id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z.*$/, "$1-$2-$3T$4:$5:$6.$7Z"),
  );
  return Number.isNaN(ms) ? 0 : ms;
}

/** The object that a backup's manifest is. */
export function manifestNameOf(id: string): string {
  return `${MANIFESTS}${id}.json`;
}

function pieceKey(sha256: string): string {
  return `${PIECES}${sha256.slice(0, 2)}/${sha256}`;
}

/** No more than is asked for is held, however much comes. */
async function gathered(
  source: string,
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > bytesMax) throw new CorruptionError(source, `it has more than ${bytesMax} bytes`);
    parts.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
