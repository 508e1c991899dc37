import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { FieldTerms, SegmentReader } from "../../segment/segment-reader.js";
import { beginningRange, type OrdinalRange } from "../automaton/prefix-range.js";
import { DocListEvaluator } from "../evaluators/document-evaluators.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { markedDocsEvaluator } from "../evaluators/marked-docs.js";
import type { WindowPool } from "../evaluators/window-pool.js";
import type { SegmentContext } from "../plan/matcher.js";
import type { PrefixQuery, RangeBound, TermRangeQuery } from "../query.js";
import { addDocs } from "../statistics/add-docs.js";
import { FilterWeight } from "./filter-weight.js";
import { type QueryBinding, WORD_KINDS } from "./query-binding.js";
import type { Weight } from "./weight.js";

const encoder = new TextEncoder();

/** Terms whose documents are added between two looks at the clock. */
const TERMS_PER_CHECK = 16;

export function prefixWeight(query: PrefixQuery, binding: QueryBinding): Weight {
  binding.field(query.field, WORD_KINDS);
  return new TermRangeWeight(`prefix '${query.prefix}' in field '${query.field}'`, query.field, (terms) =>
    beginningRange(terms, terms.termCount, query.prefix),
  );
}

export function termRangeWeight(query: TermRangeQuery, binding: QueryBinding): Weight {
  binding.field(query.field, WORD_KINDS);
  return new TermRangeWeight(`term range in field '${query.field}'`, query.field, (terms) => ({
    first: query.lower === null ? 0 : boundOrdinal(terms, query.lower, query.lower.inclusive),
    end: query.upper === null ? terms.termCount : boundOrdinal(terms, query.upper, !query.upper.inclusive),
  }));
}

/** Documents with any of the terms in a range. */
class TermRangeWeight extends FilterWeight {
  readonly #field: string;
  readonly #rangeOf: (terms: FieldTerms) => OrdinalRange;

  constructor(description: string, field: string, rangeOf: (terms: FieldTerms) => OrdinalRange) {
    super(description);
    this.#field = field;
    this.#rangeOf = rangeOf;
  }

  evaluator({ segment, pool }: SegmentContext): Evaluator | null {
    const terms = segment.terms(this.#field);
    return terms === null ? null : termRangeEvaluator(terms, this.#rangeOf(terms), segment, pool);
  }

  override mark({ segment }: SegmentContext, kernels: SegmentKernels, target: number): void {
    const terms = segment.terms(this.#field);
    if (terms === null) return;
    const { first, end } = this.#rangeOf(terms);
    kernels.termBits.orRange(target, terms.image!, first, end);
  }
}

/** Ordinal of the first term at or after the bound, or after it if the bound itself is to be left out. */
function boundOrdinal(terms: FieldTerms, bound: RangeBound<string>, atBound: boolean): number {
  const bytes = encoder.encode(bound.value);
  const ordinal = terms.lowerBound(bytes);
  return atBound || terms.ordinalOf(bytes) < 0 ? ordinal : ordinal + 1;
}

/** Documents with any of the terms. Takes a bitset over the segment at most, whatever the number of terms. */
function termRangeEvaluator(
  terms: FieldTerms,
  range: OrdinalRange,
  segment: SegmentReader,
  pool: WindowPool,
): Evaluator | null {
  if (range.first >= range.end) return null;
  if (range.end - range.first === 1 && terms.docFreq(range.first) <= 1024) {
    return new DocListEvaluator(docList(terms, range.first));
  }
  const { maxDoc } = segment;
  return markedDocsEvaluator(segment, pool, maxDoc, (docs, from, end) => {
    for (let ordinal = range.first; ordinal < range.end; ordinal++) {
      if (((ordinal - range.first) & (TERMS_PER_CHECK - 1)) === 0) pool.interrupt.check();
      addDocs(terms, ordinal, docs, from, end);
    }
  });
}

function docList(terms: FieldTerms, ordinal: number): Uint32Array {
  const cursor = terms.postings(ordinal);
  const docs = new Uint32Array(cursor.docFreq);
  let count = 0;
  for (let block = 0; block < cursor.blockCount; block++) {
    cursor.loadBlock(block);
    docs.set(cursor.docs.subarray(0, cursor.length), count);
    count += cursor.length;
  }
  return docs;
}
