import { invalidMember } from "../../contract/invalid-member.js";
import {
  type ClaimedScope,
  claimedScopes,
  parseMeasureBatchBody,
  parseMeasureEventBody,
} from "../../contract/measure-body.js";
import {
  type DeletedEvents,
  EVENT_TEXT_LENGTH_MAX,
  type MeasureEvent,
  type MeasureStatus,
} from "../../contract/measure-event.js";
import {
  type ExportFormat,
  parseExportQuery,
  queriedIndexNames,
  type UrlQuery,
} from "../../contract/measure-query.js";
import { FindlingError } from "../../errors/index.js";
import type { Catalog } from "../../ports/catalog.js";
import type { Clock } from "../../ports/clock.js";
import type { EventStore } from "../../ports/event-store.js";
import type { Authority } from "../authority/authority.js";
import type { EventAttribution } from "./event-attribution.js";
import type { MeasureRecorder } from "./measure-recorder.js";
import {
  type MeasuredCatalog,
  measuredNames,
  namedByIndex,
  requireMeasuredInScope,
  requireScopes,
  visibleEvents,
} from "./measure-scope.js";
import type { RequestOrigin } from "./request-origin.js";

export interface MeasureServicePorts {
  /** Null: measuring is off, everything is accepted and nothing kept. */
  readonly store: EventStore | null;
  /** Why nothing can be kept though measuring isn't off, as every answer but the status says then. */
  readonly missing?: string | null | undefined;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly attribution: EventAttribution;
  readonly recorder: MeasureRecorder;
}

export interface ExportedEvents {
  readonly format: ExportFormat;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** How far a clock that is not ours may be ahead of ours, in milliseconds. */
const CLOCK_SKEW_MAX = 60_000;

/** Usage events as they come in, go out and are forgotten (contract 3.10). */
export class MeasureService {
  readonly #ports: MeasureServicePorts;

  constructor(ports: MeasureServicePorts) {
    this.#ports = ports;
  }

  status(): MeasureStatus {
    return { enabled: this.#ports.store !== null };
  }

  /**
   * @throws FindlingError `index_not_allowed`, `insufficient_permissions`; then `invalid_request`;
   *   `rate_limited` while too many events wait; `storage_unavailable`
   */
  async recordEvent(body: unknown, origin: RequestOrigin): Promise<"event accepted"> {
    await this.#record(origin, claimedScopes(body, "event"), () => [parseMeasureEventBody(body)]);
    return "event accepted";
  }

  /** All of the events or none. @throws FindlingError as `recordEvent`, naming the event's place */
  async recordBatch(body: unknown, origin: RequestOrigin): Promise<"batch accepted"> {
    await this.#record(origin, claimedScopes(body, "batch"), () => parseMeasureBatchBody(body));
    return "batch accepted";
  }

  /**
   * Extension: forgets what a person did, everywhere.
   *
   * @throws FindlingError `invalid_request` for what can't be a user's id; `storage_unavailable`
   */
  async deleteUser(userId: string): Promise<DeletedEvents> {
    this.#requireInstalled();
    const { store, recorder } = this.#ports;
    if (store === null) return { deleted_events: 0 };
    if (userId.includes("\0") || userId.length > 2 * EVENT_TEXT_LENGTH_MAX) {
      throw new FindlingError("invalid_request", "no event can have this user's id");
    }
    // What the server itself saw of the user a moment ago goes too.
    await recorder.flush();
    return { deleted_events: await store.deleteUser(userId) };
  }

  /**
   * Extension: the events themselves, as far as the caller may see them.
   *
   * @throws FindlingError `index_not_allowed`; then `invalid_request`
   */
  export(query: UrlQuery, authority: Authority): ExportedEvents {
    this.#requireInstalled();
    const { store, catalog, clock } = this.#ports;
    if (store === null) return { format: "ndjson", chunks: nothing() };
    requireMeasuredInScope(queriedIndexNames(query), authority, catalog);
    const { selection, format } = parseExportQuery(query, clock.now());
    const visible = visibleEvents(authority, catalog);
    return { format, chunks: store.export({ ...namedByIndex(selection, catalog), visible }, format) };
  }

  /** @param scopes of each event that is parsed, in the same order */
  async #record(
    origin: RequestOrigin,
    scopes: readonly ClaimedScope[],
    parse: () => readonly MeasureEvent[],
  ): Promise<void> {
    this.#requireInstalled();
    const { store, catalog, clock, attribution } = this.#ports;
    if (store === null) return;
    const receivedAt = clock.now();
    requireScopes(scopes, origin.authority, catalog);
    const drafts = parse().map((event) => ({ event: ofIndexes(event, catalog), origin, receivedAt }));
    for (const [i, { event }] of drafts.entries()) requirePast(event, scopes[i]!.path, receivedAt);
    await store.record(attribution.storedEvents(drafts));
  }

  #requireInstalled(): void {
    const { missing } = this.#ports;
    if (typeof missing === "string") throw new FindlingError("not_supported", missing);
  }
}

/** The event with indexes in place of aliases, which may stand for others by the time that somebody asks. */
function ofIndexes(event: MeasureEvent, catalog: MeasuredCatalog): MeasureEvent {
  const { properties } = event;
  const names = measuredNames(properties.searchcraft_index_names, catalog);
  return { ...event, properties: { ...properties, searchcraft_index_names: names } };
}

function requirePast({ received_at: time }: MeasureEvent, eventPath: string, nowMs: number): void {
  if (time === undefined || time <= nowMs + CLOCK_SKEW_MAX) return;
  const path = eventPath === "" ? "received_at" : `${eventPath}.received_at`;
  throw invalidMember(path, "lies in the future; leave it out and the server takes the time of the request");
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // Measuring is off: there is nothing to give.
}
