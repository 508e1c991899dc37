import { type Analyzer, type Token, tokensOf } from "./analyzer.js";

/** A token of a run, with how many positions it stands after the run's first. */
export interface RunToken {
  readonly term: string;
  readonly position: number;
}

/** A key where it stands among a query's tokens. */
export interface SynonymOccurrence {
  /** Index of its first token. */
  readonly start: number;
  /** Index after its last token. */
  readonly end: number;
  /** What the key also stands for: one or more tokens in a row each. */
  readonly terms: readonly (readonly RunToken[])[];
}

/** A node of the trie: the keys that begin with the same tokens. */
interface KeyNode {
  readonly next: Map<string, KeyNode>;
  /** As they were written, of all keys that end here; analysed when they are first asked for. */
  readonly written: string[];
  terms: readonly (readonly RunToken[])[] | null;
}

/**
 * Synonyms by the tokens of their keys, so that `New-York` finds what was written for the key
 * `new york`, and every spelling with the same stem, what was written for one of them. A trie: looking
 * for keys takes time with the query's tokens and the length of the keys, never with their number.
 *
 * It is built when first asked, not when made: most changes of an index's settings are followed by
 * another before any search comes.
 */
export class SynonymMap {
  readonly #lists: Readonly<Record<string, readonly string[]>>;
  readonly #analyzer: Analyzer;
  #root: KeyNode | null = null;

  /** @param lists key to terms, as they were written */
  constructor(lists: Readonly<Record<string, readonly string[]>>, analyzer: Analyzer) {
    this.#lists = lists;
    this.#analyzer = analyzer;
  }

  /**
   * Every run of consecutive tokens that is a key, by start, then by length; runs may overlap. A token
   * that was dropped for its length interrupts a run.
   *
   * @param tokens of a query, stopwords among them
   */
  occurrences(tokens: readonly Token[]): SynonymOccurrence[] {
    const root = (this.#root ??= this.#build());
    const found: SynonymOccurrence[] = [];
    if (root.next.size === 0) return found;
    for (let start = 0; start < tokens.length; start++) {
      let node = root.next.get(tokens[start]!.text);
      for (let end = start + 1; node !== undefined; end++) {
        if (node.written.length > 0) {
          const terms = (node.terms ??= this.#termsOf(node.written, tokens.slice(start, end)));
          if (terms.length > 0) found.push({ start, end, terms });
        }
        const token = tokens[end];
        if (token === undefined || token.position !== tokens[end - 1]!.position + 1) break;
        node = node.next.get(token.text);
      }
    }
    return found;
  }

  #build(): KeyNode {
    const root = newNode();
    for (const [key, written] of Object.entries(this.#lists)) {
      const tokens = tokensOf(this.#analyzer, key);
      if (tokens.length === 0 || !isConsecutive(tokens)) continue;
      let node = root;
      for (const { text } of tokens) {
        let next = node.next.get(text);
        if (next === undefined) node.next.set(text, (next = newNode()));
        node = next;
      }
      node.written.push(...written);
    }
    return root;
  }

  /** Each term once, and none that analysis makes the key itself. */
  #termsOf(written: readonly string[], key: readonly Token[]): (readonly RunToken[])[] {
    const terms = new Map<string, readonly RunToken[]>();
    for (const text of written) {
      const tokens = tokensOf(this.#analyzer, text);
      if (tokens.length > 0) terms.set(identityOf(runOf(tokens)), runOf(tokens));
    }
    terms.delete(identityOf(runOf(key)));
    return [...terms.values()];
  }
}

/** Tokens with positions counted from the first. */
export function runOf(tokens: readonly Token[]): readonly RunToken[] {
  const first = tokens[0]?.position ?? 0;
  return tokens.map(({ text, position }) => ({ term: text, position: position - first }));
}

function newNode(): KeyNode {
  return { next: new Map(), written: [], terms: null };
}

function isConsecutive(tokens: readonly Token[]): boolean {
  return tokens.every((token, i) => i === 0 || token.position === tokens[i - 1]!.position + 1);
}

/** Tokens hold no white space. */
function identityOf(run: readonly RunToken[]): string {
  return run.map(({ term, position }) => `${position}:${term}`).join(" ");
}
