import type { SearchCaller } from "../../ports/search-backend.js";

/** Who waits for what may be many requests until a moment: none of them may take longer. */
export interface TimedCaller extends SearchCaller {
  /** By `performance.now()`; absent: each request has its own time limit only. */
  readonly endsAt?: number | undefined;
}

/** Who waits no longer than so many milliseconds from now, however many requests it takes. */
export function waitingFor(ms: number, caller: SearchCaller | undefined): TimedCaller {
  return {
    endsAt: performance.now() + ms,
    get isGone() {
      return caller?.isGone ?? false;
    },
    whenGone: (listener) => caller?.whenGone(listener) ?? (() => undefined),
  };
}
