import type { RouteRow } from "../../contract/route-table.js";

/** A route as far as telling 404 from 405 needs it. */
export type KnownRoute = Pick<RouteRow, "method" | "path">;

/**
 * The methods that a path answers to, in the table's order, with those that follow from them; empty
 * if nothing is at the path. Runs only for requests that no route took.
 */
export function methodsAt(routes: readonly KnownRoute[], url: string): readonly string[] {
  const segments = segmentsOf(url.split(/[?#]/, 1)[0]!);
  const methods = new Set<string>();
  for (const route of routes) {
    if (!matches(segmentsOf(route.path), segments)) continue;
    methods.add(route.method);
    if (route.method === "GET") methods.add("HEAD");
  }
  return methods.size === 0 ? [] : [...methods, "OPTIONS"];
}

/** Slashes are collapsed, a trailing one is ignored (contract 1.1). */
function segmentsOf(path: string): readonly string[] {
  return path.split("/").filter((segment) => segment !== "");
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === "*";
  const fixed = isOpen ? pattern.slice(0, -1) : pattern;
  return (
    (isOpen ? segments.length >= fixed.length : segments.length === fixed.length) &&
    fixed.every((part, index) => part.startsWith(":") || part === segments[index])
  );
}
