import { nextSetBit } from "../../bytes/bitset.js";
import { HITS_MAX } from "../../kernels/scratch-layout.js";
import { SegmentKernels, type WordList } from "../../kernels/segment-kernels.js";
import type { DocBits } from "../../segment/segment-reader.js";
import { evaluateWindows } from "../evaluators/evaluate-windows.js";
import type { Matcher, SegmentContext } from "../weights/matcher.js";
import type { RankingPlan, RankingTerm, RankingToken, RankingWord } from "./ranking-plan.js";

/** What is wanted of a segment. */
export interface RankingRequest {
  /** Best documents, at most `HITS_MAX`; 0: none. */
  readonly limit: number;
  /** Only scores above it are of interest. */
  readonly leastScore: number;
  readonly withCount: boolean;
  /** Whether all matches are wanted as bits. */
  readonly withMatches: boolean;
}

export interface KernelRanking {
  /** Matches; 0 if not asked for. */
  readonly count: number;
  /** Whole groups of 512 bits; valid until the segment's kernels are used again. */
  readonly matches: DocBits | null;
  /** What has the matches in its memory; null if there are none. */
  readonly kernels: SegmentKernels | null;
  readonly hitCount: number;
  /** Of the hits, best first; valid like `matches`. */
  readonly hitScores: Float32Array;
  readonly hitDocs: Uint32Array;
}

/** Bitsets by use. */
const ACCEPTED = 0;
const MATCHES = 1;
const WORKING = 2;

/** Scores below could be rounded to 0, which kernels take for no match. */
const WEIGHT_MIN = 1e-20;
/** Matches that are scored one by one rather than by walking lists of so many times their number. */
const SINGLE_DOCS_SHARE = 32;

const NO_HITS: KernelRanking = {
  count: 0,
  matches: null,
  kernels: null,
  hitCount: 0,
  hitScores: new Float32Array(0),
  hitDocs: new Uint32Array(0),
};

/**
 * Ranks and counts a plan's matches with kernels; null if they can't: no kernel memory, too many
 * lists, too many hits. Gives the very documents, scores and counts that the evaluators would.
 */
export function rankInKernels(
  plan: RankingPlan,
  context: SegmentContext,
  request: RankingRequest,
): KernelRanking | null {
  const { image } = context.segment;
  if (plan.groups.length === 0 && plan.constantScore === null) return NO_HITS;
  if (request.limit > HITS_MAX || image === null) return null;
  const kernels = SegmentKernels.over(image);
  if (kernels === null) return null;
  const word = loneWord(plan);
  if (word !== null && !request.withCount && !request.withMatches) {
    // Documents of farther variants come after all others, so they are often not needed at all.
    if (!addLists(kernels, plan, false)) return null;
    const ranking = new PlanRun(kernels, plan, context, request).run();
    if (ranking.hitCount === request.limit || request.leastScore >= word.fartherScoreMax) return ranking;
  }
  if (!addLists(kernels, plan, true)) return null;
  return new PlanRun(kernels, plan, context, request).run();
}

/** A plan's only leaf, if that is a word. */
function loneWord({ groups }: RankingPlan): RankingWord | null {
  const leaf = groups.length === 1 && groups[0]!.leaves.length === 1 ? groups[0]!.leaves[0]! : null;
  return leaf !== null && leaf.kind === "word" ? leaf : null;
}

function addLists(kernels: SegmentKernels, { groups }: RankingPlan, withFarther: boolean): boolean {
  kernels.begin();
  let words = 0;
  for (let group = 0; group < groups.length; group++) {
    for (const leaf of groups[group]!.leaves) {
      const isTaken =
        leaf.kind === "term"
          ? addTerm(kernels, leaf, group)
          : addWord(kernels, leaf, { word: words++, group, withFarther });
      if (!isTaken) return false;
    }
  }
  kernels.prepare();
  return true;
}

function addTerm(kernels: SegmentKernels, leaf: RankingTerm, group: number): boolean {
  return addList(kernels, leaf, leaf.ordinal, group, null);
}

function addList(
  kernels: SegmentKernels,
  { terms, weight, similarity }: Pick<RankingTerm, "terms" | "weight" | "similarity">,
  ordinal: number,
  group: number,
  word: WordList | null,
): boolean {
  if (!(weight > WEIGHT_MIN)) return false;
  return kernels.add({
    image: terms.image!,
    place: terms.placeOf(ordinal),
    weight,
    lengthNorms: similarity.lengthNorms,
    averageLength: similarity.averageFieldLength,
    group,
    word,
  });
}

/** The lists of the nearest variants, and the documents of all farther ones together. */
function addWord(
  kernels: SegmentKernels,
  leaf: RankingWord,
  {
    word,
    group,
    withFarther,
  }: { readonly word: number; readonly group: number; readonly withFarther: boolean },
): boolean {
  const { fields, inverseDocFreq } = leaf;
  for (let field = 0; field < fields.length; field++) {
    for (const ordinal of fields[field]!.nearest) {
      if (!addList(kernels, fields[field]!, ordinal, group, { word, field, inverseDocFreq })) return false;
    }
  }
  if (!withFarther || fields.every(({ farther }) => farther.length === 0)) return true;
  const bits = kernels.moreBitset(word);
  const { bitsetBytes } = kernels.layout;
  kernels.functions.clearBits(bits, bitsetBytes);
  for (const { terms, farther } of fields) {
    kernels.orTerms(
      bits,
      terms.image!,
      farther.map((ordinal) => terms.placeOf(ordinal)),
    );
  }
  return kernels.addFarther({
    bits,
    docFreq: kernels.functions.countBits(bits, bitsetBytes),
    scoreMax: leaf.fartherScoreMax,
    scoreOf: leaf.fartherScore,
    word,
    group,
  });
}

/** One plan over one segment's kernels, whose lists are prepared. */
class PlanRun {
  readonly #kernels: SegmentKernels;
  readonly #plan: RankingPlan;
  readonly #context: SegmentContext;
  readonly #request: RankingRequest;
  /** Whether a document must hold every list. */
  readonly #isConjunction: boolean;

  constructor(kernels: SegmentKernels, plan: RankingPlan, context: SegmentContext, request: RankingRequest) {
    this.#kernels = kernels;
    this.#plan = plan;
    this.#context = context;
    this.#request = request;
    this.#isConjunction =
      plan.groups.length > 1 &&
      plan.groups.every(
        ({ required, leaves }) => required && leaves.length === 1 && leaves[0]!.kind === "term",
      );
  }

  run(): KernelRanking {
    const { functions } = this.#kernels;
    let accepted = this.#accepted();
    if (this.#plan.constantScore !== null) return this.#rankConstant(this.#plan.constantScore, accepted);
    if (this.#plan.phrase !== null) return this.#rankPhrase(this.#plan.phrase, accepted);
    let count = -1;
    const hasMatches = !this.#isConjunction && this.#needsRequiredMatches();
    if (hasMatches) {
      this.#collectRequired(accepted);
      accepted = this.#kernels.bitsetAddress(MATCHES);
      count = functions.countBits(accepted, this.#bytes);
      if (count === 0) return { ...NO_HITS };
    }
    functions.accept(accepted);
    if (this.#request.withMatches && !hasMatches) {
      count = this.#isConjunction ? this.#matchAll(true, accepted) : this.#matchAny(accepted);
    } else if (this.#request.withCount && count < 0) {
      count = this.#isConjunction ? this.#matchAll(false, accepted) : this.#countAny(accepted);
    }
    const hitCount = this.#request.limit === 0 ? 0 : this.#top(hasMatches ? count : -1, accepted);
    return {
      count: Math.max(0, count),
      matches: this.#request.withMatches ? this.#matches() : null,
      kernels: this.#kernels,
      hitCount,
      hitScores: this.#kernels.hitScores,
      hitDocs: this.#kernels.hitDocs,
    };
  }

  get #bytes(): number {
    return this.#kernels.layout.bitsetBytes;
  }

  #matches(): DocBits {
    return this.#kernels.bitset(MATCHES);
  }

  /** Whether matches aren't simply all documents of the lists that count. */
  #needsRequiredMatches(): boolean {
    const { groups } = this.#plan;
    return groups.length > 1 && groups.some((group) => group.required);
  }

  /** Address of the bits of live documents that filters and exclusions leave; 0 if that is all. */
  #accepted(): number {
    const { segment } = this.#context;
    const { filters, exclusions } = this.#plan;
    if (segment.liveDocs === null && filters.length === 0 && exclusions.length === 0) return 0;
    const { functions } = this.#kernels;
    const address = this.#kernels.bitsetAddress(ACCEPTED);
    const working = this.#kernels.bitsetAddress(WORKING);
    const bits = this.#kernels.bitset(ACCEPTED);
    let isFilled = false;
    for (const filter of filters) {
      this.#evaluate(filter, this.#kernels.bitset(isFilled ? WORKING : ACCEPTED));
      if (isFilled) functions.andBits(address, working, this.#bytes);
      isFilled = true;
    }
    if (segment.liveDocs !== null) {
      if (isFilled) {
        this.#kernels.bitset(WORKING).set(segment.liveDocs);
        functions.andBits(address, working, this.#bytes);
      } else {
        bits.set(segment.liveDocs);
      }
    } else if (!isFilled) {
      fillBits(bits, segment.maxDoc);
    }
    for (const exclusion of exclusions) {
      this.#evaluate(exclusion, this.#kernels.bitset(WORKING));
      functions.andNotBits(address, working, this.#bytes);
    }
    return address;
  }

  /** Every accepted document matches; the first ones are the best. */
  #rankConstant(score: number, accepted: number): KernelRanking {
    const kernels = this.#kernels;
    const { limit, leastScore } = this.#request;
    const matches = kernels.bitset(ACCEPTED);
    let hitCount = 0;
    if (score > leastScore) {
      for (let docId = nextSetBit(matches, 0); docId >= 0 && hitCount < limit; ) {
        kernels.hitDocs[hitCount] = docId;
        kernels.hitScores[hitCount++] = score;
        docId = nextSetBit(matches, docId + 1);
      }
    }
    return {
      count: kernels.functions.countBits(accepted, this.#bytes),
      matches,
      kernels: this.#kernels,
      hitCount,
      hitScores: kernels.hitScores,
      hitDocs: kernels.hitDocs,
    };
  }

  #rankPhrase(tokens: readonly RankingToken[], accepted: number): KernelRanking {
    const kernels = this.#kernels;
    const { limit, leastScore, withCount, withMatches } = this.#request;
    kernels.functions.accept(accepted);
    const target = withMatches ? kernels.bitsetAddress(MATCHES) : 0;
    if (withMatches) kernels.functions.clearBits(target, this.#bytes);
    const found = kernels.topPhrase(tokens, limit, leastScore, withCount || withMatches, target);
    return {
      count: withCount || withMatches ? found.count : 0,
      matches: withMatches ? this.#matches() : null,
      kernels: this.#kernels,
      hitCount: found.hitCount,
      hitScores: kernels.hitScores,
      hitDocs: kernels.hitDocs,
    };
  }

  /** Overwrites bits with a query node's matches, deleted documents included. */
  #evaluate(matcher: Matcher, bits: DocBits): void {
    bits.fill(0);
    this.#context.pool.interrupt.check();
    if (matcher.mark !== undefined) {
      matcher.mark(this.#context, this.#kernels, bits.byteOffset);
      return;
    }
    const evaluator = matcher.evaluator(this.#context);
    if (evaluator === null) return;
    const all = { maxDoc: this.#context.segment.maxDoc, liveDocs: null };
    evaluateWindows(evaluator, all, this.#context.pool, false, {
      collect(windowStart, matches) {
        const word = windowStart >>> 5;
        const words = Math.min(matches.length, bits.length - word);
        bits.set(words === matches.length ? matches : matches.subarray(0, words), word);
      },
    });
  }

  /** Matches of every required group among the accepted documents. */
  #collectRequired(accepted: number): void {
    const kernels = this.#kernels;
    const { functions } = kernels;
    const target = kernels.bitsetAddress(MATCHES);
    const working = kernels.bitsetAddress(WORKING);
    let isFilled = false;
    for (let index = 0; index < kernels.listCount; ) {
      const group = kernels.groupOf(index);
      const { required } = this.#plan.groups[group]!;
      const bits = isFilled ? working : target;
      if (required) functions.clearBits(bits, this.#bytes);
      for (; index < kernels.listCount && kernels.groupOf(index) === group; index++) {
        if (required) functions.orList(bits, this.#bytes, index);
      }
      if (required && isFilled) functions.andBits(target, working, this.#bytes);
      isFilled = isFilled || required;
    }
    if (accepted !== 0) functions.andBits(target, accepted, this.#bytes);
  }

  /** @param accepted address of the bits that count, 0: all do */
  #matchAll(withBits: boolean, accepted: number): number {
    const kernels = this.#kernels;
    const { functions } = kernels;
    if (this.#areAllDense()) return this.#matchAllDense(withBits, accepted);
    const target = withBits ? kernels.bitsetAddress(MATCHES) : 0;
    if (withBits) functions.clearBits(target, this.#bytes);
    const count = functions.matchAll(kernels.orderByDocFreq(), target);
    functions.rewind();
    return count;
  }

  #areAllDense(): boolean {
    for (let index = 0; index < this.#kernels.listCount; index++) {
      if (this.#kernels.denseBitsOf(index) === 0) return false;
    }
    return true;
  }

  #matchAllDense(withBits: boolean, accepted: number): number {
    const kernels = this.#kernels;
    const { functions } = kernels;
    const first = kernels.denseBitsOf(0);
    if (kernels.listCount === 2 && accepted === 0 && !withBits) {
      return functions.countCommon(first, kernels.denseBitsOf(1), this.#bytes);
    }
    const target = kernels.bitsetAddress(MATCHES);
    functions.copyBits(target, first, this.#bytes);
    for (let index = 1; index < kernels.listCount; index++) {
      functions.andBits(target, kernels.denseBitsOf(index), this.#bytes);
    }
    if (accepted !== 0) functions.andBits(target, accepted, this.#bytes);
    return functions.countBits(target, this.#bytes);
  }

  /** All matches as bits. */
  #matchAny(accepted: number): number {
    const { functions } = this.#kernels;
    const target = this.#kernels.bitsetAddress(MATCHES);
    functions.clearBits(target, this.#bytes);
    for (let index = 0; index < this.#kernels.listCount; index++)
      functions.orList(target, this.#bytes, index);
    if (accepted !== 0) functions.andBits(target, accepted, this.#bytes);
    functions.rewind();
    return functions.countBits(target, this.#bytes);
  }

  #countAny(accepted: number): number {
    const kernels = this.#kernels;
    const { functions, listCount } = kernels;
    if (listCount === 1) {
      const bits = kernels.denseBitsOf(0);
      if (accepted === 0) return kernels.docFreqOf(0);
      return bits === 0 ? functions.countAccepted(0) : functions.countCommon(bits, accepted, this.#bytes);
    }
    const target = kernels.bitsetAddress(MATCHES);
    let count = 0;
    let dense = 0;
    for (let index = 0; index < listCount; index++) {
      const bits = kernels.denseBitsOf(index);
      if (bits === 0) continue;
      if (dense++ === 0) {
        functions.copyBits(target, bits, this.#bytes);
        count = kernels.docFreqOf(index);
      } else {
        functions.orBits(target, bits, this.#bytes);
      }
    }
    if (dense === 0) functions.clearBits(target, this.#bytes);
    if (dense > 1) count = functions.countBits(target, this.#bytes);
    for (let index = 0; index < listCount; index++) {
      if (kernels.denseBitsOf(index) === 0) count += functions.orListCounting(target, index);
    }
    return accepted === 0 ? count : functions.countCommon(target, accepted, this.#bytes);
  }

  /** @param matchCount documents that `accepted` has; -1: not known */
  #top(matchCount: number, accepted: number): number {
    const kernels = this.#kernels;
    const { functions, layout } = kernels;
    const { limit, leastScore } = this.#request;
    const { hitScores, hitDocs } = layout;
    if (this.#isConjunction) {
      return functions.topAll(hitScores, hitDocs, limit, leastScore, kernels.orderByDocFreq());
    }
    if (matchCount >= 0 && matchCount * SINGLE_DOCS_SHARE < this.#context.segment.maxDoc) {
      return functions.topOfBits(hitScores, hitDocs, limit, leastScore, accepted, layout.bitsetBytes / 4);
    }
    if (kernels.listCount === 1 && this.#plan.groups[0]!.leaves[0]!.kind === "term") {
      return functions.topTerm(hitScores, hitDocs, limit, leastScore);
    }
    return functions.topAny(hitScores, hitDocs, limit, leastScore);
  }
}

function fillBits(bits: DocBits, size: number): void {
  const words = size >>> 5;
  bits.fill(0xffff_ffff, 0, words);
  bits.fill(0, words);
  if ((size & 31) !== 0) bits[words] = 2 ** (size & 31) - 1;
}
