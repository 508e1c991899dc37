/** Random events and filters from few values, so that they meet often; and odd ones, so that stores must agree on them. */
import fc from "fast-check";
import type { EventFilter, StoredEvent } from "../../src/ports/event-store.js";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** A Wednesday, two days before a month ends in a leap year. */
export const BASE_TIME: number = Date.UTC(2024, 1, 28, 23, 59, 58);

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 4 });

const ODD_TEXTS = [
  "",
  " ",
  'it\'s "quoted" \\ {p1:String} $p1',
  "\u0000nul",
  "line\nfeed\ttab\r",
  "İstanbul",
  "STRASSE ß",
  "日本語 😀",
  "\ud83d half",
  "\u00a0no-break\u2003",
  "null",
  "\\N",
  "-1e5",
];
const oddText = fc.constantFrom(...ODD_TEXTS);
const few = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);

/** Beginnings of each other, in other letters, with spaces. */
const term = fc.oneof(
  { weight: 5, arbitrary: few("s", "sh", "sho", "shoe", "shoes", " Shoes ", "SHOE", "shirt", "hat") },
  { weight: 1, arbitrary: oddText },
);

/** Mostly on a grid, so that times are equal, exactly a typing gap apart, or exactly a range's end. */
const time = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 6 }).map((steps) => steps * 2500) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 3 * DAY }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 800 * DAY }) },
  { weight: 1, arbitrary: fc.constantFrom(1999, 2000, 2001, 2 * MINUTE, DAY, -BASE_TIME) },
);

const number = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 5 }) },
  { weight: 1, arbitrary: fc.constantFrom(-0, -3, 1.5, 1e15, Number.NaN, Number.POSITIVE_INFINITY) },
);

const indexNames = fc.uniqueArray(few("products", "articles", "it's"), { maxLength: 3 });

export const arbitraryEvent: fc.Arbitrary<StoredEvent> = fc.record({
  eventId: fc.uuid(),
  receivedAt: time.map((offset) => BASE_TIME + offset),
  eventName: fc.oneof(
    { weight: 4, arbitrary: few("search_completed") },
    { weight: 3, arbitrary: few("api_queried", "document_clicked") },
    { weight: 1, arbitrary: few("sdk_initialized", "Search_Completed", "it's own") },
  ),
  keyId: optional(few("k1", "k2")),
  organizationId: optional(few("o1", "o2")),
  applicationId: optional(few("a1", "a2")),
  indexNames,
  federationName: optional(few("shop", "all", "")),
  searchTerm: optional(term),
  searchKind: optional(few("fuzzy", "exact")),
  aiProvider: optional(oddText),
  externalDocumentId: optional(oddText),
  sessionId: optional(few("session-1", "session-2", "it's", "")),
  numberOfDocuments: optional(number),
  documentPosition: optional(number),
  userId: few("u1", "u2", "u3", "it's", ""),
  userType: optional(few("anonymous", "authenticated")),
  country: optional(few("DE", "IN", "")),
  region: optional(few("Bavaria", "Kerala")),
  city: optional(few("Munich", "Kochi")),
  latitude: optional(number),
  longitude: optional(number),
  deviceId: optional(oddText),
  clientIp: optional(few("10.0.0.1")),
  locale: optional(few("de-DE", "ml-IN")),
  os: optional(few("Mac", "Linux", "Ärmel", "")),
  platform: optional(few("web", "app")),
  sdkName: optional(oddText),
  sdkVersion: optional(few("1.0.0")),
  userAgent: optional(oddText),
});

/** Somebody typing: searches of two sessions only, seconds apart, mostly with a term. */
const typedSearch: fc.Arbitrary<StoredEvent> = fc
  .tuple(arbitraryEvent, few("session-1", "session-2"), fc.integer({ min: 0, max: 12 }))
  .map(([event, sessionId, steps]) => ({
    ...event,
    eventName: "search_completed",
    sessionId,
    receivedAt: BASE_TIME + steps * 2500,
  }));

export const arbitraryEvents: fc.Arbitrary<StoredEvent[]> = fc
  .oneof(
    fc.array(arbitraryEvent, { maxLength: 120 }),
    fc.array(typedSearch, { maxLength: 30 }),
    fc.array(fc.oneof(arbitraryEvent, typedSearch), { maxLength: 60 }),
  )
  .map((events) => [...new Map(events.map((event) => [event.eventId, event])).values()]);

const range = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ from: 0, to: BASE_TIME + 1000 * DAY }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(time, time)
      .map(([a, b]) => ({ from: BASE_TIME + Math.min(a, b), to: BASE_TIME + Math.max(a, b) })),
  },
);

export const arbitraryFilter: fc.Arbitrary<EventFilter> = fc
  .tuple(
    range,
    fc.record(
      {
        organizationId: few("o1", "o2"),
        applicationId: few("a1", ""),
        userId: few("u1", "it's", "nobody"),
        userType: few("anonymous"),
        sessionId: few("session-1", "it's"),
        eventName: few("search_completed", "document_clicked", "api_queried"),
        // Events that name no index don't name an empty one.
        indexNames: fc.uniqueArray(few("products", "articles", ""), { maxLength: 2 }),

        visible: fc.record({
          indexNames,
          federationNames: fc.uniqueArray(few("shop", "all", ""), { maxLength: 2 }),
        }),
        collapsesTyping: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    fc.integer({ min: 0, max: 511 }),
  )
  .map(([times, conditions, mask]) => ({
    ...times,
    // All conditions at once match nothing: most are left out.
    ...Object.fromEntries(
      Object.entries(conditions).filter(
        ([name], index) => name === "collapsesTyping" || (mask >> index) % 4 === 0,
      ),
    ),
  }));
