import type { DocId } from "../schema/document.js";
import { WindowPool } from "./evaluators/window-pool.js";
import type { SearchInterrupt } from "./search-interrupt.js";
import type { Explanation, TimeDecay } from "./search-types.js";
import type { SegmentStatistics } from "./statistics/segment-statistics.js";
import { SegmentDecay } from "./time-decay.js";
import type { Weight } from "./weights/weight.js";

/** Where a snapshot has a document. */
export interface DocPlace {
  readonly segmentIndex: number;
  readonly docId: DocId;
}

/**
 * What a weight says of documents, segment by segment and there in the order of doc ids, as evaluators want it.
 *
 * @param places in any order
 * @returns one for each place; null: it doesn't match
 */
export function explainPlaces(
  weight: Weight,
  places: readonly DocPlace[],
  segments: readonly SegmentStatistics[],
  timeDecay: TimeDecay | undefined,
  interrupt: SearchInterrupt,
): (Explanation | null)[] {
  const pool = new WindowPool(interrupt);
  const explanations = new Array<Explanation | null>(places.length).fill(null);
  const order = places.map((_, i) => i);
  order.sort(
    (a, b) => places[a]!.segmentIndex - places[b]!.segmentIndex || places[a]!.docId - places[b]!.docId,
  );
  for (let end = 0; end < order.length; ) {
    const start = end;
    const { segmentIndex } = places[order[start]!]!;
    while (end < order.length && places[order[end]!]!.segmentIndex === segmentIndex) end++;
    const statistics = segments[segmentIndex]!;
    const docIds = Uint32Array.from(order.slice(start, end), (i) => places[i]!.docId);
    const found = weight.explain({ segment: statistics.segment, statistics, pool }, docIds);
    const decay = timeDecay === undefined ? null : new SegmentDecay(statistics, timeDecay);
    for (let i = start; i < end; i++) {
      const explanation = found[i - start]!;
      const isDecayed = explanation !== null && decay !== null;
      explanations[order[i]!] = isDecayed
        ? decayed(explanation, decay.factorOf(docIds[i - start]!), timeDecay!)
        : explanation;
    }
  }
  return explanations;
}

function decayed(explanation: Explanation, factor: number, { ratePerDay, field }: TimeDecay): Explanation {
  return {
    // Rounded as the search rounds it.
    value: Math.fround(explanation.value * Math.fround(factor)),
    description: "product of the score and the decay by age",
    details: [
      explanation,
      { value: factor, description: `exp(-${ratePerDay} × age in days by '${field}')`, details: [] },
    ],
  };
}
