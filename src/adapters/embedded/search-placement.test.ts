/**
 * Where a search runs follows from what it is expected to take and from who else waits: alone it runs where it arrives
 * up to 2 ms; among others it goes where there is less to do, if it is worth the way; nothing dear is put before cheap
 * ones for a backlog's sake. Under any load both sides get about as much to do.
 */
import { expect, test } from "vitest";
import { SearchPlacement } from "./search-placement.js";

/** A placement whose turns end when the test says so. */
function placed(threadCount = 1): { readonly placement: SearchPlacement; endTurn(): void } {
  let ends: (() => void)[] = [];
  return {
    placement: new SearchPlacement(threadCount, (callback) => ends.push(callback)),
    endTurn() {
      for (const end of ends.splice(0)) end();
      ends = [];
    },
  };
}

/** Has a search run where the placement says; returns whether that was in its own thread. */
function run(placement: SearchPlacement, cost: number, answers: (() => void)[] = []): boolean {
  const isHere = cost <= placement.costHereMax(true);
  if (isHere) placement.ranHere(cost);
  else answers.push(placement.sent(cost));
  return isHere;
}

test("one search after the other runs here unless it is dear", () => {
  const { placement, endTurn } = placed();
  for (const cost of [50, 700, 2000, 1500, 50]) {
    expect(run(placement, cost)).toBe(true);
    endTurn();
  }
  expect(run(placement, 2001)).toBe(false);
});

test("of several in a turn those that are worth it are shared, cheap ones stay", () => {
  const { placement, endTurn } = placed();
  expect(Array.from({ length: 6 }, () => run(placement, 700))).toEqual([
    true,
    false,
    false,
    true,
    false,
    false,
  ]);
  expect(run(placement, 400)).toBe(true);
  endTurn();
  // The last turn had several, so that the next one's first is taken for one of several.
  const quiet = placed();
  quiet.placement.ranHere(700);
  quiet.placement.ranHere(700);
  quiet.endTurn();
  expect(run(quiet.placement, 700)).toBe(false);
});

test("once all is answered and nobody else comes, searches run here again", () => {
  const { placement, endTurn } = placed();
  const answers: (() => void)[] = [];
  for (let i = 0; i < 4; i++) run(placement, 700, answers);
  expect(answers.length).toBeGreaterThan(0);
  endTurn();
  for (const answered of answers.splice(0)) answered();
  run(placement, 50);
  endTurn();
  expect(placement.isQueued).toBe(false);
  expect(run(placement, 1900)).toBe(true);
});

test("nothing is shared before a thread is ready", () => {
  const { placement } = placed();
  for (let i = 0; i < 5; i++) {
    expect(placement.costHereMax(false)).toBe(2000);
    placement.ranHere(700);
  }
});

test("where threads have more to do, dear ones run here, too, but not before cheap ones", () => {
  const { placement, endTurn } = placed();
  placement.sent(9000);
  expect(placement.costHereMax(true)).toBe(4000);
  placement.ranHere(50);
  expect(placement.costHereMax(true)).toBe(2000);
  endTurn();
  expect(placement.costHereMax(true)).toBe(2000);
  placement.ranHere(3000);
  endTurn();
  // What is left to do there, and that was done here in this turn, decides.
  expect(placement.costHereMax(true)).toBe(4000);
  placement.ranHere(6000);
  expect(placement.costHereMax(true)).toBe(2850);
});

test.each([1, 2, 4])("with %i threads each has about as much to do", (threadCount) => {
  const { placement } = placed(threadCount);
  const costs = Array.from({ length: 600 }, (_, i) => 450 + ((i * 7919) % 1500));
  // This thread reads all requests and writes all answers.
  let here = 150 * costs.length;
  let there = 0;
  for (const cost of costs) {
    if (run(placement, cost)) here += cost;
    else there += cost;
  }
  expect(there / threadCount / here).toBeGreaterThan(0.95);
  expect(there / threadCount / here).toBeLessThan(1.05);
});
