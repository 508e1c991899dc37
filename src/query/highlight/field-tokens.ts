import { type Analyzer, POSITION_GAP } from "../../analysis/analyzer.js";
import type { Steps } from "./steps.js";

/** A value of a field, and which of the field's tokens are its own: `firstToken` up to `tokensEnd`. */
export interface AnalyzedValue {
  readonly text: string;
  readonly firstToken: number;
  readonly tokensEnd: number;
}

/**
 * The tokens of a field's values, those of one value behind those of the value before. Texts repeat their words: what is
 * to be known of a token's text is asked once for each text, by its number.
 */
export class FieldTokens {
  readonly values: AnalyzedValue[] = [];
  /** By number, in the order in which they first come. */
  readonly texts: string[] = [];
  /** By token. Positions ascend, offsets do within a value. */
  readonly textNumbers: number[] = [];
  readonly positions: number[] = [];
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly #numbers: Map<string, number> = new Map();
  #occurrences: number[][] | null = null;

  get count(): number {
    return this.starts.length;
  }

  /**
   * @param texts of the values
   * @param readable how many UTF-16 units of a value, from its beginning, are read
   */
  constructor(
    texts: readonly string[],
    readable: (length: number) => number,
    analyzer: Analyzer,
    steps: Steps,
  ) {
    let base = 0;
    for (const text of texts) {
      const firstToken = this.count;
      const from = base;
      const read = text.slice(0, readable(text.length));
      base += POSITION_GAP;
      base += analyzer.analyzeStored(read, {
        token: (tokenText, position, start, end) => {
          steps.take();
          this.textNumbers.push(this.#numberOf(tokenText));
          this.positions.push(from + position);
          this.starts.push(start);
          this.ends.push(end);
        },
      });
      this.values.push({ text, firstToken, tokensEnd: this.count });
    }
  }

  /** Undefined if no token has the text. */
  numberOf(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  /** Tokens that have a text, ascending. */
  occurrencesOf(textNumber: number): readonly number[] {
    this.#occurrences ??= this.#listed();
    return this.#occurrences[textNumber]!;
  }

  #numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.texts.length;
      this.#numbers.set(text, number);
      this.texts.push(text);
    }
    return number;
  }

  #listed(): number[][] {
    const lists = this.texts.map((): number[] => []);
    for (let token = 0; token < this.count; token++) lists[this.textNumbers[token]!]!.push(token);
    return lists;
  }
}
