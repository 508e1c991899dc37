import type { ParameterCounts } from "./required-exports.js";

/** The functions of `assembly/index.ts`; every pointer is an address in the memory they were made with. */
export interface KernelFunctions {
  attach(
    entries: number,
    narrowed: number,
    marks: number,
    maxOrder: number,
    windowOrder: number,
    sums: number,
    touched: number,
    shared: number,
    greatestBounds: number,
    pairPlaces: number,
    positionLanes: number,
  ): void;
  prepare(lists: number, count: number, groups: number, maxDoc: number): void;
  orTermRange(
    target: number,
    docFreqs: number,
    references: number,
    first: number,
    end: number,
    data: number,
    walker: number,
  ): void;
  rankBits(bits: number, ranks: number, bytes: number): void;
  markDocs(target: number, docs: number, count: number): void;
  markNumbers(
    target: number,
    numbers: number,
    width: number,
    first: number,
    end: number,
    maxDoc: number,
  ): void;
  countNumbers(bits: number, words: number, numbers: number, width: number, counts: number): void;
  countListedNumbers(
    docs: number,
    count: number,
    numbers: number,
    width: number,
    parents: number,
    counts: number,
    counted: number,
  ): number;
  countListedPaths(
    docs: number,
    count: number,
    starts: number,
    ordinals: number,
    parents: number,
    subtreeEnds: number,
    counts: number,
    counted: number,
  ): number;
  orderPaths(
    counted: number,
    length: number,
    counts: number,
    parents: number,
    parentShift: number,
    links: number,
    keys: number,
    entries: number,
  ): void;
  sumPaths(counts: number, parents: number, size: number, counted: number): number;
  firstByNumbers(
    numbers: number,
    width: number,
    isDescending: number,
    limit: number,
    places: number,
    docs: number,
    bits: number,
    words: number,
  ): number;
  countPaths(
    bits: number,
    words: number,
    starts: number,
    ordinals: number,
    parents: number,
    subtreeEnds: number,
    counts: number,
    size: number,
    rootEnds: number,
  ): void;
  countPathsOfListed(
    docs: number,
    count: number,
    starts: number,
    ordinals: number,
    parents: number,
    subtreeEnds: number,
    counts: number,
    size: number,
    rootEnds: number,
  ): void;
  orTerms(target: number, bytes: number, terms: number, count: number, data: number, walker: number): void;
  markPositions(
    docs: number,
    count: number,
    target: number,
    terms: number,
    termCount: number,
    walker: number,
  ): void;
  accept(bits: number): void;
  acceptNumbers(numbers: number, width: number, first: number, end: number): void;
  beginPace(postings: number): void;
  decayScores(): void;
  sealScored(docs: number, scores: number, count: number, lastDocs: number, bounds: number): number;
  scoreBits(scores: number, docs: number, bits: number, words: number): number;
  rewind(): void;
  topTerm(hitScores: number, hitDocs: number, k: number, least: number): number;
  topAny(hitScores: number, hitDocs: number, k: number, least: number, isCounting: number): number;
  topAll(
    hitScores: number,
    hitDocs: number,
    k: number,
    least: number,
    order: number,
    isCounting: number,
  ): number;
  topPhrase(
    hitScores: number,
    hitDocs: number,
    k: number,
    least: number,
    order: number,
    tokens: number,
    tokenCount: number,
    places: number,
    isCounting: number,
    target: number,
  ): number;
  attachFew(
    bits: number,
    marked: number,
    firsts: number,
    candidates: number,
    sums: number,
    totals: number,
    taken: number,
  ): void;
  topFewBits(
    hitScores: number,
    hitDocs: number,
    k: number,
    least: number,
    matches: number,
    words: number,
    found: number,
  ): number;
  topFew(
    hitScores: number,
    hitDocs: number,
    k: number,
    least: number,
    leading: number,
    required: number,
    found: number,
  ): number;
  attachWord(freqs: number, scores: number, fieldBits: number, levelBits: number, foundBits: number): void;
  topWord(
    hitScores: number,
    hitDocs: number,
    k: number,
    least: number,
    levels: number,
    levelCount: number,
    variants: number,
    variantCount: number,
  ): number;
  endTop(): number;
  topOfBits(
    hitScores: number,
    hitDocs: number,
    k: number,
    least: number,
    bits: number,
    words: number,
  ): number;
  orList(target: number, bytes: number, index: number): void;
  orListCounting(target: number, index: number): number;
  orBits(target: number, other: number, bytes: number): void;
  andBits(target: number, other: number, bytes: number): void;
  andNotBits(target: number, other: number, bytes: number): void;
  copyBits(target: number, source: number, bytes: number): void;
  clearBits(target: number, bytes: number): void;
  countBits(bits: number, bytes: number): number;
  docsOfBits(bits: number, bytes: number, docs: number, limit: number): number;
  countCommon(bits: number, other: number, bytes: number): number;
  countAccepted(): number;
  matchAll(order: number, target: number): number;
  decodeLz4(
    source: number,
    sourceEnd: number,
    targetStart: number,
    out: number,
    targetEnd: number,
    wanted: number,
  ): number;
  findRecord(
    source: number,
    sourceEnd: number,
    targetStart: number,
    out: number,
    targetEnd: number,
    wanted: number,
    ordinal: number,
  ): number;
  lz4Position(): number;
  lz4FilledTo(): number;
  lz4RecordEnd(): number;
  lz4RecordIsAscii(): number;
}

export const KERNEL_PARAMETERS: ParameterCounts<KernelFunctions> = {
  attach: 11,
  prepare: 4,
  orTermRange: 7,
  rankBits: 3,
  markDocs: 3,
  markNumbers: 6,
  countNumbers: 5,
  countListedNumbers: 7,
  countListedPaths: 8,
  orderPaths: 8,
  sumPaths: 4,
  firstByNumbers: 8,
  countPaths: 9,
  countPathsOfListed: 9,
  orTerms: 6,
  markPositions: 6,
  accept: 1,
  acceptNumbers: 4,
  beginPace: 1,
  decayScores: 0,
  sealScored: 5,
  scoreBits: 4,
  rewind: 0,
  topTerm: 4,
  topAny: 5,
  topAll: 6,
  topPhrase: 10,
  attachFew: 7,
  topFewBits: 7,
  topFew: 7,
  attachWord: 5,
  topWord: 8,
  endTop: 0,
  topOfBits: 6,
  orList: 3,
  orListCounting: 2,
  orBits: 3,
  andBits: 3,
  andNotBits: 3,
  copyBits: 3,
  clearBits: 2,
  countBits: 2,
  docsOfBits: 4,
  countCommon: 3,
  countAccepted: 0,
  matchAll: 2,
  decodeLz4: 6,
  findRecord: 7,
  lz4Position: 0,
  lz4FilledTo: 0,
  lz4RecordEnd: 0,
  lz4RecordIsAscii: 0,
};
