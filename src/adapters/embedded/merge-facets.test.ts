import fc from "fast-check";
import { expect, test } from "vitest";
import type { FacetNode } from "../../contract/search.js";
import { mergeFacets } from "./merge-facets.js";

// Goal: the merged trees of several indexes are the tree of all their documents.
// Method: documents as sets of paths; a tree is made of documents in the plainest way.

/** With a character beyond U+FFFF and one that UTF-16 orders behind it. */
const segment = fc.constantFrom("a", "ab", "b", "a b", "\u{1F600}", "￿");
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => `/${segments.join("/")}`);
const document = fc.array(path, { maxLength: 3 });
const index = fc.record({ category: fc.array(document), shelf: fc.array(document) });

function withAncestors(paths: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const each of paths) {
    const segments = each.split("/");
    for (let depth = 2; depth <= segments.length; depth++) found.add(segments.slice(0, depth).join("/"));
  }
  return found;
}

function treeOf(documents: readonly (readonly string[])[], parent = ""): readonly FacetNode[] {
  const sets = documents.map(withAncestors);
  const children = [...new Set(sets.flatMap((paths) => [...paths]))].filter(
    (each) => each.slice(0, each.lastIndexOf("/")) === parent,
  );
  const codePoints = (text: string): string =>
    Array.from(text, (letter) => letter.codePointAt(0)!.toString().padStart(8, "0")).join();
  return children
    .map((each) => {
      const below = treeOf(documents, each);
      const count = sets.filter((paths) => paths.has(each)).length;
      return below.length === 0 ? { path: each, count } : { path: each, count, children: below };
    })
    .toSorted((a, b) => b.count - a.count || (codePoints(a.path) < codePoints(b.path) ? -1 : 1));
}

test("merged trees are the tree of all documents, ordered as one index's", () => {
  fc.assert(
    fc.property(fc.array(index, { maxLength: 4 }), (indexes) => {
      const merged = mergeFacets(
        indexes.map(({ category, shelf }) => [
          { field: "category", nodes: treeOf(category) },
          { field: "shelf", nodes: treeOf(shelf) },
        ]),
      );
      const expected = [
        { field: "category", nodes: treeOf(indexes.flatMap(({ category }) => category)) },
        { field: "shelf", nodes: treeOf(indexes.flatMap(({ shelf }) => shelf)) },
      ];
      expect(merged).toEqual(indexes.length === 0 ? [] : expected);
    }),
    { numRuns: 200 },
  );
});

test("fields come in the order in which they first come, a field of one index as it is", () => {
  const nodes: readonly FacetNode[] = [{ path: "/x", count: 1 }];
  const merged = mergeFacets([
    [{ field: "b", nodes }],
    [
      { field: "a", nodes: [] },
      { field: "b", nodes },
      { field: "c", nodes },
    ],
  ]);
  expect(merged).toEqual([
    { field: "b", nodes: [{ path: "/x", count: 2 }] },
    { field: "a", nodes: [] },
    { field: "c", nodes },
  ]);
});
