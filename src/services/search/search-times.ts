import type { SearchProfile } from "../../contract/search.js";
import type { BackendPhases } from "../../ports/search-backend.js";
import type { SpanAttributes, Tracing } from "../../ports/tracing.js";

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

/** Shorter waits are only the way from one part to the next. */
const WAIT_MS_MIN = 0.1;

/** What a trace tells of a search beside its times. */
export interface TracedSearch {
  /** `findling.index` or `findling.federation`. */
  readonly target: SpanAttributes;
  /** The request's body, for where texts may be recorded. */
  readonly body: unknown;
  readonly count: number;
  readonly hits: number;
}

/** Characters of a body that are recorded. */
const BODY_LENGTH_MAX = 2_000;

/** Records the parts of a search, one behind the other. @param backend absent: its time is told as one */
export function recordSearch(
  tracing: Tracing,
  times: SearchTimes,
  backend: BackendPhases | undefined,
  { target, body, count, hits }: TracedSearch,
): void {
  const { begunMs, readMs, compiledMs, searchedMs } = times;
  const asked = tracing.recordsTexts
    ? { "findling.search.body": (JSON.stringify(body) ?? "").slice(0, BODY_LENGTH_MAX) }
    : {};
  tracing.record({ name: "parse", startMs: begunMs, endMs: readMs, attributes: { ...target, ...asked } });
  tracing.record({ name: "plan", startMs: readMs, endMs: compiledMs, attributes: target });
  const found = { ...target, "findling.search.count": count, "findling.search.hits": hits };
  if (backend === undefined) {
    tracing.record({ name: "search", startMs: compiledMs, endMs: searchedMs, attributes: found });
    return;
  }
  const shownMs = searchedMs - backend.show;
  const readAllMs = shownMs - backend.documents;
  const matchedMs = Math.max(compiledMs, readAllMs - backend.match);
  if (matchedMs - compiledMs >= WAIT_MS_MIN)
    tracing.record({ name: "wait", startMs: compiledMs, endMs: matchedMs, attributes: target });
  tracing.record({ name: "search", startMs: matchedMs, endMs: readAllMs, attributes: found });
  tracing.record({ name: "fetch", startMs: readAllMs, endMs: shownMs, attributes: target });
  tracing.record({ name: "highlight", startMs: shownMs, endMs: searchedMs, attributes: target });
}

/** In whole microseconds, not below 0. */
function shown(ms: number): number {
  return Math.max(0, Math.round(ms * 1000) / 1000);
}
