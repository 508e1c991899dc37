import { andInto, countBits, emptyBitset } from "../../bytes/bitset.js";
import { ScratchExhaustedError } from "../../kernels/image-memory.js";
import { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { FieldTerms, SegmentReader } from "../../segment/segment-reader.js";
import type { WordExpansion } from "../automaton/word-expansion.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import { addDocs } from "./add-docs.js";
import { markLiveDocs } from "./mark-live-docs.js";

/** Terms whose documents are added between two looks at the clock. */
const TERMS_PER_CHECK = 16;

/**
 * Live documents whose field holds any of an expansion's terms at just this distance.
 *
 * @throws FindlingError `search_timeout`
 */
export function countVariantDocs(
  segment: SegmentReader,
  terms: FieldTerms,
  { ordinals, distances }: WordExpansion,
  distance: number,
  interrupt: SearchInterrupt,
): number {
  const wanted = ordinals.filter((_, i) => distances[i] === distance);
  const [only, second] = wanted;
  if (only === undefined) return 0;
  if (second === undefined && segment.liveDocs === null) return terms.docFreq(only);
  return (
    countInKernels(segment, terms, wanted, interrupt) ?? countByCursors(segment, terms, wanted, interrupt)
  );
}

/** Null where there are no kernels, or no room for them. */
function countInKernels(
  segment: SegmentReader,
  terms: FieldTerms,
  ordinals: Uint32Array,
  interrupt: SearchInterrupt,
): number | null {
  const kernels = segment.image === null ? null : SegmentKernels.over(segment.image);
  if (kernels === null) return null;
  try {
    interrupt.check();
    return markLiveDocs(kernels, segment, terms, ordinals).count;
  } catch (error) {
    if (error instanceof ScratchExhaustedError) return null;
    throw error;
  }
}

function countByCursors(
  { liveDocs, maxDoc }: SegmentReader,
  terms: FieldTerms,
  ordinals: Uint32Array,
  interrupt: SearchInterrupt,
): number {
  const docs = emptyBitset(maxDoc);
  for (let i = 0; i < ordinals.length; i++) {
    if ((i & (TERMS_PER_CHECK - 1)) === 0) interrupt.check();
    addDocs(terms, ordinals[i]!, docs, 0, maxDoc);
  }
  if (liveDocs !== null) andInto(docs, liveDocs);
  return countBits(docs);
}
