/** The text is what `JSON.stringify` gives, whatever the paths are, as nodes and as numbers, first and once more. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Facet, FacetCounts, FacetNode } from "../../contract/search.js";
import { FacetsJson } from "./facets-json.js";
import { JsonWriter } from "./json-writer.js";

const path = fc.string({ unit: "binary", maxLength: 8 });
const { nodes } = fc.letrec<{ nodes: FacetNode[]; node: FacetNode }>((tie) => ({
  nodes: fc.array(tie("node"), { maxLength: 4, depthIdentifier: "facets" }),
  node: fc.oneof(
    { depthIdentifier: "facets", maxDepth: 3 },
    fc.record({ path, count: fc.nat() }),
    fc.record({
      path,
      count: fc.nat(),
      // One without any has none.
      children: tie("nodes").filter((children) => children.length > 0),
    }),
  ),
}));
const field = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,8}$/);

/** Numbers paths as they come up. */
class NumberedPaths {
  readonly #paths: string[] = [];

  pathOf(number: number): string {
    return this.#paths[number]!;
  }

  numberOf(of: string): number {
    const known = this.#paths.indexOf(of);
    return known >= 0 ? known : this.#paths.push(of) - 1;
  }

  countsOf(tree: readonly FacetNode[]): FacetCounts {
    const entries: number[] = [];
    const add = (list: readonly FacetNode[], depth: number): void => {
      for (const { path: name, count, children = [] } of list) {
        entries.push(this.numberOf(name), count, depth);
        add(children, depth + 1);
      }
    };
    add(tree, 0);
    return { paths: this, entries };
  }
}

function expected(facets: readonly Facet[]): string {
  return JSON.stringify(facets.map((facet) => ({ [facet.field]: facet.nodes })));
}

test("is the JSON of any facets", () => {
  const json = new FacetsJson();
  const writer = new JsonWriter();
  const kept = [new NumberedPaths(), new NumberedPaths()];
  fc.assert(
    fc.property(fc.array(fc.tuple(field, nodes), { maxLength: 3 }), fc.nat(3), (fields, form) => {
      const facets = fields.map(([name, tree], i): Facet => {
        const plain = { field: name, nodes: tree };
        // Of two that go on, and of one whose numbers mean something else.
        const paths = form === 3 ? new NumberedPaths() : kept[(form + i) % 2]!;
        return form === 0 ? plain : { ...plain, counts: paths.countsOf(tree) };
      });
      for (let turn = 0; turn < 2; turn++) {
        json.write(writer, facets);
        expect(writer.take().toString()).toBe(expected(facets));
      }
    }),
    { numRuns: 300 },
  );
});

test("is so also where there are more paths than are remembered, and of paths that are too long for it", () => {
  // Some 700 bytes each: forgotten once in every turn.
  const paths = Array.from({ length: 7_000 }, (_, i) => `/${"é".repeat(190)}/${i}`);
  paths.push("x".repeat(201));
  const tree = paths.map((each, i) => ({ path: each, count: i }));
  const entries = tree.flatMap(({ count }, number) => [number, count, 0]);
  const counts = { paths: { pathOf: (number: number) => paths[number]! }, entries };
  const plain = [
    { field: "tags", nodes: tree },
    { field: "other", nodes: [] },
  ];
  const text = expected(plain);
  for (const facets of [plain, [{ ...plain[0]!, counts }, plain[1]!]]) {
    const json = new FacetsJson();
    const writer = new JsonWriter();
    for (let turn = 0; turn < 3; turn++) {
      json.write(writer.clear(), facets);
      expect(writer.take().toString() === text).toBe(true);
    }
  }
});
