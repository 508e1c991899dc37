import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nearestName } from "./nearest-name.js";

describe("nearestName", () => {
  const known = ["port", "host", "put_creates", "max_result_limit", "id"];

  test.each([
    ["prot", "port"],
    ["hosts", "host"],
    ["put_create", "put_creates"],
    ["max_results", undefined],
    ["maxresultlimit", "max_result_limit"],
    ["PORT", "port"],
    ["Id", "id"],
    ["i", undefined],
    ["di", undefined],
    ["zz", undefined],
    ["ids", "id"],
    ["", undefined],
    ["completely_different_thing", undefined],
  ])("finds for '%s' %s", (typed, nearest) => {
    expect(nearestName(typed, known)).toBe(nearest);
  });

  test("finds the first of those with the least edits, if they are few for the name's length", () => {
    const name = fc.string({ unit: fc.constantFrom("a", "b", "_"), maxLength: 12 });
    fc.assert(
      fc.property(name, fc.array(name, { maxLength: 6 }), (typed, names) => {
        const edits = names.map((each) => distance(typed, each));
        const least = Math.min(...edits);
        const most = [0, 0, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 4][typed.length]!;
        const isNear = least <= most;
        expect(nearestName(typed, names)).toBe(isNear ? names[edits.indexOf(least)] : undefined);
      }),
      { numRuns: 2000 },
    );
  });

  test("doesn't look at all of thousands of names of the full length, nor at longer ones", () => {
    const typed = `${"a".repeat(127)}b`;
    const far = Array.from({ length: 20_000 }, (_, i) => `${"a".repeat(70)}${String(i).padStart(58, "c")}`);
    expect(nearestName(typed, [typed, ...far])).toBe(typed);
    expect(nearestName(typed, [...far, typed])).toBeUndefined();
    expect(nearestName(`a${typed}`, [typed])).toBeUndefined();
    const short = Array.from({ length: 20_000 }, (_, i) => `field_${i}`);
    expect(nearestName("titel", [...short, "title"])).toBe("title");
  });
});

/** By definition. */
function distance(left: string, right: string): number {
  const known = new Map<string, number>();
  const of = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j;
    const key = `${i},${j}`;
    let edits = known.get(key);
    if (edits === undefined) {
      edits = Math.min(
        of(i - 1, j) + 1,
        of(i, j - 1) + 1,
        of(i - 1, j - 1) + (left[i - 1] === right[j - 1] ? 0 : 1),
      );
      known.set(key, edits);
    }
    return edits;
  };
  return of(left.length, right.length);
}
