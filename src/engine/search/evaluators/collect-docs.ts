import { emptyBitset } from "../../bytes/bitset.js";
import type { DocBits } from "../../segment/segment-reader.js";
import { evaluateWindows, type WindowedSegment } from "./evaluate-windows.js";
import { type Evaluator, WINDOW_WORDS } from "./evaluator.js";
import type { WindowPool } from "./window-pool.js";

/** An evaluator's live matches over the whole segment. */
export function collectDocs(evaluator: Evaluator, segment: WindowedSegment, pool: WindowPool): DocBits {
  const docs = emptyBitset(segment.maxDoc);
  evaluateWindows(evaluator, segment, pool, false, {
    collect(windowStart, matches) {
      const first = windowStart >>> 5;
      docs.set(matches.subarray(0, Math.min(WINDOW_WORDS, docs.length - first)), first);
    },
  });
  return docs;
}
