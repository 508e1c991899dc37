import { emptyBitset } from "../../bytes/bitset.js";
import type { DocBits } from "../../segment/segment-reader.js";
import type { SlicedWork } from "../../segment/sliced-work.js";
import { evaluateWindows, type WindowCollector, type WindowedSegment } from "./evaluate-windows.js";
import { type Evaluator, WINDOW_SIZE, WINDOW_WORDS } from "./evaluator.js";
import type { WindowPool } from "./window-pool.js";

/** An evaluator's live matches over the whole segment. */
export function collectDocs(evaluator: Evaluator, segment: WindowedSegment, pool: WindowPool): DocBits {
  const docs = emptyBitset(segment.maxDoc);
  evaluateWindows(evaluator, segment, pool, false, collectorInto(docs));
  return docs;
}

/** Collects documents with pauses between windows. */
export function* collectDocsInSlices(
  evaluator: Evaluator,
  segment: WindowedSegment,
  pool: WindowPool,
): SlicedWork<DocBits> {
  const docs = emptyBitset(segment.maxDoc);
  const collector = collectorInto(docs);
  for (let from = 0; from < segment.maxDoc; from += WINDOW_SIZE) {
    const end = Math.min(from + WINDOW_SIZE, segment.maxDoc);
    evaluateWindows(evaluator, segment, pool, false, collector, from, end);
    yield;
  }
  return docs;
}

/** @param from the document of the first bit */
export function collectorInto(docs: DocBits, from = 0): WindowCollector {
  return {
    collect(windowStart, matches) {
      const first = (windowStart - from) >>> 5;
      docs.set(matches.subarray(0, Math.min(WINDOW_WORDS, docs.length - first)), first);
    },
  };
}
