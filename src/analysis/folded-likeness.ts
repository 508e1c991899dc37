import { fold, isMarkToFold } from "./fold-diacritics.js";

/** What letters are when they are folded, by code point; the same for ever, and few are asked for. */
const FOLDED_LETTERS = new Map<number, readonly number[]>();
const LETTERS_MAX = 20_000;

/**
 * Whether other words are the same as one but for what folding takes off: accents and points, letters with a stroke, what
 * is written as two (`café`, `strasse`, `Ѐлка`). Words are compared from their beginning, letter by letter, since
 * nearly all differ in one that folding leaves.
 */
export class FoldedLikeness {
  readonly #word: string;
  readonly #letters: readonly number[];
  #folded: string | null = null;

  /** @param word normalized */
  constructor(word: string) {
    this.#word = word;
    this.#letters = codePointsOf(word);
  }

  /** @param letters of the other word; only the first `length` are */
  isAlike(letters: ArrayLike<number>, length: number): boolean {
    return this.#mayBegin(letters, length, true) && this.#foldedWord() === fold(textOf(letters, length));
  }

  /** Whether the other word begins like it. */
  begins(letters: ArrayLike<number>, length: number): boolean {
    return (
      this.#mayBegin(letters, length, false) && fold(textOf(letters, length)).startsWith(this.#foldedWord())
    );
  }

  #foldedWord(): string {
    return (this.#folded ??= fold(this.#word));
  }

  /** False where the letters tell already that it doesn't begin so, or, if `isWhole`, that it isn't the same. */
  #mayBegin(others: ArrayLike<number>, length: number, isWhole: boolean): boolean {
    const own = new FoldedLetters(this.#letters, this.#letters.length);
    const other = new FoldedLetters(others, length);
    for (;;) {
      const wanted = own.next();
      if (wanted < 0) return !isWhole || other.next() < 0;
      if (other.next() !== wanted) return false;
    }
  }
}

/** The letters of a word one after the other, folded. */
class FoldedLetters {
  readonly #letters: ArrayLike<number>;
  readonly #length: number;
  #at = 0;
  /** What is left of a letter that is several. */
  #rest: readonly number[] = [];
  #restAt = 0;

  constructor(letters: ArrayLike<number>, length: number) {
    this.#letters = letters;
    this.#length = length;
  }

  /** -1: there are no more. */
  next(): number {
    for (;;) {
      if (this.#restAt < this.#rest.length) return this.#rest[this.#restAt++]!;
      if (this.#at >= this.#length) return -1;
      const letter = this.#letters[this.#at++]!;
      if (letter < 0x80) return letter;
      this.#rest = foldedLetter(letter);
      this.#restAt = 0;
    }
  }
}

/** What letters are that are compared, of a word or of a single letter: folded, without marks that folding takes off some. */
export function foldedLetters(of: string | number): readonly number[] {
  return typeof of === "number" ? foldedLetter(of) : codePointsOf(of).flatMap(foldedLetter);
}

/** Without those marks that folding takes off some letters: which ones is told by whole words. */
function foldedLetter(letter: number): readonly number[] {
  let folded = FOLDED_LETTERS.get(letter);
  if (folded === undefined) {
    const text = String.fromCodePoint(letter);
    folded = isMarkToFold(text)
      ? []
      : codePointsOf(fold(text)).filter((each) => !isMarkToFold(String.fromCodePoint(each)));
    if (FOLDED_LETTERS.size >= LETTERS_MAX) FOLDED_LETTERS.clear();
    FOLDED_LETTERS.set(letter, folded);
  }
  return folded;
}

function codePointsOf(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0)!);
}

function textOf(letters: ArrayLike<number>, length: number): string {
  let text = "";
  for (let i = 0; i < length; i++) text += String.fromCodePoint(letters[i]!);
  return text;
}
