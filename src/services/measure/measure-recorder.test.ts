// Searches are recorded without anybody waiting or hearing of failures; nothing is recorded twice.
import { createHash } from "node:crypto";
import fc from "fast-check";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { MemoryEventStore } from "../../../tests/kit/memory-event-store.js";
import { RecordingLogger } from "../../../tests/kit/recording-logger.js";
import type { AccessKey } from "../../contract/access-key.js";
import type { SearchClause } from "../../contract/search.js";
import { FindlingError } from "../../errors/index.js";
import type { StoredEvent } from "../../ports/event-store.js";
import { Authority } from "../keys/authority.js";
import { EventAttribution } from "./event-attribution.js";
import { type AnsweredSearch, MeasureRecorder } from "./measure-recorder.js";
import type { RequestClient } from "./request-origin.js";

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
    attribution: new EventAttribution("full"),
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

function storedKey(key: string, more: Partial<AccessKey> = {}): AccessKey {
  return { key, name: "", permissions: 1, allowed_indexes: ["*"], status: "active", ...more };
}

function keyIdOf({ key, isConfigured }: Authority): string | undefined {
  if (key === null) return undefined;
  return isConfigured ? "configured" : createHash("sha256").update(key).digest("hex").slice(0, 16);
}

/** Of each batch that the store takes: events and bytes. */
function recordedBatches(): [number, number][] {
  const batches: [number, number][] = [];
  const record = store.record.bind(store);
  store.record = async (events) => {
    await record(events);
    batches.push([events.length, bytesOf(events)]);
  };
  return batches;
}

function bytesOf(events: readonly StoredEvent[]): number {
  return events.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)), 0);
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
        const answered = { ...search(String(i)), origin: { authority, client: { ...client } }, target };
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
          keyIdOf(authority),
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

test("keys whose ids were forgotten while others' were learned get them again, each event once", async () => {
  const searchBy = (key: string): AnsweredSearch => ({
    ...search(key),
    origin: { authority: Authority.ofKey(storedKey(key)), client: {} },
  });
  // One less than are remembered.
  const known = Array.from({ length: 9_999 }, (_, i) => `k${i}`);
  for (const [i, key] of known.entries()) {
    recorder.recordSearch(searchBy(key));
    if (i % 1_000 === 0) await recorder.flush();
  }
  await recorder.flush();
  // The second new one makes all be forgotten, and the first one is learned again; "k0" isn't.
  const keys = ["first", "k0", "second", "first"];
  for (const key of keys) recorder.recordSearch(searchBy(key));
  await recorder.flush();
  expect(store.events.slice(known.length).map(({ searchTerm, keyId }) => [searchTerm, keyId])).toEqual(
    keys.map((key) => [key, keyIdOf(Authority.ofKey(storedKey(key)))]),
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

test("a batch is a thousand events, or about a mebibyte", async () => {
  const batches = recordedBatches();
  for (let i = 0; i < 2_500; i++) recorder.recordSearch(search(String(i)));
  await recorder.flush();
  expect(batches.map(([count]) => count)).toEqual([1_000, 1_000, 500]);
  batches.length = 0;
  for (let i = 0; i < 1_000; i++) recorder.recordSearch(search(`${i} `.padEnd(1_000, "\u0001")));
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

  test("what waits is bounded by its bytes, too, and there is room again once it is stored", async () => {
    store.refusal = new Error("disk full");
    const wide = (i: number): AnsweredSearch =>
      search(`${i} `.padEnd(1_000, "\u0001"), { userId: "ÿ".repeat(1_000), userAgent: "ÿ".repeat(1_000) });
    for (let i = 0; i < 5_000; i++) recorder.recordSearch(wide(i));
    await clock.advance(200);
    const { waiting, dropped } = logger.lines[0]!.fields as { waiting: number; dropped: number };
    expect(waiting + dropped).toBe(5_000);
    store.refusal = null;
    await recorder.flush();
    const expected = Array.from({ length: waiting }, (_, i) => i);
    expect(store.events.map(({ searchTerm }) => Number.parseInt(searchTerm!, 10))).toEqual(expected);
    expect(bytesOf(store.events)).toBeGreaterThanOrEqual(16 * 1024 * 1024);
    expect(bytesOf(store.events.slice(0, -1))).toBeLessThan(16 * 1024 * 1024);
    for (let i = 0; i < waiting; i++) recorder.recordSearch(wide(i));
    await recorder.flush();
    expect(store.events).toHaveLength(2 * waiting);
  });

  test("events whose key has no id yet are counted by what they may take", async () => {
    store.refusal = new Error("disk full");
    const authority = Authority.ofKey(storedKey("new"));
    for (let i = 0; i < 3_000; i++) {
      recorder.recordSearch({ ...search("x"), origin: { authority, client: {} } });
    }
    await clock.advance(200);
    await vi.waitFor(() =>
      expect(logger.lines).toMatchObject([{ fields: { waiting: 2_048, dropped: 952 } }]),
    );
    store.refusal = null;
    await recorder.flush();
    expect(store.events).toHaveLength(2_048);
  });

  test("a search doesn't fail for want of memory: its event is dropped, and the operator is told", async () => {
    const gather = store.gather.bind(store);
    let isShort = true;
    store.gather = () => {
      const events = gather();
      const add = events.add.bind(events);
      events.add = (own, shared) => {
        if (isShort) throw new RangeError("array buffer allocation failed");
        add(own, shared);
      };
      return events;
    };
    recorder.recordSearch(search("a"));
    expect(logger.lines).toMatchObject([{ level: "error", fields: { waiting: 0, dropped: 1 } }]);
    isShort = false;
    recorder.recordSearch(search("b"));
    await recorder.flush();
    expect(store.events.map(({ searchTerm }) => searchTerm)).toEqual(["b"]);
  });

  test("events that find no memory once their key has an id are gathered later, each once", async () => {
    const authority = Authority.ofKey(storedKey("new"));
    const gather = store.gather.bind(store);
    let left = 2;
    store.gather = () => {
      const events = gather();
      const add = events.add.bind(events);
      events.add = (own, shared) => {
        if (left-- === 0) throw new RangeError("array buffer allocation failed");
        add(own, shared);
      };
      return events;
    };
    for (const ctx of ["a", "b", "c", "d"]) {
      recorder.recordSearch({ ...search(ctx), origin: { authority, client: {} } });
    }
    // The first one may have to share the attempt that fails.
    await recorder.flush();
    await recorder.flush();
    expect(store.events.map(({ searchTerm }) => searchTerm)).toEqual(["a", "b", "c", "d"]);
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
  const attribution = new EventAttribution("full");
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
