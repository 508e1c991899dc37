import type { FacetNode, SearchResult } from "../contract/search.js";

/** Characters of beginnings that are remembered; beyond them all are forgotten. */
const REMEMBERED_LENGTH_MAX = 2 ** 21;
/** Of paths that are remembered. */
const PATH_LENGTH_MAX = 200;

/**
 * The JSON of facet counts, which most answers have more of than of anything else but documents: written by
 * hand, as the same paths come with every answer.
 */
export class FacetsJson {
  /** By path: what its node begins with. */
  readonly #beginnings: Map<string, string> = new Map();
  #rememberedLength = 0;

  textOf(facets: NonNullable<SearchResult["facets"]>): string {
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
      if (path.length <= PATH_LENGTH_MAX) this.#remember(path, beginning);
    }
    return beginning;
  }

  #remember(path: string, beginning: string): void {
    if (this.#rememberedLength > REMEMBERED_LENGTH_MAX) {
      this.#beginnings.clear();
      this.#rememberedLength = 0;
    }
    this.#beginnings.set(path, beginning);
    this.#rememberedLength += path.length + beginning.length;
  }
}
