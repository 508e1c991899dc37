// Dashboards as answers: gaps filled, rates, paging, scope; and nothing where measuring is off. That the
// figures are right is shown over HTTP (tests/wire/measure-dashboards.test.ts).
import { beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { MemoryEventStore } from "../../../tests/kit/memory-event-store.js";
import type { Federation } from "../../contract/federation.js";
import type { StoredEvent } from "../../ports/event-store.js";
import { Authority } from "../authority/authority.js";
import { DashboardService } from "./dashboard-service.js";
import type { MeasuredCatalog } from "./measure-scope.js";

const ADMIN = Authority.unrestricted();
const HOUR = 3_600_000;

const shop: Federation = {
  name: "shop",
  friendly_name: "Shop",
  created_at: "2026-01-01T00:00:00.000Z",
  last_modified: "2026-01-01T00:00:00.000Z",
  index_configurations: [
    { name: "books", weight_multiplier: 1 },
    { name: "films", weight_multiplier: 1 },
  ],
};
const catalog: MeasuredCatalog = {
  alias: () => undefined,
  federations: () => [shop],
  federation: (name) => (name === "shop" ? shop : undefined),
};

let store: MemoryEventStore;
let dashboards: DashboardService;
let count = 0;
beforeEach(() => {
  store = new MemoryEventStore();
  dashboards = new DashboardService({ store, catalog, clock: new ManualClock() });
});

function add(...events: readonly Partial<StoredEvent>[]): void {
  store.events = [
    ...store.events,
    ...events.map((event) => ({
      eventId: String(count++).padStart(6, "0"),
      receivedAt: 0,
      eventName: "search_completed",
      indexNames: ["books"],
      userId: "u",
      ...event,
    })),
  ];
}

const range = { date_start: "0", date_end: "10800" };

describe("time", () => {
  test("has a row for every bucket, those without anything included", async () => {
    add({ receivedAt: HOUR + 1 }, { receivedAt: 3 * HOUR - 1, eventName: "document_clicked" });
    const summary = await dashboards.summary({ ...range, granularity: "hours" }, ADMIN);
    expect(summary.searches_over_time).toEqual([
      { timestamp: 0, count: 0 },
      { timestamp: 3600, count: 1 },
      { timestamp: 7200, count: 0 },
    ]);
    const conversion = await dashboards.conversion({ ...range, granularity: "hours" }, ADMIN);
    expect(conversion.click_through_rate_chart.map(({ clicks }) => clicks)).toEqual([0, 0, 1]);
    expect(conversion.click_through_rate_chart.map((row) => row.click_through_rate)).toEqual([0, 0, 0]);
  });

  test("in too many pieces is refused before the store is asked", async () => {
    store.refusal = new Error("asked");
    const query = { date_start: "2000-01-01", date_end: "2024-01-01", granularity: "minutes" };
    await expect(dashboards.summary(query, ADMIN)).rejects.toMatchObject({ code: "invalid_request" });
    await expect(dashboards.conversion(query, ADMIN)).rejects.toMatchObject({ code: "invalid_request" });
    store.refusal = null;
    // Where time isn't cut up, any range will do.
    expect((await dashboards.usage(query, ADMIN)).total_searches).toBe(0);
  });
});

test("the billing period is the month that the end is in", async () => {
  const at = (...date: [number, number, number]): Partial<StoredEvent> => ({ receivedAt: Date.UTC(...date) });
  add(at(2024, 0, 31), at(2024, 1, 1), at(2024, 1, 20), at(2024, 1, 29), at(2024, 2, 1));
  const usage = await dashboards.usage({ date_start: "2024-01-01", date_end: "2024-02-02" }, ADMIN);
  expect(usage).toEqual({
    date_start: Date.UTC(2024, 0) / 1000,
    date_end: Date.UTC(2024, 1, 2) / 1000,
    total_searches: 2,
    total_searches_in_billing_period: 3,
    billing_period_start: Date.UTC(2024, 1) / 1000,
    billing_period_end: Date.UTC(2024, 2) / 1000,
  });
});

test("a breakdown names places within places, and what events don't say as null", async () => {
  add(
    { country: "PT", region: "Norte", city: "Porto" },
    { country: "PT", region: "Norte", city: "Porto", eventName: "document_clicked" },
    { country: "PT" },
    {},
  );
  const cities = await dashboards.breakdown({ by: "city", date_end: "10" }, ADMIN);
  const nobody = { searches: 1, clicks: 0, share: 1 / 3, click_through_rate: null, active_users: 1 };
  expect(cities.rows.toSorted((a, b) => b.clicks - a.clicks)).toEqual([
    { ...nobody, country: "PT", region: "Norte", name: "Porto", clicks: 1, click_through_rate: 1 },
    { ...nobody, country: null, region: null, name: null },
    { ...nobody, country: "PT", region: null, name: null },
  ]);
  expect(cities).toMatchObject({ by: "city", total_searches: 3, total_rows: 3, page: 1, rpp: 10 });
  const countries = await dashboards.breakdown({ by: "country", date_end: "10", rpp: "1" }, ADMIN);
  expect(countries.rows).toEqual([
    { name: "PT", searches: 2, share: 2 / 3, clicks: 1, click_through_rate: 0.5, active_users: 1 },
  ]);
});

test("devices are the systems that searches name", async () => {
  add({ os: "Mac" }, { os: "Mac" }, { os: "Linux" }, {});
  const { devices } = await dashboards.conversion(range, ADMIN);
  expect(devices).toEqual([
    { name: "Mac", count: 2 },
    { name: "Linux", count: 1 },
  ]);
});

test("lists come page by page", async () => {
  for (const term of ["a", "b", "c"]) add({ searchTerm: term, numberOfDocuments: 0 });
  const summary = await dashboards.summary({ ...range, rpp: "2", page: "2" }, ADMIN);
  expect(summary).toMatchObject({
    popular_search_terms: [{ search_term: "c", count: 1 }],
    search_terms_without_results: [{ search_term: "c", count: 1 }],
    total_search_terms: 3,
    total_search_terms_without_results: 3,
    page: 2,
    rpp: 2,
  });
});

describe("scope", () => {
  const scoped = (allowed: readonly string[], federation?: string): Authority =>
    Authority.ofKey({
      id: "k",
      name: "",
      permissions: 2,
      allowed_indexes: allowed,
      status: "active",
      ...(federation !== undefined && { federation_name: federation }),
    });
  const searches = async (authority: Authority): Promise<number> =>
    (await dashboards.usage(range, authority)).total_searches;

  test("a key sees the events that it could have sent, but for those about nothing", async () => {
    add(
      {},
      { indexNames: ["books", "films"] },
      { indexNames: [], federationName: "shop" },
      { indexNames: [] },
    );
    expect(await searches(ADMIN)).toBe(4);
    expect(await searches(scoped(["*"]))).toBe(4);
    expect(await searches(scoped(["books"]))).toBe(1);
    expect(await searches(scoped(["books", "films"]))).toBe(3);
    expect(await searches(scoped([], "shop"))).toBe(1);
    expect(await searches(scoped([]))).toBe(0);
    // A federation's events outlive it, and so does the key that is tied to it.
    add({ indexNames: [], federationName: "gone" });
    expect(await searches(scoped([], "gone"))).toBe(1);
  });

  test("asking for another index is refused, before the rest of the question is looked at", async () => {
    await expect(
      dashboards.summary({ index_names: "books|films", rpp: "x" }, scoped(["books"])),
    ).rejects.toMatchObject({ code: "index_not_allowed" });
  });
});

test("where measuring is off, every dashboard is empty whatever is asked", async () => {
  const off = new DashboardService({ store: null, catalog, clock: new ManualClock() });
  const nonsense = { rpp: "x", date_start: "y", index_names: "z", by: "?" };
  expect(await off.summary(nonsense, ADMIN)).toMatchObject({
    total_searches: 0,
    searches_over_time: [],
    popular_search_terms: [],
  });
  expect(await off.conversion(nonsense, ADMIN)).toMatchObject({ click_through_rate_chart: [], devices: [] });
  expect(await off.usage(nonsense, ADMIN)).toMatchObject({ total_searches_in_billing_period: 0 });
  expect(await off.breakdown(nonsense, ADMIN)).toMatchObject({ rows: [] });
});
