import type { FieldTerms, TermTries } from "../../segment/segment-reader.js";
import { runInSlices } from "../../segment/sliced-work.js";
import type { SearchInterrupt } from "../search-interrupt.js";

/**
 * The field's tries, made if nobody has asked for them before; null if it has none, or there is no memory to make
 * them in. What this search has no time for goes on behind it: else a time limit shorter than the making would keep
 * them from ever being made.
 *
 * @throws FindlingError `search_timeout`
 */
export function madeTries({ tries }: FieldTerms, interrupt: SearchInterrupt): TermTries | null {
  if (tries === null || tries.areMade) return tries;
  const work = tries.make();
  for (;;) {
    try {
      if (work.next().done === true) return tries;
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
    try {
      interrupt.check();
    } catch (error) {
      // Behind the answer. What is wrong with them, the next look-up finds, too.
      setImmediate(() => {
        runInSlices(work).catch(() => undefined);
      });
      throw error;
    }
  }
}
