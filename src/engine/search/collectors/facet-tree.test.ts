/** Facet counts over random segments against counting paths in maps. */
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { SeededRandom } from "../../../../tests/setup/seeded-random.js";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { imageThreshold } from "../../kernels/image-memory.js";
import { compiledKernels } from "../../kernels/kernel-module.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import { SearchCaches } from "../search-caches.js";
import type { FacetNode } from "../search-types.js";
import { Searcher } from "../searcher.js";

const schema = defineSchema({ body: "text", f: { kind: "facet", multi: true }, one: "facet" });
const analyzer = createAnalyzer({ version: 1 });

const thresholdBefore = imageThreshold.bytes;

afterEach(() => {
  imageThreshold.bytes = thresholdBefore;
});

test("counts of several segments add up by path, most documents first, then by path", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), async (seed) => {
      const random = new SeededRandom(seed);
      // Small segments are counted without kernels, unless they are told to be large.
      imageThreshold.bytes = random.next() < 0.5 ? 0 : thresholdBefore;
      const directory = new MemoryDirectory();
      const cache = new SearchCaches();
      const segments = [];
      const counts = {
        f: { all: new Map<string, number>(), some: new Map<string, number>() },
        one: { all: new Map<string, number>(), some: new Map<string, number>() },
      };
      const breadth = random.pick([2, 5, 60]);
      const someShare = random.pick([0.03, 0.3]);
      for (let segment = 0; segment < 1 + random.below(3); segment++) {
        const builder = new SegmentBuilder(schema, analyzer);
        const size = 1 + random.below(80);
        for (let docId = 0; docId < size; docId++) {
          const f = Array.from({ length: random.below(4) }, () => randomPath(random, breadth));
          const isSome = random.next() < someShare;
          const one = f.slice(0, 1);
          for (const [of, paths] of [
            [counts.f, f],
            [counts.one, one],
          ] as const) {
            countPaths(of.all, paths);
            if (isSome) countPaths(of.some, paths);
          }
          const id = (segment * 1000 + docId).toString(16).padStart(32, "0");
          const body = isSome ? "some" : "other";
          builder.add(id, f.length === 0 ? { body } : { body, f, one: one[0]! });
        }
        await builder.write(directory, `s${segment}`);
        segments.push(await openSegment(directory, `s${segment}`, schema, null));
        // What was numbered for a snapshot before serves the next one.
        new Searcher(segments, schema, cache).rank({
          query: { kind: "match_all" },
          offset: 0,
          limit: 0,
          facets: ["f", "one"],
        });
      }
      const searcher = new Searcher(segments, schema, cache);
      const some = { kind: "term", field: "body", term: "some" } as const;
      const all = { kind: "match_all" } as const;
      // Counts of one search must not show in those of the next, be they of few documents or of many, and be paths
      // ranked by then or not.
      for (const [query, which] of [
        [some, "some"],
        [all, "all"],
        [some, "some"],
        [all, "all"],
        [all, "all"],
        [some, "some"],
        [some, "some"],
      ] as const) {
        const { facets } = searcher.rank({ query, offset: 0, limit: 0, facets: ["one", "f"] });
        expect(facets.map(({ nodes }) => nodes)).toEqual([
          naiveNodes(counts.one[which], ""),
          naiveNodes(counts.f[which], ""),
        ]);
      }
    }),
    { numRuns: 60 },
  );
});

test.skipIf(compiledKernels() === null)(
  "what all live documents count is remembered by which these are",
  async () => {
    const directory = new MemoryDirectory();
    const builder = new SegmentBuilder(schema, analyzer);
    const paths = ["/a/b", "/a/c", "/d", "/a/b"];
    for (const [docId, one] of paths.entries()) builder.add(`${docId}`.padStart(32, "0"), { body: "x", one });
    await builder.write(directory, "s");
    imageThreshold.bytes = 0;
    const segment = await openSegment(directory, "s", schema, null);
    imageThreshold.bytes = thresholdBefore;
    const views = [
      segment,
      ...[0, 3].map((deleted) => segment.withLiveDocs(Uint32Array.of(0b1111 & ~(1 << deleted)))),
    ];
    views.push(segment.withLiveDocs(Uint32Array.of(0b1011)));
    const expected = [paths, paths.slice(1), paths.slice(0, 3), paths.filter((_, docId) => docId !== 2)].map(
      (live) => {
        const counts = new Map<string, number>();
        for (const path of live) countPaths(counts, [path]);
        return naiveNodes(counts, "");
      },
    );
    const cache = new SearchCaches();
    for (let round = 0; round < 3; round++) {
      for (const [view, live] of views.entries()) {
        const searcher = new Searcher([live], schema, cache);
        const { facets } = searcher.rank({
          query: { kind: "match_all" },
          offset: 0,
          limit: 0,
          facets: ["one"],
        });
        expect(facets[0]!.nodes).toEqual(expected[view]);
      }
    }
  },
);

function randomPath(random: SeededRandom, breadth: number): string {
  let path = "";
  for (let level = 0; level <= random.below(3); level++)
    path += `/${"äb-c"[random.below(4)]}${random.below(breadth)}`;
  return path;
}

/** Each path and every one above it counts a document once. */
function countPaths(counts: Map<string, number>, paths: readonly string[]): void {
  const distinct = new Set<string>();
  for (const path of paths) {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1))
      distinct.add(path.slice(0, end));
  }
  for (const path of distinct) counts.set(path, (counts.get(path) ?? 0) + 1);
}

function naiveNodes(counts: ReadonlyMap<string, number>, above: string): FacetNode[] {
  return [...counts]
    .filter(([path]) => path.startsWith(`${above}/`) && !path.slice(above.length + 1).includes("/"))
    .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    .map(([path, count]) => {
      const children = naiveNodes(counts, path);
      return children.length === 0 ? { path, count } : { path, count, children };
    });
}
