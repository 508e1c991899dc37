/** What every figure of a dashboard should be, computed from the raw events by the port's definitions. */
import type {
  Breakdown,
  BreakdownDimension,
  EventFilter,
  EventTotals,
  Granularity,
  Page,
  StoredEvent,
  TermList,
  TermListName,
  TimeBucket,
} from "../../src/ports/event-store.js";

/** A text as every store keeps it: halves of surrogate pairs become U+FFFD. */
const kept = (text: string | undefined): string => Buffer.from(text ?? "").toString();
const normalized = (event: StoredEvent): string => kept(event.searchTerm).trim().toLowerCase();
const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function isSearch(event: StoredEvent): boolean {
  if (event.eventName === "search_completed") return true;
  return event.eventName === "api_queried" && kept(event.sessionId) === "";
}

const isClick = (event: StoredEvent): boolean => event.eventName === "document_clicked";

function passes(event: StoredEvent, filter: EventFilter): boolean {
  if (event.receivedAt < filter.from || event.receivedAt >= filter.to) return false;
  const texts = [
    [filter.organizationId, event.organizationId],
    [filter.applicationId, event.applicationId],
    [filter.userId, event.userId],
    [filter.userType, event.userType],
    [filter.sessionId, event.sessionId],
    [filter.eventName, event.eventName],
  ] as const;
  if (texts.some(([wanted, had]) => wanted !== undefined && wanted !== kept(had))) return false;
  if (filter.indexNames !== undefined && !filter.indexNames.some((name) => event.indexNames.includes(name))) {
    return false;
  }
  if (filter.visible === undefined) return true;
  const { indexNames, federationNames } = filter.visible;
  if (event.indexNames.length > 0) return event.indexNames.every((name) => indexNames.includes(name));
  return kept(event.federationName) !== "" && federationNames.includes(kept(event.federationName));
}

export class NaiveEvents {
  readonly #events: readonly StoredEvent[];

  constructor(events: readonly StoredEvent[]) {
    this.#events = events;
  }

  totals(filter: EventFilter): EventTotals {
    const events = this.matching(filter);
    const searches = this.#searches(filter);
    const clicks = events.filter(isClick);
    const sessions = (some: readonly StoredEvent[]): number =>
      new Set(some.map((event) => kept(event.sessionId)).filter((id) => id !== "")).size;
    return {
      events: events.length,
      searches: searches.length,
      searchesWithoutResults: searches.filter((event) => event.numberOfDocuments === 0).length,
      clicks: clicks.length,
      activeUsers: new Set(events.map((event) => event.userId)).size,
      sessions: sessions(events),
      sessionsWithSearch: sessions(searches),
      sessionsWithClick: sessions(clicks),
      searchesInSessions: searches.filter((event) => kept(event.sessionId) !== "").length,
    };
  }

  overTime(filter: EventFilter, granularity: Granularity): readonly TimeBucket[] {
    const counts = new Map<number, { searches: number; clicks: number }>();
    const at = (event: StoredEvent): { searches: number; clicks: number } => {
      const start = startOfBucket(event.receivedAt, granularity);
      const bucket = counts.get(start) ?? { searches: 0, clicks: 0 };
      counts.set(start, bucket);
      return bucket;
    };
    for (const search of this.#searches(filter)) at(search).searches++;
    for (const click of this.matching(filter).filter(isClick)) at(click).clicks++;
    return [...counts].map(([start, bucket]) => ({ start, ...bucket })).sort((a, b) => a.start - b.start);
  }

  terms(filter: EventFilter, name: TermListName, page: Page): TermList {
    if (name === "withoutResults") return this.#termsWithoutResults(filter, page);
    const searches = this.#searches(filter);
    const clicks = this.matching(filter).filter(isClick);
    const terms = [...new Set(searches.map(normalized))]
      .filter((term) => term !== "")
      .map((term) => {
        const clicked = clicks.filter((click) => normalized(click) === term);
        const positions = clicked.flatMap(({ documentPosition }) =>
          documentPosition === undefined || !Number.isFinite(documentPosition) ? [] : [documentPosition],
        );
        const sum = positions.reduce((total, position) => total + position, 0);
        return {
          term,
          searches: searches.filter((search) => normalized(search) === term).length,
          clicks: clicked.length,
          averageClickPosition: positions.length === 0 ? null : sum / positions.length,
        };
      });
    const sign = name === "popular" ? -1 : 1;
    terms.sort((a, b) => sign * (a.searches - b.searches) || byBytes(a.term, b.term));
    return { terms: terms.slice(page.offset, page.offset + page.limit), total: terms.length };
  }

  #termsWithoutResults(filter: EventFilter, page: Page): TermList {
    const counts = new Map<string, number>();
    for (const search of this.#searches(filter)) {
      const term = normalized(search);
      if (search.numberOfDocuments === 0 && term !== "") counts.set(term, (counts.get(term) ?? 0) + 1);
    }
    const terms = [...counts]
      .map(([term, searches]) => ({ term, searches, clicks: 0, averageClickPosition: null }))
      .sort((a, b) => b.searches - a.searches || byBytes(a.term, b.term));
    return { terms: terms.slice(page.offset, page.offset + page.limit), total: terms.length };
  }

  breakdown(filter: EventFilter, dimension: BreakdownDimension, page: Page): Breakdown {
    const members = PATHS[dimension];
    const pathOf = (event: StoredEvent): string[] => members.map((member) => kept(event[member]));
    const searches = this.#searches(filter);
    const clicks = this.matching(filter).filter(isClick);
    const keys = [...new Set(searches.map((event) => JSON.stringify(pathOf(event))))];
    const rows = keys.map((key) => {
      const has = (event: StoredEvent): boolean => JSON.stringify(pathOf(event)) === key;
      const some = searches.filter(has);
      return {
        path: JSON.parse(key) as string[],
        searches: some.length,
        clicks: clicks.filter(has).length,
        users: new Set(some.map((event) => event.userId)).size,
      };
    });
    rows.sort((a, b) => b.searches - a.searches || comparePaths(a.path, b.path));
    return { rows: rows.slice(page.offset, page.offset + page.limit), total: rows.length };
  }

  matching(filter: EventFilter): readonly StoredEvent[] {
    return this.#events.filter((event) => passes(event, filter));
  }

  /** What an export gives. */
  exported(filter: EventFilter): readonly Record<string, unknown>[] {
    return this.matching(filter)
      .toSorted((a, b) => a.receivedAt - b.receivedAt || byBytes(a.eventId, b.eventId))
      .map((event) => {
        const entries = Object.entries(event).filter(
          ([, value]) =>
            value !== undefined && value !== "" && !(typeof value === "number" && !Number.isFinite(value)),
        );
        return Object.fromEntries(
          entries.map(([name, value]) => [name, typeof value === "string" ? kept(value) : value]),
        );
      });
  }

  #searches(filter: EventFilter): readonly StoredEvent[] {
    const searches = this.matching(filter).filter(isSearch);
    if (filter.collapsesTyping !== true) return searches;
    return searches.filter((search) => {
      if (normalized(search) === "" || kept(search.sessionId) === "") return true;
      const following = searches
        .filter((other) => kept(other.sessionId) === kept(search.sessionId) && normalized(other) !== "")
        .toSorted((a, b) => a.receivedAt - b.receivedAt || byBytes(a.eventId, b.eventId));
      const next = following[following.indexOf(search) + 1];
      if (next === undefined || next.receivedAt - search.receivedAt > 5000) return true;
      const [term, later] = [normalized(search), normalized(next)];
      return !term.startsWith(later) && !later.startsWith(term);
    });
  }
}

const PATHS = {
  os: ["os"],
  platform: ["platform"],
  country: ["country"],
  region: ["country", "region"],
  city: ["country", "region", "city"],
  locale: ["locale"],
  userType: ["userType"],
  searchKind: ["searchKind"],
} as const satisfies Record<BreakdownDimension, readonly (keyof StoredEvent)[]>;

function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < a.length; i++) {
    const order = byBytes(a[i]!, b[i]!);
    if (order !== 0) return order;
  }
  return 0;
}

function startOfBucket(time: number, granularity: Granularity): number {
  const date = new Date(time);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (granularity) {
    case "minutes":
      return Date.UTC(year, month, day, date.getUTCHours(), date.getUTCMinutes());
    case "hours":
      return Date.UTC(year, month, day, date.getUTCHours());
    case "days":
      return Date.UTC(year, month, day);
    case "weeks":
      return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7));
    case "months":
      return Date.UTC(year, month);
    case "years":
      return Date.UTC(year, 0);
  }
}
