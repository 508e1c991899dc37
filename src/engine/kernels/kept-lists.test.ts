/** Slots of kept lists: a list has the one of its address from the second time on, until another is asked for twice. */
import { expect, test } from "vitest";
import { KeptLists } from "./kept-lists.js";

const SLOTS = 512;
/** Lists of so many bytes each, more than there are slots. */
const ADDRESSES = Array.from({ length: 2 * SLOTS }, (_, n) => 4096 + 64 * n);

function emptyLists(): KeptLists {
  return new KeptLists(new WebAssembly.Memory({ initial: 1, maximum: 64, shared: true }));
}

/** The slot in a search of its own. */
function slotOf(lists: KeptLists, address: number): ReturnType<KeptLists["slotOf"]> {
  lists.beginSearch();
  return lists.slotOf(address);
}

/** An address that has the slot of another one. */
function rivalOf(address: number): number {
  for (const other of ADDRESSES) {
    if (other === address) continue;
    const lists = emptyLists();
    slotOf(lists, address);
    const own = slotOf(lists, address)!;
    slotOf(lists, other);
    if (slotOf(lists, other)!.header === own.header) return other;
  }
  throw new Error("there is no other list in the slot");
}

test("a list is kept from the second time on, and to be filled once", () => {
  const lists = emptyLists();
  expect(slotOf(lists, 4096)).toBeNull();
  const slot = slotOf(lists, 4096)!;
  expect(slot.isEmpty).toBe(true);
  slot.isEmpty = false;
  expect(slotOf(lists, 4096)).toBe(slot);
  expect(slot.isEmpty).toBe(false);
});

test("lists beyond 2 GiB are kept", () => {
  const lists = emptyLists();
  expect(slotOf(lists, 3 * 2 ** 30)).toBeNull();
  expect(slotOf(lists, 3 * 2 ** 30)).not.toBeNull();
  expect(slotOf(lists, 3 * 2 ** 30)).not.toBeNull();
});

test("a list that shares a slot takes it when it is asked for twice, and is filled anew", () => {
  const rival = rivalOf(4096);
  const lists = emptyLists();
  slotOf(lists, 4096);
  const slot = slotOf(lists, 4096)!;
  slot.isEmpty = false;
  expect(slotOf(lists, rival)).toBeNull();
  expect(slotOf(lists, 4096)).toBe(slot);
  expect(slot.isEmpty).toBe(false);
  expect(slotOf(lists, rival)).toBe(slot);
  expect(slot.isEmpty).toBe(true);
  slot.isEmpty = false;
  // The one before is asked for anew.
  expect(slotOf(lists, 4096)).toBeNull();
  expect(slotOf(lists, 4096)).toBe(slot);
  expect(slot.isEmpty).toBe(true);
});

test("no two lists of a search have a slot's buffers, nor one list twice", () => {
  const rival = rivalOf(4096);
  const lists = emptyLists();
  slotOf(lists, 4096);
  lists.beginSearch();
  expect(lists.slotOf(4096)).not.toBeNull();
  expect(lists.slotOf(4096)).toBeNull();
  expect(lists.slotOf(rival)).toBeNull();
  expect(lists.slotOf(rival)).toBeNull();
  expect(slotOf(lists, rival)).not.toBeNull();
});

test("slots don't overlap", () => {
  const lists = emptyLists();
  const headers = new Set<number>();
  for (const address of ADDRESSES) {
    slotOf(lists, address);
    const slot = slotOf(lists, address);
    if (slot === null) continue;
    expect([slot.docs - slot.header, slot.freqs - slot.docs, slot.scores - slot.freqs]).toEqual([
      32, 576, 576,
    ]);
    headers.add(slot.header);
  }
  const sorted = [...headers].sort((a, b) => a - b);
  expect(sorted.length).toBeGreaterThan(SLOTS / 2);
  for (let i = 1; i < sorted.length; i++)
    expect(sorted[i]! - sorted[i - 1]!).toBeGreaterThanOrEqual(32 + 3 * 576);
});
