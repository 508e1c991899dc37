/**
 * What every event store must do. Properties: each figure of each dashboard equals a naive
 * recomputation from the raw events, over random events, filters and granularities; an export gives
 * back what was recorded; deletions delete what they say. `FINDLING_TEST_EVENT_RUNS=1000` runs longer.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  BREAKDOWN_DIMENSIONS,
  type EventFilter,
  type EventStore,
  GRANULARITIES,
  type StoredEvent,
} from "../../src/ports/event-store.js";
import { arbitraryEvents, arbitraryFilter, BASE_TIME } from "./arbitrary-events.js";
import { NaiveEvents } from "./naive-events.js";
import { searchOf } from "./search-event.js";

const RUNS = Number(process.env["FINDLING_TEST_EVENT_RUNS"] ?? 15);
const EVERYTHING: EventFilter = { from: 0, to: 4e12 };
const FIRST_PAGE = { offset: 0, limit: 1000 };

/** @param open opens the store over a folder of its own; the folders may share one database */
export function eventStoreSuite(
  name: "DuckDB" | "ClickHouse",
  open: (folder: string) => Promise<EventStore>,
): void {
  describe(`event store: ${name}`, () => {
    const root = mkdtempSync(join(tmpdir(), "findling-events-"));
    let store: EventStore;

    beforeAll(async () => {
      store = await open(join(root, "measure"));
    });
    afterAll(async () => {
      await store?.close();
      rmSync(root, { recursive: true, force: true });
    });

    async function fill(events: readonly StoredEvent[]): Promise<NaiveEvents> {
      await store.deleteBefore(4e12);
      await store.record(events);
      await store.flush();
      return new NaiveEvents(events);
    }

    test(
      "every figure equals a naive recomputation",
      async () => {
        const question = fc.record({
          filter: arbitraryFilter,
          page: fc.record({ offset: fc.nat({ max: 4 }), limit: fc.integer({ min: 1, max: 5 }) }),
          granularity: fc.constantFrom(...GRANULARITIES),
          names: fc.subarray(["popular", "unpopular", "withoutResults"] as const, { minLength: 1 }),
          dimension: fc.constantFrom(...BREAKDOWN_DIMENSIONS),
        });
        await fc.assert(
          fc.asyncProperty(
            arbitraryEvents,
            fc.array(question, { minLength: 2, maxLength: 4 }),
            async (events, questions) => {
              const naive = await fill(events);
              for (const { filter, page, granularity, names, dimension } of questions) {
                expect(await store.totals(filter)).toEqual(naive.totals(filter));
                expect(await store.countSearches(filter)).toBe(naive.totals(filter).searches);
                expect(await store.overTime(filter, granularity)).toEqual(
                  naive.overTime(filter, granularity),
                );
                expect(await store.terms(filter, names, page)).toEqual(
                  Object.fromEntries(names.map((each) => [each, naive.terms(filter, each, page)])),
                );
                expect(await store.breakdown(filter, dimension, page)).toEqual(
                  naive.breakdown(filter, dimension, page),
                );
              }
            },
          ),
          // Shrinking ends before the test does, so that what was found is told.
          { numRuns: RUNS, interruptAfterTimeLimit: 45_000 + RUNS * 1000 },
        );
      },
      120_000 + RUNS * 1000,
    );

    test("a session's last search is no step of typing, however near to the beginning of time", async () => {
      const filter = { ...EVERYTHING, collapsesTyping: true };
      const naive = await fill([searchOf("u1", "s", 0)]);
      expect(await store.totals(filter)).toEqual(naive.totals(filter));
      expect((await store.totals(filter)).searches).toBe(1);
    });

    test("an export gives back what was recorded, in order, and no more", async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryEvents, arbitraryFilter, async (events, filter) => {
          const naive = await fill(events);
          const lines = (await readAll(store.export(filter, "ndjson"))).toString().split("\n");
          expect(lines.pop()).toBe("");
          expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
            naive.exported(filter).map((event) => JSON.parse(JSON.stringify(event)) as unknown),
          );
        }),
        { numRuns: Math.ceil(RUNS / 3) },
      );
    });

    test("an export as Parquet is a Parquet file", async () => {
      await fill([searchOf("u1", "shoes", BASE_TIME)]);
      const file = await readAll(store.export(EVERYTHING, "parquet"));
      expect(file.subarray(0, 4).toString()).toBe("PAR1");
      expect(file.subarray(-4).toString()).toBe("PAR1");
      expect(file.includes("searchTerm") && file.includes("shoes")).toBe(true);
    });

    test("an export that nobody reads to the end holds nothing up", async () => {
      await fill(Array.from({ length: 5000 }, (_, i) => searchOf("u1", `term ${i}`, BASE_TIME + i)));
      for (let i = 0; i < 5; i++) {
        for await (const chunk of store.export(EVERYTHING, "ndjson")) {
          expect(chunk.length).toBeGreaterThan(0);
          break;
        }
      }
      expect((await store.totals(EVERYTHING)).events).toBe(5000);
    });

    test("a page behind the end still tells the length of the list", async () => {
      await fill(["a", "b", "c"].map((term, i) => searchOf("u1", term, BASE_TIME + i)));
      for (const page of [
        { offset: 7, limit: 2 },
        { offset: 0, limit: 0 },
      ]) {
        expect(await store.terms(EVERYTHING, ["popular", "withoutResults"], page)).toEqual({
          popular: { terms: [], total: 3 },
          withoutResults: { terms: [], total: 0 },
        });
      }
    });

    test("a user is forgotten, whether the events are in the store or wait", async () => {
      await fill([searchOf("it's u1", "a", BASE_TIME), searchOf("u2", "b", BASE_TIME + 1)]);
      await store.record([searchOf("it's u1", "c", BASE_TIME + 2), searchOf("u2", "d", BASE_TIME + 3)]);
      expect(await store.deleteUser("it's u1")).toBe(2);
      expect(await store.deleteUser("it's u1")).toBe(0);
      expect((await store.totals({ ...EVERYTHING, userId: "it's u1" })).events).toBe(0);
      const { popular } = await store.terms(EVERYTHING, ["popular"], FIRST_PAGE);
      expect(popular.terms.map(({ term }) => term)).toEqual(["b", "d"]);
    });

    test("what was received before a time is forgotten", async () => {
      await fill([0, 1, 2].map((i) => searchOf("u1", `t${i}`, BASE_TIME + i)));
      expect(await store.deleteBefore(BASE_TIME + 1)).toBe(1);
      expect((await store.totals(EVERYTHING)).events).toBe(2);
    });

    test("recorded events show without anyone asking for it", async () => {
      await fill([]);
      await store.record([searchOf("u1", "soon", BASE_TIME)]);
      // Five seconds are promised, where the machine isn't busy.
      await expect.poll(() => store.countSearches(EVERYTHING)).toBe(1);
      // The file is removed a moment after the events show.
      await store.flush();
      expect(store.status()).toEqual({
        kind: name === "DuckDB" ? "duckdb" : "clickhouse",
        isAvailable: true,
        waitingEvents: 0,
        waitingBytes: 0,
        damagedFiles: [],
      });
    });

    test("thousands of events in many calls at once count once each, and questions are answered meanwhile", async () => {
      await fill([]);
      const calls = Array.from({ length: 200 }, (_, call) =>
        store.record(
          Array.from({ length: 50 }, (__, i) => searchOf(`u${i}`, `term ${call % 7}`, BASE_TIME + call)),
        ),
      );
      const answers = Array.from({ length: 20 }, () => store.totals(EVERYTHING));
      await Promise.all([...calls, ...answers]);
      await store.flush();
      const { events, searches, activeUsers } = await store.totals(EVERYTHING);
      expect({ events, searches, activeUsers }).toEqual({
        events: 10_000,
        searches: 10_000,
        activeUsers: 50,
      });
    });

    test("a file that is still there after its events went in is not counted again", async () => {
      await fill([]);
      const folder = join(root, "again");
      const first = await open(folder);
      await first.record(["a", "b", "c"].map((term, i) => searchOf("u1", term, BASE_TIME + i)));
      // What a crash leaves between the insertion and the removal of the file.
      cpSync(join(folder, "waiting"), join(folder, "kept"), { recursive: true });
      expect(readdirSync(join(folder, "kept"))).toHaveLength(1);
      await first.flush();
      await first.close();
      for (let crash = 0; crash < 2; crash++) {
        cpSync(join(folder, "kept"), join(folder, "waiting"), { recursive: true });
        const next = await open(folder);
        expect(next.status()).toMatchObject({ waitingEvents: 3 });
        await next.record([searchOf("u1", "d", BASE_TIME + 3)]);
        await next.flush();
        expect((await next.totals(EVERYTHING)).events).toBe(4 + crash);
        await next.close();
        expect(readdirSync(join(folder, "waiting"))).toEqual([]);
      }
    });

    test("events are brought in when the store is closed", async () => {
      await fill([]);
      const folder = join(root, "closed");
      const first = await open(folder);
      const recording = first.record([searchOf("u1", "late", BASE_TIME)]);
      await first.close();
      await recording;
      await expect(first.record([searchOf("u1", "later", BASE_TIME)])).rejects.toMatchObject({
        code: "shutting_down",
      });
      expect(readdirSync(join(folder, "waiting"))).toEqual([]);
      const next = await open(folder);
      expect((await next.totals(EVERYTHING)).events).toBe(1);
      await next.close();
    });

    test("a very large event is stored whole", async () => {
      const userAgent = "x".repeat(3_000_000);
      await fill([{ ...searchOf("u1", "large", BASE_TIME), userAgent }]);
      const line = (await readAll(store.export(EVERYTHING, "ndjson"))).toString();
      expect((JSON.parse(line) as StoredEvent).userAgent).toBe(userAgent);
    });
  });
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
