/**
 * Where a search runs follows from what it is expected to take and from who else waits: alone it runs where it arrives
 * up to 2 ms; among others only what is cheap does, and what is worth sharing waits in the threads' line.
 */
import { expect, test } from "vitest";
import { SearchPlacement } from "./search-placement.js";

/** A placement whose turns end when the test says so. */
function placed(): { readonly placement: SearchPlacement; endTurn(): void } {
  let ends: (() => void)[] = [];
  return {
    placement: new SearchPlacement((callback) => ends.push(callback)),
    endTurn() {
      for (const end of ends.splice(0)) end();
      ends = [];
    },
  };
}

/** Has a search run where the placement says; returns whether that was in its own thread. */
function run(placement: SearchPlacement, cost: number, answers: (() => void)[] = []): boolean {
  const isHere = cost <= placement.costHereMax(true);
  if (isHere) placement.ranHere();
  else answers.push(placement.sent());
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
  expect(Array.from({ length: 4 }, () => run(placement, 700))).toEqual([true, false, false, false]);
  expect(run(placement, 400)).toBe(true);
  expect(run(placement, 401)).toBe(false);
  endTurn();
  // The last turn had several, so that the next one's first is taken for one of several.
  const quiet = placed();
  quiet.placement.ranHere();
  quiet.placement.ranHere();
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
    placement.ranHere();
  }
});

test("what is short may come back to this thread", () => {
  expect(SearchPlacement.isShort(4000)).toBe(true);
  expect(SearchPlacement.isShort(4001)).toBe(false);
});
