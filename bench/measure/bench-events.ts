import { createHash } from "node:crypto";
import type { StoredEvent } from "../../src/ports/event-store.js";
import { SeededRandom } from "../../tests/setup/seeded-random.js";

const OSES = ["Windows", "Mac", "iOS", "Android", "Linux"];
const COUNTRIES = ["DE", "FR", "IN", "US", "BR", "JP", "GB", "ES"];
const USER_AGENTS = 40;
const USERS = 60_000;
const TERMS = 30_000;
const EVENTS_PER_SESSION = 6;

/**
 * Made-up events of a shop: visitors with ids as long as real ones, sessions of about six events, few
 * terms that many search for and many that few do (Zipf), clicks mostly high up.
 */
export class BenchEvents {
  readonly #random: SeededRandom;
  #session = 0;
  #count = 0;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
  }

  next(receivedAt: number): StoredEvent {
    const random = this.#random;
    if (this.#count++ % EVENTS_PER_SESSION === 0) this.#session++;
    // Sessions overlap: an event belongs to one of the last hundred.
    const session = Math.max(0, this.#session - random.below(100));
    const user = (session * 7919) % USERS;
    const term = `term ${Math.floor(TERMS ** random.next())} of ${session % 3}`;
    const kind = random.next();
    const isClick = kind >= 0.35 && kind < 0.5;
    const eventName =
      kind < 0.35
        ? "search_completed"
        : isClick
          ? "document_clicked"
          : kind < 0.75
            ? "search_requested"
            : "search_response_received";
    return {
      eventId: idOf("event", this.#count),
      receivedAt,
      eventName,
      keyId: "web",
      organizationId: "shop",
      applicationId: "storefront",
      indexNames: ["products"],
      searchTerm: term,
      searchKind: "fuzzy",
      sessionId: idOf("session", session),
      numberOfDocuments: random.next() < 0.04 ? 0 : random.below(500) + 1,
      ...(isClick && {
        documentPosition: Math.floor(20 ** random.next()),
        externalDocumentId: `p${random.below(9999)}`,
      }),
      userId: idOf("user", user),
      userType: user % 4 === 0 ? "authenticated" : "anonymous",
      country: COUNTRIES[user % COUNTRIES.length]!,
      region: `region ${user % 64}`,
      city: `city ${user % 512}`,
      latitude: (user % 180) - 90,
      longitude: (user % 360) - 180,
      deviceId: idOf("device", user),
      clientIp: `10.${user % 200}.${user % 250}.${user % 240}`,
      locale: "de-DE",
      os: OSES[user % OSES.length]!,
      platform: "web",
      sdkName: "js",
      sdkVersion: "1.4.2",
      userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/${100 + (user % USER_AGENTS)}.0`,
    };
  }
}

/** As long as a UUID, and as hard to compress. */
function idOf(what: string, number: number): string {
  const hex = createHash("md5").update(`${what} ${number}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** What a client sends of an event. */
export function toMeasureRequest(event: StoredEvent): object {
  return {
    event_name: event.eventName,
    properties: {
      searchcraft_organization_id: event.organizationId,
      searchcraft_application_id: event.applicationId,
      searchcraft_index_names: event.indexNames,
      search_term: event.searchTerm,
      search_kind: event.searchKind,
      number_of_documents: event.numberOfDocuments,
      document_position: event.documentPosition,
      external_document_id: event.externalDocumentId,
      session_id: event.sessionId,
    },
    user: {
      user_id: event.userId,
      user_type: event.userType,
      country: event.country,
      region: event.region,
      city: event.city,
      latitude: event.latitude,
      longitude: event.longitude,
      device_id: event.deviceId,
      client_ip: event.clientIp,
      locale: event.locale,
      os: event.os,
      platform: event.platform,
      sdk_name: event.sdkName,
      sdk_version: event.sdkVersion,
      user_agent: event.userAgent,
    },
  };
}
