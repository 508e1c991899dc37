import type { Abilities } from "../api/abilities.js";
import type { ShownPage } from "../panels/shown-page.js";
import { texts } from "../texts.js";

const PAGES: readonly (ShownPage & { readonly isFor: (may: Abilities) => boolean })[] = [
  {
    id: "overview",
    path: "/overview",
    label: texts.pages.overview,
    isFor: (may) => may.search || may.operate,
  },
  { id: "playground", path: "/playground", label: texts.pages.playground, isFor: (may) => may.search },
  {
    id: "documents",
    path: "/documents",
    label: texts.pages.documents,
    isFor: (may) => may.search && may.write,
  },
  {
    id: "index",
    path: "/index",
    label: texts.pages.index,
    isFor: (may) => may.changeIndexes || may.createIndexes,
  },
  {
    id: "federations",
    path: "/federations",
    label: texts.pages.federations,
    isFor: (may) => may.federations,
  },
  { id: "summaries", path: "/summaries", label: texts.pages.summaries, isFor: (may) => may.search },
  { id: "measure", path: "/measure", label: texts.pages.measure, isFor: (may) => may.measure },
  { id: "keys", path: "/keys", label: texts.pages.keys, isFor: (may) => may.keys },
  { id: "operations", path: "/operations", label: texts.pages.operations, isFor: (may) => may.operate },
  { id: "api", path: "/api", label: texts.pages.api, isFor: () => true },
];

/** What a key may not isn't there. */
export function pagesFor(may: Abilities): readonly ShownPage[] {
  return PAGES.filter(({ isFor }) => isFor(may));
}
