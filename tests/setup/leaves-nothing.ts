import { afterAll, expect, vi } from "vitest";

/** What the files of a process share besides modules: a file that leaves it otherwise than it was fails. */
const environment = { ...process.env };
const folder = process.cwd();

afterAll(() => {
  expect(process.env).toEqual(environment);
  expect(process.cwd()).toBe(folder);
  expect(vi.isFakeTimers()).toBe(false);
});
