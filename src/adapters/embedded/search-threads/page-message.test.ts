/**
 * Pages come through messages as they are: documents, explanations, members, facets as counts and as nodes. A path's
 * name travels once; of more fields than both sides remember, names travel again.
 */
import { expect, test } from "vitest";
import type { FacetPathNames } from "../../../contract/search.js";
import { CountedFacet } from "../../../engine/server-door.js";
import type { BackendSearchResult, FederatedHit } from "../../../ports/search-backend.js";
import { PageReceiver, PageSender } from "./page-message.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Paths whose numbers say what they are called. */
class Names implements FacetPathNames {
  readonly #field: string;

  constructor(field: string) {
    this.#field = field;
  }

  pathOf(number: number): string {
    return `/${this.#field}/${number}`;
  }
}

function pageOf(
  facets: BackendSearchResult["facets"],
  hits: BackendSearchResult["hits"] = [],
): BackendSearchResult {
  return { count: 7, hits, facets };
}

/** A page as it arrives, with facets as nodes, and the names of paths that went with it. */
function sent(
  page: BackendSearchResult,
  sender: PageSender,
  receiver: PageReceiver,
): { readonly page: BackendSearchResult; readonly names: number } {
  const message = structuredClone(sender.message(page));
  const names = message.facets.reduce(
    (sum, each) => sum + ("newPaths" in each ? each.newPaths.length : 0),
    0,
  );
  const { count, hits, facets } = receiver.page(message);
  return { page: { count, hits, facets: facets.map(({ field, nodes }) => ({ field, nodes })) }, names };
}

const nodesOf = (page: BackendSearchResult): BackendSearchResult => ({
  ...page,
  facets: page.facets.map(({ field, nodes }) => ({ field, nodes })),
});

test("hits with and without explanations come through, of one index and of several", () => {
  const hits: FederatedHit[] = [
    { documentId: "a", score: 1.5, docJson: bytes('{"ä":1}'), memberIndex: 1 },
    {
      documentId: "b",
      score: 0.1,
      docJson: bytes("{}"),
      explanationJson: bytes('{"value":1}'),
      memberIndex: 0,
    },
  ];
  const alone = hits.map(({ memberIndex: _, ...hit }) => hit);
  for (const page of [pageOf([], hits), pageOf([], alone), pageOf([])])
    expect(sent(page, new PageSender(), new PageReceiver()).page).toEqual(page);
});

test("facets come through as counts and as nodes, and each path's name travels once", () => {
  const [sender, receiver] = [new PageSender(), new PageReceiver()];
  const paths = new Names("a");
  const first = pageOf([
    new CountedFacet("a", { paths, entries: [3, 9, 0, 900, 4, 1] }),
    { field: "b", nodes: [{ path: "/x", count: 2 }] },
  ]);
  expect(sent(first, sender, receiver)).toEqual({ page: nodesOf(first), names: 2 });
  const second = pageOf([new CountedFacet("a", { paths, entries: [900, 5, 0, 4, 1, 0] })]);
  expect(sent(second, sender, receiver)).toEqual({ page: nodesOf(second), names: 1 });
  expect(sent(first, sender, receiver)).toEqual({ page: nodesOf(first), names: 0 });
});

test("names of more fields than are remembered travel again, and are right", () => {
  const [sender, receiver] = [new PageSender(), new PageReceiver()];
  const pages = Array.from({ length: 100 }, (_, i) =>
    pageOf([new CountedFacet("f", { paths: new Names(`f${i}`), entries: [1, 1, 0] })]),
  );
  for (const page of pages) expect(sent(page, sender, receiver)).toEqual({ page: nodesOf(page), names: 1 });
  for (const page of pages.slice(90))
    expect(sent(page, sender, receiver)).toEqual({ page: nodesOf(page), names: 0 });
  for (const page of pages.slice(0, 90)) expect(sent(page, sender, receiver).page).toEqual(nodesOf(page));
});
