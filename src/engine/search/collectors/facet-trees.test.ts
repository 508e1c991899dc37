/** How many paths are remembered from search to search: so many as one search may find, and no more. */
import { expect, test } from "vitest";
import { FACET_BYTES_MAX, FACET_LEVELS_MAX } from "../../schema/facet-bounds.js";
import type { FacetNode } from "../search-types.js";
import { CountedFacet } from "./counted-facet.js";
import type { PathColumn } from "./facet-paths.js";
import { FacetTrees } from "./facet-trees.js";

const PATHS_MAX = 200_000;

/** A facet column of roots that are numbered from `first` on, one document each. */
function rootsFrom(first: number, valueCount: number): PathColumn {
  return {
    valueCount,
    facetParents: new Int32Array(valueCount).fill(-1),
    valueBytes: (ordinal: number) => Buffer.from(`\0p${first + ordinal}`),
  };
}

/** Counts all paths of a column, in a search of its own. */
function countAll(trees: FacetTrees, column: PathColumn): ReturnType<FacetTrees["begin"]> {
  const tree = trees.begin({ name: "f", kind: "facet" });
  const length = column.valueCount;
  const ordinals = Int32Array.from({ length }, (_, ordinal) => ordinal);
  tree.add(column, {
    ordinals,
    ordinalsStart: 0,
    length,
    counts: new Int32Array(length).fill(1),
    room: null,
  });
  return tree;
}

function nodesOf(tree: ReturnType<FacetTrees["begin"]>): readonly FacetNode[] {
  return new CountedFacet("f", tree.facetCounts(null)).nodes;
}

test("paths are remembered up to the limit; a search that goes beyond it is complete, and the next begins anew", () => {
  const trees = new FacetTrees();
  const first = countAll(trees, rootsFrom(0, PATHS_MAX));
  expect(countAll(trees, rootsFrom(0, 10))).toBe(first);
  const beyond = countAll(trees, rootsFrom(PATHS_MAX, 1));
  expect(beyond).toBe(first);
  expect(nodesOf(beyond)).toMatchObject([{ path: `/p${PATHS_MAX}`, count: 1 }]);
  const next = countAll(trees, rootsFrom(5, 2));
  expect(next).not.toBe(first);
  expect(nodesOf(next).map(({ path, count }) => [path, count])).toEqual([
    ["/p5", 1],
    ["/p6", 1],
  ]);
  expect(countAll(trees, rootsFrom(5, 2))).toBe(next);
});

test("counts that were given stay what they were, whatever is counted afterwards, and are forgotten", () => {
  const trees = new FacetTrees();
  const given = new CountedFacet("f", countAll(trees, rootsFrom(0, 3)).facetCounts(null));
  countAll(trees, rootsFrom(2, PATHS_MAX));
  countAll(trees, rootsFrom(7, 3));
  expect(given.nodes).toEqual(["/p0", "/p1", "/p2"].map((path) => ({ path, count: 1 })));
});

test("bytes of paths are remembered up to a limit, too", () => {
  const trees = new FacetTrees();
  const wide = "x".repeat(4_000);
  const column = (first: number): PathColumn => ({
    ...rootsFrom(first, 5_000),
    valueBytes: (ordinal: number) => Buffer.from(`\0${wide}${first + ordinal}`),
  });
  const first = countAll(trees, column(0));
  expect(countAll(trees, column(5_000))).toBe(first);
  expect(countAll(trees, column(0))).not.toBe(first);
});

// Segments of before bounds were set have them.
test("paths beyond the bounds count at those above them alone, in time and memory for these", () => {
  const levels = 20_000;
  let bytesRead = 0;
  const chain: PathColumn = {
    valueCount: levels,
    facetParents: Int32Array.from({ length: levels }, (_, ordinal) => ordinal - 1),
    valueBytes: (ordinal: number) => {
      bytesRead += 2 * (ordinal + 1);
      return Buffer.from("\0a".repeat(ordinal + 1));
    },
  };
  const trees = new FacetTrees();
  for (let search = 0; search < 2; search++) {
    let nodes = nodesOf(countAll(trees, chain));
    for (let level = 1; level <= FACET_LEVELS_MAX; level++) {
      expect(nodes).toMatchObject([{ path: "/a".repeat(level), count: 1 }]);
      nodes = nodes[0]!.children ?? [];
    }
    expect(nodes).toEqual([]);
  }
  expect(bytesRead).toBeLessThan(2 * FACET_LEVELS_MAX ** 2);
});

test("a path of too many bytes likewise", () => {
  const values = ["\0a", `\0a\0${"x".repeat(FACET_BYTES_MAX)}`, "\0b"].map((path) => Buffer.from(path));
  const column: PathColumn = {
    valueCount: 3,
    facetParents: Int32Array.of(-1, 0, -1),
    valueBytes: (ordinal: number) => values[ordinal]!,
  };
  const trees = new FacetTrees();
  for (let search = 0; search < 2; search++) {
    expect(nodesOf(countAll(trees, column))).toEqual([
      { path: "/a", count: 1 },
      { path: "/b", count: 1 },
    ]);
  }
});
