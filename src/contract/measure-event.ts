import Type, { type TSchema } from "typebox";
import { schemaOf } from "./wire-schema.js";

/** A usage event as clients send it (contract 3.10): unknown members are gone, null ones too. */
export interface MeasureEvent {
  readonly event_name: string;
  readonly properties: MeasureProperties;
  readonly user: MeasureUser;
  /** Extension, for admin keys alone: when a past event happened, in milliseconds since the Unix epoch. */
  readonly received_at?: number;
}

export interface MeasureProperties {
  readonly searchcraft_organization_id?: string;
  readonly searchcraft_application_id?: string;
  /** Empty where a federation was searched. */
  readonly searchcraft_index_names: readonly string[];
  readonly searchcraft_federation_name?: string;
  readonly search_term?: string;
  readonly search_kind?: string;
  readonly ai_provider?: string;
  readonly external_document_id?: string;
  readonly session_id?: string;
  readonly number_of_documents?: number;
  /** Where in its list a clicked document is. */
  readonly document_position?: number;
}

export interface MeasureUser {
  readonly user_id: string;
  readonly user_type?: UserType;
  readonly country?: string;
  readonly city?: string;
  readonly device_id?: string;
  readonly client_ip?: string;
  readonly locale?: string;
  readonly os?: string;
  readonly platform?: string;
  readonly region?: string;
  readonly sdk_name?: string;
  readonly sdk_version?: string;
  readonly user_agent?: string;
  readonly latitude?: number;
  readonly longitude?: number;
}

export const USER_TYPES = ["anonymous", "authenticated"] as const;
export type UserType = (typeof USER_TYPES)[number];

/** Names that clients and the server itself use; any other is accepted and stored as well. */
export const MEASURE_EVENT = {
  searchCompleted: "search_completed",
  documentClicked: "document_clicked",
  apiQueried: "api_queried",
  apiSummaryRequested: "api_summary_requested",
} as const;

/** Code points. */
export const EVENT_NAME_LENGTH_MAX = 128;
/** Code points of every other text: the longest user agents and search terms fit, a document does not. */
export const EVENT_TEXT_LENGTH_MAX = 1_000;
/** Index names of one event. */
export const EVENT_INDEX_NAMES_MAX = 100;
export const BATCH_EVENTS_MAX = 1_000;

const text = (description?: string): TSchema =>
  Type.String({ maxLength: EVENT_TEXT_LENGTH_MAX, ...(description !== undefined && { description }) });
const number = Type.Number({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER });

/** By name, whether a member is a text or a number. */
type MemberKinds<Shape, Others extends keyof Shape> = {
  readonly [Name in Exclude<keyof Shape, Others>]-?: Required<Shape>[Name] extends string ? "text" : "number";
};

/** The optional members of `properties`. */
export const PROPERTY_KINDS: MemberKinds<MeasureProperties, "searchcraft_index_names"> = {
  searchcraft_organization_id: "text",
  searchcraft_application_id: "text",
  searchcraft_federation_name: "text",
  search_term: "text",
  search_kind: "text",
  ai_provider: "text",
  external_document_id: "text",
  session_id: "text",
  number_of_documents: "number",
  document_position: "number",
};

/** The optional members of `user`, `user_type` aside. */
export const USER_KINDS: MemberKinds<MeasureUser, "user_id" | "user_type"> = {
  country: "text",
  city: "text",
  device_id: "text",
  client_ip: "text",
  locale: "text",
  os: "text",
  platform: "text",
  region: "text",
  sdk_name: "text",
  sdk_version: "text",
  user_agent: "text",
  latitude: "number",
  longitude: "number",
};

const EXAMPLE = {
  event_name: "search_completed",
  properties: {
    searchcraft_index_names: ["books"],
    search_term: "human world",
    number_of_documents: 12,
    session_id: "b7e2",
  },
  user: { user_id: "visitor-17", user_type: "anonymous", os: "Mac", country: "PT" },
};

function optional(kinds: Readonly<Record<string, "text" | "number">>): Record<string, TSchema> {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [name, Type.Optional(kind === "text" ? text() : number)]),
  );
}

const eventSchema = Type.Object({
  event_name: Type.String({
    minLength: 1,
    maxLength: EVENT_NAME_LENGTH_MAX,
    description:
      "Such as `search_completed`, `document_clicked`, `search_requested`, `search_response_received`, `sdk_initialized`; others are stored as well.",
  }),
  properties: Type.Object({
    ...optional(PROPERTY_KINDS),
    searchcraft_index_names: Type.Array(text(), {
      maxItems: EVENT_INDEX_NAMES_MAX,
      description: "May be empty, as for a federation. All of them must be in the key's scope.",
    }),
  }),
  user: Type.Object({
    user_id: Type.String({ minLength: 1, maxLength: EVENT_TEXT_LENGTH_MAX }),
    user_type: Type.Optional(Type.Enum([...USER_TYPES])),
    ...optional(USER_KINDS),
  }),
  received_at: Type.Optional(
    Type.Union([Type.String(), Type.Number()], {
      description:
        "Extension, only with a key that holds permission 32: when a past event happened, as RFC 3339 or Unix seconds. Without it, the moment of the request.",
    }),
  ),
});

export const measureEventBodySchema: TSchema = Type.Object(eventSchema.properties, { examples: [EXAMPLE] });

const events = Type.Array(eventSchema, { minItems: 1, maxItems: BATCH_EVENTS_MAX });

export const measureBatchBodySchema: TSchema = Type.Union([events, Type.Object({ items: events })], {
  description: 'A list of events, or `{"items": [ … ]}`; all are stored or none.',
  examples: [[EXAMPLE], { items: [EXAMPLE] }],
});

/** Whether the server keeps events (contract 3.10). */
export interface MeasureStatus {
  readonly enabled: boolean;
}

export const measureStatusSchema: TSchema = schemaOf<MeasureStatus>()(
  Type.Object({ enabled: Type.Boolean() }, { examples: [{ enabled: true }] }),
);

export interface DeletedEvents {
  readonly deleted_events: number;
}

export const deletedEventsSchema: TSchema = schemaOf<DeletedEvents>()(
  Type.Object({ deleted_events: Type.Integer() }, { examples: [{ deleted_events: 42 }] }),
);
