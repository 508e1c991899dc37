import type { Facet, FacetCounts, FacetNode, FacetPathNames } from "../../contract/search.js";
import type { JsonWriter } from "./json-writer.js";
import { StringTable } from "./string-table.js";

/** Memory for beginnings that are remembered; beyond it all are forgotten. */
const REMEMBERED_BYTES_MAX = 4 * 1024 * 1024;
/** What each takes beside its path and its bytes: a place in a map, and the head of the path's text. */
const ENTRY_BYTES = 64;
/** How long paths that are remembered may be. */
const PATH_LENGTH_MAX = 200;

const COMMA = 0x2c;
const END = 0x7d;

/** What lies between nodes. */
const MARKS = new StringTable();
const CHILDREN = MARKS.add(',"children":[');
const LIST_END = MARKS.add("]}");
const FACETS_END = MARKS.add("]");
const NO_FACETS = MARKS.add("[]");

const NO_PLACES = new Int32Array(0);

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
  /**
   * By number of a path, of those that are counted as numbers: the place + 1 of what its node begins with; 0: none.
   * They take little beside the names that they go with, and go with them.
   */
  #placesByNames: WeakMap<FacetPathNames, Int32Array> = new WeakMap();
  readonly #texts = new StringTable();
  #rememberedBytes = 0;

  write(writer: JsonWriter, facets: readonly Facet[]): void {
    let isFirst = true;
    for (const facet of facets) {
      this.#beginList(writer, facet.field, isFirst);
      if (facet.counts === undefined) this.#list(writer, facet.nodes);
      else this.#counts(writer, facet.counts);
      writer.interned(MARKS, LIST_END);
      isFirst = false;
    }
    writer.interned(MARKS, isFirst ? NO_FACETS : FACETS_END);
  }

  #beginList(writer: JsonWriter, field: string, isFirst: boolean): void {
    const known = isFirst ? this.#firsts : this.#others;
    const place = known.get(field);
    if (place !== undefined) writer.interned(this.#texts, place);
    else this.#writeAnew(writer, known, field, `${isFirst ? "[" : ","}{${JSON.stringify(field)}:[`);
  }

  /** Recursion is as deep as the longest path. */
  #list(writer: JsonWriter, nodes: readonly FacetNode[]): void {
    for (let i = 0; i < nodes.length; i++) {
      const { path, count, children } = nodes[i]!;
      if (i > 0) writer.character(COMMA);
      const place = this.#beginnings.get(path);
      if (place !== undefined) writer.interned(this.#texts, place);
      else this.#writeAnew(writer, this.#beginnings, path, beginningOf(path));
      writer.whole(count);
      if (children === undefined) {
        writer.character(END);
      } else {
        writer.interned(MARKS, CHILDREN);
        this.#list(writer, children);
        writer.interned(MARKS, LIST_END);
      }
    }
  }

  /** Writes what the counts' nodes would be. */
  #counts(writer: JsonWriter, { paths, entries }: FacetCounts): void {
    let places = this.#placesByNames.get(paths) ?? NO_PLACES;
    let depth = 0;
    for (let at = 0; at < entries.length; at += 3) {
      const number = entries[at]!;
      const depthBefore = depth;
      depth = entries[at + 2]!;
      if (depth > depthBefore) {
        writer.interned(MARKS, CHILDREN);
      } else if (at > 0) {
        writer.character(END);
        for (let open = depthBefore; open > depth; open--) writer.interned(MARKS, LIST_END);
        writer.character(COMMA);
      }
      const place = number < places.length ? places[number]! : 0;
      if (place !== 0) writer.interned(this.#texts, place - 1);
      else places = this.#writePathAnew(writer, paths, number);
      writer.whole(entries[at + 1]!);
    }
    if (entries.length === 0) return;
    writer.character(END);
    for (let open = depth; open > 0; open--) writer.interned(MARKS, LIST_END);
  }

  /** @returns the places by number from now on */
  #writePathAnew(writer: JsonWriter, paths: FacetPathNames, number: number): Int32Array {
    const path = paths.pathOf(number);
    const kept = this.#beginnings.get(path);
    if (kept !== undefined) writer.interned(this.#texts, kept);
    else this.#writeAnew(writer, this.#beginnings, path, beginningOf(path));
    const place = this.#beginnings.get(path);
    const known = this.#placesByNames.get(paths) ?? NO_PLACES;
    if (place === undefined) return known;
    let places = known;
    if (number >= places.length) {
      places = new Int32Array(Math.max(number + 1, 2 * known.length));
      places.set(known);
      this.#placesByNames.set(paths, places);
    }
    places[number] = place + 1;
    return places;
  }

  /** Writes what a name stands for, and remembers it unless the name is long. */
  #writeAnew(writer: JsonWriter, known: Map<string, number>, name: string, text: string): void {
    writer.text(text);
    if (name.length > PATH_LENGTH_MAX) return;
    if (this.#rememberedBytes + this.#texts.byteLength > REMEMBERED_BYTES_MAX) {
      this.#beginnings.clear();
      this.#firsts.clear();
      this.#others.clear();
      this.#placesByNames = new WeakMap();
      this.#texts.clear();
      this.#rememberedBytes = 0;
    }
    known.set(name, this.#texts.add(text));
    this.#rememberedBytes += ENTRY_BYTES + 2 * name.length;
  }
}

function beginningOf(path: string): string {
  return `{"path":${JSON.stringify(path)},"count":`;
}
