// Property: whatever events are gathered, what goes to the queue reads as the rows that each makes by itself.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { OwnMembers, SharedMembers } from "../../ports/event-store.js";
import { toRow } from "./event-row.js";
import { GatheredRows, SpareBuffer } from "./gathered-rows.js";

const text = fc.oneof(
  fc.constantFrom(
    "",
    "a b",
    ' "Quoted" phrase ',
    "back\\slash",
    "  ",
    " Two Words ",
    "tab\t",
    "ümlaut",
    "🦊",
    "\ud83e",
    "\u001f",
    "\u007f",
  ),
  fc.string({ unit: "binary" }),
  fc.string(),
);
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const own: fc.Arbitrary<OwnMembers> = fc.record({
  eventId: fc.constantFrom("0".repeat(32), "ab", ""),
  receivedAt: fc.constantFrom(0, 99_999_999, 100_000_000, 1_700_000_000_000, 1_700_000_000_001.5),
  searchTerm: optional(text),
  searchKind: optional(fc.constantFrom("fuzzy", "exact", "", "ü")),
  numberOfDocuments: optional(fc.constantFrom(0, 1, 10, 5_000_000_000, 9_007_199_254_740_991, Number.NaN)),
});
const shared: fc.Arbitrary<SharedMembers> = fc.record({
  eventName: fc.constantFrom("api_queried", "api_summary_requested", "search_completed", "document_clicked"),
  keyId: optional(text),
  indexNames: fc.array(text, { maxLength: 3 }),
  federationName: optional(text),
  sessionId: optional(text),
  userId: text,
  userAgent: optional(text),
  latitude: optional(fc.constantFrom(1.5, Number.POSITIVE_INFINITY)),
});

const parsed = (rows: string): unknown[] =>
  rows.split("\n").map((row) => (row === "" ? null : JSON.parse(row)));

test("rows are those of the events", async () => {
  const spare = new SpareBuffer();
  await fc.assert(
    fc.asyncProperty(
      fc.array(shared, { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(own, fc.nat(2)), { maxLength: 20 }),
      async (people, events) => {
        const appended: [string, number][] = [];
        const rows = new GatheredRows(
          { append: async (bytes, count) => void appended.push([bytes.toString(), count]) },
          spare,
        );
        const sharedOf = (person: number): SharedMembers => people[person % people.length]!;
        for (const [each, person] of events) rows.add(each, sharedOf(person));
        expect(rows.count).toBe(events.length);
        await rows.record();
        if (events.length === 0) return void expect(appended).toEqual([]);
        const [[bytes, count]] = appended as [[string, number]];
        expect(count).toBe(events.length);
        expect(rows.byteLength).toBe(Buffer.byteLength(bytes));
        const expected = events.map(([each, person]) => toRow({ ...sharedOf(person), ...each })).join("");
        expect(parsed(bytes)).toEqual(parsed(expected));
      },
    ),
  );
});

test("many events of long terms find room", async () => {
  let bytes = 0;
  const queue = { append: async ({ length }: Buffer) => void (bytes = length) };
  const rows = new GatheredRows(queue, new SpareBuffer());
  const person: SharedMembers = { eventName: "api_queried", indexNames: ["books"], userId: "u" };
  let expected = 0;
  for (let i = 0; i < 1_000; i++) {
    const event = { eventId: String(i), receivedAt: i, searchTerm: (i % 2 === 0 ? "x" : "ü").repeat(1_000) };
    rows.add(event, person);
    expected += Buffer.byteLength(toRow({ ...person, ...event }));
  }
  await rows.record();
  expect(bytes).toBe(expected);
});

test("a batch's memory is the next one's once it is stored, and nobody else's", async () => {
  const spare = new SpareBuffer();
  const stored: { readonly bytes: Buffer; readonly store: (error: Error | null) => void }[] = [];
  const queue = {
    append: (bytes: Buffer) =>
      new Promise<void>((resolve, reject) => {
        stored.push({ bytes, store: (error) => (error === null ? resolve() : reject(error)) });
      }),
  };
  const batch = (id: string): GatheredRows => {
    const rows = new GatheredRows(queue, spare);
    rows.add({ eventId: id, receivedAt: 0 }, { eventName: "api_queried", indexNames: [], userId: "u" });
    return rows;
  };
  const [first, second] = [batch("first"), batch("second")];
  const recorded = [first.record(), second.record()];
  expect(stored.map(({ bytes }) => bytes.toString().includes("second"))).toEqual([false, true]);
  stored[0]!.store(null);
  await recorded[0];
  expect(first.byteLength).toBeGreaterThan(0);
  // What is refused is offered again as it was.
  stored[1]!.store(new Error("refused"));
  await expect(recorded[1]).rejects.toThrow("refused");
  const third = batch("third");
  const again = [second.record(), third.record()];
  expect(stored.map(({ bytes }) => bytes.buffer === stored[0]!.bytes.buffer)).toEqual([
    true,
    false,
    false,
    true,
  ]);
  expect(stored[2]!.bytes.toString()).toContain("second");
  for (const { store } of stored) store(null);
  await Promise.all(again);
});
