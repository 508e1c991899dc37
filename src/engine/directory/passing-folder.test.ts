// Properties: a folder goes with its owner, and one that a killed process has left goes when the next one is made; those
// that are held, were just made, or are somebody else's stay.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PassingFolder } from "./passing-folder.js";

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "findling-passing-"));
});
afterEach(() => rmSync(parent, { recursive: true }));

/** As if it had been made long ago. */
function age(path: string): void {
  utimesSync(path, 1_000_000, 1_000_000);
}

test("is there until it is deleted, with all that lies in it", async () => {
  const folder = await PassingFolder.make(parent, "work-");
  writeFileSync(join(folder.path, "file"), "x");
  await folder.delete();
  expect(readdirSync(parent)).toEqual([]);
});

test("what a killed process has left goes with the next, what is held or somebody else's stays", async () => {
  const left = join(parent, "work-abcdef");
  mkdirSync(left);
  writeFileSync(join(left, "changed.ndjson"), "{}");
  const others = ["work-abcdefg", "other-abcdef", "work-", "work-young1"].map((name) => join(parent, name));
  for (const path of others) mkdirSync(path);
  const held = await PassingFolder.make(parent, "work-");
  for (const path of [left, held.path, ...others.slice(0, 3)]) age(path);
  const next = await PassingFolder.make(parent, "work-");
  expect(existsSync(left)).toBe(false);
  for (const path of [held.path, ...others]) expect([path, existsSync(path)]).toEqual([path, true]);
  await Promise.all([held.delete(), next.delete()]);
});
