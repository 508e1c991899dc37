// Contract 3.10: every figure of every dashboard over HTTP equals what going through the raw events gives,
// for random events, filters, granularities, pages and scopes, over the real store.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventFilter, Granularity, StoredEvent } from "../../src/ports/event-store.js";
import { NaiveEvents } from "../ports/naive-events.js";
import { departures } from "./documented-shape.js";
import { expectError } from "./expect-error.js";
import { eventsOnceThere, measureEvent } from "./measured-events.js";
import { ADMIN, INGEST, type ParsedJson, WireServer } from "./wire-server.js";

const BASE = Date.UTC(2023, 10, 27, 23, 59, 50);
const DAY = 86_400_000;
const few = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 3 });

/** An event as it is sent, and when it happened. */
const arbitraryEvent = fc.record({
  receivedAt: fc
    .oneof(fc.nat(30_000), fc.nat(DAY), fc.nat(100 * DAY))
    .map((milliseconds) => BASE + milliseconds),
  eventName: few("search_completed", "search_completed", "api_queried", "document_clicked", "other"),
  indexNames: fc.subarray(["books", "films"]),
  federationName: maybe(few("shop", "library")),
  organizationId: maybe(few("1", "2")),
  applicationId: maybe(few("a", "b")),
  searchTerm: maybe(few("s", "sh", "sho", "shoe", " SHOE ", "hat", "Ärmel", "ärmel", "日本", "'\"\\", "")),
  searchKind: maybe(few("fuzzy", "exact")),
  sessionId: maybe(few("s1", "s2", "s3")),
  numberOfDocuments: maybe(few(0, 0, 3, 1.5)),
  documentPosition: maybe(few(1, 2, 7)),
  userId: few("u1", "u2", "u3"),
  userType: maybe(few("anonymous", "authenticated")),
  os: maybe(few("Mac", "Linux", "Plan 9")),
  country: maybe(few("PT", "DE")),
  region: maybe(few("Norte", "Bayern")),
  city: maybe(few("Porto")),
});
type DrawnEvent = typeof arbitraryEvent extends fc.Arbitrary<infer Event> ? Event : never;

/** The seed of the events, in the name of the test. */
const SEED = Math.floor(Math.random() * 2 ** 31);
const drawn = fc.sample(fc.array(arbitraryEvent, { minLength: 250, maxLength: 300 }), {
  numRuns: 1,
  seed: SEED,
})[0]!;

function onTheWire(event: DrawnEvent): object {
  const { userId, receivedAt, eventName } = event;
  const properties = {
    searchcraft_index_names: event.indexNames,
    searchcraft_federation_name: event.federationName,
    searchcraft_organization_id: event.organizationId,
    searchcraft_application_id: event.applicationId,
    search_term: event.searchTerm,
    search_kind: event.searchKind,
    session_id: event.sessionId,
    number_of_documents: event.numberOfDocuments,
    document_position: event.documentPosition,
  };
  const { userType, os, country, region, city } = event;
  const user = { user_id: userId, user_type: userType, os, country, region, city };
  return measureEvent(eventName, properties, { user, received_at: receivedAt / 1000 });
}

/** Ids ascend as the events are sent, which the server promises for its own. */
const naive = new NaiveEvents(
  drawn.map((event, i): StoredEvent => ({ ...event, eventId: String(i).padStart(6, "0") })),
);

/** What each key may see. */
const SCOPES = {
  everything: undefined,
  books: { indexNames: ["books"], federationNames: [] },
  both: { indexNames: ["books", "films"], federationNames: ["shop"] },
  federation: { indexNames: [], federationNames: ["library"] },
} as const;
type ScopeName = keyof typeof SCOPES;

let server: WireServer;
let openApi: ParsedJson;
const keys = new Map<ScopeName, string>();
beforeAll(async () => {
  server = await WireServer.start();
  openApi = (await server.send("GET", "/openapi.json")).json;
  for (const name of ["books", "films"]) await server.createIndex(name);
  const members = (...names: string[]): object[] => names.map((name) => ({ name }));
  await server.post("/federation", { name: "shop", index_configurations: members("books", "films") });
  await server.post("/federation", { name: "library", index_configurations: members("books", "gone") });
  const makeKey = async (body: object): Promise<string> =>
    (await server.post("/auth/key", { permissions: 2, ...body })).json.data.key;
  keys.set("everything", INGEST);
  keys.set("books", await makeKey({ allowed_indexes: ["books"] }));
  keys.set("both", await makeKey({ allowed_indexes: ["books", "films"] }));
  keys.set("federation", await makeKey({ federation_name: "library" }));
  for (let at = 0; at < drawn.length; at += 100) {
    const answer = await server.post("/measure/batch", drawn.slice(at, at + 100).map(onTheWire), ADMIN);
    expect(answer.status, answer.text).toBe(200);
  }
  await eventsOnceThere(server, drawn.length);
});
afterAll(() => server.stopAndRemove());

const arbitraryRange = fc.oneof(
  { weight: 2, arbitrary: fc.constant([BASE, BASE + 101 * DAY] as const) },
  { weight: 1, arbitrary: fc.constant([BASE, BASE + 40_000] as const) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.nat(100 * DAY), fc.nat(100 * DAY))
      .map(([a, b]) => [BASE + Math.min(a, b), BASE + Math.max(a, b)] as const),
  },
);

const arbitraryQuestion = fc.record({
  scope: few<ScopeName>("everything", "everything", "books", "both", "federation"),
  range: arbitraryRange,
  granularity: few<Granularity>("hours", "days", "weeks", "months", "years"),
  page: fc.integer({ min: 1, max: 3 }),
  rpp: fc.integer({ min: 1, max: 5 }),
  collapsesTyping: fc.boolean(),
  conditions: fc
    .record({
      organization_id: few("1", "3"),
      application_id: few("a"),
      user_id: few("u1", "it's nobody"),
      user_type: few("anonymous"),
      session_id: few("s1", "s2"),
      event_name: few("search_completed", "document_clicked"),
      index_names: few("books", "books|films", "films|gone"),
    })
    .chain((all) => fc.subarray(Object.entries(all), { maxLength: 2 })),
});
type Question = typeof arbitraryQuestion extends fc.Arbitrary<infer Drawn> ? Drawn : never;

function urlOf(dashboard: string, question: Question, more: Record<string, string> = {}): string {
  const query = new URLSearchParams([
    ["date_start", String(question.range[0] / 1000)],
    ["date_end", new Date(question.range[1]).toISOString()],
    ["granularity", question.granularity],
    ["page", String(question.page)],
    ["rpp", String(question.rpp)],
    ["collapse_typing", String(question.collapsesTyping)],
    ...question.conditions,
    ...Object.entries(more),
  ]);
  return `/measure/dashboard/${dashboard}?${query.toString()}`;
}

function filterOf({ range: [from, to], conditions, scope, collapsesTyping }: Question): EventFilter {
  const wanted = new Map(conditions);
  return {
    from,
    to,
    organizationId: wanted.get("organization_id"),
    applicationId: wanted.get("application_id"),
    userId: wanted.get("user_id"),
    userType: wanted.get("user_type"),
    sessionId: wanted.get("session_id"),
    eventName: wanted.get("event_name"),
    indexNames: wanted.get("index_names")?.split("|"),
    visible: SCOPES[scope],
    collapsesTyping,
  };
}

/** The starts of the buckets from the one that `from` is in, stepping through the calendar. */
function starts(from: number, to: number, granularity: Granularity): readonly number[] {
  const at = new Date(from);
  at.setUTCMinutes(0, 0, 0);
  if (granularity !== "hours") at.setUTCHours(0);
  if (granularity === "weeks") at.setUTCDate(at.getUTCDate() - ((at.getUTCDay() + 6) % 7));
  if (granularity === "months" || granularity === "years") at.setUTCDate(1);
  if (granularity === "years") at.setUTCMonth(0);
  const found: number[] = [];
  if (from >= to) return found;
  while (at.getTime() < to) {
    found.push(at.getTime());
    if (granularity === "hours") at.setUTCHours(at.getUTCHours() + 1);
    else if (granularity === "days") at.setUTCDate(at.getUTCDate() + 1);
    else if (granularity === "weeks") at.setUTCDate(at.getUTCDate() + 7);
    else if (granularity === "months") at.setUTCMonth(at.getUTCMonth() + 1);
    else at.setUTCFullYear(at.getUTCFullYear() + 1);
  }
  return found;
}

function expected(question: Question): {
  readonly summary: object;
  readonly conversion: object;
  readonly usage: object;
  readonly breakdown: object;
} {
  const filter = filterOf(question);
  const { granularity, page, rpp } = question;
  const part = { offset: (page - 1) * rpp, limit: rpp };
  const totals = naive.totals(filter);
  const ctr = (clicks: number, searches: number): number => (searches === 0 ? 0 : clicks / searches);
  const buckets = new Map(naive.overTime(filter, granularity).map((bucket) => [bucket.start, bucket]));
  const filled = starts(filter.from, filter.to, granularity).map(
    (start) => buckets.get(start) ?? { start, searches: 0, clicks: 0 },
  );
  const popular = naive.terms(filter, "popular", part);
  const fruitless = naive.terms(filter, "withoutResults", part);
  const range = { date_start: filter.from / 1000, date_end: filter.to / 1000 };
  const common = {
    ...range,
    granularity,
    total_searches: totals.searches,
    total_clicks: totals.clicks,
    click_through_rate: ctr(totals.clicks, totals.searches),
    page,
    rpp,
    total_search_terms: popular.total,
  };
  const conversions = (terms: typeof popular): object[] =>
    terms.terms.map((each) => ({
      search_term: each.term,
      searches: each.searches,
      clicks: each.clicks,
      click_through_rate: ctr(each.clicks, each.searches),
      average_click_position: each.averageClickPosition,
    }));
  const counted = (terms: typeof popular): object[] =>
    terms.terms.map(({ term, searches }) => ({
      search_term: term,
      count: searches,
      term,
      quantity: searches,
    }));
  const usersOfLast = (lengthMs: number): number =>
    naive.totals({ ...filter, from: Math.max(filter.from, filter.to - lengthMs) }).activeUsers;
  const everything = { offset: 0, limit: Number.POSITIVE_INFINITY };
  const end = new Date(filter.to);
  const month = {
    from: Date.UTC(end.getUTCFullYear(), end.getUTCMonth()),
    to: Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1),
  };
  const cities = naive.breakdown(filter, "city", part);
  return {
    summary: {
      ...common,
      active_users: totals.activeUsers,
      total_sessions: totals.sessions,
      searches_without_results: totals.searchesWithoutResults,
      popular_search_terms: counted(popular),
      searches_over_time: filled.map(({ start, searches }) => ({ timestamp: start / 1000, count: searches })),
      search_terms_without_results: counted(fruitless),
      total_search_terms_without_results: fruitless.total,
      daily_active_users: usersOfLast(DAY),
      monthly_active_users: usersOfLast(30 * DAY),
      searches_chart: {
        series: [{ name: "searches", data: filled.map(({ start, searches }) => [start / 1000, searches]) }],
      },
    },
    conversion: {
      ...common,
      click_through_rate_chart: filled.map(({ start, searches, clicks }) => ({
        timestamp: start / 1000,
        searches,
        clicks,
        click_through_rate: ctr(clicks, searches),
      })),
      popular_search_terms: conversions(popular),
      unpopular_search_terms: conversions(naive.terms(filter, "unpopular", part)),
      devices: naive
        .breakdown(filter, "os", everything)
        .rows.filter(({ path }) => path[0] !== "")
        .map(({ path, searches }) => ({ name: path[0], count: searches })),
      sessions: {
        total_sessions: totals.sessions,
        sessions_with_search: totals.sessionsWithSearch,
        sessions_with_click: totals.sessionsWithClick,
        average_searches_per_session: ctr(totals.searchesInSessions, totals.sessionsWithSearch),
      },
    },
    usage: {
      ...range,
      total_searches: totals.searches,
      total_searches_in_billing_period: naive.totals({ ...filter, ...month }).searches,
      billing_period_start: month.from / 1000,
      billing_period_end: month.to / 1000,
    },
    breakdown: {
      ...range,
      by: "city",
      total_searches: totals.searches,
      rows: cities.rows.map(({ path: [country, region, name], searches, clicks, users }) => ({
        name: name === "" ? null : name,
        country: country === "" ? null : country,
        region: region === "" ? null : region,
        searches,
        share: searches / totals.searches,
        clicks,
        click_through_rate: clicks === 0 ? null : clicks / searches,
        active_users: users,
      })),
      page,
      rpp,
      total_rows: cities.total,
    },
  };
}

test(`every figure is what the raw events give (seed ${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryQuestion, async (question) => {
      const key = keys.get(question.scope)!;
      // A key may not even ask for indexes outside its scope.
      const asked = new Map(question.conditions).get("index_names")?.split("|") ?? [];
      const scope = SCOPES[question.scope];
      const mayAsk = asked.every((name) => scope?.indexNames.some((own) => own === name) ?? true);
      for (const [dashboard, figures] of Object.entries(expected(question))) {
        const url = urlOf(dashboard, question, dashboard === "breakdown" ? { by: "city" } : {});
        const answer = await server.get(url, key);
        if (mayAsk) {
          expect(answer.status, answer.text).toBe(200);
          expect(answer.json.data).toEqual(figures);
        } else expectError(answer, 403, "index_not_allowed");
      }
    }),
    { numRuns: 30 },
  );
});

describe.each(["summary", "conversion", "usage"])("%s", (name) => {
  test("has the documented shape, its members mirrored beside data", async () => {
    const { json } = await server.get(`/measure/dashboard/${name}?date_start=2023-11-01&date_end=2024-03-31`);
    const { schema } =
      openApi.paths[`/measure/dashboard/${name}`].get.responses["200"].content["application/json"];
    expect(departures(schema, json)).toEqual([]);
    const { status, data, ...mirrored } = json;
    expect(status).toBe(200);
    expect(mirrored).toEqual(data);
    expect(data.total_searches).toBeGreaterThan(0);
  });

  test("takes the last of repeated parameters and says what is wrong with one", async () => {
    const path = `/measure/dashboard/${name}`;
    expect((await server.get(`${path}?rpp=0&rpp=5&nonsense=1`)).status).toBe(200);
    for (const query of [
      "rpp=1001",
      "page=0",
      "date_start=soon",
      "granularity=eons",
      "date_start=9&date_end=8",
    ]) {
      expectError(await server.get(`${path}?${query}`), 400, "invalid_request");
    }
  });
});

test("a range of too many buckets is refused with the way out", async () => {
  const query = "date_start=2020-01-01&date_end=2024-01-01&granularity=minutes";
  for (const name of ["summary", "conversion"]) {
    const answer = await server.get(`/measure/dashboard/${name}?${query}`);
    expectError(answer, 400, "invalid_request");
    expect(answer.json.message).toContain("coarser 'granularity'");
  }
  expect((await server.get(`/measure/dashboard/usage?${query}`)).status).toBe(200);
});
