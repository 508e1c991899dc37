import type { SearchProfile } from "../../contract/search.js";
import type { BackendPhases } from "../../ports/search-backend.js";

/** When a search went on to its next part, in milliseconds of one clock. */
export interface SearchTimes {
  readonly begunMs: number;
  readonly readMs: number;
  readonly compiledMs: number;
  readonly searchedMs: number;
}

const NO_PHASES: BackendPhases = { match: 0, documents: 0, show: 0 };

/** What of the back end's time it doesn't account for itself went by waiting, for a thread or an index to open. */
export function profileOf(times: SearchTimes, backend: BackendPhases = NO_PHASES): SearchProfile {
  const { begunMs, readMs, compiledMs, searchedMs } = times;
  const { match, documents, show } = backend;
  const wait = searchedMs - compiledMs - match - documents - show;
  return {
    phases: [
      { name: "read", ms: shown(readMs - begunMs) },
      { name: "compile", ms: shown(compiledMs - readMs) },
      { name: "wait", ms: shown(wait) },
      { name: "match", ms: shown(match) },
      { name: "documents", ms: shown(documents) },
      { name: "show", ms: shown(show) },
    ],
  };
}

/** In whole microseconds, not below 0. */
function shown(ms: number): number {
  return Math.max(0, Math.round(ms * 1000) / 1000);
}
