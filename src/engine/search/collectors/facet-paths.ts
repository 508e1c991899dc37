import { decodeUtf8 } from "../../bytes/byte-reader.js";
import { FACET_BYTES_MAX, FACET_LEVELS_MAX } from "../../schema/facet-bounds.js";
import type { OrdinalColumn } from "../../segment/segment-reader.js";
import { PathRanks } from "./path-ranks.js";

/** Paths that are remembered, and bytes of them; a search that finds more of them begins anew. */
const PATHS_MAX = 200_000;
const PATH_BYTES_MAX = 32 * 1024 * 1024;
const UNKNOWN = 0;
/** In place of a number + 1: the path is beyond the bounds, and counts at those above it alone. */
const BEYOND = 0xffff_ffff;

/** What is asked of a facet column to tell its paths. */
export type PathColumn = Pick<OrdinalColumn, "valueCount" | "facetParents" | "valueBytes">;

/**
 * The paths of one facet field that searches of an index have counted, numbered from 0 as they came up, so
 * that counts of several segments are added up by number. An ancestor has a smaller number. Paths beyond the bounds,
 * which segments of before these have, get none: what is told of them would grow with the square of their length.
 */
export class FacetPaths {
  readonly #pathOfText: (text: string) => string;
  readonly #numbers: Map<string, number> = new Map();
  readonly #paths: string[] = [];
  readonly #bytes: Uint8Array[] = [];
  readonly #parents: number[] = [];
  readonly ranks: PathRanks = new PathRanks(this.#bytes, this.#parents);
  /** By ordinal of a segment's column: the path's number + 1; `UNKNOWN`: not asked for yet; or `BEYOND`. */
  readonly #byColumn: WeakMap<PathColumn, Uint32Array> = new WeakMap();
  /** Columns with more levels than are counted. */
  readonly #deep: WeakSet<PathColumn> = new WeakSet();
  #byteLength = 0;

  /** @param pathOfText tells a path, or a label, by its sort bytes as text */
  constructor(pathOfText: (text: string) => string) {
    this.#pathOfText = pathOfText;
  }

  get count(): number {
    return this.#paths.length;
  }

  get isFull(): boolean {
    return this.count > PATHS_MAX || this.#byteLength > PATH_BYTES_MAX;
  }

  pathOf(number: number): string {
    return this.#paths[number]!;
  }

  /** Sort bytes of a path: in their order paths compare by code points, level by level. */
  bytesOf(number: number): Uint8Array {
    return this.#bytes[number]!;
  }

  /** Number of the path above; -1: it is a root. */
  parentOf(number: number): number {
    return this.#parents[number]!;
  }

  /** By ordinal of a segment's column: the path's number + 1; something else where `numberOf` has to be asked. */
  numbersOf(column: PathColumn): Uint32Array {
    let numbers = this.#byColumn.get(column);
    if (numbers === undefined) {
      numbers = new Uint32Array(column.valueCount);
      if (excludeDeep(column.facetParents!, numbers)) this.#deep.add(column);
      this.#byColumn.set(column, numbers);
    }
    return numbers;
  }

  /** Whether the column has more levels than are counted. Its numbers have been asked for. */
  isDeep(column: PathColumn): boolean {
    return this.#deep.has(column);
  }

  /**
   * Numbers a path, those above it first. Recursion is as deep as the path, 64 levels at most.
   *
   * @param numbers of the column
   * @returns -1 for a path beyond the bounds
   */
  numberOf(column: PathColumn, ordinal: number, numbers: Uint32Array): number {
    const known = numbers[ordinal]!;
    if (known === BEYOND) return -1;
    if (known !== UNKNOWN) return known - 1;
    const bytes = column.valueBytes(ordinal);
    if (bytes.length > FACET_BYTES_MAX) {
      numbers[ordinal] = BEYOND;
      return -1;
    }
    const parent = column.facetParents![ordinal]!;
    const above = parent < 0 ? -1 : this.numberOf(column, parent, numbers);
    const number = this.#add(bytes, above);
    numbers[ordinal] = number + 1;
    return number;
  }

  #add(bytes: Uint8Array, parent: number): number {
    const path = this.#pathOfText(decodeUtf8(bytes));
    let number = this.#numbers.get(path);
    if (number === undefined) {
      number = this.#paths.length;
      this.#numbers.set(path, number);
      this.#paths.push(path);
      this.#bytes.push(bytes.slice());
      this.#parents.push(parent);
      this.#byteLength += bytes.length;
    }
    return number;
  }
}

/** Marks paths of too many levels as beyond the bounds; returns whether there are any. */
function excludeDeep(parents: Int32Array, numbers: Uint32Array): boolean {
  const levels = new Uint8Array(parents.length);
  let found = false;
  // In preorder every descendant comes after its ancestor.
  for (let ordinal = 0; ordinal < parents.length; ordinal++) {
    const parent = parents[ordinal]!;
    const level = parent < 0 ? 1 : levels[parent]! + 1;
    levels[ordinal] = Math.min(level, FACET_LEVELS_MAX + 1);
    if (level <= FACET_LEVELS_MAX) continue;
    numbers[ordinal] = BEYOND;
    found = true;
  }
  return found;
}
