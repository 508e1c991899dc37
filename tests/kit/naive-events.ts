import {
  type BreakdownDimension,
  type BreakdownRow,
  type EventFilter,
  type EventTotals,
  type Granularity,
  type StoredEvent,
  type TermCounts,
  type TermOrder,
  type TimeBucket,
  TYPING_GAP_MS,
} from "../../src/ports/event-store.js";

/** What the port says of events, computed by going through all of them: slow and plain. */

/** Without it a text is absent, as without a value. */
function present(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

export function matching(events: readonly StoredEvent[], filter: EventFilter): readonly StoredEvent[] {
  const equal = (wanted: string | undefined, found: string | undefined): boolean =>
    wanted === undefined || wanted === found;
  return events
    .filter(
      (event) =>
        event.receivedAt >= filter.from &&
        event.receivedAt < filter.to &&
        equal(filter.organizationId, event.organizationId) &&
        equal(filter.applicationId, event.applicationId) &&
        equal(filter.userId, event.userId) &&
        equal(filter.userType, event.userType) &&
        equal(filter.sessionId, event.sessionId) &&
        equal(filter.eventName, event.eventName) &&
        (filter.indexNames?.some((name) => event.indexNames.includes(name)) ?? true) &&
        isVisible(event, filter),
    )
    .toSorted((a, b) => a.receivedAt - b.receivedAt || (a.eventId < b.eventId ? -1 : 1));
}

function isVisible(event: StoredEvent, { visible }: EventFilter): boolean {
  if (visible === undefined) return true;
  if (event.indexNames.length > 0) return event.indexNames.every((name) => visible.indexNames.includes(name));
  return present(event.federationName) && visible.federationNames.includes(event.federationName);
}

function isSearch({ eventName, sessionId }: StoredEvent): boolean {
  return eventName === "search_completed" || (eventName === "api_queried" && !present(sessionId));
}

function isClick({ eventName }: StoredEvent): boolean {
  return eventName === "document_clicked";
}

function termOf({ searchTerm }: StoredEvent): string {
  return (searchTerm ?? "").trim().toLowerCase();
}

export function searchesOf(events: readonly StoredEvent[], filter: EventFilter): readonly StoredEvent[] {
  const searches = matching(events, filter).filter(isSearch);
  if (filter.collapsesTyping !== true) return searches;
  return searches.filter((search, i) => {
    if (!present(search.sessionId)) return true;
    const next = searches.slice(i + 1).find(({ sessionId }) => sessionId === search.sessionId);
    if (next === undefined || next.receivedAt - search.receivedAt > TYPING_GAP_MS) return true;
    const [typed, then] = [termOf(search), termOf(next)];
    return typed === "" || then === "" || !(typed.startsWith(then) || then.startsWith(typed));
  });
}

export function naiveTotals(events: readonly StoredEvent[], filter: EventFilter): EventTotals {
  const selected = matching(events, filter);
  const searches = searchesOf(events, filter);
  const clicks = selected.filter(isClick);
  const sessions = (some: readonly StoredEvent[]): number =>
    new Set(some.map(({ sessionId }) => sessionId).filter(present)).size;
  return {
    events: selected.length,
    searches: searches.length,
    searchesWithoutResults: searches.filter(({ numberOfDocuments }) => numberOfDocuments === 0).length,
    clicks: clicks.length,
    activeUsers: new Set(selected.map(({ userId }) => userId)).size,
    sessions: sessions(selected),
    sessionsWithSearch: sessions(searches),
    sessionsWithClick: sessions(clicks),
    searchesInSessions: searches.filter(({ sessionId }) => present(sessionId)).length,
  };
}

export function naiveOverTime(
  events: readonly StoredEvent[],
  filter: EventFilter,
  granularity: Granularity,
): readonly TimeBucket[] {
  const searches = countBy(searchesOf(events, filter), (event) => startOf(event.receivedAt, granularity));
  const clicks = countBy(matching(events, filter).filter(isClick), (event) =>
    startOf(event.receivedAt, granularity),
  );
  const starts = [...new Set([...searches.keys(), ...clicks.keys()])].toSorted((a, b) => a - b);
  return starts.map((start) => ({
    start,
    searches: searches.get(start) ?? 0,
    clicks: clicks.get(start) ?? 0,
  }));
}

/** Walks back from the time to where its bucket began, by what `Date` says. */
export function startOf(time: number, granularity: Granularity): number {
  const date = new Date(time);
  date.setUTCSeconds(0, 0);
  if (granularity === "minutes") return date.getTime();
  date.setUTCMinutes(0);
  if (granularity === "hours") return date.getTime();
  date.setUTCHours(0);
  if (granularity === "weeks") while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1);
  if (granularity === "months" || granularity === "years") date.setUTCDate(1);
  if (granularity === "years") date.setUTCMonth(0);
  return date.getTime();
}

export function naiveTerms(
  events: readonly StoredEvent[],
  filter: EventFilter,
  order: TermOrder,
): readonly TermCounts[] {
  const searches = countBy(searchesOf(events, filter), termOf);
  const clicks = matching(events, filter).filter(isClick);
  return [...searches]
    .filter(([term]) => term !== "")
    .map(([term, count]) => {
      const own = clicks.filter((click) => termOf(click) === term);
      const positions = own
        .map(({ documentPosition }) => documentPosition)
        .filter((position) => position !== undefined);
      const sum = positions.reduce((total, position) => total + position, 0);
      return {
        term,
        searches: count,
        clicks: own.length,
        averageClickPosition: positions.length === 0 ? null : sum / positions.length,
      };
    })
    .toSorted((a, b) => {
      const bySearches = order === "popular" ? b.searches - a.searches : a.searches - b.searches;
      return bySearches || compareBytes(a.term, b.term);
    });
}

export function naiveTermsWithoutResults(
  events: readonly StoredEvent[],
  filter: EventFilter,
): readonly TermCounts[] {
  const fruitless = searchesOf(events, filter).filter(({ numberOfDocuments }) => numberOfDocuments === 0);
  return [...countBy(fruitless, termOf)]
    .filter(([term]) => term !== "")
    .map(([term, searches]) => ({ term, searches, clicks: 0, averageClickPosition: null }))
    .toSorted((a, b) => b.searches - a.searches || compareBytes(a.term, b.term));
}

export function naiveBreakdown(
  events: readonly StoredEvent[],
  filter: EventFilter,
  dimension: BreakdownDimension,
): readonly BreakdownRow[] {
  const pathOf = (event: StoredEvent): string => {
    const members = dimension === "city" ? (["country", "region", "city"] as const) : [dimension];
    const path = dimension === "region" ? (["country", "region"] as const) : members;
    return JSON.stringify(path.map((member) => event[member] ?? ""));
  };
  const searches = searchesOf(events, filter);
  const clicks = countBy(matching(events, filter).filter(isClick), pathOf);
  return [...countBy(searches, pathOf)]
    .map(([path, count]) => ({
      path: JSON.parse(path) as readonly string[],
      searches: count,
      clicks: clicks.get(path) ?? 0,
      users: new Set(searches.filter((search) => pathOf(search) === path).map(({ userId }) => userId)).size,
    }))
    .toSorted((a, b) => {
      if (a.searches !== b.searches) return b.searches - a.searches;
      const differing = a.path.findIndex((name, i) => name !== b.path[i]);
      return differing === -1 ? 0 : compareBytes(a.path[differing]!, b.path[differing]!);
    });
}

function countBy<Key>(events: readonly StoredEvent[], keyOf: (event: StoredEvent) => Key): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const event of events) counts.set(keyOf(event), (counts.get(keyOf(event)) ?? 0) + 1);
  return counts;
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
