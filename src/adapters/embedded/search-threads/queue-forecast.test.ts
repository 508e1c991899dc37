import { expect, test } from "vitest";
import { QueueForecast } from "./queue-forecast.js";

test("nothing is known before anything has ended, and nobody is expected to wait", () => {
  expect(new QueueForecast(1).waitMs(100, [])).toBe(0);
});

test("a place's wait grows with those before it and shrinks with threads", () => {
  const [one, four] = [1, 4].map((threads) => new QueueForecast(threads));
  for (let i = 0; i < 100; i++) for (const forecast of [one!, four!]) forecast.ended(800);
  expect(one!.waitMs(0, [10])).toBeCloseTo(400, 0);
  expect(one!.waitMs(3, [10])).toBeCloseTo(2800, 0);
  expect(four!.waitMs(3, [10])).toBeCloseTo(700, 0);
});

test("what takes longer than what came before counts while it runs, and what is quicker again soon", () => {
  const forecast = new QueueForecast(2);
  for (let i = 0; i < 100; i++) forecast.ended(10);
  expect(forecast.waitMs(1, [3000, 1000])).toBeCloseTo(1500, 0);
  for (let i = 0; i < 5; i++) forecast.ended(1000);
  const slow = forecast.waitMs(1, []);
  for (let i = 0; i < 20; i++) forecast.ended(10);
  expect(forecast.waitMs(1, [])).toBeLessThan(slow / 5);
});
