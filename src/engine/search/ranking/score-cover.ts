import { firstAtOrAfter } from "../../bytes/first-at-or-after.js";
import type { ScoredDocs } from "../../kernels/scored-docs.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import { NO_MORE_DOCS } from "../../schema/document.js";
import { CHUNK_DOCS, type Nearness } from "../evaluators/nearness.js";
import type { CoverLeaf, NestedLeaf, WordLeaf } from "../plan/query-plan.js";
import { NOT_HELD, tierScore } from "../similarity/word-cover.js";
import { KernelPositionMarks } from "./kernel-position-marks.js";

type Found = ScoredDocs | null | "impossible";

/**
 * The documents that hold all words of a query, each with its tier. Those of the rarest word are gone through, and
 * looked for among those of the other readings.
 *
 * @param foundBy the documents of a reading in the segment
 */
export function scoreCover(
  kernels: SegmentKernels,
  leaf: CoverLeaf,
  foundBy: (reading: WordLeaf | NestedLeaf) => Found,
): Found {
  const { cover, unit, readings, added } = leaf;
  const lists: (ScoredDocs | null)[] = [];
  for (const { leaf: reading } of readings) {
    const found = reading === null ? null : foundBy(reading);
    if (found === "impossible") return found;
    lists.push(found);
  }
  const adding: ScoredDocs[] = [];
  for (const each of added ?? []) {
    const found = foundBy(each);
    if (found === "impossible") return found;
    if (found !== null) adding.push(found);
  }
  const leading = cover.leading(lists.map((list) => list?.count ?? 0));
  const most = leading.reduce((sum, reading) => sum + (lists[reading]?.count ?? 0), 0);
  if (most === 0) return null;
  const room = kernels.scored.reserve(most);
  if (room === null) return "impossible";
  const target = kernels.scored.views(room, most);
  const walks = lists.map((list) => (list === null ? null : new Walk(kernels, list)));
  const sums = adding.map((list) => new Walk(kernels, list));
  const leaders = leading.map((reading) => walks[reading]!).filter((walk) => walk !== null);
  const slips = new Uint8Array(readings.length);
  /** Documents without a slip. */
  const places: number[] = [];
  let count = 0;
  for (;;) {
    let docId = NO_MORE_DOCS;
    for (const leader of leaders) docId = Math.min(docId, leader.docId);
    if (docId === NO_MORE_DOCS) break;
    for (let i = 0; i < walks.length; i++) {
      const walk = walks[i]!;
      slips[i] = walk?.reach(docId) === true ? readings[i]!.slipsOf(walk.score) : NOT_HELD;
    }
    const fewest = cover.slipsOf(slips);
    if (fewest >= 0) {
      let sum = 0;
      for (const walk of sums) if (walk.reach(docId)) sum = Math.fround(sum + walk.score);
      if (fewest === 0) places.push(count);
      target.docs[count] = docId;
      target.scores[count++] = Math.fround(sum + tierScore(unit, fewest));
    }
    for (const leader of leaders) leader.reach(docId + 1);
  }
  if (count === 0) return null;
  if (leaf.nearness !== null && places.length > 0) addNearness(kernels, leaf.nearness, places, target);
  const scored = kernels.scored.seal(room, count);
  return scored.scoreMax < 0 ? "impossible" : scored;
}

function addNearness(
  kernels: SegmentKernels,
  nearness: Nearness,
  places: readonly number[],
  { docs, scores }: { readonly docs: Uint32Array; readonly scores: Float32Array },
): void {
  // In loops: making an array by a function of each member takes several times as long.
  const own = new Float32Array(places.length);
  const ownDocs = new Uint32Array(places.length);
  for (let i = 0; i < places.length; i++) {
    own[i] = scores[places[i]!]!;
    ownDocs[i] = docs[places[i]!]!;
  }
  const docsMax = Math.min(places.length, CHUNK_DOCS);
  nearness.addTo(ownDocs, own, KernelPositionMarks.of(kernels, nearness.wordCount, docsMax));
  for (let i = 0; i < places.length; i++) scores[places[i]!] = own[i]!;
}

/** Goes through scored documents by leaps. */
class Walk {
  readonly #docs: Uint32Array;
  readonly #scores: Float32Array;
  #at = 0;

  constructor(kernels: SegmentKernels, list: ScoredDocs) {
    const { docs, scores } = kernels.scored.views(list, list.count);
    this.#docs = docs;
    this.#scores = scores;
  }

  get docId(): number {
    return this.#at < this.#docs.length ? this.#docs[this.#at]! : NO_MORE_DOCS;
  }

  get score(): number {
    return this.#scores[this.#at]!;
  }

  /** Goes to the document or the first behind it; whether it is there. Documents ascend from call to call. */
  reach(docId: number): boolean {
    this.#at = firstAtOrAfter(this.#docs, this.#at, docId);
    return this.docId === docId;
  }
}
