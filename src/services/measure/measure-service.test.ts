// Events are attributed, held against the key's scope, stored all or none, exported and forgotten.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceHarness, TEST_OPTIONS } from "../../../tests/kit/service-harness.js";
import type { CatalogKey } from "../../ports/catalog.js";
import { Authority } from "../authority/authority.js";
import type { MeasureService } from "./measure-service.js";
import type { RequestClient, RequestOrigin } from "./request-origin.js";

const ADMIN = Authority.unrestricted();

let harness: ServiceHarness;
let measure: MeasureService;
beforeEach(async () => {
  harness = await ServiceHarness.open();
  measure = harness.services.measure;
});
afterEach(() => harness.close());

async function reopened(options: Parameters<typeof ServiceHarness.open>[0]): Promise<void> {
  await harness.close();
  harness = await ServiceHarness.open(options);
  measure = harness.services.measure;
}

function event(properties: object = {}, more: object = {}): object {
  return {
    event_name: "x",
    properties: { searchcraft_index_names: [], ...properties },
    user: { user_id: "u" },
    ...more,
  };
}

function authorityOf(grant: Partial<CatalogKey>): Authority {
  return Authority.ofKey({
    id: "k",
    name: "",
    permissions: 2,
    allowed_indexes: [],
    status: "active",
    ...grant,
  });
}

function from(authority: Authority, client: RequestClient = {}): RequestOrigin {
  return { authority, client };
}

describe("attribution", () => {
  test("adds time, key, organization, application, address and browser where the event has none", async () => {
    const stored = await harness.services.keys.create(
      { permissions: 2, allowed_indexes: ["*"], organization_id: 7, application_id: "shop" },
      ADMIN,
    );
    const origin = from(harness.services.keys.authenticate(stored.key), {
      remoteAddress: "192.0.2.7",
      userAgent: "Firefox",
    });
    await harness.clock.advance(5_000);
    await measure.recordEvent(event(), origin);
    const own = { searchcraft_organization_id: "1", searchcraft_application_id: "2" };
    const user = { user_id: "u", client_ip: "198.51.100.1", user_agent: "Safari" };
    await measure.recordEvent(event(own, { user }), origin);
    const [first, second] = harness.eventStore.events;
    expect(first).toMatchObject({
      receivedAt: 5_000,
      keyId: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown,
      organizationId: "7",
      applicationId: "shop",
      clientIp: "192.0.2.7",
      userAgent: "Firefox",
    });
    expect(JSON.stringify(first)).not.toContain(stored.key);
    expect(second).toMatchObject({
      organizationId: "1",
      applicationId: "2",
      clientIp: "198.51.100.1",
      userAgent: "Safari",
    });
    expect(second?.keyId).toBe(first?.keyId);
  });

  test("keeps the id of a key that is deleted before it is asked for", async () => {
    const { key, id } = await harness.services.keys.create({ permissions: 2, allowed_indexes: ["*"] }, ADMIN);
    expect(id).toMatch(/^[0-9a-f]{16}$/);
    const authority = harness.services.keys.authenticate(key);
    await harness.services.keys.delete(key, ADMIN);
    await measure.recordEvent(event(), from(authority));
    expect(harness.eventStore.events[0]?.keyId).toBe(id);
  });

  test("knows configured keys as such, and nobody where authentication is off", async () => {
    const configured = Authority.ofConfiguredKey("chosen-by-hand", 15);
    await measure.recordEvent(event(), from(configured));
    await measure.recordEvent(event(), from(ADMIN));
    expect(harness.eventStore.events.map(({ keyId }) => keyId)).toEqual(["configured", undefined]);
  });

  test.each([
    ["shortened", "192.0.2.0"],
    ["off", undefined],
  ] as const)("keeps addresses as it is told: %s", async (addresses, kept) => {
    await reopened({ measure: { ...TEST_OPTIONS.measure, addresses } });
    await measure.recordEvent(event(), from(ADMIN, { remoteAddress: "192.0.2.7" }));
    await measure.recordEvent(event({}, { user: { user_id: "u", client_ip: "192.0.2.9" } }), from(ADMIN));
    expect(harness.eventStore.events.map(({ clientIp }) => clientIp)).toEqual([kept, kept]);
  });
});

describe("scope (contract 2.4)", () => {
  beforeEach(async () => {
    const fields = { t: { type: "text" } };
    for (const name of ["books", "films"]) {
      await harness.services.indexes.create({ index: { name, fields } }, ADMIN);
    }
    const members = [{ name: "books" }, { name: "films" }];
    await harness.services.federations.create({ name: "shop", index_configurations: members }, ADMIN);
  });

  const names = (...searchcraft_index_names: string[]): object => ({ searchcraft_index_names });
  const federation = { searchcraft_federation_name: "shop" };

  test.each<[Partial<CatalogKey>, object, boolean]>([
    [{ allowed_indexes: ["books"] }, names("books"), true],
    [{ allowed_indexes: ["books"] }, names("books", "films"), false],
    [{ allowed_indexes: ["books"] }, names(), true],
    [{ allowed_indexes: ["books"] }, federation, false],
    [{ allowed_indexes: ["books", "films"] }, federation, true],
    [{ federation_name: "shop" }, federation, true],
    [{ federation_name: "shop" }, { ...federation, ...names("books") }, false],
    [{ allowed_indexes: ["*"] }, { ...names("gone"), ...federation }, true],
    [{ permissions: 63 }, names("any"), true],
    [{}, { searchcraft_federation_name: "unknown" }, false],
  ])("a key with %j sends %j: %s", async (grant, properties, allowed) => {
    const recording = measure.recordEvent(event(properties), from(authorityOf(grant)));
    if (allowed) expect(await recording).toBe("event accepted");
    else await expect(recording).rejects.toMatchObject({ code: "index_not_allowed" });
    expect(harness.eventStore.events).toHaveLength(allowed ? 1 : 0);
  });

  test("one event outside refuses the batch, before any shape is looked at", async () => {
    const origin = from(authorityOf({ allowed_indexes: ["books"] }));
    const batch = { items: [event(names("books")), { event_name: 7 }, event(names("films"))] };
    await expect(measure.recordBatch(batch, origin)).rejects.toMatchObject({
      code: "index_not_allowed",
      message: expect.stringContaining("'items[2]'") as unknown,
      items: [{ path: "items[2]" }],
    });
    await expect(measure.recordBatch(batch.items.slice(0, 2), origin)).rejects.toMatchObject({
      code: "invalid_request",
    });
    expect(harness.eventStore.events).toEqual([]);
  });
});

describe("past events", () => {
  const past = event({}, { received_at: "1970-01-01T00:00:02Z" });

  test("keep their time if the key may write history", async () => {
    await harness.clock.advance(10_000);
    await measure.recordBatch([past, event()], from(authorityOf({ permissions: 34 })));
    expect(harness.eventStore.events.map(({ receivedAt }) => receivedAt)).toEqual([2_000, 10_000]);
  });

  test("are refused from any other key", async () => {
    await expect(measure.recordEvent(past, from(authorityOf({ permissions: 31 })))).rejects.toMatchObject({
      code: "insufficient_permissions",
    });
  });

  test("don't lie in the future", async () => {
    const future = event({}, { received_at: 3600 });
    await expect(measure.recordEvent(future, from(ADMIN))).rejects.toMatchObject({
      code: "invalid_request",
      items: [
        {
          path: "received_at",
          message: expect.stringMatching(/^'received_at' lies in the future/) as unknown,
        },
      ],
    });
    for (const [body, path] of [
      [[event(), future], "[1].received_at"],
      [{ items: [future] }, "items[0].received_at"],
    ] as const) {
      await expect(measure.recordBatch(body, from(ADMIN))).rejects.toMatchObject({ items: [{ path }] });
    }
    expect(harness.eventStore.events).toEqual([]);
  });
});

test("a user's events are forgotten, those of searches a moment ago too", async () => {
  await measure.recordBatch([event(), event({}, { user: { user_id: "v" } })], from(ADMIN));
  harness.services.recorder.recordSearch({
    origin: from(ADMIN, { userId: "u" }),
    target: { indexName: "books" },
    clauses: [],
    count: 0,
  });
  await expect(measure.deleteUser("u\0")).rejects.toMatchObject({ code: "invalid_request" });
  expect(await measure.deleteUser("u")).toEqual({ deleted_events: 2 });
  expect(harness.eventStore.events.map(({ userId }) => userId)).toEqual(["v"]);
});

test("an export holds what the caller may see", async () => {
  for (const name of ["books", "films"]) {
    await measure.recordEvent(event({ searchcraft_index_names: [name] }), from(ADMIN));
  }
  const lines = async (authority: Authority, query = {}): Promise<readonly string[]> => {
    const { chunks } = measure.export(query, authority);
    const names: string[] = [];
    for await (const chunk of chunks) {
      names.push((JSON.parse(Buffer.from(chunk).toString()) as { indexNames: string[] }).indexNames.join());
    }
    return names;
  };
  expect(await lines(ADMIN)).toEqual(["books", "films"]);
  expect(await lines(ADMIN, { index_names: "films" })).toEqual(["films"]);
  const scoped = authorityOf({ permissions: 34, allowed_indexes: ["books"] });
  expect(await lines(scoped)).toEqual(["books"]);
  expect(() => measure.export({ index_names: "films" }, scoped)).toThrow("films");
});
