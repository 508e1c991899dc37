import type { StoredEvent } from "../../ports/event-store.js";

/**
 * What a column holds; absent is "" for text, null for a number, and all zeros for a key. `word` is a
 * text with few distinct values, `words` a list of texts as such a text, each but the last followed by
 * `LIST_SEPARATOR`: stores answer for each distinct text once, which with lists takes ten times as long.
 */
export type ColumnKind = "text" | "word" | "words" | "number" | "time" | "class" | "key";

export interface EventColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** The member of `StoredEvent` that it keeps; absent if it follows from others. */
  readonly member?: keyof StoredEvent;
}

/** The columns of the table of events in every store, as of schema version 1. */
export const EVENT_COLUMNS: readonly EventColumn[] = [
  { name: "received_at", kind: "time", member: "receivedAt" },
  { name: "event_id", kind: "text", member: "eventId" },
  { name: "event_name", kind: "word", member: "eventName" },
  { name: "event_class", kind: "class" },
  { name: "key_id", kind: "word", member: "keyId" },
  { name: "organization_id", kind: "word", member: "organizationId" },
  { name: "application_id", kind: "word", member: "applicationId" },
  { name: "index_names", kind: "words", member: "indexNames" },
  { name: "federation_name", kind: "word", member: "federationName" },
  { name: "search_term", kind: "text", member: "searchTerm" },
  { name: "term", kind: "text" },
  { name: "search_kind", kind: "word", member: "searchKind" },
  { name: "ai_provider", kind: "word", member: "aiProvider" },
  { name: "external_document_id", kind: "text", member: "externalDocumentId" },
  { name: "session_id", kind: "text", member: "sessionId" },
  { name: "session_key", kind: "key" },
  { name: "number_of_documents", kind: "number", member: "numberOfDocuments" },
  { name: "document_position", kind: "number", member: "documentPosition" },
  { name: "user_id", kind: "text", member: "userId" },
  { name: "user_key", kind: "key" },
  { name: "user_type", kind: "word", member: "userType" },
  { name: "country", kind: "word", member: "country" },
  { name: "region", kind: "word", member: "region" },
  { name: "city", kind: "word", member: "city" },
  { name: "latitude", kind: "number", member: "latitude" },
  { name: "longitude", kind: "number", member: "longitude" },
  { name: "device_id", kind: "text", member: "deviceId" },
  { name: "client_ip", kind: "text", member: "clientIp" },
  { name: "locale", kind: "word", member: "locale" },
  { name: "os", kind: "word", member: "os" },
  { name: "platform", kind: "word", member: "platform" },
  { name: "sdk_name", kind: "word", member: "sdkName" },
  { name: "sdk_version", kind: "word", member: "sdkVersion" },
  { name: "user_agent", kind: "word", member: "userAgent" },
];

/** Values of `event_class`. The lowest bit says search, the second click, the third that nothing was found. */
export const EVENT_CLASS = { other: 0, search: 1, click: 2, searchWithoutResults: 5 } as const;

/** Never in a list's element. */
export const LIST_SEPARATOR = "\u001f";

/** The key of an absent session. */
export const ABSENT_KEY = "00000000-0000-0000-0000-000000000000";
