import type { ScoredRoom } from "../../kernels/scored-docs.js";
import { LISTED_MAX } from "../../kernels/scratch-layout.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { DocBits } from "../../segment/segment-reader.js";
import type { SegmentContext } from "../plan/matcher.js";
import type { PhraseToken, QueryPlan } from "../plan/query-plan.js";
import {
  ACCEPTED,
  acceptedBits,
  lookedUpFilter,
  MATCHES,
  markAccepted,
  WORKING,
} from "./accepted-documents.js";
import type { RankingRequest } from "./ranking-request.js";

export interface KernelRanking {
  /** Matches; 0 if not asked for. */
  readonly count: number;
  /** Whole groups of 512 bits; valid until the segment's kernels are used again. */
  readonly matches: DocBits | null;
  /** Address of the matches in a list, u32 by doc id; 0 if they aren't listed. Valid like `matches`. */
  readonly listed: number;
  /** What has the matches in its memory; null if there are none. */
  readonly kernels: SegmentKernels | null;
  readonly hitCount: number;
  /** What the hits score, best first; valid like `matches`. */
  readonly hitScores: Float32Array;
  readonly hitDocs: Uint32Array;
}

/** Documents are counted by bits if each list is in this part of them, else by walking the rarest list. */
const COUNTED_BY_BITS_SHARE = 1 / 32;
/** Matches that are scored one by one rather than by walking lists of so many times their number. */
const SINGLE_DOCS_SHARE = 32;

export const NO_HITS: KernelRanking = {
  count: 0,
  matches: null,
  listed: 0,
  kernels: null,
  hitCount: 0,
  hitScores: new Float32Array(0),
  hitDocs: new Uint32Array(0),
};

/** One plan over one segment's kernels, whose lists are prepared. */
export class PlanRun {
  readonly #kernels: SegmentKernels;
  readonly #plan: QueryPlan;
  readonly #context: SegmentContext;
  readonly #request: RankingRequest;
  /** Whether a document must hold every list. */
  readonly #isConjunction: boolean;
  /** Whether a filter is asked of single documents, so that bits don't tell what counts. */
  #isLookedUp = false;

  constructor(kernels: SegmentKernels, plan: QueryPlan, context: SegmentContext, request: RankingRequest) {
    this.#kernels = kernels;
    this.#plan = plan;
    this.#context = context;
    this.#request = request;
    this.#isConjunction = isConjunction(plan);
  }

  run(): KernelRanking {
    const accepted = this.#accepted();
    if (this.#plan.constantScore !== null) return this.#rankConstant(this.#plan.constantScore, accepted);
    if (this.#plan.phrase !== null) return this.#rankPhrase(this.#plan.phrase, accepted);
    return this.#isConjunction ? this.#rankAll(accepted) : this.#rankAny(accepted);
  }

  /** Ranks documents that hold every list, and counts them on the way unless all lists are bits. */
  #rankAll(accepted: number): KernelRanking {
    const { functions, layout, lists } = this.#kernels;
    const { limit, leastScore, withCount, withMatches } = this.#request;
    this.#begin(accepted);
    const isWanted = withCount || withMatches;
    const isByBits = isWanted && this.#areAllDense();
    const isCounting = isWanted && !isByBits;
    let count = isByBits ? this.#countAllDense(withMatches, accepted) : 0;
    let hitCount = 0;
    if (isCounting || limit > 0) {
      const order = lists.orderByDocFreq();
      const target = isCounting && withMatches ? this.#clearedMatches() : 0;
      const { hitScores, hitDocs } = layout;
      const found = functions.topAll(
        hitScores,
        hitDocs,
        limit,
        leastScore,
        order,
        isCounting ? 1 : 0,
        target,
      );
      if (isCounting) count = found;
      hitCount = functions.endHits();
    }
    return this.#ranking(count, hitCount);
  }

  /** Ranks documents that hold any list, of those that hold what they have to. */
  #rankAny(acceptedBeside: number): KernelRanking {
    const { functions, layout, lists } = this.#kernels;
    const { limit, leastScore, withCount, withMatches } = this.#request;
    let accepted = acceptedBeside;
    let count = -1;
    const isNarrowed = this.#needsRequiredMatches();
    if (isNarrowed) {
      this.#collectRequired(accepted);
      accepted = this.#kernels.bitsets.addressOf(MATCHES);
      count = functions.countBits(accepted, this.#bytes);
      if (count === 0) return NO_HITS;
    }
    this.#begin(accepted);
    if (withMatches && !isNarrowed) count = this.#matchAny(accepted);
    if (withCount && count < 0 && lists.count === 1) count = this.#countOne(accepted);
    if (withCount && count < 0 && limit > 0) {
      const { hitScores, hitDocs } = layout;
      count = functions.topAny(hitScores, hitDocs, limit, leastScore, 1);
      const hitCount = functions.endHits();
      return this.#ranking(count < 0 ? this.#matchAny(accepted) : count, hitCount);
    }
    if (withCount && count < 0) count = this.#matchAny(accepted);
    return this.#ranking(count, limit > 0 ? this.#top(isNarrowed ? count : -1, accepted) : 0);
  }

  /** @param accepted address of the bits that count, 0: all do */
  #begin(accepted: number): void {
    // All do once lists have been prepared.
    if (accepted !== 0) this.#kernels.functions.accept(accepted);
    if (this.#request.decay !== null) this.#kernels.decayBy(this.#request.decay);
  }

  /**
   * What has been ranked, its matches, where they are wanted and few, as a list.
   *
   * @param bits address of the matches
   */
  #ranking(
    count: number,
    hitCount: number,
    bits: number = this.#kernels.bitsets.addressOf(MATCHES),
  ): KernelRanking {
    const { withMatches, mayList } = this.#request;
    const { bitsets, functions, layout, hitScores, hitDocs } = this.#kernels;
    const isListed = withMatches && mayList && count <= LISTED_MAX;
    if (isListed) functions.docsOfBits(bits, this.#bytes, layout.listed, LISTED_MAX);
    return {
      count: Math.max(0, count),
      matches: withMatches && !isListed ? bitsets.at(bits) : null,
      listed: isListed ? layout.listed : 0,
      kernels: this.#kernels,
      hitCount,
      hitScores,
      hitDocs,
    };
  }

  /** Writes all documents in which the plan's phrase occurs, with their scores; returns how many there are. */
  scorePhrase(room: ScoredRoom): number {
    const kernels = this.#kernels;
    kernels.functions.accept(this.#accepted());
    return kernels.topPhrase(this.#plan.phrase!, 0, -1, true, 0, room).hitCount;
  }

  get #bytes(): number {
    return this.#kernels.layout.bitsetBytes;
  }

  /** Address of the bits of matches, which are none. */
  #clearedMatches(): number {
    const address = this.#kernels.bitsets.addressOf(MATCHES);
    this.#kernels.functions.clearBits(address, this.#bytes);
    return address;
  }

  /** Whether matches aren't simply all documents of the lists that count. */
  #needsRequiredMatches(): boolean {
    const { groups } = this.#plan;
    return groups.length > 1 && groups.some((group) => group.required);
  }

  /** Address of the bits of live documents that filters and exclusions leave; 0 if that is all. */
  #accepted(): number {
    if (this.#plan.constantScore === null) return this.#acceptedBesideLists();
    const address = this.#kernels.bitsets.addressOf(ACCEPTED);
    markAccepted(this.#plan, this.#context, this.#kernels, address);
    return address;
  }

  /** What is accepted where lists bring the documents, of which a filter may be asked one by one. */
  #acceptedBesideLists(): number {
    const { filters, exclusions, phrase, groups } = this.#plan;
    const { withCount, withMatches } = this.#request;
    const isLed = this.#isConjunction || (groups.length === 1 && this.#kernels.lists.count === 1);
    if (filters.length > 0 && isLed && phrase === null) {
      const lookedUp = lookedUpFilter(filters, this.#context, this.#kernels, withCount || withMatches);
      if (lookedUp !== null) {
        const { address, width, first, end } = lookedUp.numbers;
        this.#kernels.functions.acceptNumbers(address, width, first, end);
        this.#isLookedUp = true;
        const others = filters.filter((filter) => filter !== lookedUp.filter);
        return acceptedBits({ filters: others, exclusions }, this.#context, this.#kernels);
      }
    }
    return acceptedBits(this.#plan, this.#context, this.#kernels);
  }

  /** Every accepted document matches; the first ones are the best. */
  #rankConstant(score: number, accepted: number): KernelRanking {
    const kernels = this.#kernels;
    const { limit, leastScore } = this.#request;
    let hitCount = 0;
    if (score > leastScore && limit > 0) {
      hitCount = kernels.functions.docsOfBits(accepted, this.#bytes, kernels.layout.hitDocs, limit);
      for (let place = 0; place < hitCount; place++) kernels.hitScores[place] = score;
    }
    return this.#ranking(kernels.functions.countBits(accepted, this.#bytes), hitCount, accepted);
  }

  #rankPhrase(tokens: readonly PhraseToken[], accepted: number): KernelRanking {
    const kernels = this.#kernels;
    const { limit, leastScore, withCount, withMatches } = this.#request;
    this.#begin(accepted);
    const isCounting = withCount || withMatches;
    const target = withMatches ? this.#clearedMatches() : 0;
    const found = kernels.topPhrase(tokens, limit, leastScore, isCounting, target);
    return this.#ranking(isCounting ? found.count : 0, found.hitCount);
  }

  /** Matches of every required group among the accepted documents. */
  #collectRequired(accepted: number): void {
    const kernels = this.#kernels;
    const { functions } = kernels;
    const target = kernels.bitsets.addressOf(MATCHES);
    const working = kernels.bitsets.addressOf(WORKING);
    let isFilled = false;
    for (let index = 0; index < kernels.lists.count; ) {
      const group = kernels.lists.groupOf(index);
      const { required } = this.#plan.groups[group]!;
      const bits = isFilled ? working : target;
      if (required) functions.clearBits(bits, this.#bytes);
      for (; index < kernels.lists.count && kernels.lists.groupOf(index) === group; index++) {
        if (required) functions.orList(bits, this.#bytes, index);
      }
      if (required && isFilled) functions.andBits(target, working, this.#bytes);
      isFilled = isFilled || required;
    }
    if (accepted !== 0) functions.andBits(target, accepted, this.#bytes);
  }

  /** Whether bits tell the documents of every list, and counting them takes less than walking the rarest. */
  #areAllDense(): boolean {
    if (this.#isLookedUp) return false;
    const { lists } = this.#kernels;
    const docFreqMin = this.#bytes * 8 * COUNTED_BY_BITS_SHARE;
    for (let index = 0; index < lists.count; index++) {
      if (lists.denseBitsOf(index) === 0 || lists.docFreqOf(index) < docFreqMin) return false;
    }
    return true;
  }

  /**
   * Documents that all lists hold, where bits tell them. Uses `MATCHES`.
   *
   * @param withBits whether they are wanted there
   * @param accepted address of the bits that count; 0: all do
   */
  #countAllDense(withBits: boolean, accepted: number): number {
    const { functions, lists } = this.#kernels;
    const first = lists.denseBitsOf(0);
    if (lists.count === 2 && accepted === 0 && !withBits) {
      return functions.countCommon(first, lists.denseBitsOf(1), this.#bytes);
    }
    const target = this.#kernels.bitsets.addressOf(MATCHES);
    functions.copyBits(target, first, this.#bytes);
    for (let index = 1; index < lists.count; index++) {
      functions.andBits(target, lists.denseBitsOf(index), this.#bytes);
    }
    if (accepted !== 0) functions.andBits(target, accepted, this.#bytes);
    return functions.countBits(target, this.#bytes);
  }

  /** All matches as bits; returns how many there are. */
  #matchAny(accepted: number): number {
    const { functions, lists } = this.#kernels;
    const target = this.#clearedMatches();
    if (this.#isLookedUp) return functions.countAccepted(target);
    for (let index = 0; index < lists.count; index++) functions.orList(target, this.#bytes, index);
    if (accepted !== 0) functions.andBits(target, accepted, this.#bytes);
    return functions.countBits(target, this.#bytes);
  }

  /** Documents of the only list. */
  #countOne(accepted: number): number {
    const { functions, lists } = this.#kernels;
    const bits = lists.denseBitsOf(0);
    if (this.#isLookedUp) return functions.countAccepted(0);
    if (accepted === 0) return lists.docFreqOf(0);
    return bits === 0 ? functions.countAccepted(0) : functions.countCommon(bits, accepted, this.#bytes);
  }

  /** @param matchCount documents that `accepted` has; -1: not known */
  #top(matchCount: number, accepted: number): number {
    const kernels = this.#kernels;
    const { functions, layout } = kernels;
    const { limit, leastScore } = this.#request;
    const { hitScores, hitDocs } = layout;
    if (matchCount >= 0 && matchCount * SINGLE_DOCS_SHARE < this.#context.segment.maxDoc) {
      return functions.topOfBits(hitScores, hitDocs, limit, leastScore, accepted, layout.bitsetBytes / 4);
    }
    if (kernels.lists.count === 1 && !kernels.lists.isBits(0)) {
      return functions.topTerm(hitScores, hitDocs, limit, leastScore);
    }
    functions.topAny(hitScores, hitDocs, limit, leastScore, 0);
    return functions.endHits();
  }
}

function isConjunction({ groups }: QueryPlan): boolean {
  for (let group = 0; group < groups.length; group++) {
    const { required, leaves } = groups[group]!;
    if (!required || leaves.length !== 1) return false;
  }
  return groups.length > 1;
}
