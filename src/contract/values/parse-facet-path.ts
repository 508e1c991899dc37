/**
 * The canonical form of a facet path: leading slash added, one trailing slash removed. Null for a
 * path with an empty segment (so also for `/` and the empty text) or with the character U+0000, which
 * stands for the slash in the order of paths.
 */
export function parseFacetPath(input: string): string | null {
  const start = input.startsWith("/") ? 1 : 0;
  const end = input.endsWith("/") ? input.length - 1 : input.length;
  const path = `/${input.slice(start, Math.max(start, end))}`;
  return path.endsWith("/") || path.includes("//") || path.includes("\0") ? null : path;
}
