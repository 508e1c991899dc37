import { testBit } from "../../bytes/bitset.js";
import { ScratchExhaustedError } from "../../kernels/image-memory.js";
import { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { DocBits, SegmentReader } from "../../segment/segment-reader.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import type { Bm25Similarity } from "../similarity/bm25-similarity.js";
import type { KnownTerm } from "../statistics/known-term.js";
import type { JoinedDocs } from "./joined-lists.js";
import { WEIGHT_MIN } from "./plan-lists.js";

/**
 * `Joinable.appendTo` of a term with a weight, f32.
 *
 * @throws FindlingError `search_timeout`
 */
export function appendTerm(
  joined: JoinedDocs,
  known: KnownTerm,
  segment: SegmentReader,
  weight: number,
  similarity: Bm25Similarity,
  interrupt: SearchInterrupt,
): void {
  const { image } = segment;
  const kernels = image === null || !(weight > WEIGHT_MIN) ? null : SegmentKernels.over(image);
  if (kernels !== null && appendByKernels(joined, known, segment, weight, similarity, kernels, interrupt))
    return;
  appendPlainly(joined, known, segment.liveDocs, weight, similarity);
}

/** Whether there was room for it. */
function appendByKernels(
  joined: JoinedDocs,
  { terms, place }: KnownTerm,
  { liveDocs }: SegmentReader,
  weight: number,
  similarity: Bm25Similarity,
  kernels: SegmentKernels,
  interrupt: SearchInterrupt,
): boolean {
  const { lists, functions, scored } = kernels;
  try {
    const accepted = liveDocs === null ? 0 : kernels.bitsets.ofLive(liveDocs);
    scored.begin();
    const room = scored.reserve(place.docFreq);
    if (room === null) return false;
    lists.begin();
    lists.add(terms.image!, place, weight, similarity, 0, null, true);
    kernels.prepare();
    functions.accept(accepted);
    kernels.interruptBy(interrupt);
    const count = functions.scoreList(room.scores, room.docs, joined.start);
    const { docs, scores } = scored.views(room, count);
    joined.docs.set(docs, joined.count);
    joined.scores.set(scores, joined.count);
    joined.count += count;
    return true;
  } catch (error) {
    if (error instanceof ScratchExhaustedError) return false;
    throw error;
  }
}

/** Where there are no kernels, or no room for what they write. */
function appendPlainly(
  joined: JoinedDocs,
  { terms, ordinal }: KnownTerm,
  liveDocs: DocBits | null,
  weight: number,
  { lengthNorms }: Bm25Similarity,
): void {
  const { docs, scores, start } = joined;
  let { count } = joined;
  const { norms } = terms;
  const cursor = terms.postings(ordinal);
  for (let block = 0; block < cursor.blockCount; block++) {
    cursor.loadBlock(block);
    cursor.loadFreqs();
    const { docs: blockDocs, freqs, length } = cursor;
    for (let i = 0; i < length; i++) {
      const docId = blockDocs[i]!;
      if (liveDocs !== null && !testBit(liveDocs, docId)) continue;
      const freq = Math.fround(freqs[i]!);
      const saturation = Math.fround(freq / Math.fround(freq + lengthNorms[norms[docId]!]!));
      docs[count] = start + docId;
      scores[count++] = Math.fround(weight * saturation);
    }
  }
  joined.count = count;
}
