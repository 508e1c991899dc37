import { useCallback } from "react";
import { useLocation } from "wouter";

/** The index that a page's address names, as in `/documents/books`, and how to go to another's. */
export function useIndexPath(page: string): readonly [string | undefined, (name: string) => void] {
  const [path, go] = useLocation();
  const part = path.startsWith(`${page}/`) ? path.slice(page.length + 1).split("/")[0] : undefined;
  const name = part === undefined || part === "" ? undefined : decoded(part);
  const change = useCallback(
    (next: string) => go(`${page}/${encodeURIComponent(next)}`, { replace: name === undefined }),
    [go, page, name],
  );
  return [name, change];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
