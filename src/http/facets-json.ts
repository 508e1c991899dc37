import type { FacetNode, SearchResult } from "../contract/search.js";

/** Paths whose beginnings are remembered; a search that would add to more of them begins anew. */
const BEGINNINGS_MAX = 20_000;

/**
 * The JSON of facet counts, which most answers have more of than of anything else but documents: written by
 * hand, as the same paths come with every answer.
 */
export class FacetsJson {
  /** By path: what its node begins with. */
  readonly #beginnings: Map<string, string> = new Map();

  textOf(facets: NonNullable<SearchResult["facets"]>): string {
    if (this.#beginnings.size > BEGINNINGS_MAX) this.#beginnings.clear();
    let text = "";
    for (const facet of facets) {
      for (const field of Object.keys(facet)) {
        text += `${text === "" ? "[" : ","}{${JSON.stringify(field)}:${this.#list(facet[field]!)}}`;
      }
    }
    return text === "" ? "[]" : `${text}]`;
  }

  /** Recursion is as deep as the longest path. */
  #list(nodes: readonly FacetNode[]): string {
    let text = "[";
    for (let i = 0; i < nodes.length; i++) {
      const { path, count, children } = nodes[i]!;
      text += (i === 0 ? "" : ",") + this.#beginning(path) + count;
      text += children === undefined ? "}" : `,"children":${this.#list(children)}}`;
    }
    return `${text}]`;
  }

  #beginning(path: string): string {
    let beginning = this.#beginnings.get(path);
    if (beginning === undefined) {
      beginning = `{"path":${JSON.stringify(path)},"count":`;
      this.#beginnings.set(path, beginning);
    }
    return beginning;
  }
}
