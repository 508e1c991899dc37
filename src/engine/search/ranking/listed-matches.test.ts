/**
 * More matches than there is room to list, in a segment that is large enough for as many to count as few of its
 * documents: they stay bits, and hits, count and facets are those of every document looked at.
 */
import { expect, test } from "vitest";
import { LISTED_MAX } from "../../kernels/scratch-layout.js";
import { defineSchema, Index, MemoryDirectory, type Query } from "../../server-door.js";

const DOCUMENTS = 80_000;
const MATCHES = LISTED_MAX + 300;

test("matches that are few of their segment's documents, but more than can be listed", async () => {
  const index = await Index.create(new MemoryDirectory(), defineSchema({ body: "text", shelf: "facet" }));
  const every = Math.floor(DOCUMENTS / MATCHES);
  const documents = Array.from({ length: DOCUMENTS }, (_, i) => {
    const both = i % every === 0 && i / every < MATCHES;
    const body = `${both || i % 3 === 0 ? "red " : ""}${both || i % 3 === 1 ? "blue " : ""}${"pad ".repeat(i % 4)}end`;
    return { body, shelf: `/s${i % 5}/t${i % 7}` };
  });
  for (let start = 0; start < DOCUMENTS; start += 10_000)
    await index.add(documents.slice(start, start + 10_000));
  await index.commit();
  expect(index.segmentCount).toBe(1);
  const must = (term: string): { occur: "must"; query: Query } => {
    return { occur: "must", query: { kind: "term", field: "body", term } };
  };
  const query: Query = { kind: "boolean", clauses: [must("red"), must("blue")] };
  const { count, hits, facets } = index.search({ query, limit: Number.POSITIVE_INFINITY, facets: ["shelf"] });
  const matching = documents.filter(({ body }) => body.includes("red") && body.includes("blue"));
  expect(matching).toHaveLength(MATCHES);
  expect(count).toBe(MATCHES);
  expect(hits).toHaveLength(MATCHES);
  expect(hits.map(({ json }) => json).sort()).toEqual(matching.map((each) => JSON.stringify(each)).sort());
  const byShelf = new Map<string, number>();
  for (const { shelf } of matching) byShelf.set(shelf, (byShelf.get(shelf) ?? 0) + 1);
  const told = facets[0]!.nodes
    .flatMap(({ children }) => children ?? [])
    .map((each) => [each.path, each.count]);
  expect(new Map(told as [string, number][])).toEqual(byShelf);
  const few = index.search({ query, limit: 10, facets: ["shelf"] });
  expect(few.hits.map(({ documentId }) => documentId)).toEqual(
    hits.slice(0, 10).map(({ documentId }) => documentId),
  );
  expect(few.facets).toEqual(facets);
  await index.close();
});
