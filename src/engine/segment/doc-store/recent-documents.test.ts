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
