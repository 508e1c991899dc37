// Bodies hold what has arrived of them; one that stands still while others need its room is cut off, one that makes
// progress never is.
import { beforeEach, describe, expect, test } from "vitest";
import { BodyBudget, type BodyLease } from "./body-budget.js";

const KIB = 1024;
const MAX = 1_000 * KIB;

let nowMs = 0;
let budget: BodyBudget;
let cut: string[];
beforeEach(() => {
  nowMs = 0;
  cut = [];
  budget = new BodyBudget(MAX, () => nowMs);
});

function arriving(name: string, bytes: number): BodyLease {
  const lease = budget.lease();
  lease.begin(() => cut.push(name));
  lease.raiseTo(bytes);
  return lease;
}

const refuses = (lease: BodyLease, bytes: number): void =>
  expect(() => lease.raiseTo(bytes)).toThrow(expect.objectContaining({ code: "rate_limited" }));

describe("BodyBudget", () => {
  test("what is asked for isn't held", () => {
    const lease = budget.lease();
    lease.requireMemory(MAX);
    arriving("other", MAX);
    expect(() => lease.requireMemory(MAX)).toThrow(expect.objectContaining({ code: "rate_limited" }));
    expect(() => budget.lease().requireMemory(16 * KIB)).not.toThrow();
  });

  test("one that stands still makes room, the longest first, and no more than are needed", () => {
    arriving("first", 400 * KIB);
    nowMs = 1;
    arriving("second", 400 * KIB);
    const newcomer = budget.lease();
    nowMs = 9_999;
    refuses(newcomer, 500 * KIB);
    expect(cut).toEqual([]);
    nowMs = 10_001;
    newcomer.raiseTo(500 * KIB);
    expect(cut).toEqual(["first"]);
    refuses(budget.lease(), 600 * KIB);
    expect(cut).toEqual(["first", "second"]);
  });

  test("one that makes progress stays, a trickle is none", () => {
    const quick = arriving("quick", 100 * KIB);
    const slow = arriving("slow", 100 * KIB);
    for (let second = 1; second <= 20; second++) {
      nowMs = second * 1_000;
      quick.raiseTo((100 + 20 * second) * KIB);
      slow.raiseTo((100 + second) * KIB);
    }
    refuses(budget.lease(), 800 * KIB);
    expect(cut).toEqual(["slow"]);
  });

  test("nobody is cut off who has arrived or gone, or without need", () => {
    const whole = arriving("whole", 400 * KIB);
    whole.end();
    arriving("gone", 100 * KIB).release();
    arriving("still", 100 * KIB);
    nowMs = 60_000;
    budget.lease().raiseTo(400 * KIB);
    expect(cut).toEqual([]);
    refuses(budget.lease(), 700 * KIB);
    expect(cut).toEqual(["still"]);
  });

  test("of one that was cut off nothing is held, nor taken any more", () => {
    const still = arriving("still", MAX);
    nowMs = 10_000;
    const newcomer = budget.lease();
    newcomer.raiseTo(500 * KIB);
    still.raiseTo(2 * MAX);
    newcomer.raiseTo(MAX);
    expect(cut).toEqual(["still"]);
  });
});
