import Type from "typebox";
import { schemaOf, type WireSchema } from "./wire-schema.js";

/** Part of a file's bytes, an object of its own that is named by what it holds. */
export interface BackupPiece {
  /** SHA-256 as 64 lower-case hex digits. */
  readonly sha256: string;
  readonly bytes: number;
}

export interface BackupFile {
  readonly name: string;
  readonly bytes: number;
  /** Names the content for ever (`IndexFile.identity`); absent where nothing does. */
  readonly identity?: string;
  /** One behind the other they are the file. */
  readonly pieces: readonly BackupPiece[];
}

export interface BackupIndex {
  readonly name: string;
  readonly storage_id: string;
  readonly document_count: number;
  /** Writes waited for a commit when this one was copied: the backup is without them. */
  readonly pending_writes_left_out: boolean;
  /** What the back end makes an index of the files by. */
  readonly commit: string;
  /** The catalog's entry: settings and dictionaries, secrets sealed. */
  readonly entry: BackupFile;
  readonly files: readonly BackupFile[];
}

export interface BackupEvents {
  /** `duckdb`: a Parquet file for each month; `clickhouse`: left to ClickHouse's own backups; `off`: none are stored; `failed`: they couldn't be read. */
  readonly kind: "duckdb" | "clickhouse" | "off" | "failed";
  readonly problem?: string;
  /** Named by their months, as `2026-11.parquet`. */
  readonly files: readonly BackupFile[];
}

/** An index that is missing in a backup, or a file of the catalog that is in it as it is, damaged. */
export interface BackupFailure {
  /** Null: what is damaged is named by the problem. */
  readonly index: string | null;
  readonly problem: string;
}

/** All that a backup consists of. A backup without its manifest doesn't exist. */
export interface BackupManifest {
  readonly id: string;
  /** When it was begun and when its manifest was written, in RFC 3339. */
  readonly created_at: string;
  readonly finished_at: string;
  /** The version of the server that made it. */
  readonly server_version: string;
  readonly indexes: readonly BackupIndex[];
  /** Indexes that couldn't be read: they are not in this backup. What else of the catalog is damaged is, as it is. */
  readonly failed: readonly BackupFailure[];
  /** What the catalog has besides indexes: federations, access keys (sealed), and what later versions add. */
  readonly catalog: readonly BackupFile[];
  readonly events: BackupEvents;
  /** Bytes of all files, and of those that were put into the store for this backup. */
  readonly total_bytes: number;
  readonly uploaded_bytes: number;
}

/** When it was begun, in UTC to the millisecond, for the order, and eight random hex digits. */
export const BACKUP_ID_PATTERN = "^[0-9]{8}T[0-9]{9}Z-[0-9a-f]{8}$";

/** Bytes of a piece, at most: what is held in memory, and sent again after a failure. */
export const PIECE_BYTES_MAX: number = 8 * 1024 * 1024;

const bytes = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const digest = Type.String({ pattern: "^[0-9a-f]{64}$" });
const piece = Type.Object({
  sha256: digest,
  bytes: Type.Integer({ minimum: 0, maximum: PIECE_BYTES_MAX }),
});

/** One to three parts, none of which leads out of a folder. */
const PATH_PATTERN = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}(/[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}){0,2}$";
const file = Type.Object({
  name: Type.String({ pattern: PATH_PATTERN }),
  bytes,
  identity: Type.Optional(Type.String({ maxLength: 200 })),
  pieces: Type.Array(piece),
});
const moment = Type.String({ pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{8,12}Z$" });

export const backupManifestSchema: WireSchema<BackupManifest> = schemaOf<BackupManifest>()(
  Type.Object({
    id: Type.String({ pattern: BACKUP_ID_PATTERN }),
    created_at: moment,
    finished_at: moment,
    server_version: Type.String({ maxLength: 100 }),
    indexes: Type.Array(
      Type.Object({
        name: Type.String({ minLength: 1, maxLength: 128 }),
        storage_id: Type.String({ pattern: "^[0-9a-f]{32}$" }),
        document_count: Type.Integer({ minimum: 0 }),
        pending_writes_left_out: Type.Boolean(),
        commit: Type.String(),
        entry: file,
        files: Type.Array(file),
      }),
    ),
    failed: Type.Array(
      Type.Object({ index: Type.Union([Type.String(), Type.Null()]), problem: Type.String() }),
    ),
    catalog: Type.Array(file),
    events: Type.Object({
      kind: Type.Enum(["duckdb", "clickhouse", "off", "failed"]),
      problem: Type.Optional(Type.String()),
      files: Type.Array(file),
    }),
    total_bytes: bytes,
    uploaded_bytes: bytes,
  }),
);
