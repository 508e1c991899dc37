/** Copies of indexes that a full disk makes needed are gone with the process that made them, however that ended. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ReadingCopy } from "./reading-copy.js";

let place: string;
let folder: string;

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "findling-places-"));
  folder = join(place, "index");
  mkdirSync(folder);
  writeFileSync(join(folder, "commit-00000001"), "…");
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

const copies = (): string[] => readdirSync(place).filter((name) => name.startsWith("findling-reading-"));

test("a sweep takes what a killed process has left, and neither what is used nor what is being made", async () => {
  const copy = await ReadingCopy.make(folder, [place]);
  expect(existsSync(join(copy.path, "commit-00000001"))).toBe(true);
  const [killed, begun] = [join(place, "findling-reading-killed"), join(place, "findling-reading-begun")];
  mkdirSync(killed);
  mkdirSync(begun);
  // Elsewhere than it was made, a claim is nobody's.
  const claim = readdirSync(dirname(copy.path)).find((name) => /^\.lock-[^.]+$/.test(name))!;
  copyFileSync(join(dirname(copy.path), claim), join(killed, claim));
  await ReadingCopy.sweep([place, join(place, "nowhere")]);
  expect(
    copies()
      .map((name) => join(place, name))
      .toSorted(),
  ).toEqual([begun, dirname(copy.path)].toSorted());
  await copy.delete();
  expect(copies()).toEqual(["findling-reading-begun"]);
});
