// Searches are recorded without anybody waiting or hearing of failures; nothing is recorded twice.
import fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { MemoryEventStore } from "../../../tests/kit/memory-event-store.js";
import { RecordingLogger } from "../../../tests/kit/recording-logger.js";
import type { AccessKey } from "../../contract/access-key.js";
import type { SearchClause } from "../../contract/search.js";
import { FindlingError } from "../../errors/index.js";
import { Authority } from "../keys/authority.js";
import { EventAttribution } from "./event-attribution.js";
import { type AnsweredSearch, MeasureRecorder } from "./measure-recorder.js";
import type { RequestClient } from "./request-origin.js";

/** No key is stored. */
const catalog = { key: () => undefined };

let store: MemoryEventStore;
let clock: ManualClock;
let logger: RecordingLogger;
let recorder: MeasureRecorder;
beforeEach(() => {
  store = new MemoryEventStore();
  clock = new ManualClock();
  logger = new RecordingLogger();
  recorder = new MeasureRecorder({
    store,
    clock,
    logger,
    attribution: new EventAttribution(catalog, "full"),
  });
});

function clause(mode: SearchClause["mode"], ctx: string): SearchClause {
  return { mode, ctx, occur: "should" };
}

function search(ctx: string, client: RequestClient = {}): AnsweredSearch {
  return {
    origin: { authority: Authority.unrestricted(), client },
    target: { indexName: "books" },
    clauses: [clause("fuzzy", ctx)],
    count: 3,
  };
}

describe("a search", () => {
  test("is an event of nobody where the request doesn't say whose", async () => {
    recorder.recordSearch(search("shoes"));
    await recorder.flush();
    expect(store.events).toMatchObject([
      {
        eventName: "api_queried",
        indexNames: ["books"],
        searchTerm: "shoes",
        searchKind: "fuzzy",
        numberOfDocuments: 3,
        userId: "anonymous",
        userType: "anonymous",
        sessionId: undefined,
        federationName: undefined,
      },
    ]);
  });

  test("is the event of who the headers name, and of where it came from", async () => {
    const client = {
      userId: "u",
      sessionId: "s",
      userType: "authenticated",
      userAgent: "curl",
      remoteAddress: "::ffff:192.0.2.7",
    } as const;
    recorder.recordSearch(search("shoes", client));
    recorder.recordSearch(search("socks", { userId: "v" }));
    await recorder.flush();
    expect(store.events).toMatchObject([
      { userId: "u", sessionId: "s", userType: "authenticated", userAgent: "curl", clientIp: "192.0.2.7" },
      { userId: "v", userType: undefined },
    ]);
  });

  test("has the term that was typed, before what filters by exact values", async () => {
    const filter = clause("exact", "active:true");
    const clauses = [
      [filter, clause("dynamic", "sho")],
      [filter, clause("exact", "x")],
      [clause("fuzzy", "")],
    ];
    for (const each of clauses) recorder.recordSearch({ ...search(""), clauses: each });
    await recorder.flush();
    expect(store.events.map(({ searchTerm, searchKind }) => [searchTerm, searchKind])).toEqual([
      ["sho", "dynamic"],
      ["active:true", "exact"],
      ["", "fuzzy"],
    ]);
  });

  test("has a term within the bounds of events", async () => {
    recorder.recordSearch(search("🦊".repeat(1001)));
    recorder.recordSearch(search("a\0b"));
    await recorder.flush();
    expect(store.events.map(({ searchTerm }) => searchTerm)).toEqual(["🦊".repeat(1000), "a b"]);
  });

  test("of a federation names it and no index", async () => {
    recorder.recordSearch({ ...search("x"), target: { federationName: "shop" } });
    await recorder.flush();
    expect(store.events).toMatchObject([{ indexNames: [], federationName: "shop" }]);
  });
});

test("every event is of its own person, key, target and provider, in order, whoever came before", async () => {
  const clients: RequestClient[] = [
    {},
    { userId: "u" },
    { userId: "u", sessionId: "s" },
    { userId: "v", sessionId: "s" },
    { sessionId: "s", userType: "anonymous" },
    { sessionId: "s", userAgent: "curl" },
    { sessionId: "s", remoteAddress: "192.0.2.7" },
  ];
  const keys = ["first", "second"].map((key, i): AccessKey => {
    const permissions = 1;
    return {
      key,
      name: "",
      permissions,
      allowed_indexes: ["*"],
      status: "active",
      organization_id: i,
    };
  });
  const targets = [{ indexName: "books" }, { indexName: "shop" }, { federationName: "books" }];
  const drawn = fc.record({
    client: fc.constantFrom(...clients),
    key: fc.constantFrom(null, ...keys),
    target: fc.constantFrom(...targets),
    aiProvider: fc.constantFrom(undefined, "ollama", "openai"),
    isFlushed: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(drawn, { maxLength: 30 }), async (searches) => {
      const own = new MemoryEventStore();
      const attribution = new EventAttribution(catalog, "full");
      const each = new MeasureRecorder({ store: own, clock: new ManualClock(), logger, attribution });
      for (const [i, { client, key, target, aiProvider, isFlushed }] of searches.entries()) {
        const authority = key === null ? Authority.unrestricted() : Authority.ofKey(key);
        const answered = { ...search(String(i), { ...client }), origin: { authority, client }, target };
        if (aiProvider === undefined) each.recordSearch(answered);
        else each.recordSummary({ ...answered, aiProvider });
        if (isFlushed) await each.flush();
      }
      await each.flush();
      expect(
        own.events.map((event) => [
          event.searchTerm,
          event.keyId,
          event.organizationId,
          event.indexNames,
          event.federationName,
          event.eventName,
          event.aiProvider,
          event.userId,
          event.sessionId,
          event.userType,
          event.userAgent,
          event.clientIp,
        ]),
      ).toEqual(
        searches.map(({ client, key, target, aiProvider }, i) => [
          String(i),
          key === null ? undefined : "configured",
          key?.organization_id?.toString(),
          "indexName" in target ? [target.indexName] : [],
          "indexName" in target ? undefined : target.federationName,
          aiProvider === undefined ? "api_queried" : "api_summary_requested",
          aiProvider,
          client.userId ?? "anonymous",
          client.sessionId,
          client.userType ?? (client.userId === undefined ? "anonymous" : undefined),
          client.userAgent,
          client.remoteAddress,
        ]),
      );
      const ids = own.events.map(({ eventId }) => eventId);
      expect(ids).toEqual([...new Set(ids)].sort());
    }),
  );
});

test("a summary names the provider", async () => {
  recorder.recordSummary({ ...search("why"), aiProvider: "ollama" });
  await recorder.flush();
  expect(store.events).toMatchObject([
    { eventName: "api_summary_requested", aiProvider: "ollama", searchTerm: "why", numberOfDocuments: 3 },
  ]);
});

test("events gather for a moment and are stored together", async () => {
  recorder.recordSearch(search("a"));
  await clock.advance(199);
  recorder.recordSearch(search("b"));
  expect(store.events).toEqual([]);
  await clock.advance(1);
  expect(store.events.map(({ searchTerm, receivedAt }) => [searchTerm, receivedAt])).toEqual([
    ["a", 0],
    ["b", 199],
  ]);
  expect(store.events[0]!.eventId < store.events[1]!.eventId).toBe(true);
});

test("flushes that meet store nothing twice", async () => {
  for (let i = 0; i < 2_500; i++) recorder.recordSearch(search(String(i)));
  await Promise.all([recorder.flush(), clock.advance(1_000), recorder.flush(), recorder.stop()]);
  expect(store.events.map(({ searchTerm }) => searchTerm)).toEqual(
    Array.from({ length: 2_500 }, (_, i) => String(i)),
  );
});

describe("where the store refuses", () => {
  test("events wait and go in once it takes them again, in order", async () => {
    store.refusal = new FindlingError("rate_limited", "too many events wait");
    recorder.recordSearch(search("a"));
    await clock.advance(200);
    recorder.recordSearch(search("b"));
    store.refusal = null;
    await clock.advance(1_000);
    expect(store.events.map(({ searchTerm }) => searchTerm)).toEqual(["a", "b"]);
    expect(logger.lines).toMatchObject([{ level: "error", fields: { waiting: 1, dropped: 0 } }]);
    await clock.advance(10_000);
    expect(clock.waiting).toBe(0);
  });

  test("the operator is told once in a while, and of what was dropped", async () => {
    store.refusal = new Error("disk full");
    for (let i = 0; i < 10_005; i++) recorder.recordSearch(search("x"));
    await clock.advance(9_000);
    expect(logger.lines).toMatchObject([{ fields: { waiting: 10_000, dropped: 5 } }]);
    await clock.advance(3_000);
    expect(logger.lines).toHaveLength(2);
  });

  test("what can't be stored at the stop is counted in the log", async () => {
    store.refusal = new Error("gone");
    recorder.recordSearch(search("x"));
    await recorder.stop();
    expect(logger.lines.at(-1)).toMatchObject({ fields: { events: 1 } });
    expect(clock.waiting).toBe(0);
  });
});

test("nothing gathers where measuring is off", async () => {
  const attribution = new EventAttribution(catalog, "full");
  const off = new MeasureRecorder({ store: null, clock, logger, attribution });
  off.recordSearch(search("x"));
  expect(clock.waiting).toBe(0);
  await off.stop();
  expect(logger.lines).toEqual([]);
});

test("what comes while a batch is stored waits its own time, and is stored then without another search", async () => {
  const batches: number[] = [];
  const record = store.record.bind(store);
  store.record = async (events) => {
    batches.push(events.length);
    if (batches.length === 1) for (const ctx of ["b", "c"]) recorder.recordSearch(search(ctx));
    await record(events);
  };
  recorder.recordSearch(search("a"));
  await clock.advance(200);
  await vi.waitFor(() => expect(store.events).toHaveLength(1));
  expect(batches).toEqual([1]);
  await clock.advance(200);
  await vi.waitFor(() => expect(store.events).toHaveLength(3));
  expect(batches).toEqual([1, 2]);
});
