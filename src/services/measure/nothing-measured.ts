import type { EventStore } from "../../ports/event-store.js";

/** What the dashboards ask where measuring is off: zeros and empty lists (contract 3.10). */
export const NOTHING_MEASURED: Pick<
  EventStore,
  "totals" | "countSearches" | "overTime" | "terms" | "termsWithoutResults" | "breakdown"
> = {
  totals: () =>
    Promise.resolve({
      events: 0,
      searches: 0,
      searchesWithoutResults: 0,
      clicks: 0,
      activeUsers: 0,
      sessions: 0,
      sessionsWithSearch: 0,
      sessionsWithClick: 0,
      searchesInSessions: 0,
    }),
  countSearches: () => Promise.resolve(0),
  overTime: () => Promise.resolve([]),
  terms: () => Promise.resolve({ terms: [], total: 0 }),
  termsWithoutResults: () => Promise.resolve({ terms: [], total: 0 }),
  breakdown: () => Promise.resolve({ rows: [], total: 0 }),
};
