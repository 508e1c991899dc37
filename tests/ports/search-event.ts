import { randomUUID } from "node:crypto";
import type { StoredEvent } from "../../src/ports/event-store.js";

/** A search with results, in a session of the user's own. */
export function searchOf(userId: string, searchTerm: string, receivedAt: number): StoredEvent {
  return {
    eventId: randomUUID(),
    receivedAt,
    eventName: "search_completed",
    indexNames: ["products"],
    searchTerm,
    sessionId: `session of ${userId}`,
    numberOfDocuments: 3,
    userId,
  };
}
