import { expect, test } from "vitest";
import { SearchPatience, TooDear } from "./search-patience.js";

function patient(limitMs: number): { readonly patience: SearchPatience; pass(ms: number): void } {
  let now = 500;
  return {
    patience: new SearchPatience(limitMs, () => now),
    pass(ms) {
      now += ms;
    },
  };
}

const timedOut = expect.objectContaining({ code: "search_timeout" });

test("on trial, what is expected to take long is not let through, and what does is given up", () => {
  const { patience, pass } = patient(5000);
  patience.try(2000);
  patience.admit(2000);
  expect(() => patience.admit(2001)).toThrow(TooDear);
  pass(3.9);
  patience.check();
  pass(0.1);
  expect(() => patience.check()).toThrow(TooDear);
  patience.insist();
  patience.admit(1e9);
  patience.check();
});

test("what takes longer on trial than it may isn't taken for short, whatever it was expected to take", () => {
  const { patience, pass } = patient(5000);
  patience.try(400);
  expect(patience.expectedMicroseconds).toBe(0);
  pass(1.9);
  patience.check();
  pass(0.1);
  expect(() => patience.check()).toThrow(TooDear);
  expect(patience.expectedMicroseconds).toBe(Infinity);
  patience.try(400);
  expect(patience.expectedMicroseconds).toBe(0);
});

test("a trial is longer while there is no thread that could take the search over", () => {
  const { patience, pass } = patient(5000);
  patience.try(2000, false);
  pass(11.9);
  patience.check();
  pass(0.1);
  expect(() => patience.check()).toThrow(TooDear);
});

test("in a hurry, the search may be as dear as it may take long", () => {
  const { patience, pass } = patient(5000);
  patience.hurry(500);
  patience.admit(500_000);
  expect(() => patience.admit(500_001)).toThrow(TooDear);
  pass(499);
  patience.check();
  pass(1);
  expect(() => patience.check()).toThrow(TooDear);
  patience.insist();
  patience.admit(1e9);
  patience.check();
});

test("the limit holds through trial and after it, and can be given anew", () => {
  const { patience, pass } = patient(3);
  patience.try(2000);
  pass(3);
  expect(() => patience.check()).toThrow(timedOut);
  patience.insist();
  expect(() => patience.check()).toThrow(timedOut);
  expect(patience.remainingMs).toBe(0);
  patience.restart();
  patience.check();
  expect(patience.remainingMs).toBe(3);
  pass(2);
  expect(patience.remainingMs).toBe(1);
});
