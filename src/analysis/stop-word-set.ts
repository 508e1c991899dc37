import { type Analyzer, type Token, tokensOf } from "./analyzer.js";

/** A stopword of several tokens, such as `don't`. */
interface Compound {
  readonly tokens: readonly string[];
  /** Whether the tokens must stand in one word, because the stopword is written without white space. */
  readonly isOneWord: boolean;
}

/**
 * Stopwords in the analyzer's own tokens.
 *
 * A stopword that gives several tokens (`don't` gives `don` and `t`) is recognized only as a whole,
 * in one word, so that neither `don` nor the `d` of `vitamin d` becomes a stopword of its own.
 */
export class StopWordSet {
  readonly #single = new Set<string>();
  /** By first token. */
  readonly #compounds = new Map<string, Compound[]>();

  constructor(words: Iterable<string>, analyzer: Analyzer) {
    for (const word of words) {
      const tokens = tokensOf(analyzer, word).map((token) => token.text);
      const [first, ...others] = tokens;
      if (first === undefined) continue;
      if (others.length === 0) this.#single.add(first);
      else this.#addCompound(first, { tokens, isOneWord: !/\s/.test(word.trim()) });
    }
  }

  /** The text's tokens without the stopwords; the others keep their positions. */
  without(tokens: readonly Token[], text: string): Token[] {
    const kept: Token[] = [];
    for (let i = 0; i < tokens.length; ) {
      const stopped = this.#stopWordLength(tokens, i, text);
      if (stopped === 0) kept.push(tokens[i]!);
      i += Math.max(1, stopped);
    }
    return kept;
  }

  #addCompound(first: string, compound: Compound): void {
    const compounds = this.#compounds.get(first);
    if (compounds === undefined) this.#compounds.set(first, [compound]);
    else compounds.push(compound);
  }

  /** How many tokens the longest stopword at the index takes, 0 if there is none. */
  #stopWordLength(tokens: readonly Token[], index: number, text: string): number {
    const first = tokens[index]!.text;
    let longest = this.#single.has(first) ? 1 : 0;
    for (const compound of this.#compounds.get(first) ?? []) {
      const length = compound.tokens.length;
      if (length > longest && standsAt(compound, tokens, index, text)) longest = length;
    }
    return longest;
  }
}

function standsAt(compound: Compound, tokens: readonly Token[], index: number, text: string): boolean {
  for (let i = 0; i < compound.tokens.length; i++) {
    const token = tokens[index + i];
    if (token === undefined || token.text !== compound.tokens[i]) return false;
    if (i === 0) continue;
    const before = tokens[index + i - 1]!;
    if (token.position !== before.position + 1) return false;
    if (compound.isOneWord && /\s/.test(text.slice(before.end, token.start))) return false;
  }
  return true;
}
