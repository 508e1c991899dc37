import type { EventStore, TermList, TermListName, TermLists } from "../../ports/event-store.js";

const NO_TERM: TermList = { terms: [], total: 0 };
/** Lists of all names: who asks for some takes those. */
const NO_TERMS: TermLists<TermListName> = { popular: NO_TERM, unpopular: NO_TERM, withoutResults: NO_TERM };

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
  terms: () => Promise.resolve(NO_TERMS),
  breakdown: () => Promise.resolve({ rows: [], total: 0 }),
};
