import type { BreakdownDimension, ExportFormat, Granularity } from "../contract/measure-query.js";

export {
  BREAKDOWN_DIMENSIONS,
  type BreakdownDimension,
  type ExportFormat,
  GRANULARITIES,
  type Granularity,
} from "../contract/measure-query.js";

/**
 * One usage event as it is kept, flat (contract 3.10). A text that is empty counts as absent, a number
 * that is not finite likewise; neither is given back by an export.
 */
export interface StoredEvent {
  /** Unique among all events ever recorded; the caller makes it. */
  readonly eventId: string;
  /** When the server took it in: whole milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  readonly eventName: string;
  /** Names the key that brought it, without being the key. */
  readonly keyId?: string | undefined;

  readonly organizationId?: string | undefined;
  readonly applicationId?: string | undefined;
  readonly indexNames: readonly string[];
  readonly federationName?: string | undefined;
  /** As it came; the store compares it trimmed and lower-cased. */
  readonly searchTerm?: string | undefined;
  readonly searchKind?: string | undefined;
  readonly aiProvider?: string | undefined;
  readonly externalDocumentId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly numberOfDocuments?: number | undefined;
  readonly documentPosition?: number | undefined;

  readonly userId: string;
  readonly userType?: string | undefined;
  readonly country?: string | undefined;
  readonly region?: string | undefined;
  readonly city?: string | undefined;
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
  readonly deviceId?: string | undefined;
  readonly clientIp?: string | undefined;
  readonly locale?: string | undefined;
  readonly os?: string | undefined;
  readonly platform?: string | undefined;
  readonly sdkName?: string | undefined;
  readonly sdkVersion?: string | undefined;
  readonly userAgent?: string | undefined;
}

/** What a search's event has of its own. */
export type OwnMembers = Pick<
  StoredEvent,
  "eventId" | "receivedAt" | "searchTerm" | "searchKind" | "numberOfDocuments"
>;

/** What an event has in common with others of the same person and target. */
export type SharedMembers = Omit<StoredEvent, keyof OwnMembers>;

/** Events that come one by one and are recorded together, kept as the store takes them. */
export interface GatheredEvents {
  readonly count: number;
  /** What they are recorded as, about; only `add` changes it. */
  readonly byteLength: number;
  /** @param shared the same object for all events that have it in common: what is made of it is kept */
  add(own: OwnMembers, shared: SharedMembers): void;
  /** As `EventStore.record`; once it has resolved, nothing more is to be done with these. After an error it may be called again. */
  record(): Promise<void>;
}

/** Which events a question is about; all conditions that are given hold. Texts compare exactly. */
export interface EventFilter {
  /** Milliseconds since the Unix epoch, inclusive. */
  readonly from: number;
  /** Milliseconds since the Unix epoch, exclusive. */
  readonly to: number;
  readonly organizationId?: string | undefined;
  readonly applicationId?: string | undefined;
  readonly userId?: string | undefined;
  readonly userType?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly eventName?: string | undefined;
  /** The event shares at least one of these; an empty list matches nothing. */
  readonly indexNames?: readonly string[] | undefined;
  /** What the asker may see; undefined: everything. */
  readonly visible?: VisibleEvents | undefined;
  /**
   * Counts a search only if it isn't a step of one that is still being typed: the next search of its
   * session (among those that the filter lets through, by time, then by event id, both having a term)
   * follows within `TYPING_GAP_MS`, and one of the two terms begins with the other. False if absent.
   */
  readonly collapsesTyping?: boolean | undefined;
}

/** An event is visible if it names indexes and all of them are listed, or if it names none and its federation is listed. */
export interface VisibleEvents {
  readonly indexNames: readonly string[];
  readonly federationNames: readonly string[];
}

/** The longest pause between two keystrokes of one search that `collapsesTyping` allows for, itself included. */
export const TYPING_GAP_MS = 5000;

/** Part of a list: `offset` rows are left out, at most `limit` follow. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/**
 * Figures over all events that the filter lets through. A search is a `search_completed`, or an
 * `api_queried` without a session; a click is a `document_clicked`.
 */
export interface EventTotals {
  readonly events: number;
  readonly searches: number;
  /** Searches whose `numberOfDocuments` is 0. */
  readonly searchesWithoutResults: number;
  readonly clicks: number;
  /** Distinct user ids of any event. */
  readonly activeUsers: number;
  /** Distinct sessions of any event. */
  readonly sessions: number;
  readonly sessionsWithSearch: number;
  readonly sessionsWithClick: number;
  /** Searches that have a session. */
  readonly searchesInSessions: number;
}

export interface TimeBucket {
  /** The bucket's first millisecond, which may lie before the filter's `from`. */
  readonly start: number;
  readonly searches: number;
  readonly clicks: number;
}

/** A term with at least one search, trimmed and lower-cased, never empty. */
export interface TermCounts {
  readonly term: string;
  readonly searches: number;
  /** Clicks that name the term themselves. */
  readonly clicks: number;
  /** Mean `documentPosition` of those clicks that have one; null without any. */
  readonly averageClickPosition: number | null;
}

export interface TermList {
  readonly terms: readonly TermCounts[];
  /** Terms in the whole list. */
  readonly total: number;
}

/**
 * Which list of terms: most searched first; least searched first; or the terms of searches without
 * results, of which those alone count, most of them first (clicks are 0 and positions null). Equal ones
 * by the term's UTF-8 bytes, ascending.
 */
export type TermListName = "popular" | "unpopular" | "withoutResults";

export type TermLists<Name extends TermListName> = { readonly [Each in Name]: TermList };

export interface BreakdownRow {
  /** One value; for a region `[country, region]`, for a city `[country, region, city]`. Absent: "". */
  readonly path: readonly string[];
  readonly searches: number;
  readonly clicks: number;
  /** Distinct users of those searches. */
  readonly users: number;
}

export interface Breakdown {
  /** Rows with at least one search: most searches first, equal ones by their path's UTF-8 bytes. */
  readonly rows: readonly BreakdownRow[];
  readonly total: number;
}

export interface EventStoreStatus {
  readonly kind: "duckdb" | "clickhouse";
  /** Whether the store took or gave something when it was last asked to. */
  readonly isAvailable: boolean;
  /** Acknowledged events that are on disk and not in the store yet. */
  readonly waitingEvents: number;
  readonly waitingBytes: number;
  /** Files of waiting events that are damaged; they stay where they are. */
  readonly damagedFiles: readonly string[];
}

/**
 * Where usage events go and what they tell. An event that was recorded survives the process's death
 * at any moment, counts exactly once, and shows in every figure within 5 seconds while the store is
 * there; while it isn't, events wait on disk.
 *
 * Errors of every question: `storage_unavailable` when the store can't answer now or in time.
 */
export interface EventStore {
  /**
   * Resolves once all of the events are durable; none is if it throws. Never waits for the store.
   *
   * @throws FindlingError `rate_limited` with `retryAfterSeconds` while too many events wait
   * @throws FindlingError `storage_unavailable` if the disk doesn't take them
   */
  record(events: readonly StoredEvent[]): Promise<void>;
  /** None as yet. */
  gather(): GatheredEvents;

  totals(filter: EventFilter): Promise<EventTotals>;
  /** Searches alone, as `totals` counts them: cheap. */
  countSearches(filter: EventFilter): Promise<number>;
  /** Ascending, without the buckets that hold neither searches nor clicks: the caller fills the gaps. */
  overTime(filter: EventFilter, granularity: Granularity): Promise<readonly TimeBucket[]>;
  /** One page of every list named, for little more than one of them costs. */
  terms<Name extends TermListName>(
    filter: EventFilter,
    names: readonly Name[],
    page: Page,
  ): Promise<TermLists<Name>>;
  breakdown(filter: EventFilter, dimension: BreakdownDimension, page: Page): Promise<Breakdown>;

  /** Forgets all events of a user that were recorded before the call; resolves with how many. */
  deleteUser(userId: string): Promise<number>;
  /** Forgets all events received before the time (milliseconds since the Unix epoch). */
  deleteBefore(time: number): Promise<number>;
  /**
   * The matching events by time, then by event id: NDJSON with the members of `StoredEvent`, or one
   * Parquet file. `collapsesTyping` has no effect. Ending the iteration early releases everything.
   *
   * @throws FindlingError `invalid_request` if the store hasn't the format
   */
  export(filter: EventFilter, format: ExportFormat): AsyncIterable<Uint8Array>;

  /** Resolves once every event recorded before the call is in the store. */
  flush(): Promise<void>;
  status(): EventStoreStatus;
  /** Brings waiting events into the store if it is there, releases everything. Recording throws from then on. */
  close(): Promise<void>;
}
