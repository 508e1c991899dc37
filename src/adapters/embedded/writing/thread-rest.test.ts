/** Properties: rest is told once, a while after the last call's end, and never while one is under way. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { REST_AFTER_MS, ThreadRest } from "./thread-rest.js";

let rests = 0;
let rest: ThreadRest;

beforeEach(() => {
  vi.useFakeTimers();
  rests = 0;
  rest = new ThreadRest(() => {
    rests++;
  });
});
afterEach(() => void vi.useRealTimers());

function call(): void {
  rest.begin();
  rest.end();
}

test("it is told once after the last call, and again after later ones", () => {
  vi.advanceTimersByTime(2 * REST_AFTER_MS);
  expect(rests).toBe(0);
  call();
  vi.advanceTimersByTime(REST_AFTER_MS - 1);
  call();
  vi.advanceTimersByTime(REST_AFTER_MS - 1);
  expect(rests).toBe(0);
  vi.advanceTimersByTime(1);
  expect(rests).toBe(1);
  vi.advanceTimersByTime(5 * REST_AFTER_MS);
  expect(rests).toBe(1);
  call();
  vi.advanceTimersByTime(REST_AFTER_MS);
  expect(rests).toBe(2);
});

test("a thread with a call under way isn't at rest, however long it takes", () => {
  rest.begin();
  call();
  vi.advanceTimersByTime(5 * REST_AFTER_MS);
  expect(rests).toBe(0);
  rest.end();
  vi.advanceTimersByTime(REST_AFTER_MS);
  expect(rests).toBe(1);
});
