import { type Token, tokensOf } from "../analysis/analyzer.js";
import type { StopWordSet } from "../analysis/stop-word-set.js";
import { type Halves, wordHalves } from "../analysis/word-halves.js";
import type { AstRow } from "./query-ast.js";
import { type SearchedIndex, stopWordSetOf } from "./searched-index.js";

/** A shorter beginning of a second half stands for too many words; it counts as a word of its own. */
const BEGUN_HALF_MIN = 3;

/** How words of a text may be written otherwise: two in one, or one as two. */
export class JoinedSpellings {
  readonly #index: SearchedIndex;
  readonly #stopWords: StopWordSet | null;
  readonly #tokens: readonly Token[];

  /** @param tokens of a text, all of them */
  constructor(index: SearchedIndex, tokens: readonly Token[]) {
    this.#index = index;
    this.#stopWords = stopWordSetOf(index);
    this.#tokens = tokens;
  }

  /**
   * The halves that a word may be written as.
   *
   * @param isBegun whether the word is still being typed, and with it the second half
   */
  halvesOf({ word }: Token, isBegun: boolean): AstRow[] {
    const isStopWord = (half: string): boolean => this.#isStopWord(half);
    return wordHalves(word, isStopWord).map((terms: Halves) => {
      const lastIsPrefix = isBegun && [...terms[1]].length >= BEGUN_HALF_MIN;
      return { terms, lastIsPrefix };
    });
  }

  /**
   * The word that a token makes with the one behind it; null if they don't stand side by side, or it would be none, or
   * a stopword.
   */
  joinedWith(token: Token, next: Token): Token | null {
    if (next.position !== token.position + 1 || next.start < token.end) return null;
    const written = token.word + next.word;
    const [joined, second] = tokensOf(this.#index.analyzer, written);
    if (joined === undefined || second !== undefined || this.#isStopWord(written)) return null;
    return joined;
  }

  /**
   * What a token makes with stopwords beside it, which are no words of their own.
   *
   * @param kept those of the tokens that are no stopwords
   * @param isBegun whether the token is still being typed
   */
  joinedToStopWords(token: Token, kept: ReadonlySet<Token>, isBegun: boolean): AstRow[] {
    const rows: AstRow[] = [];
    const at = this.#tokens.indexOf(token);
    const before = this.#tokens[at - 1];
    const after = this.#tokens[at + 1];
    const add = (joined: Token | null, lastIsPrefix: boolean): void => {
      if (joined !== null) rows.push({ terms: [joined.word], lastIsPrefix });
    };
    if (before !== undefined && !kept.has(before)) add(this.joinedWith(before, token), isBegun);
    if (after !== undefined && !kept.has(after)) add(this.joinedWith(token, after), false);
    return rows;
  }

  #isStopWord(word: string): boolean {
    if (this.#stopWords === null) return false;
    const tokens = tokensOf(this.#index.analyzer, word);
    return tokens.length === 1 && this.#stopWords.without(tokens, word).length === 0;
  }
}
