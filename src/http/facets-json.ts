import type { FacetNode, SearchResult } from "../contract/search.js";
import { type BytesInWords, bytesInWords, type JsonWriter } from "./json-writer.js";

/** Memory for beginnings that are remembered; beyond it all are forgotten. */
const REMEMBERED_BYTES_MAX = 4 * 1024 * 1024;
/** What each takes beside its path and its bytes: two objects, a buffer and a place in a map (measured: 250 to 350). */
const ENTRY_BYTES = 300;
/** Of paths that are remembered. */
const PATH_LENGTH_MAX = 200;

const COMMA = 0x2c;
const END = 0x7d;
const CHILDREN = bytesOf(',"children":[');
const CHILDREN_END = bytesOf("]}");

/**
 * The JSON of facet counts, which most answers have more of than of anything else but documents: written by
 * hand, as the same paths come with every answer.
 */
export class FacetsJson {
  /** By path: what its node begins with, in UTF-8. */
  readonly #beginnings: Map<string, BytesInWords> = new Map();
  #rememberedBytes = 0;

  write(writer: JsonWriter, facets: NonNullable<SearchResult["facets"]>): void {
    let isFirst = true;
    for (const facet of facets) {
      for (const field in facet) {
        writer.text(`${isFirst ? "[" : ","}{${JSON.stringify(field)}:[`);
        this.#list(writer, facet[field]!);
        writer.ascii("]}");
        isFirst = false;
      }
    }
    writer.ascii(isFirst ? "[]" : "]");
  }

  /** Recursion is as deep as the longest path. */
  #list(writer: JsonWriter, nodes: readonly FacetNode[]): void {
    for (let i = 0; i < nodes.length; i++) {
      const { path, count, children } = nodes[i]!;
      if (i > 0) writer.character(COMMA);
      writer.words(this.#beginnings.get(path) ?? this.#beginning(path)).whole(count);
      if (children === undefined) {
        writer.character(END);
      } else {
        writer.words(CHILDREN);
        this.#list(writer, children);
        writer.words(CHILDREN_END);
      }
    }
  }

  #beginning(path: string): BytesInWords {
    const beginning = bytesOf(`{"path":${JSON.stringify(path)},"count":`);
    if (path.length > PATH_LENGTH_MAX) return beginning;
    if (this.#rememberedBytes > REMEMBERED_BYTES_MAX) {
      this.#beginnings.clear();
      this.#rememberedBytes = 0;
    }
    this.#beginnings.set(path, beginning);
    this.#rememberedBytes += ENTRY_BYTES + 2 * path.length + beginning.length;
    return beginning;
  }
}

function bytesOf(text: string): BytesInWords {
  return bytesInWords(Buffer.from(text));
}
