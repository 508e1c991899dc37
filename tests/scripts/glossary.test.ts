/** The glossary's last column is true: each file is there, and has the word that is said to be defined in it. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const text = readFileSync(new URL("../../docs/glossary.md", import.meta.url), "utf8");
const places = [...text.matchAll(/`([\w/-]+\.(?:ts|md))`(?: \(([^)]*)\))?/g)].map(
  ([, path, words = ""]) => [path!, [...words.matchAll(/`(\w+)`/g)].map(([, word]) => word!)] as const,
);

test("it names places", () => expect(places.length).toBeGreaterThan(40));

test.each(places)("%s", (path, words) => {
  const folder = path.startsWith("tests/") ? "../.." : "../../src";
  const source = readFileSync(new URL(`${folder}/${path}`, import.meta.url), "utf8");
  for (const word of words)
    expect(source).toMatch(new RegExp(`\\b(?:class|interface|type|const|function|readonly) ${word}\\b`));
});

test("no term stands there twice", () => {
  const terms = [...text.matchAll(/^\| ([^|]+) \|/gm)]
    .map(([, term]) => term!)
    .filter((term) => !/^(?:Term|-+)$/.test(term));
  expect(new Set(terms).size).toBe(terms.length);
});
