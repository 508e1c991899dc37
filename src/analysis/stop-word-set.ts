import { type Analyzer, type Token, tokensOf } from "./analyzer.js";
import { isJoined } from "./joined-words.js";

/** A stopword of several tokens, such as `don't`. */
interface Compound {
  readonly words: readonly string[];
  /** Whether the tokens must stand in one word, because the stopword is written without white space. */
  readonly isOneWord: boolean;
}

/**
 * Stopwords in the analyzer's own words, before stemming: `own` is a stopword, `owned` is not.
 *
 * A stopword that gives several tokens (`don't` gives `don` and `t`) is recognized only as a whole,
 * in one word, so that neither `don` nor the `d` of `vitamin d` becomes a stopword of its own. Likewise
 * where a run of a script without spaces is cut into overlapping pieces, a piece is no word: stopwords
 * there are whole runs.
 */
export class StopWordSet {
  readonly #single = new Set<string>();
  /** By first word. */
  readonly #compounds = new Map<string, Compound[]>();
  #hasSeveralWords = false;

  constructor(stopWords: Iterable<string>, analyzer: Analyzer) {
    for (const stopWord of stopWords) {
      const words = tokensOf(analyzer, stopWord).map((token) => token.word);
      const [first, ...others] = words;
      if (first === undefined) continue;
      if (others.length === 0) this.#single.add(first);
      else this.#addCompound(first, { words, isOneWord: !/\s/.test(stopWord.trim()) });
    }
  }

  /** Whether a stopword is several words with white space between them. */
  get hasSeveralWords(): boolean {
    return this.#hasSeveralWords;
  }

  /** The text's tokens without the stopwords; the others keep their positions. */
  without(tokens: readonly Token[], text: string): Token[] {
    return this.#without(tokens, text, true);
  }

  /** The text's tokens without stopwords of several words; those of one word stay. */
  withoutSeveralWords(tokens: readonly Token[], text: string): Token[] {
    const kept: Token[] = [];
    for (let i = 0; i < tokens.length; ) {
      const stopped = this.#stopWordLength(tokens, i, text);
      const isSeveral = stopped > 1 && /\s/.test(text.slice(tokens[i]!.end, tokens[i + stopped - 1]!.start));
      if (!isSeveral) kept.push(...tokens.slice(i, i + Math.max(1, stopped)));
      i += Math.max(1, stopped);
    }
    return kept;
  }

  /**
   * The text's tokens without the stopwords that stand alone. One joined to a longer word stays: the `IT` of
   * `IT-500` is no word of its own, and without it every 500 would be found.
   */
  withoutLoose(tokens: readonly Token[], text: string): Token[] {
    return this.#without(tokens, text, false);
  }

  #without(tokens: readonly Token[], text: string, dropsJoined: boolean): Token[] {
    const kept: Token[] = [];
    for (let i = 0; i < tokens.length; ) {
      const stopped = this.#stopWordLength(tokens, i, text);
      if (stopped === 0 || (stopped === 1 && !dropsJoined && isJoined(tokens, i, text)))
        kept.push(tokens[i]!);
      i += Math.max(1, stopped);
    }
    return kept;
  }

  #addCompound(first: string, compound: Compound): void {
    if (!compound.isOneWord) this.#hasSeveralWords = true;
    const compounds = this.#compounds.get(first);
    if (compounds === undefined) this.#compounds.set(first, [compound]);
    else compounds.push(compound);
  }

  /** How many tokens the longest stopword at the index takes, 0 if there is none. */
  #stopWordLength(tokens: readonly Token[], index: number, text: string): number {
    const first = tokens[index]!.word;
    let longest = this.#single.has(first) && isWholeRun(tokens, index, 1) ? 1 : 0;
    for (const compound of this.#compounds.get(first) ?? []) {
      const length = compound.words.length;
      if (length > longest && standsAt(compound, tokens, index, text)) longest = length;
    }
    return longest;
  }
}

function standsAt(compound: Compound, tokens: readonly Token[], index: number, text: string): boolean {
  const { words, isOneWord } = compound;
  for (let i = 0; i < words.length; i++) {
    const token = tokens[index + i];
    if (token === undefined || token.word !== words[i]) return false;
    if (i === 0) continue;
    const before = tokens[index + i - 1]!;
    if (token.position !== before.position + 1) return false;
    if (isOneWord && /\s/.test(text.slice(before.end, token.start))) return false;
  }
  return isWholeRun(tokens, index, words.length);
}

/** Whether the tokens share no character with the one before or after them, as overlapping pieces do. */
function isWholeRun(tokens: readonly Token[], index: number, length: number): boolean {
  const before = tokens[index - 1];
  const after = tokens[index + length];
  return (
    (before === undefined || before.end <= tokens[index]!.start) &&
    (after === undefined || after.start >= tokens[index + length - 1]!.end)
  );
}
