import { FoldedLikeness, foldedLetters } from "../../../analysis/folded-likeness.js";
import { distanceOfEdits, FOLDED } from "../../../analysis/word-distance.js";
import type { FieldTerms, TermTrie } from "../../segment/segment-reader.js";
import { type SearchInterrupt, STEPS_PER_CHECK } from "../search-interrupt.js";
import { codePointsOf, decodeCodePoints, TERM_CODE_POINTS_MAX } from "./code-points.js";
import { madeTries } from "./made-tries.js";
import type { BegunExpansion, TermExpansion } from "./near-terms.js";

const LEAF = 0x8000_0000;

/** The thread's: a walk is made in one go. */
const letters = new Uint32Array(TERM_CODE_POINTS_MAX);
const path = new Uint32Array(TERM_CODE_POINTS_MAX + 1);
const consumedAt = new Uint16Array(TERM_CODE_POINTS_MAX + 2);

/**
 * Terms that are the word but for what folding takes off, however many letters that changes; ascending. The word itself may
 * be among them.
 *
 * @throws FindlingError `search_timeout`
 */
export function foldedTerms(terms: FieldTerms, word: string, interrupt: SearchInterrupt): readonly number[] {
  return found(terms, word, false, interrupt);
}

/**
 * Terms that begin like a prefix but for what folding takes off; ascending. Those that begin as it is written may be among
 * them. As for `expandPrefix`, a prefix is longer than the distance.
 *
 * @throws FindlingError `search_timeout`
 */
export function foldedBeginnings(
  terms: FieldTerms,
  prefix: string,
  maxDistance: number,
  interrupt: SearchInterrupt,
): readonly number[] {
  return codePointsOf(prefix).length > maxDistance ? found(terms, prefix, true, interrupt) : [];
}

/** A walk goes down a trie only where letters fold to those of the word. */
function found(
  terms: FieldTerms,
  word: string,
  isPrefix: boolean,
  interrupt: SearchInterrupt,
): readonly number[] {
  const tries = madeTries(terms, interrupt);
  if (tries !== null && isAscii(word) && !foldedAlphabet(tries.alphabet).mayFold) return [];
  const likeness = new FoldedLikeness(word);
  if (tries === null) return scanned(terms, likeness, isPrefix, interrupt);
  return new FoldedWalk(terms, word, likeness, isPrefix, interrupt).walk(tries.forward, tries.alphabet);
}

/**
 * An expansion by edits, which it may change, with the terms that differ by folding alone, all at their distances (`word-distance.ts`).
 *
 * @param areWhole of the folded ones: whether each is so as a whole; all unless given
 */
export function withFolded(
  { ordinals, distances: edits, areBegun }: TermExpansion & Partial<BegunExpansion>,
  folded: readonly number[],
  areWhole: readonly boolean[] | null = null,
): BegunExpansion {
  if (folded.length === 0) {
    // Nearly always; of beginnings there may be thousands.
    for (let i = 0; i < edits.length; i++) if (edits[i]! > 0) edits[i] = distanceOfEdits(edits[i]!);
    return { ordinals, distances: edits, areBegun: areBegun ?? new Uint8Array(ordinals.length) };
  }
  const size = ordinals.length + folded.length;
  const all = {
    ordinals: new Uint32Array(size),
    distances: new Uint8Array(size),
    areBegun: new Uint8Array(size),
  };
  let count = 0;
  let next = 0;
  for (let i = 0; i < ordinals.length || next < folded.length; count++) {
    const ofEdits = i < ordinals.length ? ordinals[i]! : Number.POSITIVE_INFINITY;
    const ofFolded = next < folded.length ? folded[next]! : Number.POSITIVE_INFINITY;
    all.ordinals[count] = Math.min(ofEdits, ofFolded);
    if (ofEdits <= ofFolded) {
      all.distances[count] = edits[i] === 0 ? 0 : distanceOfEdits(edits[i]!);
      all.areBegun[count] = areBegun?.[i] ?? 0;
    }
    if (ofFolded <= ofEdits) {
      if (ofFolded < ofEdits || edits[i] !== 0) {
        all.distances[count] = FOLDED;
        all.areBegun[count] = areWhole === null || areWhole[next] === true ? 0 : 1;
      }
      next++;
    }
    if (ofEdits <= ofFolded) i++;
  }
  if (count === size) return all;
  return {
    ordinals: all.ordinals.slice(0, count),
    distances: all.distances.slice(0, count),
    areBegun: all.areBegun.slice(0, count),
  };
}

/** For vocabularies without tries. */
function scanned(
  terms: FieldTerms,
  likeness: FoldedLikeness,
  isPrefix: boolean,
  interrupt: SearchInterrupt,
): readonly number[] {
  const found: number[] = [];
  for (let ordinal = 0; ordinal < terms.termCount; ordinal++) {
    if ((ordinal & (STEPS_PER_CHECK - 1)) === 0) interrupt.check();
    const length = decodeCodePoints(terms.termBytes(ordinal), letters);
    if (isPrefix ? likeness.begins(letters, length) : likeness.isAlike(letters, length)) found.push(ordinal);
  }
  return found;
}

class FoldedWalk {
  readonly #terms: FieldTerms;
  /** As it is written, and as letters that are compared. */
  readonly #word: Uint32Array;
  readonly #wanted: readonly number[];
  readonly #likeness: FoldedLikeness;
  readonly #isPrefix: boolean;
  readonly #interrupt: SearchInterrupt;
  readonly #found: number[] = [];

  constructor(
    terms: FieldTerms,
    word: string,
    likeness: FoldedLikeness,
    isPrefix: boolean,
    interrupt: SearchInterrupt,
  ) {
    this.#terms = terms;
    this.#word = codePointsOf(word);
    this.#wanted = foldedLetters(word);
    this.#likeness = likeness;
    this.#isPrefix = isPrefix;
    this.#interrupt = interrupt;
  }

  walk(trie: TermTrie, alphabet: Uint32Array): readonly number[] {
    const { labels, depths, values } = trie;
    const wanted = this.#wanted;
    const wantedCount = wanted.length;
    const { firsts } = foldedAlphabet(alphabet);
    consumedAt[0] = 0;
    /** Up to which depth the path is the word as it is written. */
    let exactDepth = 0;
    let steps = 0;
    // Invariant: of the word's letters, those of the path to the node's parent have been consumed.
    for (let node = 0; node < labels.length; ) {
      if ((++steps & (STEPS_PER_CHECK - 1)) === 0) this.#interrupt.check();
      const label = labels[node]!;
      const depth = depths[node]!;
      const value = values[node]!;
      const isLeaf = value >= LEAF;
      if (label === 0) {
        if (consumedAt[depth] === wantedCount) this.#check(value - LEAF);
        node++;
        continue;
      }
      const first = firsts[label - 1]!;
      const before = consumedAt[depth]!;
      const codePoint = alphabet[label - 1]!;
      // Nearly all are others.
      const consumed = first !== 0 && first !== wanted[before] ? -1 : this.#consume(codePoint, before);
      if (consumed < 0) {
        node = isLeaf ? node + 1 : value;
        continue;
      }
      path[depth] = codePoint;
      exactDepth = Math.min(exactDepth, depth);
      if (exactDepth === depth && this.#word[depth] === codePoint) exactDepth++;
      if (this.#isPrefix && consumed === wantedCount) {
        const end = isLeaf ? node + 1 : value;
        // What begins as it is written is found as such.
        if (exactDepth < this.#word.length) this.#takeAll(trie, node, end, depth + 1);
        node = end;
        continue;
      }
      consumedAt[depth + 1] = consumed;
      if (isLeaf) this.#check(value - LEAF);
      node++;
    }
    return this.#found;
  }

  /** How many of the word's letters are consumed with one more of a term; -1: it is another. */
  #consume(codePoint: number, consumed: number): number {
    const wanted = this.#wanted;
    if (codePoint === wanted[consumed]) return consumed + 1;
    if (codePoint < 0x80) return -1;
    let at = consumed;
    for (const letter of foldedLetters(codePoint)) {
      if (at === wanted.length) return this.#isPrefix ? at : -1;
      if (wanted[at++] !== letter) return -1;
    }
    return at;
  }

  /** Takes the terms of a subtree whose path folds to the word. */
  #takeAll({ values, labels }: TermTrie, start: number, end: number, depth: number): void {
    const isTold = this.#likeness.begins(path, depth);
    for (let node = start; node < end; node++) {
      const value = values[node]!;
      if (value < LEAF && labels[node] !== 0) continue;
      if (isTold) this.#found.push(value - LEAF);
      else this.#check(value - LEAF);
    }
  }

  /** Whether the letters are, or begin with, the word as it is written, and so are found as such. */
  #isAsWritten(length: number): boolean {
    const word = this.#word;
    if (this.#isPrefix ? length < word.length : length !== word.length) return false;
    for (let i = 0; i < word.length; i++) if (word[i] !== letters[i]) return false;
    return true;
  }

  #check(ordinal: number): void {
    const length = decodeCodePoints(this.#terms.termBytes(ordinal), letters);
    if (this.#isAsWritten(length)) return;
    const isMeant = this.#isPrefix
      ? this.#likeness.begins(letters, length)
      : this.#likeness.isAlike(letters, length);
    if (isMeant) this.#found.push(ordinal);
  }
}

/** What is known of a field's alphabet. */
interface FoldedAlphabet {
  /** By label - 1: the first letter that its letter folds to; 0: none, as it is a mark. */
  readonly firsts: Uint32Array;
  /** Whether folding changes any letter. */
  readonly mayFold: boolean;
}

const FOLDED_ALPHABETS = new WeakMap<Uint32Array, FoldedAlphabet>();

function foldedAlphabet(alphabet: Uint32Array): FoldedAlphabet {
  let known = FOLDED_ALPHABETS.get(alphabet);
  if (known === undefined) {
    const all = Array.from(alphabet, (letter) => (letter < 0x80 ? [letter] : foldedLetters(letter)));
    known = {
      firsts: Uint32Array.from(all, (folded) => folded[0] ?? 0),
      mayFold: all.some((folded, i) => folded.length !== 1 || folded[0] !== alphabet[i]),
    };
    FOLDED_ALPHABETS.set(alphabet, known);
  }
  return known;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

/** Whether each of some terms is the word as a whole, but for what folding takes off. */
export function areWholeWords(terms: FieldTerms, ordinals: readonly number[], word: string): boolean[] {
  const likeness = new FoldedLikeness(word);
  return ordinals.map((ordinal) =>
    likeness.isAlike(letters, decodeCodePoints(terms.termBytes(ordinal), letters)),
  );
}
