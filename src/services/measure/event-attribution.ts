import type { MeasureEvent, MeasureUser } from "../../contract/measure-event.js";
import type { GatheredEvents, OwnMembers, SharedMembers, StoredEvent } from "../../ports/event-store.js";
import type { Authority } from "../authority/authority.js";
import { EventIds } from "./event-ids.js";
import { type AddressPolicy, keptAddress } from "./kept-address.js";
import type { RequestClient, RequestOrigin } from "./request-origin.js";

/** An event that has arrived and is not stored yet. */
export interface EventDraft {
  readonly event: MeasureEvent;
  readonly origin: RequestOrigin;
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number;
}

/** An event that the server saw itself. */
export interface SeenEvent {
  readonly eventName: string;
  readonly origin: RequestOrigin;
  /** The index, or the federation, that was searched. */
  readonly target: { readonly indexName: string } | { readonly federationName: string };
  readonly aiProvider: string | undefined;
  readonly own: Omit<OwnMembers, "eventId">;
}

/** What the last event of a person had in common with the next one, if that is of the same. */
interface Remembered {
  readonly client: RequestClient;
  readonly authority: Authority;
  readonly eventName: string;
  readonly targetName: string;
  readonly isFederated: boolean;
  readonly aiProvider: string | undefined;
  readonly shared: SharedMembers;
}

/** People whose last event is remembered; beyond it all are forgotten. */
const REMEMBERED_MAX = 1_024;

/** Who an event is of where the request doesn't say (contract 3.10). */
const NOBODY: MeasureUser = { user_id: "anonymous", user_type: "anonymous" };

/** Makes of events what is stored: adds what the server knows of where they came from (contract 3.10). */
export class EventAttribution {
  readonly #ids = new EventIds();
  readonly #addresses: AddressPolicy;
  /** By session, user or nothing. */
  readonly #remembered = new Map<string | undefined, Remembered>();

  constructor(addresses: AddressPolicy) {
    this.#addresses = addresses;
  }

  /** In the same order, which their ids keep. */
  storedEvents(drafts: readonly EventDraft[]): readonly StoredEvent[] {
    return drafts.map((draft) => this.#storedEvent(draft));
  }

  gather(event: SeenEvent, events: GatheredEvents): void {
    const shared = this.#sharedMembers(event);
    const { receivedAt, searchTerm, searchKind, numberOfDocuments } = event.own;
    const eventId = this.#ids.next(receivedAt);
    events.add({ eventId, receivedAt, searchTerm, searchKind, numberOfDocuments }, shared);
  }

  /** What such events share, as one object for all of them. */
  #sharedMembers({ eventName, origin, target, aiProvider }: SeenEvent): SharedMembers {
    const { authority, client } = origin;
    const isFederated = "federationName" in target;
    const targetName = isFederated ? target.federationName : target.indexName;
    const person = client.sessionId ?? client.userId;
    const last = this.#remembered.get(person);
    if (
      last !== undefined &&
      (last.authority === authority || isSameSender(last.authority, authority)) &&
      last.eventName === eventName &&
      last.targetName === targetName &&
      last.isFederated === isFederated &&
      last.aiProvider === aiProvider &&
      (last.client === client || isSameClient(last.client, client))
    ) {
      return last.shared;
    }
    const { user_id: userId, user_type: userType } = userOf(client);
    const shared: SharedMembers = {
      eventName,
      keyId: authority.keyId,
      organizationId: authority.organizationId,
      applicationId: authority.applicationId,
      indexNames: isFederated ? [] : [targetName],
      federationName: isFederated ? targetName : undefined,
      aiProvider,
      sessionId: client.sessionId,
      userId,
      userType: userType ?? client.userType,
      clientIp: keptAddress(client.remoteAddress, this.#addresses),
      userAgent: client.userAgent,
    };
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear();
    const remembered = { client, authority, eventName, targetName, isFederated, aiProvider, shared };
    this.#remembered.set(person, remembered);
    return shared;
  }

  #storedEvent({ event, origin, receivedAt }: EventDraft): StoredEvent {
    const { authority, client } = origin;
    const { properties, user } = event;
    return {
      eventId: this.#ids.next(receivedAt),
      receivedAt: event.received_at ?? receivedAt,
      eventName: event.event_name,
      keyId: authority.keyId,
      organizationId: properties.searchcraft_organization_id ?? authority.organizationId,
      applicationId: properties.searchcraft_application_id ?? authority.applicationId,
      indexNames: properties.searchcraft_index_names,
      federationName: properties.searchcraft_federation_name,
      searchTerm: properties.search_term,
      searchKind: properties.search_kind,
      aiProvider: properties.ai_provider,
      externalDocumentId: properties.external_document_id,
      sessionId: properties.session_id ?? client.sessionId,
      numberOfDocuments: properties.number_of_documents,
      documentPosition: properties.document_position,
      userId: user.user_id,
      userType: user.user_type ?? client.userType,
      country: user.country,
      region: user.region,
      city: user.city,
      latitude: user.latitude,
      longitude: user.longitude,
      deviceId: user.device_id,
      clientIp: keptAddress(user.client_ip ?? client.remoteAddress, this.#addresses),
      locale: user.locale,
      os: user.os,
      platform: user.platform,
      sdkName: user.sdk_name,
      sdkVersion: user.sdk_version,
      userAgent: user.user_agent ?? client.userAgent,
    };
  }
}

function userOf({ userId, userType }: RequestClient): MeasureUser {
  if (userId !== undefined) return { user_id: userId };
  return userType === undefined ? NOBODY : { user_id: NOBODY.user_id };
}

/** As far as events tell. */
function isSameSender(one: Authority, other: Authority): boolean {
  return (
    one.caller === other.caller &&
    one.organizationId === other.organizationId &&
    one.applicationId === other.applicationId
  );
}

function isSameClient(one: RequestClient, other: RequestClient): boolean {
  return (
    one.userId === other.userId &&
    one.sessionId === other.sessionId &&
    one.userType === other.userType &&
    one.userAgent === other.userAgent &&
    one.remoteAddress === other.remoteAddress
  );
}
