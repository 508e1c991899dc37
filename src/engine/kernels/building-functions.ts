import type { ParameterCounts } from "./required-exports.js";

/** The functions of `assembly/building/index.ts`; pointers are addresses in the memory that comes with them. */
export interface BuildingFunctions {
  /** Forgets everything; the numbers are a secret of which words' hashes are made. */
  clear(low: number, high: number): void;
  heapTop(): number;
  releaseTo(address: number): void;
  allocate(bytes: number): number;
  zeros(bytes: number): number;

  reserveText(bytes: number): number;
  quoteText(source: number, length: number, target: number): number;
  useLetters(letters: number, symbols: number): void;
  /** @param areJoined 1: the 's after a word belongs to it, in all texts from now on; 0: it is a word */
  usePossessives(areJoined: number): void;
  addField(): number;
  beginValue(field: number, doc: number): void;
  addText(field: number, length: number, base: number): number;
  addWord(field: number, start: number, length: number, position: number): void;
  numberOf(field: number, start: number, length: number): number;
  nextNewWord(field: number): number;
  readValues(reading: number): number;
  layWords(field: number, bytes: number, starts: number): void;

  newSorted(): number;
  beginStream(sorted: number, field: number): void;
  placeTerms(sorted: number, field: number, termCount: number): void;
  nextRange(sorted: number, termCount: number, tokenCount: number, tokens: number): number;
  scatterPiece(sorted: number): number;

  newOutput(): number;
  beginPostings(output: number): void;
  writePostings(sorted: number, tokens: number): number;
  emptied(output: number): void;

  newMergeInputs(count: number): number;
  mergeInputBytes(): number;
  beginMerge(inputs: number, count: number): void;
  mergePostings(postings: number): number;

  newMembers(count: number): number;
  useMembers(members: number, count: number, bytes: number): void;
  decodeBlock(payload: number, payloadLength: number, target: number, length: number): number;
  readBeginnings(
    records: number,
    recordsEnd: number,
    documents: number,
    wanted: number,
    places: number,
    entry: number,
  ): number;
  writeHash(text: number, end: number, target: number): void;

  newOrderInputs(count: number): number;
  orderInputBytes(): number;
  beginOrders(inputs: number, count: number, bytes: number): void;
  mergeOrders(ranks: number): number;
  lastOrderRank(): number;
  resumeOrders(rank: number): void;

  beginSort(
    order: number,
    keys: number,
    spare: number,
    symbols: number,
    starts: number,
    isWide: number,
    ranges: number,
    count: number,
  ): void;
  sortOn(budget: number): number;

  placeOrdinals(
    docs: number,
    firsts: number,
    ids: number,
    ordinalOfId: number,
    from: number,
    to: number,
    starts: number,
    ordinals: number,
    length: number,
  ): number;
  invertOrdinals(
    starts: number,
    ordinals: number,
    maxDoc: number,
    valueCount: number,
    docStarts: number,
    next: number,
    docs: number,
  ): void;
  markAlike(
    order: number,
    from: number,
    stop: number,
    count: number,
    symbols: number,
    starts: number,
    cut: number,
    runs: number,
  ): number;
  rankValues(order: number, docs: number, count: number, ranks: number): void;
  packStream(values: number, count: number, bits: number, target: number): void;

  codePointsBound(bytes: number, end: number): number;
  markCodePoints(bytes: number, end: number, letterOf: number): number;
  numberLetters(letterOf: number, bound: number, alphabet: number, alphabetMax: number): number;
  spellTerms(
    bytes: number,
    offsets: number,
    from: number,
    to: number,
    letterOf: number,
    letters: number,
    starts: number,
  ): number;
  numberTerms(order: number, from: number, to: number): void;
  reverseTerms(letters: number, starts: number, termCount: number): void;
  countNodes(order: number, letters: number, starts: number, termCount: number): number;

  beginTrie(order: number, letters: number, starts: number, termCount: number): void;
  growTrie(labels: number, depths: number, values: number, nodesMax: number, terms: number): number;

  measureNumbers(numbers: number, count: number): number;
  packNumbers(numbers: number, count: number, target: number): number;
  unpackNumbers(source: number, end: number, target: number, count: number): number;
  beginNumbers(source: number, end: number): void;
  nextNumbers(target: number, count: number): number;
  widenNumbers(source: number, width: number, count: number, target: number): void;
  narrowNumbers(source: number, width: number, count: number, target: number): void;
  splitLongs(values: number, count: number, highs: number, lows: number): void;
  joinLongs(highs: number, lows: number, count: number, values: number): void;

  frontCode(bytes: number, offsets: number, count: number, shared: number, rests: number): number;
  frontDecode(
    shared: number,
    rests: number,
    restsEnd: number,
    offsets: number,
    count: number,
    target: number,
    targetLength: number,
  ): number;
  selectReferences(
    references: number,
    docFreqs: number,
    count: number,
    least: number,
    most: number,
    target: number,
  ): number;

  compressLz4(source: number, length: number, target: number, table: number, base: number): number;
  compressShortLz4(source: number, length: number, target: number, table: number): number;
}

export const BUILDING_PARAMETERS: ParameterCounts<BuildingFunctions> = {
  clear: 2,
  heapTop: 0,
  releaseTo: 1,
  allocate: 1,
  zeros: 1,
  reserveText: 1,
  quoteText: 3,
  useLetters: 2,
  usePossessives: 1,
  addField: 0,
  beginValue: 2,
  addText: 3,
  addWord: 4,
  numberOf: 3,
  nextNewWord: 1,
  readValues: 1,
  layWords: 3,
  newSorted: 0,
  beginStream: 2,
  placeTerms: 3,
  nextRange: 4,
  scatterPiece: 1,
  newOutput: 0,
  beginPostings: 1,
  writePostings: 2,
  emptied: 1,
  newMergeInputs: 1,
  mergeInputBytes: 0,
  beginMerge: 2,
  mergePostings: 1,
  newMembers: 1,
  useMembers: 3,
  decodeBlock: 4,
  readBeginnings: 6,
  writeHash: 3,
  newOrderInputs: 1,
  orderInputBytes: 0,
  beginOrders: 3,
  mergeOrders: 1,
  lastOrderRank: 0,
  resumeOrders: 1,
  beginSort: 8,
  sortOn: 1,
  placeOrdinals: 9,
  invertOrdinals: 7,
  markAlike: 8,
  rankValues: 4,
  packStream: 4,
  codePointsBound: 2,
  markCodePoints: 3,
  numberLetters: 4,
  spellTerms: 7,
  numberTerms: 3,
  reverseTerms: 3,
  countNodes: 4,
  beginTrie: 4,
  growTrie: 5,
  measureNumbers: 2,
  packNumbers: 3,
  unpackNumbers: 4,
  beginNumbers: 2,
  nextNumbers: 2,
  widenNumbers: 4,
  narrowNumbers: 4,
  splitLongs: 4,
  joinLongs: 4,
  frontCode: 5,
  frontDecode: 7,
  selectReferences: 6,
  compressLz4: 5,
  compressShortLz4: 4,
};
