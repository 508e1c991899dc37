import { emptyBitset, nextSetBit } from "../../bytes/bitset.js";
import { type DocId, NO_MORE_DOCS } from "../../schema/document.js";
import type { DocBits, FieldTerms } from "../../segment/segment-reader.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import { type Evaluator, WINDOW_SIZE, type WindowBits, type WindowScores } from "./evaluator.js";
import { copyWindow, lowestBit } from "./window-bits.js";
import type { WindowPool } from "./window-pool.js";

/** The level of a document that holds nothing; there are never so many. */
const NO_TIER = 0xff;
/** Terms whose postings are added up between two looks at the clock, unless they are in as many documents. */
const TERMS_PER_CHECK = 16;
const LONG_LIST = 16_384;

/** Terms at one distance in one field; those of equal steps are one tier, of which only the nearest counts in a document. */
export interface LevelOfVariants {
  readonly distance: number;
  /** What the score of a tier goes by. */
  readonly steps: number;
  readonly terms: FieldTerms;
  readonly ordinals: ArrayLike<number>;
  /** K by norm code. */
  readonly lengthNorms: Float32Array;
  /** What saturated frequencies count for; f32. */
  readonly weight: number;
}

/**
 * Documents that hold a variant of a word, scored by the nearest that they hold. A word that is still being typed can
 * stand for most of the dictionary, so the terms' frequencies are added up once by document, instead of walking thousands
 * of posting lists side by side. Takes a byte a document, and four more for each level that one tier has; where there is no
 * room for that, it is done for a stretch of documents at a time.
 */
export class VariantsEvaluator implements Evaluator {
  readonly cost: number;
  readonly #levels: readonly TieredLevel[];
  readonly #scoreOfTier: (steps: number, termScore: number) => number;
  readonly #maxDoc: number;
  readonly #interrupt: SearchInterrupt;
  /** Documents that have been gone through last, from the first to before the end. */
  #from: DocId = 0;
  #end: DocId = 0;
  /** Those of them that match; the first one's bit is the first, as in what follows. */
  readonly #docs: DocBits;
  /** By document: the tier of its nearest variant. */
  readonly #tiers: Uint8Array;
  /** By place in a tier and document: occurrences of the level's terms, of the document's tier. */
  readonly #freqs: readonly Uint32Array[];

  /**
   * @param options.levels the nearest first, those of equal steps one after the other, in the order in which they count
   * @param options.score f32, of a tier's steps and the sum of weight · tf / (tf + K) over its levels
   * @throws FindlingError `search_timeout`
   */
  constructor(options: {
    readonly levels: readonly LevelOfVariants[];
    readonly score: (steps: number, termScore: number) => number;
    readonly segment: { readonly maxDoc: number };
    readonly pool: WindowPool;
  }) {
    const { segment, pool } = options;
    const { maxDoc } = segment;
    pool.room.startSegment(segment);
    const levels = inTiers(options.levels);
    const width = 1 + Math.max(...levels.map(({ place }) => place));
    const docBytes = 2 + 4 * width;
    const windows = Math.max(1, Math.floor(pool.room.share / docBytes / WINDOW_SIZE));
    const size = Math.min(maxDoc, windows * WINDOW_SIZE);
    pool.room.take(size * docBytes);
    this.#levels = levels;
    this.#scoreOfTier = options.score;
    this.#maxDoc = maxDoc;
    this.#interrupt = pool.interrupt;
    this.#docs = emptyBitset(size);
    this.#tiers = new Uint8Array(size);
    this.#freqs = Array.from({ length: width }, () => new Uint32Array(size));
    const count = this.#begin(0);
    this.cost = size === maxDoc ? count : maxDoc;
  }

  nextMatchBound(docId: DocId): DocId {
    if (docId >= this.#maxDoc) return NO_MORE_DOCS;
    if (docId < this.#from || docId >= this.#end) return docId;
    const next = nextSetBit(this.#docs, docId - this.#from);
    if (next >= 0) return this.#from + next;
    return this.#end < this.#maxDoc ? this.#end : NO_MORE_DOCS;
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    this.#reach(windowStart);
    copyWindow(this.#docs, windowStart - this.#from, candidates, matches);
    if (scores === null) return;
    for (let word = 0; word < matches.length; word++) {
      for (let rest = matches[word]!; rest !== 0; rest &= rest - 1) {
        const offset = (word << 5) + lowestBit(rest);
        scores[offset] = scores[offset]! + this.#scoreOf(windowStart + offset);
      }
    }
  }

  /** Distance of a matching document's nearest variant. */
  distanceOf(docId: DocId): number {
    this.#reach(docId - (docId % WINDOW_SIZE));
    const tier = this.#tiers[docId - this.#from]!;
    return this.#levels.find((level) => level.tier === tier)!.distance;
  }

  #reach(windowStart: DocId): void {
    if (windowStart < this.#from || windowStart >= this.#end) this.#begin(windowStart);
  }

  /** Goes through the documents from a window on; returns how many match. */
  #begin(windowStart: DocId): number {
    this.#from = windowStart;
    this.#end = Math.min(windowStart + this.#tiers.length, this.#maxDoc);
    this.#docs.fill(0);
    this.#tiers.fill(NO_TIER);
    for (const freqs of this.#freqs) freqs.fill(0);
    let count = 0;
    for (const level of this.#levels) count += this.#addTerms(level);
    return count;
  }

  #scoreOf(docId: DocId): number {
    const own = this.#tiers[docId - this.#from]!;
    let termScore = 0;
    let steps = 0;
    for (let i = 0; i < this.#levels.length; i++) {
      const { tier, place, weight, lengthNorms, terms, steps: ofLevel } = this.#levels[i]!;
      if (tier !== own) continue;
      steps = ofLevel;
      const freq = this.#freqs[place]![docId - this.#from]!;
      if (freq === 0) continue;
      const saturation = Math.fround(freq / Math.fround(freq + lengthNorms[terms.norms[docId]!]!));
      termScore = Math.fround(termScore + Math.fround(weight * saturation));
    }
    return this.#scoreOfTier(steps, termScore);
  }

  /** Returns how many documents are new. */
  #addTerms({ terms, ordinals, tier, place: placeInTier }: TieredLevel): number {
    const docs = this.#docs;
    const tiers = this.#tiers;
    const freqs = this.#freqs[placeInTier]!;
    const from = this.#from;
    const size = this.#end - from;
    let count = 0;
    for (let i = 0; i < ordinals.length; i++) {
      const cursor = terms.postings(ordinals[i]!);
      if ((i & (TERMS_PER_CHECK - 1)) === 0 || cursor.docFreq > LONG_LIST) this.#interrupt.check();
      for (let block = cursor.seekBlock(from); block < cursor.blockCount; block++) {
        cursor.loadBlock(block);
        cursor.loadFreqs();
        for (let at = 0; at < cursor.length; at++) {
          const place = cursor.docs[at]! - from;
          if (place < 0 || place >= size || tiers[place]! < tier) continue;
          if (tiers[place] === NO_TIER) {
            tiers[place] = tier;
            docs[place >>> 5]! |= 1 << (place & 31);
            count++;
          }
          freqs[place]! += cursor.freqs[at]!;
        }
        if (cursor.lastDoc(block) >= this.#end) break;
      }
    }
    return count;
  }
}

interface TieredLevel extends LevelOfVariants {
  /** Number of its tier, the nearest first, and of it among the levels of the tier. */
  readonly tier: number;
  readonly place: number;
}

function inTiers(levels: readonly LevelOfVariants[]): TieredLevel[] {
  let tier = -1;
  let place = 0;
  return levels.map((level, i) => {
    const isSame = i > 0 && levels[i - 1]!.steps === level.steps;
    tier += isSame ? 0 : 1;
    place = isSame ? place + 1 : 0;
    return { ...level, tier, place };
  });
}
