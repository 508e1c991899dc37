/** Levels that a facet path may have; each is counted by itself. */
export const FACET_LEVELS_MAX = 64;
/** Bytes that a facet path may take in UTF-8, its leading slash included. */
export const FACET_BYTES_MAX = 4096;

/** What a facet path must be, worded to follow "must be" or "expected". */
export const FACET_PATH_WANTED: string = `a path such as /books/fiction without empty parts, of at most ${FACET_LEVELS_MAX} levels and ${FACET_BYTES_MAX} bytes`;

/**
 * The canonical form of a facet path: leading slash added, one trailing slash removed. Null for a
 * path with an empty segment (so also for `/` and the empty text), with the character U+0000, which
 * stands for the slash in the order of paths, or beyond the bounds, which are for its NFC, as it is counted in that.
 */
export function parseFacetPath(input: string): string | null {
  const start = input.startsWith("/") ? 1 : 0;
  const end = input.endsWith("/") ? input.length - 1 : input.length;
  // A UTF-16 unit takes at least one byte.
  if (end - start >= FACET_BYTES_MAX) return null;
  const path = `/${input.slice(start, Math.max(start, end))}`;
  if (path.endsWith("/") || path.includes("//") || path.includes("\0")) return null;
  return isWithinBounds(path.normalize("NFC")) ? path : null;
}

function isWithinBounds(path: string): boolean {
  // It takes at most three, and most paths need no counting.
  if (3 * path.length > FACET_BYTES_MAX && encoder.encode(path).length > FACET_BYTES_MAX) return false;
  let levels = 0;
  for (let at = 0; at >= 0; at = path.indexOf("/", at + 1)) levels++;
  return levels <= FACET_LEVELS_MAX;
}

const encoder = new TextEncoder();
