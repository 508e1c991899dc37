import { type Token, tokensOf } from "../analysis/analyzer.js";
import { joinedWords } from "../analysis/joined-words.js";
import { otherNasals } from "../analysis/nasal-spellings.js";
import { numberGroups } from "../analysis/number-groups.js";
import { otherLetters } from "../analysis/other-letters.js";
import { isStemTerm, shownTerm, stemTerm } from "../analysis/stem-terms.js";
import type { StopWordSet } from "../analysis/stop-word-set.js";
import { codePartsOf, type Halves, isLetter, lettersOf, wordHalves } from "../analysis/word-halves.js";
import type { AstRow } from "./query-ast.js";
import { type SearchedIndex, stopWordSetOf } from "./searched-index.js";

/** A shorter beginning of a second half stands for too many words; it counts as a word of its own. */
const BEGUN_HALF_MIN = 3;
/** Single letters that are looked for as one word, at most. */
const LETTERS_MAX = 6;

/** Words without white space between them that are looked for as one, at most, as the five of an ISBN. */
const CODE_PARTS_MAX = 8;

const HAS_DIGIT = /\p{N}/u;

/** Where a code may be parted. */
const LETTER_AND_DIGIT = /^(?:\p{L}\p{N}|\p{N}\p{L})$/u;

/** Signs that artists write for letters (`P!nk`, `Ke$ha`, `T@g`). */
const SIGNS_FOR_LETTERS: ReadonlyMap<string, string> = new Map([
  ["!", "i"],
  ["$", "s"],
  ["@", "a"],
]);

/** Words of a text that stand for one. */
export interface JoinedRun {
  readonly tokens: readonly Token[];
  readonly joined: Token;
}

/** Whether no white space is between tokens. */
function isCode(tokens: readonly Token[], text: string): boolean {
  return !/\s/u.test(text.slice(tokens[0]!.start, tokens.at(-1)!.end));
}

/** How words of a text may be written otherwise: two in one, or one as two. */
export class JoinedSpellings {
  readonly #index: SearchedIndex;
  readonly #stopWords: StopWordSet | null;
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #places: ReadonlyMap<Token, number>;

  /** @param tokens of the text, all of them */
  constructor(index: SearchedIndex, text: string, tokens: readonly Token[]) {
    this.#index = index;
    this.#text = text;
    this.#stopWords = stopWordSetOf(index);
    this.#tokens = tokens;
    this.#places = new Map(tokens.map((token, place) => [token, place]));
  }

  /**
   * The halves that a word may be written as. They are as they are written, the
   * second one in other endings, too: its stem is what the word's stem has behind the first, which is right but for rare
   * words and costs no stemming.
   *
   * @param isBegun whether the word is still being typed, and with it the second half
   */
  halvesOf({ word, text }: Token, isBegun: boolean): AstRow[] {
    const isStopWord = (half: string): boolean => this.#isStopWord(half);
    const stem = isStemTerm(text) ? shownTerm(text) : "";
    const rows = wordHalves(word, isStopWord).flatMap((terms: Halves): AstRow[] => {
      const [first, second] = terms;
      const written = { terms, lastIsPrefix: isBegun && [...second].length >= BEGUN_HALF_MIN };
      const ofStem = stem.startsWith(first) ? stem.slice(first.length) : "";
      // What begins with a half that is its own stem is most of what has that stem.
      if (ofStem === "" || (written.lastIsPrefix && ofStem === second)) return [written];
      return [{ terms: [first, stemTerm(ofStem)], lastIsPrefix: false }, written];
    });
    return rows;
  }

  /** The letters of an abbreviation that a word may be, as those of `usa`. */
  lettersOf({ word }: Token): AstRow[] {
    const letters = lettersOf(word);
    return letters === null ? [] : [{ terms: letters, lastIsPrefix: false }];
  }

  /** The groups of digits that a number may be written in. */
  groupsOf({ word }: Token): AstRow[] {
    return numberGroups(word).map((terms) => ({ terms, lastIsPrefix: false }));
  }

  /**
   * A word in letters that stand for others: nasals of Indian scripts, umlauts and the like as one letter or two.
   *
   * @param isBegun whether the word is still being typed
   */
  inOtherLetters({ word }: Token, isBegun: boolean): AstRow[] {
    return [...otherNasals(word), ...otherLetters(word)].flatMap((other): AstRow[] => {
      const [token, second] = tokensOf(this.#index.analyzer, other);
      const isOther = token !== undefined && second === undefined && token.word !== word;
      return isOther ? [{ terms: [token.word], lastIsPrefix: isBegun }] : [];
    });
  }

  /**
   * The parts of a code that a word may be, as those of `ab1234xy`.
   *
   * @param isBegun whether the word is still being typed, and with it the last part
   */
  codePartsOf({ word }: Token, isBegun: boolean): AstRow[] {
    const parts = codePartsOf(word);
    return parts === null ? [] : [{ terms: parts, lastIsPrefix: isBegun }];
  }

  /**
   * How a code may be parted otherwise than it was typed, in two where a letter and a digit meet, or in all its parts
   * (`wh1000 xm4`: "WH-1000XM4").
   *
   * @param tokens as it was typed
   * @param isBegun whether it is still being typed, and with it the last part
   */
  codePartingsOf(code: Token, tokens: readonly Token[], isBegun: boolean): AstRow[] {
    // Nearly all words are none.
    if (!HAS_DIGIT.test(code.word)) return [];
    const typed = tokens.map(({ word }) => word).join(" ");
    const halves = this.halvesOf(code, isBegun).filter(({ terms: [first, second] }) =>
      LETTER_AND_DIGIT.test(`${first!.at(-1)}${second![0]}`),
    );
    const rows = halves.length === 0 ? [] : [...halves, ...this.codePartsOf(code, isBegun)];
    return rows.filter(({ terms }) => terms.join(" ") !== typed);
  }

  /**
   * The word that tokens make in a row; null if they don't stand side by side, or it would be none, or a stopword.
   */
  joined(tokens: readonly Token[]): Token | null {
    for (let i = 1; i < tokens.length; i++) {
      const [before, after] = [tokens[i - 1]!, tokens[i]!];
      if (after.position !== before.position + 1 || after.start < before.end) return null;
    }
    const written = tokens.map(({ word }) => word).join("");
    const [joined, second] = tokensOf(this.#index.analyzer, written);
    if (joined === undefined || second !== undefined || this.#isStopWord(written)) return null;
    return joined;
  }

  /**
   * Runs of words that stand for one: neighbours, two with a stopword between them (`2 in 1`), a code's parts, and all
   * single letters in a row, stopwords among them (`n.a.s.a.`, `j. r. r.`).
   *
   * @param kept those of the tokens that are no stopwords
   * @param neighboursMax most words that are looked for as one
   */
  joinedRuns(kept: ReadonlySet<Token>, neighboursMax: number): JoinedRun[] {
    const runs: JoinedRun[] = [];
    const words = this.#tokens.filter((token) => kept.has(token));
    const add = (tokens: readonly Token[]): void => {
      const joined = this.joined(tokens);
      if (joined !== null) runs.push({ tokens, joined });
    };
    for (let length = 2; length <= neighboursMax; length++) {
      for (let start = 0; start + length <= words.length; start++) add(words.slice(start, start + length));
    }
    const areWords = (parts: readonly Token[]): boolean => parts.every((token) => kept.has(token));
    for (const parts of joinedWords(this.#tokens, this.#text)) {
      if (parts.length > CODE_PARTS_MAX || !parts.some((token) => kept.has(token))) continue;
      if (parts.every(({ word }) => isLetter(word)) || parts.length < 3) continue;
      if (parts.length > neighboursMax || !areWords(parts)) add(parts);
    }
    for (const run of this.#withSigns(kept)) runs.push(run);
    for (let i = 2; neighboursMax >= 3 && i < this.#tokens.length; i++) {
      const three = this.#tokens.slice(i - 2, i + 1);
      if (three.map((token) => kept.has(token)).join() === "true,false,true" && !isCode(three, this.#text))
        add(three);
    }
    for (const letters of this.abbreviations()) {
      const count = letters.filter((token) => kept.has(token)).length;
      if (count > 0 && (count < letters.length || letters.length > neighboursMax)) add(letters);
    }
    return runs;
  }

  /** Words with signs between their letters that stand for others. */
  #withSigns(kept: ReadonlySet<Token>): JoinedRun[] {
    return joinedWords(this.#tokens, this.#text).flatMap((tokens): JoinedRun[] => {
      if (!tokens.some((token) => kept.has(token))) return [];
      let written = "";
      for (const [i, { word, start }] of tokens.entries()) {
        const between = i === 0 ? "" : this.#text.slice(tokens[i - 1]!.end, start);
        const letter = i === 0 ? "" : SIGNS_FOR_LETTERS.get(between);
        if (letter === undefined) return [];
        written += letter + word;
      }
      const [joined, second] = tokensOf(this.#index.analyzer, written);
      return joined === undefined || second !== undefined ? [] : [{ tokens, joined }];
    });
  }

  /** All single letters in a row, as many as an abbreviation may have. */
  abbreviations(): (readonly Token[])[] {
    const runs: Token[][] = [];
    let run: Token[] = [];
    const end = (): void => {
      if (run.length > 1 && run.length <= LETTERS_MAX) runs.push(run);
      run = [];
    };
    for (const token of this.#tokens) {
      if (isLetter(token.word)) run.push(token);
      else end();
    }
    end();
    return runs;
  }

  /**
   * What a token makes with stopwords beside it, which are no words of their own.
   *
   * @param kept those of the tokens that are no stopwords
   * @param isBegun whether the token is still being typed
   */
  joinedToStopWords(token: Token, kept: ReadonlySet<Token>, isBegun: boolean): AstRow[] {
    const rows: AstRow[] = [];
    const at = this.#places.get(token)!;
    const before = this.#tokens[at - 1];
    const after = this.#tokens[at + 1];
    const add = (joined: Token | null, lastIsPrefix: boolean): void => {
      if (joined !== null) rows.push({ terms: [joined.word], lastIsPrefix });
    };
    if (before !== undefined && !kept.has(before)) add(this.joined([before, token]), isBegun);
    if (after !== undefined && !kept.has(after)) add(this.joined([token, after]), false);
    return rows;
  }

  #isStopWord(word: string): boolean {
    if (this.#stopWords === null) return false;
    const tokens = tokensOf(this.#index.analyzer, word);
    return tokens.length === 1 && this.#stopWords.without(tokens, word).length === 0;
  }
}
