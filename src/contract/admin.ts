import Type, { type TSchema } from "typebox";
import { invalidMember } from "./invalid-member.js";
import { asWireObject, memberOf } from "./wire-object.js";
import { schemaOf } from "./wire-schema.js";

/** An index as the operator's overview lists it. */
export interface IndexOverview {
  readonly name: string;
  /** Its other names, sorted; absent where it has none. */
  readonly aliases?: readonly string[];
  /** Committed documents; null where its files can't be read. */
  readonly document_count: number | null;
  /** Bytes on disk, about. */
  readonly space_usage: number | null;
  /** Whether writes wait for a commit. */
  readonly has_pending_writes: boolean;
  /** Documents added and removed since the last commit, of those that came since the start. */
  readonly pending_added: number;
  readonly pending_removed: number;
  /** RFC 3339; null if nothing was committed since the start. */
  readonly last_commit: string | null;
  /** Searches of the last sixty seconds, federations' included. */
  readonly searches_per_minute: number;
  /** Whether its documents are being analysed anew, after which changed settings come into force. */
  readonly is_being_analysed: boolean;
  /** Why its files can't be read. */
  readonly problem?: string;
}

/** How the process and its machine fare. */
export interface ServerHealthView {
  readonly resident_bytes: number;
  readonly heap_used_bytes: number;
  /** What the machine, or the container, has. */
  readonly memory_bytes: number;
  /** Bytes of the disk that holds the data folder; null where it doesn't tell. */
  readonly disk_free_bytes: number | null;
  readonly disk_bytes: number | null;
  /** The 99th percentile since the last look, in milliseconds. */
  readonly event_loop_delay_ms: number;
  /** Processor time of all threads for each second since the last look; 1 is one core. */
  readonly cpu_cores: number;
  /** What is wrong with the cluster, or the data folder, that holds documents and settings; null where it is well. */
  readonly storage_problem: string | null;
  /** Usage events on disk that their store doesn't have yet; null where measuring is off. */
  readonly waiting_events: number | null;
  readonly is_event_store_available: boolean | null;
  /** Searches of the last sixty seconds, all indexes together. */
  readonly searches_per_minute: number;
  readonly slow_searches: number;
}

export interface Overview {
  readonly version: string;
  readonly node_version: string;
  /** RFC 3339. */
  readonly started_at: string;
  readonly health: ServerHealthView;
  /** By name. */
  readonly indexes: readonly IndexOverview[];
}

/** A search that took long, as it was asked. */
export interface SlowSearch {
  /** RFC 3339, when it was answered. */
  readonly time: string;
  /** One of the two is there. */
  readonly index_name?: string;
  readonly federation_name?: string;
  readonly duration_ms: number;
  readonly count: number;
  /** The request's body as JSON, at most 2,000 characters of it. */
  readonly body: string;
}

export interface SlowSearches {
  /** From how many milliseconds on a search is slow. */
  readonly threshold_ms: number;
  /** The newest first. */
  readonly searches: readonly SlowSearch[];
}

export interface LogLine {
  /** Counts the lines since the start. */
  readonly number: number;
  /** One JSON object as it was logged, at most 8,000 characters of it. */
  readonly text: string;
}

export interface RecentLogLines {
  /** The oldest first. */
  readonly lines: readonly LogLine[];
  /** The last line's; to be sent as `after` for what comes later. */
  readonly last: number;
}

export interface SettingView {
  readonly name: string;
  readonly environment_name: string;
  readonly description: string;
  /** As in the environment; secrets masked, empty where not set. */
  readonly value: string;
  readonly is_default: boolean;
}

export interface ConfigurationView {
  readonly settings: readonly SettingView[];
}

/** What the caller's key may do. */
export interface CallerView {
  /** The mask with all that follows from it. */
  readonly permissions: number;
  /** `*` is every index. */
  readonly allowed_indexes: readonly string[];
  readonly federation_name?: string;
  /** The greatest `limit` of a search. */
  readonly max_result_limit: number;
}

export interface SignedIn {
  readonly key: string;
}

/** Log lines that are kept. */
export const LOG_LINES_MAX = 1_000;
/** Slow searches that are kept. */
export const SLOW_SEARCHES_MAX = 100;

/**
 * The code of a sign-in body.
 *
 * @throws FindlingError `invalid_request`
 */
export function parseSignInBody(body: unknown): string {
  const code = memberOf(asWireObject(body) ?? {}, "code");
  if (typeof code === "string") return code;
  throw invalidMember("code", "must be the code of the link that the server printed");
}

/**
 * The number of the line after which a reader goes on; 0 for all that are kept.
 *
 * @throws FindlingError `invalid_request`
 */
export function parseLogQuery(query: Readonly<Record<string, unknown>>): number {
  const { after = "0" } = query;
  if (typeof after === "string" && /^\d{1,15}$/.test(after)) return Number(after);
  throw invalidMember("after", "must be the number of a log line");
}

const count = Type.Integer({ minimum: 0 });
const instant = Type.String({ format: "date-time" });
const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);

export const overviewSchema: TSchema = schemaOf<Overview>()(
  Type.Object({
    version: Type.String(),
    node_version: Type.String(),
    started_at: instant,
    health: Type.Object({
      resident_bytes: count,
      heap_used_bytes: count,
      memory_bytes: count,
      disk_free_bytes: nullable(count),
      disk_bytes: nullable(count),
      event_loop_delay_ms: Type.Number({ description: "The 99th percentile since the last look." }),
      cpu_cores: Type.Number({ description: "Processor time for each second since the last look." }),
      storage_problem: nullable(
        Type.String({
          description:
            "What is wrong with the OpenSearch cluster, or which files of the catalog are damaged; null where all is well.",
        }),
      ),
      waiting_events: nullable(count),
      is_event_store_available: nullable(Type.Boolean()),
      searches_per_minute: count,
      slow_searches: Type.Integer({ minimum: 0, description: "Those that are kept." }),
    }),
    indexes: Type.Array(
      Type.Object({
        name: Type.String(),
        aliases: Type.Optional(
          Type.Array(Type.String(), { description: "Its other names, where it has any." }),
        ),
        document_count: nullable(count),
        space_usage: nullable(count),
        has_pending_writes: Type.Boolean(),
        pending_added: count,
        pending_removed: count,
        last_commit: nullable(instant),
        searches_per_minute: count,
        is_being_analysed: Type.Boolean(),
        problem: Type.Optional(Type.String()),
      }),
    ),
  }),
);

export const slowSearchesSchema: TSchema = schemaOf<SlowSearches>()(
  Type.Object({
    threshold_ms: Type.Number(),
    searches: Type.Array(
      Type.Object({
        time: instant,
        index_name: Type.Optional(Type.String()),
        federation_name: Type.Optional(Type.String()),
        duration_ms: Type.Number(),
        count,
        body: Type.String({ description: "At most 2,000 characters of the request's JSON." }),
      }),
    ),
  }),
);

export const logQuerySchema: TSchema = Type.Object({
  after: Type.Optional(
    Type.String({ description: "Lines behind the one of this number alone.", examples: ["120"] }),
  ),
});

export const recentLogLinesSchema: TSchema = schemaOf<RecentLogLines>()(
  Type.Object({
    lines: Type.Array(
      Type.Object({ number: count, text: Type.String({ description: "One JSON object." }) }),
      { maxItems: LOG_LINES_MAX },
    ),
    last: count,
  }),
);

export const configurationSchema: TSchema = schemaOf<ConfigurationView>()(
  Type.Object({
    settings: Type.Array(
      Type.Object({
        name: Type.String(),
        environment_name: Type.String(),
        description: Type.String(),
        value: Type.String({ description: "Secrets masked, empty where not set." }),
        is_default: Type.Boolean(),
      }),
    ),
  }),
);

export const callerSchema: TSchema = schemaOf<CallerView>()(
  Type.Object({
    permissions: Type.Integer({ minimum: 0, maximum: 127 }),
    allowed_indexes: Type.Array(Type.String(), { description: "`*` is every index." }),
    federation_name: Type.Optional(Type.String()),
    max_result_limit: Type.Integer({ minimum: 1 }),
  }),
);

export const signInBodySchema: TSchema = Type.Object(
  { code: Type.String() },
  { examples: [{ code: "the code behind # in the printed link" }] },
);

export const signedInSchema: TSchema = schemaOf<SignedIn>()(Type.Object({ key: Type.String() }));
