// Property: the walk of a search names files that are there, with functions that they have.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROJECT, readPage } from "./manual-pages.js";

const { text } = readPage("docs/a-search.md");

test("every path of the walk is there", () => {
  const paths = [...text.matchAll(/`((?:[a-z-]+\/)+(?:[a-z-]+\.ts)?)`/g)].map(([, path]) => path!);
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter((path) => !existsSync(join(PROJECT, "src", path)))).toEqual([]);
});

test("every function of the way down is in its file", () => {
  const rows = [...text.matchAll(/^\| \d+ \| ([^|]+) \| `([^`]+)` \|/gm)];
  expect(rows.length).toBeGreaterThan(10);
  for (const [, functions, path] of rows) {
    const source = readFileSync(join(PROJECT, "src", path!), "utf8");
    for (const [, name] of functions!.matchAll(/`(#?\w+)`/g))
      expect([path, name, new RegExp(`(^|[^\\w#])${name}[<(]`, "m").test(source)]).toEqual([
        path,
        name,
        true,
      ]);
  }
});
