import type { MeasureEvent } from "../../contract/measure-event.js";
import type { KeyLookup } from "../../ports/catalog.js";
import type { StoredEvent } from "../../ports/event-store.js";
import { EventIds } from "./event-ids.js";
import { type AddressPolicy, keptAddress } from "./kept-address.js";
import { KeyIds } from "./key-ids.js";
import type { RequestOrigin } from "./request-origin.js";

/** An event that has arrived and is not stored yet. */
export interface EventDraft {
  readonly event: MeasureEvent;
  readonly origin: RequestOrigin;
  /** Milliseconds since the Unix epoch. */
  readonly receivedAt: number;
}

/** Makes of events what is stored: adds what the server knows of where they came from (contract 3.10). */
export class EventAttribution {
  readonly #ids = new EventIds();
  readonly #keyIds: KeyIds;
  readonly #addresses: AddressPolicy;

  constructor(catalog: KeyLookup, addresses: AddressPolicy) {
    this.#keyIds = new KeyIds(catalog);
    this.#addresses = addresses;
  }

  /** In the same order, which their ids keep. */
  async storedEvents(drafts: readonly EventDraft[]): Promise<readonly StoredEvent[]> {
    const keyIds: (string | undefined)[] = [];
    for (const { origin } of drafts) {
      const known = this.#keyIds.known(origin.authority);
      keyIds.push(known === null ? await this.#keyIds.of(origin.authority) : known);
    }
    return drafts.map((draft, i) => this.#storedEvent(draft, keyIds[i]));
  }

  #storedEvent({ event, origin, receivedAt }: EventDraft, keyId: string | undefined): StoredEvent {
    const { authority, client } = origin;
    const { properties, user } = event;
    return {
      eventId: this.#ids.next(receivedAt),
      receivedAt: event.received_at ?? receivedAt,
      eventName: event.event_name,
      keyId,
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
