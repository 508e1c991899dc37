import { runInSlices, type SlicedWork } from "../segment/sliced-work.js";
import { WorkClock } from "../segment/work-clock.js";
import { NO_INTERRUPT, type SearchInterrupt, TimeLimit } from "./search-interrupt.js";

/**
 * Runs work in slices that asks whether it is to end.
 *
 * @param timeLimitMs that it may take, without the work of others between its slices; any time unless given
 * @throws FindlingError `search_timeout` after that
 */
export function runLimited<T>(
  work: (interrupt: SearchInterrupt) => SlicedWork<T>,
  timeLimitMs?: number,
): Promise<T> {
  if (timeLimitMs === undefined) return runInSlices(work(NO_INTERRUPT));
  const clock = new WorkClock();
  return runInSlices(clock.time(work(new TimeLimit(timeLimitMs, () => clock.elapsedMs))));
}
