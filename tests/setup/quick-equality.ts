import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";

/**
 * What Node says is strictly equal, `toEqual` and its like find equal too, but element by element and a hundred times as
 * slowly: seconds for a megabyte. Where it isn't, they say whether it is equal in their sense.
 */
function areStrictlyEqual(a: unknown, b: unknown): true | undefined {
  return isCompound(a) && isCompound(b) && isDeepStrictEqual(a, b) ? true : undefined;
}

function isCompound(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

// The files of a process share `expect`, and each would add one more.
const shared = globalThis as { equalityIsQuick?: boolean };
if (shared.equalityIsQuick !== true) {
  shared.equalityIsQuick = true;
  expect.addEqualityTesters([areStrictlyEqual]);
}
