import { readFileSync } from "node:fs";

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
  keepList(list: number): void;
  keepLast(list: number): void;
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
  orBlocks(target: number, docFreq: number, firstBlock: number, walker: number): void;
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
  countFewNumbers(
    bits: number,
    words: number,
    numbers: number,
    width: number,
    parents: number,
    counts: number,
    counted: number,
  ): number;
  countFewPaths(
    bits: number,
    words: number,
    starts: number,
    ordinals: number,
    parents: number,
    subtreeEnds: number,
    counts: number,
    counted: number,
  ): number;
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
  firstOfList(
    numbers: number,
    width: number,
    isDescending: number,
    limit: number,
    places: number,
    docs: number,
  ): number;
  countOrdinals(bits: number, words: number, ordinals: number, counts: number): void;
  countPaths(
    bits: number,
    words: number,
    starts: number,
    ordinals: number,
    parents: number,
    subtreeEnds: number,
    counts: number,
  ): void;
  orTerms(target: number, bytes: number, terms: number, count: number, data: number, walker: number): void;
  accept(bits: number): void;
  acceptNumbers(numbers: number, width: number, first: number, end: number): void;
  beginPace(postings: number): void;
  decayScores(): void;
  sealScored(docs: number, scores: number, count: number, lastDocs: number, bounds: number): number;
  fillRow(
    row: number,
    maxima: number,
    rowScores: number,
    bytes: number,
    docs: number,
    scores: number,
    count: number,
    scoreMax: number,
  ): void;
  scoreBits(scores: number, docs: number, bits: number, words: number): number;
  scoreList(scores: number, docs: number, start: number): number;
  rewind(): void;
  topTerms(
    pace: number,
    lists: number,
    count: number,
    groups: number,
    maxDoc: number,
    accepted: number,
    hitScores: number,
    hitDocs: number,
    k: number,
    least: number,
    order: number,
    counting: number,
  ): number;
  topJoined(
    joined: number,
    hitCount: number,
    pace: number,
    lists: number,
    count: number,
    groups: number,
    maxDoc: number,
    accepted: number,
    hitScores: number,
    hitDocs: number,
    k: number,
    least: number,
    order: number,
    counting: number,
  ): number;
  topTerm(hitScores: number, hitDocs: number, k: number, least: number): number;
  topLoneTerm(
    pace: number,
    lists: number,
    groups: number,
    maxDoc: number,
    accepted: number,
    hitScores: number,
    hitDocs: number,
    k: number,
    least: number,
  ): number;
  topAny(hitScores: number, hitDocs: number, k: number, least: number, counting: number): number;
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
  countCommon(bits: number, other: number, bytes: number): number;
  countAccepted(index: number): number;
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

/** What `npm run build:kernels` writes; the path is the same from the sources and from what they compile to. */
const FOLDER = "../../../dist/engine/kernels/";

let searching: WebAssembly.Module | null | undefined;
let building: WebAssembly.Module | null | undefined;

/** The kernels, or null where they aren't built or WebAssembly lacks SIMD or threads. Compiled once. */
export function compiledKernels(): WebAssembly.Module | null {
  if (searching === undefined) searching = compile("kernels.wasm");
  return searching;
}

/** The same for kernels that build segments. */
export function compiledBuildingKernels(): WebAssembly.Module | null {
  if (building === undefined) building = compile("building.wasm");
  return building;
}

/** What kernels ask of TypeScript. */
export interface KernelCallbacks {
  /** What a document scores by a word's farther variants. */
  readonly fartherScore: (word: number, docId: number) => number;
  /** What a document's score is multiplied with, f32 from 0 to 1. */
  readonly decayFactor: (docId: number) => number;
  /** Throws if the search at hand is to end. Asked between steps of some milliseconds at most. */
  readonly checkInterrupt: () => void;
}

const NO_LISTS: KernelCallbacks = { fartherScore: () => 0, decayFactor: () => 1, checkInterrupt() {} };

/**
 * Kernels over a memory of images.
 *
 * @param callbacks needless where there are no lists
 * @throws WebAssembly.LinkError if the memory isn't shared
 */
export function instantiateKernels(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
  callbacks: KernelCallbacks = NO_LISTS,
): KernelFunctions {
  const { exports } = new WebAssembly.Instance(module, { env: { memory, ...callbacks } });
  return exports as unknown as KernelFunctions;
}

function compile(name: string): WebAssembly.Module | null {
  try {
    return new WebAssembly.Module(readFileSync(new URL(FOLDER + name, import.meta.url)));
  } catch {
    // Everything that kernels do is done without them, too, slower.
    return null;
  }
}
