import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { inWholeCorpus } from "../../bench/corpus.js";
import { OPEN_SEARCH_INDEX } from "../../bench/service/open-search-query.js";

const BUNDLED = fileURLToPath(new URL("../../demo/packages.jsonl.gz", import.meta.url));

test("the bundled sample has no field that the peers' mapping doesn't name", () => {
  const { mappings } = OPEN_SEARCH_INDEX as {
    readonly mappings: { readonly properties: Readonly<Record<string, unknown>> };
  };
  const lines = gunzipSync(readFileSync(BUNDLED)).toString("utf8").trimEnd().split("\n");
  const fields = new Set(lines.flatMap((line) => Object.keys(JSON.parse(inWholeCorpus(line)) as object)));
  expect([...fields].filter((field) => !(field in mappings.properties))).toEqual([]);
  expect(fields).toContain("debtags");
});

test("a bundled package becomes what it is in the whole corpus", () => {
  const bundled = {
    id: "0ad",
    released: "2024-01-01T00:00:00Z",
    section: "/games",
    tags: ["/game/strategy"],
    depends: 26,
  };
  const { section, debtags, ...others } = JSON.parse(
    inWholeCorpus(JSON.stringify(bundled)),
  ) as typeof bundled & {
    readonly debtags: readonly string[];
  };
  expect({ section, debtags, others }).toEqual({
    section: "/section/games",
    debtags: bundled.tags,
    others: { id: "0ad", depends: 26 },
  });
});
