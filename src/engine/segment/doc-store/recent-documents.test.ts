/** Never keeps more than there is room for; what is asked for in turn, and is too much, is found there by its share. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { DocumentTable } from "./document-table.js";
import { RecentDocuments } from "./recent-documents.js";

const ROOM = 64_000;

/** Asks as a store does. @returns whether it was kept */
function ask(
  recent: RecentDocuments<string>,
  table: DocumentTable<string>,
  docId: number,
  length: number,
): boolean {
  const isKept = table.get(docId) !== undefined;
  if (!isKept && recent.wants(length)) recent.keep(table, docId, "x".repeat(length));
  return isKept;
}

function lengthOf(tables: readonly DocumentTable<string>[], docIds: number): number {
  let length = 0;
  for (const table of tables) for (let id = 0; id < docIds; id++) length += table.get(id)?.length ?? 0;
  return length;
}

test.each([1, 8])("keeps what there is room for, of several stores (one in %i of others)", (keptOneIn) => {
  const asked = fc.tuple(fc.nat(1), fc.nat(120), fc.oneof(fc.nat({ max: 1_000 }), fc.nat({ max: 70_000 })));
  fc.assert(
    fc.property(fc.array(asked, { minLength: 200, maxLength: 600 }), (all) => {
      const recent = new RecentDocuments<string>(ROOM, keptOneIn);
      const tables = [new DocumentTable<string>(), new DocumentTable<string>()];
      for (const [store, docId, length] of all) {
        ask(recent, tables[store]!, docId, length);
        if (length > ROOM / 16) expect(recent.wants(length)).toBe(false);
      }
      expect(lengthOf(tables, 121)).toBeLessThanOrEqual(ROOM);
    }),
    { numRuns: 30 },
  );
});

test("documents that are asked for in turn are found as far as there is room for them", () => {
  const recent = new RecentDocuments<string>(ROOM);
  const table = new DocumentTable<string>();
  let found = 0;
  for (let turn = 0; turn < 30; turn++) {
    // Twice as many as there is room for.
    for (let docId = 0; docId < 256; docId++) if (ask(recent, table, docId, 500) && turn >= 20) found++;
  }
  expect(found / 2_560).toBeGreaterThan(0.3);
});

test("what is asked for from now on takes the place of what was", () => {
  const recent = new RecentDocuments<string>(ROOM);
  const table = new DocumentTable<string>();
  for (let docId = 0; docId < 128; docId++) ask(recent, table, docId, 500);
  let found = 0;
  for (let turn = 0; turn < 60; turn++)
    for (let docId = 1_000; docId < 1_100; docId++) if (ask(recent, table, docId, 500) && turn >= 50) found++;
  expect(found / 1_000).toBeGreaterThan(0.6);
});

test("what a closed store kept is room for others", () => {
  const recent = new RecentDocuments<string>(ROOM);
  const merged = new DocumentTable<string>();
  for (let docId = 0; docId < 64; docId++) ask(recent, merged, docId, ROOM / 64);
  merged.clear();
  const table = new DocumentTable<string>();
  for (let docId = 0; docId < 64; docId++) ask(recent, table, docId, ROOM / 64);
  expect(lengthOf([table], 64)).toBe(ROOM);
});

/** What the buffers take that documents of the tables lie in. */
function bufferBytesOf(tables: readonly DocumentTable<Uint8Array>[], docIds: number): number {
  const buffers = new Set<ArrayBufferLike>();
  for (const table of tables) {
    for (let id = 0; id < docIds; id++) {
      const document = table.get(id);
      if (document !== undefined) buffers.add(document.buffer);
    }
  }
  return [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

test("of bytes, what one document alone keeps in memory is room for others, too", () => {
  const CHUNK_LENGTH = 32 * 1024;
  const BYTES_ROOM = 24 * CHUNK_LENGTH;
  const DOC_IDS = 400;
  const memory = new Uint8Array(2 * CHUNK_LENGTH);
  // Those that leave most of a chunk unused, and many that are hardly anything.
  const length = fc.oneof(
    fc.constantFrom(
      0,
      1,
      40,
      CHUNK_LENGTH / 4 - 1,
      CHUNK_LENGTH / 4,
      CHUNK_LENGTH / 4 + 1,
      CHUNK_LENGTH / 2 + 1,
    ),
    fc.nat(9_000),
    fc.nat(300),
  );
  // Few lengths in a run, as what doesn't fit beside its like leaves the most.
  const lengths = fc.array(length, { minLength: 1, maxLength: 2 });
  const step = fc.record({
    store: fc.nat(2),
    docId: fc.nat(DOC_IDS - 1),
    pick: fc.nat(1),
    closes: fc.nat(60),
  });
  fc.assert(
    fc.property(lengths, fc.array(step, { minLength: 300, maxLength: 900 }), (lengthsOfRun, steps) => {
      const recent = new RecentDocuments<Uint8Array>(BYTES_ROOM, 1);
      const tables = [0, 1, 2].map(() => new DocumentTable<Uint8Array>());
      const all = [...tables];
      for (const { store, docId, pick, closes } of steps) {
        const wanted = lengthsOfRun[pick % lengthsOfRun.length]!;
        if (closes === 0) {
          tables[store]!.clear();
          tables[store] = new DocumentTable();
          all.push(tables[store]);
        }
        const table = tables[store]!;
        if (table.get(docId) !== undefined || !recent.wants(wanted)) continue;
        recent.keep(table, docId, recent.chunks.copy(memory, 0, wanted));
      }
      // A quarter of each chunk may be unused, besides the first and the last one.
      expect(bufferBytesOf(all, DOC_IDS)).toBeLessThanOrEqual((4 / 3) * BYTES_ROOM + 2 * CHUNK_LENGTH);
    }),
    { numRuns: 60 },
  );
});
