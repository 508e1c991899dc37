import Type, { type TSchema } from "typebox";
import { FindlingError } from "../errors/index.js";
import type { BackupEvents } from "./backup-manifest.js";
import { schemaOf, type WireSchema } from "./wire-schema.js";

/** A backup as lists and the making of one tell of it. */
export interface BackupSummary {
  readonly id: string;
  readonly created_at: string;
  readonly finished_at: string;
  readonly indexes: readonly BackupIndexSummary[];
  /** Indexes that couldn't be read, and aren't in the backup; with null what else was damaged, and is in it as it is. */
  readonly failed: readonly { readonly index: string | null; readonly problem: string }[];
  readonly events: BackupEvents["kind"];
  /** Why usage events couldn't be read, and aren't in the backup; absent: they could be, or there are none. */
  readonly events_problem?: string;
  readonly total_bytes: number;
  readonly uploaded_bytes: number;
}

export interface BackupIndexSummary {
  readonly name: string;
  readonly document_count: number;
  readonly pending_writes_left_out: boolean;
  readonly bytes: number;
}

export interface BackupList {
  /** The newest first. */
  readonly backups: readonly BackupSummary[];
  /** Those whose manifests can't be read. */
  readonly damaged: readonly { readonly id: string; readonly problem: string }[];
  /** Whether this server is making one now. */
  readonly running: boolean;
  /** The one that is being made now. */
  readonly running_id?: string;
  /** The last one, since the start, of which nothing came. */
  readonly last_failure?: { readonly id: string; readonly failed_at: string; readonly problem: string };
  /** Indexes that were restored since the start, or are being restored, the newest first; absent: none. At most some twenty. */
  readonly restores?: readonly RestoreProgress[];
  /** When the next one is due, in RFC 3339; absent without a schedule. */
  readonly next_at?: string;
}

/** A backup that is being made while nobody waits for it. */
export interface BackupBegun {
  readonly id: string;
  readonly state: "running";
}

export interface BackupCheck {
  readonly id: string;
  readonly sound: boolean;
  readonly checked_bytes: number;
  readonly problems: readonly {
    /** Absent: it is of the catalog, of usage events or of the manifest. */
    readonly index?: string;
    readonly file: string;
    readonly problem: string;
  }[];
}

export interface RestoreRequest {
  /** The index in the backup. */
  readonly index: string;
  /** What the restored one is called; no index may have the name. */
  readonly as: string;
}

export interface RestoredIndex {
  readonly index: string;
  readonly document_count: number;
  /** What the backup couldn't give, and how to mend it. */
  readonly missing: readonly string[];
}

/** A restore of an index while nobody waits for it. */
export interface RestoreBegun {
  readonly backup: string;
  readonly index: string;
  readonly as: string;
  readonly state: "running";
}

/** How far a restore of an index is, or what became of it. */
export interface RestoreProgress {
  readonly backup: string;
  readonly index: string;
  readonly as: string;
  state: "running" | "done" | "failed";
  readonly begun_at: string;
  ended_at?: string;
  readonly total_bytes: number;
  restored_bytes: number;
  /** Once it is done. */
  document_count?: number;
  missing?: readonly string[];
  /** Why it failed; then nothing is there. */
  problem?: string;
}

const problem = Type.String();
const bytes = Type.Integer({ minimum: 0 });

export const backupSummarySchema: WireSchema<BackupSummary> = schemaOf<BackupSummary>()(
  Type.Object({
    id: Type.String({
      description: "The moment and eight random digits, as `20261126T030000000Z-0f8fad5b`.",
    }),
    created_at: Type.String({ format: "date-time" }),
    finished_at: Type.String({ format: "date-time" }),
    indexes: Type.Array(
      Type.Object({
        name: Type.String(),
        document_count: Type.Integer(),
        pending_writes_left_out: Type.Boolean({
          description: "Whether writes waited for a commit: they aren't in the backup.",
        }),
        bytes,
      }),
    ),
    failed: Type.Array(Type.Object({ index: Type.Union([Type.String(), Type.Null()]), problem }), {
      description:
        "Indexes that couldn't be read, and aren't in the backup; with `null`, what else of the catalog is damaged, and is in it as it is.",
    }),
    events: Type.Enum(["duckdb", "clickhouse", "off", "failed"], {
      description:
        "Usage events: `duckdb` they are in the backup, `clickhouse` they are left to ClickHouse, `off` there are none, `failed` they couldn't be read.",
    }),
    events_problem: Type.Optional(
      Type.String({
        description: "Why usage events couldn't be read, and aren't in the backup; absent otherwise.",
      }),
    ),
    total_bytes: bytes,
    uploaded_bytes: Type.Integer({
      minimum: 0,
      description: "Bytes that no earlier backup had.",
    }),
  }),
);

const missing = Type.Array(Type.String(), {
  description: "What the backup couldn't give, such as a secret that was sealed with another key.",
});

const restoreProgressSchema = Type.Object({
  backup: Type.String(),
  index: Type.String({ description: "Its name in the backup." }),
  as: Type.String({ description: "Its new name." }),
  state: Type.Enum(["running", "done", "failed"]),
  begun_at: Type.String({ format: "date-time" }),
  ended_at: Type.Optional(Type.String({ format: "date-time" })),
  total_bytes: bytes,
  restored_bytes: bytes,
  document_count: Type.Optional(Type.Integer()),
  missing: Type.Optional(missing),
  problem: Type.Optional(problem),
});

export const backupListSchema: TSchema = schemaOf<BackupList>()(
  Type.Object({
    backups: Type.Array(Type.Unsafe<BackupSummary>(backupSummarySchema)),
    damaged: Type.Array(Type.Object({ id: Type.String(), problem })),
    running: Type.Boolean({ description: "Whether this server is making a backup now." }),
    running_id: Type.Optional(Type.String({ description: "The one that is being made." })),
    last_failure: Type.Optional(
      Type.Object(
        { id: Type.String(), failed_at: Type.String({ format: "date-time" }), problem },
        { description: "The last one, since the server's start, of which nothing came." },
      ),
    ),
    restores: Type.Optional(
      Type.Array(Type.Unsafe<RestoreProgress>(restoreProgressSchema), {
        description: "Indexes that were or are being restored since the server's start, the newest first.",
      }),
    ),
    next_at: Type.Optional(Type.String({ description: "When the schedule wants the next one." })),
  }),
);

export const backupBegunSchema: TSchema = schemaOf<BackupBegun>()(
  Type.Object({
    id: Type.String({ description: "`GET /backup` tells what becomes of it." }),
    state: Type.Literal("running"),
  }),
);

export const restoreBegunSchema: TSchema = schemaOf<RestoreBegun>()(
  Type.Object({
    backup: Type.String(),
    index: Type.String(),
    as: Type.String({ description: "`GET /backup` tells in `restores` what becomes of it." }),
    state: Type.Literal("running"),
  }),
);

/** What the query string of `POST /backup` and of a restore may say. */
export const backupQuerySchema: TSchema = Type.Object({
  wait: Type.Optional(
    Type.Boolean({
      description:
        "`false` answers 202 at once, as `Prefer: respond-async` does: `GET /backup` tells what becomes of it. Default true.",
    }),
  ),
});

/** Whether to answer once the backup, or the index, is there. @throws FindlingError `invalid_request` */
export function waitsForBackup(
  query: Readonly<Record<string, unknown>>,
  prefer: string | undefined,
): boolean {
  const { wait } = query;
  if (wait === undefined) return !/(^|[,;\s])respond-async([,;\s]|$)/i.test(prefer ?? "");
  if (wait === "true" || wait === "false") return wait === "true";
  throw new FindlingError("invalid_request", "'wait' must be true or false");
}

export const backupCheckSchema: TSchema = schemaOf<BackupCheck>()(
  Type.Object({
    id: Type.String(),
    sound: Type.Boolean(),
    checked_bytes: bytes,
    problems: Type.Array(Type.Object({ index: Type.Optional(Type.String()), file: Type.String(), problem })),
  }),
);

export const restoreBodySchema: WireSchema<RestoreRequest> = schemaOf<RestoreRequest>()(
  Type.Object(
    {
      index: Type.String({ minLength: 1, description: "The index in the backup." }),
      as: Type.String({ minLength: 1, description: "Its new name, which no index may have." }),
    },
    { examples: [{ index: "books", as: "books-of-yesterday" }] },
  ),
);

export const restoredIndexSchema: TSchema = schemaOf<RestoredIndex>()(
  Type.Object({
    index: Type.String(),
    document_count: Type.Integer(),
    missing,
  }),
);
