import { compareBytes } from "../../schema/compare-bytes.js";
import type { SortKey } from "../search-types.js";

/**
 * Sign of the order of two hits by one key: values as their bytes say, scores as numbers, hits without a
 * value last whatever the direction.
 */
export function compareSortKeys(
  left: SortKey,
  right: SortKey,
  descending: boolean,
  compareValues: (left: Uint8Array, right: Uint8Array) => number = compareBytes,
): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  const order =
    typeof left === "number" || typeof right === "number"
      ? Number(left) - Number(right)
      : compareValues(left, right);
  return descending ? -order : order;
}
