// Ids are 32 hex digits, ascend, go on from call to call, and those of two sources are different.
import { expect, test } from "vitest";
import { DocumentIdSource } from "./document-ids.js";

test("new ids", () => {
  const source = new DocumentIdSource();
  const ids = [...source.next(3), ...source.next(0), ...source.next(5000)];
  expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
  expect(ids).toHaveLength(5003);
  expect(ids.toSorted()).toEqual(ids);
  const others = Array.from({ length: 50 }, () => new DocumentIdSource().next(1)[0]!);
  expect(new Set([...ids, ...others]).size).toBe(5053);
  const milliseconds = Number.parseInt(others[0]!.slice(0, 12), 16);
  expect(Math.abs(milliseconds - Date.now())).toBeLessThan(60_000);
});
