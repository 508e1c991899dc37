import type { EventStore, TermListName, TermLists } from "../../ports/event-store.js";

/** What the dashboards ask where measuring is off: zeros and empty lists (contract 3.10). */
export const NOTHING_MEASURED: Pick<
  EventStore,
  "totals" | "countSearches" | "overTime" | "terms" | "breakdown"
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
  terms: <Name extends TermListName>(_filter: unknown, names: readonly Name[]) =>
    Promise.resolve(
      Object.fromEntries(names.map((name) => [name, { terms: [], total: 0 }])) as unknown as TermLists<Name>,
    ),
  breakdown: () => Promise.resolve({ rows: [], total: 0 }),
};
