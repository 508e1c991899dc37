import type { FacetNode, SearchResult } from "../contract/search.js";
import type { JsonWriter } from "./json-writer.js";
import { KeptTexts } from "./kept-texts.js";

/** Memory for beginnings that are remembered; beyond it all are forgotten. */
const REMEMBERED_BYTES_MAX = 4 * 1024 * 1024;
/** What each takes beside its path and its bytes: a place in a map, and the head of the path's text. */
const ENTRY_BYTES = 64;
/** Of paths that are remembered. */
const PATH_LENGTH_MAX = 200;

const COMMA = 0x2c;
const END = 0x7d;

/** What lies between nodes. */
const MARKS = new KeptTexts();
const CHILDREN = MARKS.add(',"children":[');
const LIST_END = MARKS.add("]}");
const FACETS_END = MARKS.add("]");
const NO_FACETS = MARKS.add("[]");

/**
 * The JSON of facet counts, which most answers have more of than of anything else but documents: written by
 * hand, as the same paths come with every answer.
 */
export class FacetsJson {
  /** By path: the place of what its node begins with. */
  readonly #beginnings: Map<string, number> = new Map();
  /** By field, in the first place and behind another: what its list begins with. */
  readonly #firsts: Map<string, number> = new Map();
  readonly #others: Map<string, number> = new Map();
  readonly #texts = new KeptTexts();
  #rememberedBytes = 0;

  write(writer: JsonWriter, facets: NonNullable<SearchResult["facets"]>): void {
    let isFirst = true;
    for (const facet of facets) {
      for (const field in facet) {
        this.#beginList(writer, field, isFirst);
        this.#list(writer, facet[field]!);
        writer.kept(MARKS, LIST_END);
        isFirst = false;
      }
    }
    writer.kept(MARKS, isFirst ? NO_FACETS : FACETS_END);
  }

  #beginList(writer: JsonWriter, field: string, isFirst: boolean): void {
    const known = isFirst ? this.#firsts : this.#others;
    const place = known.get(field);
    if (place !== undefined) writer.kept(this.#texts, place);
    else this.#writeAnew(writer, known, field, `${isFirst ? "[" : ","}{${JSON.stringify(field)}:[`);
  }

  /** Recursion is as deep as the longest path. */
  #list(writer: JsonWriter, nodes: readonly FacetNode[]): void {
    for (let i = 0; i < nodes.length; i++) {
      const { path, count, children } = nodes[i]!;
      if (i > 0) writer.character(COMMA);
      const place = this.#beginnings.get(path);
      if (place !== undefined) writer.kept(this.#texts, place);
      else this.#writeAnew(writer, this.#beginnings, path, `{"path":${JSON.stringify(path)},"count":`);
      writer.whole(count);
      if (children === undefined) {
        writer.character(END);
      } else {
        writer.kept(MARKS, CHILDREN);
        this.#list(writer, children);
        writer.kept(MARKS, LIST_END);
      }
    }
  }

  /** Writes what a name stands for, and remembers it unless the name is long. */
  #writeAnew(writer: JsonWriter, known: Map<string, number>, name: string, text: string): void {
    writer.text(text);
    if (name.length > PATH_LENGTH_MAX) return;
    if (this.#rememberedBytes + this.#texts.byteLength > REMEMBERED_BYTES_MAX) {
      this.#beginnings.clear();
      this.#firsts.clear();
      this.#others.clear();
      this.#texts.clear();
      this.#rememberedBytes = 0;
    }
    known.set(name, this.#texts.add(text));
    this.#rememberedBytes += ENTRY_BYTES + 2 * name.length;
  }
}
