// Searches are recorded without anybody waiting or hearing of failures; nothing is recorded twice.
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import {
  answeredSearch,
  bytesOf,
  clause,
  recorderOverMemory,
  storedKey,
} from "../../../tests/kit/measure-recording.js";
import { MemoryEventStore } from "../../../tests/kit/memory-event-store.js";
import type { RecordingLogger } from "../../../tests/kit/recording-logger.js";
import { Authority } from "../authority/authority.js";
import { EventAttribution } from "./event-attribution.js";
import { type AnsweredSearch, MeasureRecorder } from "./measure-recorder.js";
import type { RequestClient } from "./request-origin.js";

let store: MemoryEventStore;
let clock: ManualClock;
let logger: RecordingLogger;
let recorder: MeasureRecorder;
beforeEach(() => {
  ({ store, clock, logger, recorder } = recorderOverMemory());
});

/** How many events and bytes each batch has that the store takes. */
function recordedBatches(): [number, number][] {
  const batches: [number, number][] = [];
  const record = store.record.bind(store);
  store.record = async (events) => {
    await record(events);
    batches.push([events.length, bytesOf(events)]);
  };
  return batches;
}

describe("a search", () => {
  test("is an event of nobody where the request doesn't say whose", async () => {
    recorder.recordSearch(answeredSearch("shoes"));
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
    recorder.recordSearch(answeredSearch("shoes", client));
    recorder.recordSearch(answeredSearch("socks", { userId: "v" }));
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
    for (const each of clauses) recorder.recordSearch({ ...answeredSearch(""), clauses: each });
    await recorder.flush();
    expect(store.events.map(({ searchTerm, searchKind }) => [searchTerm, searchKind])).toEqual([
      ["sho", "dynamic"],
      ["x", "exact"],
      ["", "fuzzy"],
    ]);
  });

  test("has a term within the bounds of events", async () => {
    recorder.recordSearch(answeredSearch("🦊".repeat(1001)));
    recorder.recordSearch(answeredSearch("a\0b"));
    await recorder.flush();
    expect(store.events.map(({ searchTerm }) => searchTerm)).toEqual(["🦊".repeat(1000), "a b"]);
  });

  test("of a federation names it and no index", async () => {
    recorder.recordSearch({ ...answeredSearch("x"), target: { federationName: "shop" } });
    await recorder.flush();
    expect(store.events).toMatchObject([{ indexNames: [], federationName: "shop" }]);
  });
});

/** One after the other, each but for one thing as the one before: what is taken for the same by mistake shows. */
function searchesOf(changes: readonly Partial<Drawn>[]): readonly Drawn[] {
  let last: Drawn = { client: {}, authority: Authority.unrestricted(), target: { indexName: "books" } };
  return changes.map((change) => (last = { ...last, ...change }));
}

interface Drawn {
  readonly client: RequestClient;
  readonly authority: Authority;
  readonly target: AnsweredSearch["target"];
  readonly aiProvider?: string | undefined;
}

test("every event is of its own person, key, target and provider, in order, whoever came before", async () => {
  const clients: RequestClient[] = [
    {},
    { userType: "authenticated" },
    { userId: "u" },
    { userId: "u", userType: "authenticated" },
    { userId: "u", sessionId: "s" },
    { userId: "v", sessionId: "s" },
    { userId: "u", sessionId: "u" },
    { sessionId: "u" },
    { sessionId: "s", userType: "anonymous" },
    { sessionId: "s", userType: "authenticated" },
    { sessionId: "s", userAgent: "curl" },
    { sessionId: "s", remoteAddress: "192.0.2.7" },
  ];
  const authorities = [
    Authority.unrestricted(),
    Authority.ofConfiguredKey("chosen", 1),
    Authority.ofKey(storedKey("first")),
    Authority.ofKey(storedKey("second")),
    Authority.ofKey(storedKey("first", { organization_id: 1 })),
    Authority.ofKey(storedKey("first", { application_id: 1 })),
  ];
  const targets = [{ indexName: "books" }, { indexName: "shop" }, { federationName: "books" }];
  const change: fc.Arbitrary<Partial<Drawn>> = fc.oneof(
    fc.record({ client: fc.constantFrom(...clients) }),
    fc.record({ authority: fc.constantFrom(...authorities) }),
    fc.record({ target: fc.constantFrom(...targets) }),
    fc.record({ aiProvider: fc.constantFrom(undefined, "ollama", "openai") }),
  );
  const drawn = fc.tuple(change, fc.boolean());
  await fc.assert(
    fc.asyncProperty(fc.array(drawn, { maxLength: 30 }), async (draws) => {
      const searches = searchesOf(draws.map(([each]) => each));
      const own = new MemoryEventStore();
      const attribution = new EventAttribution("full");
      const each = new MeasureRecorder({ store: own, clock: new ManualClock(), logger, attribution });
      for (const [i, { client, authority, target, aiProvider }] of searches.entries()) {
        const answered = {
          ...answeredSearch(String(i)),
          origin: { authority, client: { ...client } },
          target,
        };
        if (aiProvider === undefined) each.recordSearch(answered);
        else each.recordSummary({ ...answered, aiProvider });
        if (draws[i]![1]) await each.flush();
      }
      await each.flush();
      expect(
        own.events.map((event) => [
          event.searchTerm,
          event.keyId,
          event.organizationId,
          event.applicationId,
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
        searches.map(({ client, authority, target, aiProvider }, i) => [
          String(i),
          authority.keyId,
          authority.organizationId,
          authority.applicationId,
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
  recorder.recordSummary({ ...answeredSearch("why"), aiProvider: "ollama" });
  await recorder.flush();
  expect(store.events).toMatchObject([
    { eventName: "api_summary_requested", aiProvider: "ollama", searchTerm: "why", numberOfDocuments: 3 },
  ]);
});

test("events gather for a moment and are stored together", async () => {
  recorder.recordSearch(answeredSearch("a"));
  await clock.advance(199);
  recorder.recordSearch(answeredSearch("b"));
  expect(store.events).toEqual([]);
  await clock.advance(1);
  expect(store.events.map(({ searchTerm, receivedAt }) => [searchTerm, receivedAt])).toEqual([
    ["a", 0],
    ["b", 199],
  ]);
  expect(store.events[0]!.eventId < store.events[1]!.eventId).toBe(true);
});

test("a batch is a thousand events, or about a mebibyte", async () => {
  const batches = recordedBatches();
  for (let i = 0; i < 2_500; i++) recorder.recordSearch(answeredSearch(String(i)));
  await recorder.flush();
  expect(batches.map(([count]) => count)).toEqual([1_000, 1_000, 500]);
  batches.length = 0;
  for (let i = 0; i < 1_000; i++) recorder.recordSearch(answeredSearch(`${i} `.padEnd(1_000, "\u0001")));
  await recorder.flush();
  const whole = batches.slice(0, -1);
  expect(whole.length).toBeGreaterThan(1);
  for (const [, bytes] of whole) {
    expect(bytes).toBeGreaterThanOrEqual(960 * 1024);
    expect(bytes).toBeLessThan(1024 * 1024);
  }
  expect(store.events.slice(2_500).map(({ searchTerm }) => Number.parseInt(searchTerm!, 10))).toEqual(
    Array.from({ length: 1_000 }, (_, i) => i),
  );
});

test("flushes that meet store nothing twice", async () => {
  for (let i = 0; i < 2_500; i++) recorder.recordSearch(answeredSearch(String(i)));
  await Promise.all([recorder.flush(), clock.advance(1_000), recorder.flush(), recorder.stop()]);
  expect(store.events.map(({ searchTerm }) => searchTerm)).toEqual(
    Array.from({ length: 2_500 }, (_, i) => String(i)),
  );
});

test("nothing gathers where measuring is off", async () => {
  const attribution = new EventAttribution("full");
  const off = new MeasureRecorder({ store: null, clock, logger, attribution });
  off.recordSearch(answeredSearch("x"));
  expect(clock.waiting).toBe(0);
  await off.stop();
  expect(logger.lines).toEqual([]);
});

test("what comes while a batch is stored waits its own time, and is stored then without another search", async () => {
  const batches: number[] = [];
  const record = store.record.bind(store);
  store.record = async (events) => {
    batches.push(events.length);
    if (batches.length === 1) for (const ctx of ["b", "c"]) recorder.recordSearch(answeredSearch(ctx));
    await record(events);
  };
  recorder.recordSearch(answeredSearch("a"));
  await clock.advance(200);
  await expect.poll(() => store.events).toHaveLength(1);
  expect(batches).toEqual([1]);
  await clock.advance(200);
  await expect.poll(() => store.events).toHaveLength(3);
  expect(batches).toEqual([1, 2]);
});
