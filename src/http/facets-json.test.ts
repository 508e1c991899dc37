/** The text is what `JSON.stringify` gives, whatever the paths are, the first time and once more. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { FacetNode } from "../contract/search.js";
import { FacetsJson } from "./facets-json.js";
import { JsonWriter } from "./json-writer.js";

const path = fc.string({ unit: "binary", maxLength: 8 });
const { nodes } = fc.letrec<{ nodes: FacetNode[]; node: FacetNode }>((tie) => ({
  nodes: fc.array(tie("node"), { maxLength: 4, depthIdentifier: "facets" }),
  node: fc.oneof(
    { depthIdentifier: "facets", maxDepth: 3 },
    fc.record({ path, count: fc.nat() }),
    fc.record({ path, count: fc.nat(), children: tie("nodes") }),
  ),
}));
const field = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,8}$/);

test("is the JSON of any facets", () => {
  const json = new FacetsJson();
  const writer = new JsonWriter();
  fc.assert(
    fc.property(fc.array(fc.tuple(field, nodes), { maxLength: 3 }), (fields) => {
      const facets = fields.map(([name, tree]) => ({ [name]: tree }));
      for (let turn = 0; turn < 2; turn++) {
        json.write(writer, facets);
        expect(writer.take().toString()).toBe(JSON.stringify(facets));
      }
    }),
  );
});

test("is so also where there are more paths than are remembered, and of paths that are too long for it", () => {
  const json = new FacetsJson();
  const writer = new JsonWriter();
  // Some 700 bytes each: forgotten once in every turn.
  const paths = Array.from({ length: 7_000 }, (_, i) => `/${"é".repeat(190)}/${i}`);
  paths.push("x".repeat(201));
  const facets = [{ tags: paths.map((each, i) => ({ path: each, count: i })) }, { other: [] }];
  const expected = JSON.stringify(facets);
  for (let turn = 0; turn < 3; turn++) {
    json.write(writer.clear(), facets);
    expect(writer.take().toString() === expected).toBe(true);
  }
});
