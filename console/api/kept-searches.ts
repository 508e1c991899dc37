import { useCallback, useSyncExternalStore } from "react";

/** A search as its address: everything that the playground shows. */
export interface KeptSearch {
  readonly name: string;
  readonly query: string;
}

interface Kept {
  readonly saved: readonly KeptSearch[];
  readonly recent: readonly KeptSearch[];
}

const KEPT_AS = "findling.searches";
const RECENT_MAX = 20;
const NOTHING: Kept = { saved: [], recent: [] };

const listeners = new Set<() => void>();
let kept: Kept = read();

function read(): Kept {
  try {
    return { ...NOTHING, ...(JSON.parse(localStorage.getItem(KEPT_AS) ?? "{}") as Partial<Kept>) };
  } catch {
    return NOTHING;
  }
}

function change(next: Kept): void {
  kept = next;
  localStorage.setItem(KEPT_AS, JSON.stringify(next));
  for (const listener of listeners) listener();
}

/** Searches that were saved under a name in this browser, and those made last. */
export function useKeptSearches() {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => kept,
  );
  const save = useCallback((search: KeptSearch) => {
    change({ ...kept, saved: [search, ...kept.saved.filter(({ name }) => name !== search.name)] });
  }, []);
  const forget = useCallback((name: string) => {
    change({ ...kept, saved: kept.saved.filter((search) => search.name !== name) });
  }, []);
  const remember = useCallback((search: KeptSearch) => {
    if (kept.recent[0]?.query === search.query) return;
    const others = kept.recent.filter(({ query }) => query !== search.query);
    change({ ...kept, recent: [search, ...others].slice(0, RECENT_MAX) });
  }, []);
  return { ...current, save, forget, remember };
}
