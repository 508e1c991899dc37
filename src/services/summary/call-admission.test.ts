import { expect, test } from "vitest";
import { CallAdmission } from "./call-admission.js";

test("lets in few per turn of the event loop, all of them, in order, and after what is done at once", async () => {
  const admission = new CallAdmission();
  let turn = 0;
  let isDone = false;
  const count = (): void => {
    turn++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const entered: { readonly who: number; readonly turn: number }[] = [];
  const enter = async (who: number): Promise<void> => {
    await admission.admitted();
    entered.push({ who, turn });
  };
  await Promise.all(Array.from({ length: 9 }, (_, who) => enter(who)));
  await enter(9);
  isDone = true;
  expect(entered.map(({ who }) => who)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(Math.max(...groups(entered))).toBeLessThanOrEqual(2);
  expect(entered[0]!.turn).toBeGreaterThan(0);
});

/** How many entered in each turn. */
function groups(entered: readonly { readonly turn: number }[]): readonly number[] {
  const counts = new Map<number, number>();
  for (const { turn } of entered) counts.set(turn, (counts.get(turn) ?? 0) + 1);
  return [...counts.values()];
}
