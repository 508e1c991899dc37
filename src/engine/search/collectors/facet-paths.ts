import { decodeUtf8 } from "../../bytes/byte-reader.js";
import type { OrdinalColumn } from "../../segment/segment-reader.js";
import { PathRanks } from "./path-ranks.js";

/** Paths that are remembered; a search that finds more of them begins anew. */
const PATHS_MAX = 200_000;
const UNKNOWN = 0;

/** What is asked of a facet column to tell its paths. */
export type PathColumn = Pick<OrdinalColumn, "valueCount" | "facetParents" | "valueBytes">;

/**
 * The paths of one facet field that searches of an index have counted, numbered from 0 as they came up, so
 * that counts of several segments are added up by number. An ancestor has a smaller number.
 */
export class FacetPaths {
  readonly #numbers: Map<string, number> = new Map();
  readonly #paths: string[] = [];
  readonly #bytes: Uint8Array[] = [];
  readonly #parents: number[] = [];
  readonly ranks: PathRanks = new PathRanks(this.#bytes, this.#parents);
  /** By ordinal of a segment's column: the path's number + 1; 0: not asked for yet. */
  readonly #byColumn: WeakMap<PathColumn, Uint32Array> = new WeakMap();

  get count(): number {
    return this.#paths.length;
  }

  get isFull(): boolean {
    return this.count > PATHS_MAX;
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

  /** By ordinal of a segment's column: the path's number + 1; 0 where `numberOf` hasn't been asked for it. */
  numbersOf(column: PathColumn): Uint32Array {
    let numbers = this.#byColumn.get(column);
    if (numbers === undefined) {
      numbers = new Uint32Array(column.valueCount);
      this.#byColumn.set(column, numbers);
    }
    return numbers;
  }

  /**
   * Numbers a path, those above it first. Recursion is as deep as the path.
   *
   * @param numbers of the column
   */
  numberOf(column: PathColumn, ordinal: number, numbers: Uint32Array): number {
    const known = numbers[ordinal]!;
    if (known !== UNKNOWN) return known - 1;
    const parent = column.facetParents![ordinal]!;
    const above = parent < 0 ? -1 : this.numberOf(column, parent, numbers);
    const number = this.#add(column.valueBytes(ordinal), above);
    numbers[ordinal] = number + 1;
    return number;
  }

  #add(bytes: Uint8Array, parent: number): number {
    // Slashes are 0 in sort bytes.
    const path = decodeUtf8(bytes).replaceAll("\0", "/");
    let number = this.#numbers.get(path);
    if (number === undefined) {
      number = this.#paths.length;
      this.#numbers.set(path, number);
      this.#paths.push(path);
      this.#bytes.push(bytes.slice());
      this.#parents.push(parent);
    }
    return number;
  }
}
