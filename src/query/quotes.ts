/**
 * Which signs of a query string open and close a phrase. Keyboards and word processors write “ ” „ for `"` and ‘ ’ for
 * `'`; those stand for them wherever one that opens has one that closes, and are characters like any other elsewhere, as
 * in `5” pipe` and `O’Neill`. Built once for a query string, in one pass; every answer reads each quote once at most.
 */
export class Quotes {
  readonly #text: string;
  /** Offsets of all quotes that no backslash stands before, by kind, ascending. */
  readonly #double: readonly number[];
  readonly #single: readonly number[];
  readonly #isOneLiteral: boolean;
  readonly #lastEnd: Readonly<Record<QuoteKind, number>>;

  /** @param isOneLiteral whether one of the straight double quotes means itself, as in `"5" pipe"` */
  constructor(text: string, isOneLiteral: boolean) {
    this.#text = text;
    const double: number[] = [];
    const single: number[] = [];
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === BACKSLASH) at++;
      else if (quoteKind(code) === "double") double.push(at);
      else if (quoteKind(code) === "single") single.push(at);
    }
    this.#double = double;
    this.#single = single;
    this.#isOneLiteral = isOneLiteral;
    this.#lastEnd = {
      double: double.findLast((at) => this.#mayEndAt(at)) ?? -1,
      single: single.findLast((at) => this.#mayEndAt(at)) ?? -1,
    };
  }

  /** Whether a phrase begins with the sign there, where a phrase may begin. A straight quote always begins one. */
  opensAt(at: number): boolean {
    const code = this.#text.charCodeAt(at);
    const kind = quoteKind(code);
    if (kind === null) return false;
    return isStraight(code) || this.#lastEnd[kind] > at;
  }

  /** Whether a double quote directly behind a word begins a phrase: not ”, which is also the sign of inches. */
  opensInWord(at: number): boolean {
    const code = this.#text.charCodeAt(at);
    return (code === DOUBLE || code === LEFT_DOUBLE || code === LOW_DOUBLE) && this.opensAt(at);
  }

  /** Offset of the quote that closes the phrase opened there; −1 if none does. */
  closing(open: number): number {
    const code = this.#text.charCodeAt(open);
    const quotes = quoteKind(code) === "double" ? this.#double : this.#single;
    const first = firstAfter(quotes, open);
    const plain = this.#nextOf(code, quotes, first);
    if (!isStraight(code) || plain === quotes.length) return this.#closingLoosely(quotes, first);
    if (code !== DOUBLE || !this.#isOneLiteral) return quotes[plain]!;
    for (let i = plain; i < quotes.length; ) {
      const next = this.#nextOf(code, quotes, i + 1);
      if (this.#mayEndAt(quotes[i]!) && this.#mayOpenAt(quotes[next])) return quotes[i]!;
      i = next;
    }
    return quotes[plain]!;
  }

  /** The first place from one on where the list has this very sign; else its length. */
  #nextOf(code: number, quotes: readonly number[], from: number): number {
    let i = from;
    while (i < quotes.length && this.#text.charCodeAt(quotes[i]!) !== code) i++;
    return i;
  }

  /** For a phrase that a quote of its kind closes only where a phrase may end, a curly one before a straight one. */
  #closingLoosely(quotes: readonly number[], from: number): number {
    let straight = -1;
    for (let i = from; i < quotes.length; i++) {
      const at = quotes[i]!;
      const code = this.#text.charCodeAt(at);
      if (code === LOW_DOUBLE || !this.#mayEndAt(at)) continue;
      if (!isStraight(code)) return at;
      if (straight < 0) straight = at;
    }
    return straight;
  }

  /** Whether what follows may follow a phrase. */
  #mayEndAt(at: number): boolean {
    const next = this.#text.charAt(at + 1);
    return next === "" || AFTER_PHRASE.test(next);
  }

  /** Whether what stands before may stand before a phrase, if there is a quote at all. */
  #mayOpenAt(at: number | undefined): boolean {
    return at === undefined || BEFORE_PHRASE.test(this.#text.charAt(at - 1));
  }
}

type QuoteKind = "double" | "single";

const BACKSLASH = 0x5c;
const DOUBLE = 0x22;
const SINGLE = 0x27;
const LEFT_SINGLE = 0x2018;
const RIGHT_SINGLE = 0x2019;
const LEFT_DOUBLE = 0x201c;
const LOW_DOUBLE = 0x201e;

const AFTER_PHRASE = /[\s)\]},~*^"'\u2018\u2019\u201c\u201d]/;
const BEFORE_PHRASE = /[\s([{:+\-,]/;

/** Null for what is no quote. */
function quoteKind(code: number): QuoteKind | null {
  if (code === DOUBLE || (code >= LEFT_DOUBLE && code <= LOW_DOUBLE)) return "double";
  return code === SINGLE || code === LEFT_SINGLE || code === RIGHT_SINGLE ? "single" : null;
}

function isStraight(code: number): boolean {
  return code === DOUBLE || code === SINGLE;
}

/** Index of the first offset behind `at` of an ascending list. */
function firstAfter(offsets: readonly number[], at: number): number {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
