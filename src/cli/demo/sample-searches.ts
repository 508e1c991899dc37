import type { SearchBody } from "../../client/index.js";

export interface SampleSearch {
  /** What it shows. */
  readonly title: string;
  readonly body: SearchBody;
}

/** First searches over the sample, each showing another side of the API. */
export const SAMPLE_SEARCHES: readonly SampleSearch[] = [
  {
    title: "plain words, both mistyped",
    body: { query: { fuzzy: { ctx: "pasword manger" } }, limit: 5 },
  },
  {
    title: "the query language: a phrase in small packages, without one word",
    body: { query: { exact: { ctx: '"text editor" AND installed_size:<500 -emacs' } }, limit: 5 },
  },
  {
    title: "mistyped words within a section of the facet tree",
    body: {
      query: [
        { occur: "must", exact: { ctx: "section:/graphics" } },
        { occur: "must", fuzzy: { ctx: "pictre veiwer" } },
      ],
      limit: 5,
    },
  },
  {
    title: "facet counts only: what kinds of games there are",
    body: { query: { exact: { ctx: "section:/games" } }, limit: 0 },
  },
  {
    title: "newest first: video programs released since 2022",
    body: {
      query: { exact: { ctx: "section:/video AND released:>=2022-01-01" } },
      order_by: "released",
      limit: 5,
    },
  },
  {
    title: "numbers and booleans: the largest packages that run on every processor",
    body: {
      query: { exact: { ctx: "arch_independent:true AND depends:[0 TO 3]" } },
      order_by: "installed_size",
      limit: 5,
    },
  },
];
