import { CountRoom } from "./count-room.js";
import { growByScratch } from "./image-memory.js";
import type { KernelFunctions } from "./kernel-functions.js";
import { compiledKernels, instantiateKernels } from "./kernel-module.js";
import { ListTable } from "./list-table.js";
import type { SegmentImage } from "./posting-image.js";
import { ScoredDocsArena } from "./scored-docs.js";
import { ScratchBitsets } from "./scratch-bitsets.js";
import {
  HITS_MAX,
  LISTS_MAX,
  PHRASE_TOKEN_BYTES,
  type ScratchLayout,
  scratchLayout,
} from "./scratch-layout.js";
import { TermBits } from "./term-bits.js";
import { type WordLevel, WordTable } from "./word-table.js";

/** A limit that stands for all matches, by doc id (`assembly/top-hits.ts`). */
export const ALL_HITS = -1;

/** What all scores are above. */
export const NO_SCORE = -1;

/** Postings that kernels pass between two looks at the clock: some milliseconds. Tests take fewer. */
export const kernelPace: { postings: number } = { postings: 1 << 18 };

/**
 * The kernels over one segment's image, for one thread: `lists.begin`, adding each list, `prepare`, then
 * what is asked of them. From one search to the next they keep the bits of live documents.
 */
export class SegmentKernels {
  readonly functions: KernelFunctions;
  readonly layout: ScratchLayout;
  /** Scores and doc ids of the hits that a top function has found, best first. */
  readonly hitScores: Float32Array;
  readonly hitDocs: Uint32Array;
  readonly lists: ListTable;
  /** Words with many variants. */
  readonly words: WordTable;
  readonly bitsets: ScratchBitsets;
  readonly termBits: TermBits;
  /** Scored documents of the search at hand. */
  readonly scored: ScoredDocsArena;
  readonly #memory: WebAssembly.Memory;
  readonly #maxDoc: number;
  readonly #words: Int32Array;
  #counts: CountRoom | null = null;
  /** What scores are multiplied with by document; null: nothing. */
  #decay: ((docId: number) => number) | null = null;

  #interrupt: { check(): void } | null = null;
  /** Postings between two looks at the clock, as the kernels know them. */
  #pace = 0;

  /** For `SegmentKernels.over`. */
  constructor(module: WebAssembly.Module, memory: WebAssembly.Memory, maxDoc: number) {
    this.functions = instantiateKernels(module, memory, {
      decayFactor: (docId) => this.#decay!(docId),
      checkInterrupt: () => this.#interrupt?.check(),
    });
    const ownBytes = this.functions.layOut(0, LISTS_MAX);
    const { bytes } = scratchLayout(0, maxDoc, ownBytes);
    this.layout = scratchLayout(growByScratch(memory, bytes), maxDoc, ownBytes);
    this.functions.layOut(this.layout.own, LISTS_MAX);
    this.functions.fillLanes();
    this.#memory = memory;
    this.#maxDoc = maxDoc;
    this.lists = new ListTable(memory, this.layout);
    this.bitsets = new ScratchBitsets(memory, this.layout);
    this.termBits = new TermBits(memory, this.layout, this.lists, this.functions);
    this.scored = new ScoredDocsArena(memory, this.functions);
    this.words = new WordTable(memory, this.functions);
    const { buffer } = memory;
    this.#words = new Int32Array(buffer);
    const { layout } = this;
    this.hitScores = new Float32Array(buffer, layout.hitScores, HITS_MAX);
    this.hitDocs = new Uint32Array(buffer, layout.hitDocs, HITS_MAX);
  }

  /** This thread's kernels over a memory; null where there are none. */
  static over({ memory, maxDoc }: SegmentImage): SegmentKernels | null {
    let kernels = byMemory.get(memory);
    if (kernels === undefined) {
      kernels = open(memory, maxDoc);
      byMemory.set(memory, kernels);
    }
    return kernels;
  }

  /**
   * To be called once all lists are there; all documents count until `functions.accept` says otherwise,
   * and their scores don't decay until `decayBy` does.
   */
  prepare(): void {
    const { layout } = this;
    this.functions.prepare(layout.lists, this.lists.count, layout.groups, this.#maxDoc);
  }

  /** From now on kernels are left by what this throws, until another search says otherwise. */
  interruptBy(interrupt: { check(): void }): void {
    this.#interrupt = interrupt;
    if (this.#pace === kernelPace.postings) return;
    this.#pace = kernelPace.postings;
    this.functions.beginPace(this.#pace);
  }

  /** Multiplies each score with a document's factor, f32 from 0 to 1. */
  decayBy(factorOf: (docId: number) => number): void {
    this.#decay = factorOf;
    this.functions.setDecay(1);
  }

  /** Room for `size` counts that are 0, and to list as many; valid until it is next asked for. Throws ScratchExhaustedError. */
  counts(size: number): CountRoom {
    let room = this.#counts;
    if (room === null || room.capacity < size) {
      const capacity = Math.max(16_384, 2 * size);
      room = new CountRoom(this.#memory, growByScratch(this.#memory, CountRoom.bytesFor(capacity)), capacity);
      // Only once there is room for them.
      this.#counts = room;
    }
    return room.clear(size);
  }

  /**
   * The best documents in which tokens stand at given distances, one list for each different term.
   *
   * @param tokens by ascending offset, at most `PHRASE_TOKENS_MAX`
   * @param limit hits wanted, 0: none; only scores above `leastScore` count
   * @param isCounting whether the number of matches must be right
   * @param target address of cleared bits that take the matches; 0: not wanted
   * @param room takes all matches by doc id instead, whatever the limit; null: not wanted
   */
  topPhrase(
    tokens: readonly { readonly list: number; readonly offset: number }[],
    limit: number,
    leastScore: number,
    isCounting: boolean,
    target: number,
    room: { readonly scores: number; readonly docs: number } | null = null,
  ): { readonly count: number; readonly hitCount: number } {
    const { layout, functions } = this;
    for (let i = 0; i < tokens.length; i++) {
      const at = (layout.phraseTokens + i * PHRASE_TOKEN_BYTES) >>> 2;
      this.#words[at] = tokens[i]!.list;
      this.#words[at + 1] = tokens[i]!.offset;
    }
    const count = functions.topPhrase(
      room?.scores ?? layout.hitScores,
      room?.docs ?? layout.hitDocs,
      room === null ? limit : ALL_HITS,
      leastScore,
      this.lists.orderByDocFreq(),
      layout.phraseTokens,
      tokens.length,
      layout.phrasePlaces,
      isCounting ? 1 : 0,
      target,
    );
    return { count, hitCount: functions.endHits() };
  }

  /**
   * Writes all documents that hold variants of a word, each scored by the nearest that it holds; returns how many
   * there are. To be called as the top functions, after `prepare` of no lists.
   *
   * @param levels by distance ascending, then in the query's order of fields
   * @param room for all of them
   */
  scoreWord(levels: readonly WordLevel[], room: { readonly scores: number; readonly docs: number }): number {
    const { functions } = this;
    const { address, count, table, variantCount } = this.words.layOut(levels);
    return functions.topWord(room.scores, room.docs, ALL_HITS, NO_SCORE, address, count, table, variantCount);
  }

  /** Documents that are listed in this memory; valid until the kernels are used again. */
  listedDocs(address: number, count: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, address, count);
  }
}

const byMemory = new WeakMap<WebAssembly.Memory, SegmentKernels | null>();

function open(memory: WebAssembly.Memory, maxDoc: number): SegmentKernels | null {
  const module = compiledKernels();
  if (module === null) return null;
  try {
    return new SegmentKernels(module, memory, maxDoc);
  } catch {
    // No room for scratch space, as other threads have theirs: this one evaluates without kernels.
    return null;
  }
}
