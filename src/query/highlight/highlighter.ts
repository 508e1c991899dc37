import { type Analyzer, POSITION_GAP, type Token } from "../../analysis/analyzer.js";
import type { QueryAst } from "../query-ast.js";
import { compareCodePoints } from "./compare-code-points.js";
import { type FragmentOptions, markedFragments, type Span } from "./fragments.js";
import { type FuzzyTarget, type HighlightTargets, highlightTargets } from "./highlight-targets.js";
import { phraseOccurrences } from "./phrase-occurrences.js";
import { WordDistances } from "./word-distances.js";

export interface HighlightOptions extends FragmentOptions {
  /** Text fields, in the order of the answer. */
  readonly fields: readonly string[];
}

/** UTF-16 units of text that one highlighter reads; what comes after them is not highlighted. */
const TEXT_UNITS_MAX = 4_000_000;

/** A value of a field with its tokens. */
interface AnalyzedValue {
  readonly text: string;
  readonly tokens: readonly Token[];
}

/**
 * Shows where documents hold what a query looks for. It goes by the tokens of analysis, as matching
 * does: under stemming the whole word is marked, of a fuzzy word its nearest variants (the only ones
 * that count in the score), of a phrase the words of its occurrences.
 */
export class Highlighter {
  readonly #analyzer: Analyzer;
  readonly #options: HighlightOptions;
  readonly #targets: ReadonlyMap<string, HighlightTargets>;
  readonly #distances = new Map<FuzzyTarget, WordDistances>();
  #unitsLeft = TEXT_UNITS_MAX;

  constructor(ast: QueryAst, analyzer: Analyzer, options: HighlightOptions) {
    this.#analyzer = analyzer;
    this.#options = options;
    this.#targets = highlightTargets(ast);
    for (const { fuzzy } of this.#targets.values()) {
      for (const target of fuzzy) {
        if (!this.#distances.has(target)) this.#distances.set(target, new WordDistances(target));
      }
    }
  }

  /** By field the marked fragments of a document, HTML-safe; fields without a mark are left out. */
  highlight(document: Readonly<Record<string, unknown>>): Record<string, string[]> {
    const analyzed = new Map<string, readonly AnalyzedValue[]>();
    const valuesOf = (field: string): readonly AnalyzedValue[] => {
      let values = analyzed.get(field);
      if (values === undefined) analyzed.set(field, (values = this.#analyze(document, field)));
      return values;
    };
    const nearest = new Map<FuzzyTarget, number>();
    for (const [target, distances] of this.#distances) {
      nearest.set(target, leastDistance(target.fields.flatMap(valuesOf), distances));
    }
    const fragments: [string, string[]][] = [];
    for (const field of this.#options.fields) {
      const targets = this.#targets.get(field);
      if (targets === undefined) continue;
      const marked = this.#markField(valuesOf(field), targets, nearest);
      if (marked.length > 0) fragments.push([field, marked]);
    }
    return Object.fromEntries(fragments);
  }

  #analyze(document: Readonly<Record<string, unknown>>, field: string): readonly AnalyzedValue[] {
    const value = Object.hasOwn(document, field) ? document[field] : undefined;
    const texts = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
    let base = 0;
    return texts.map((text) => {
      const read = text.slice(0, this.#unitsLeft);
      this.#unitsLeft -= read.length;
      const tokens: Token[] = [];
      const from = base;
      base += POSITION_GAP;
      base += this.#analyzer.analyze(read, {
        token: (tokenText, position, start, end, word) =>
          tokens.push({ text: tokenText, position: from + position, start, end, word }),
      });
      return { text, tokens };
    });
  }

  #markField(
    values: readonly AnalyzedValue[],
    targets: HighlightTargets,
    nearest: ReadonlyMap<FuzzyTarget, number>,
  ): string[] {
    const fuzzy = targets.fuzzy.map((target) => ({
      distances: this.#distances.get(target)!,
      nearest: nearest.get(target)!,
      maxDistance: target.maxDistance,
    }));
    const isWanted = (token: Token): boolean =>
      targets.terms.has(token.text) ||
      fuzzy.some(
        (word) => word.nearest <= word.maxDistance && word.distances.to(token.text) === word.nearest,
      ) ||
      someOf(targets.prefixes, (prefix) => token.text.startsWith(prefix)) ||
      targets.ranges.some((range) => isInRange(token.text, range));
    const all = values.flatMap(({ tokens }) => tokens);
    const inPhrases = new Set<Token>();
    for (const phrase of targets.phrases) {
      for (const index of phraseOccurrences(all, phrase)) inPhrases.add(all[index]!);
    }
    const fragments: string[] = [];
    for (const { text, tokens } of values) {
      const room = this.#options.maxFragments - fragments.length;
      if (room <= 0) break;
      const wanted = tokens.filter((token) => inPhrases.has(token) || isWanted(token));
      const options = { ...this.#options, maxFragments: room };
      fragments.push(...markedFragments(text, joined(wanted), tokens, options));
    }
    return fragments;
  }
}

/** Marks of tokens; where tokens overlap, as bigrams do, they share one. */
function joined(tokens: readonly Token[]): (Span & { readonly word: string })[] {
  const marks: { start: number; end: number; word: string }[] = [];
  for (const { start, end, text } of tokens) {
    const last = marks.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else marks.push({ start, end, word: text });
  }
  return marks;
}

function leastDistance(values: readonly AnalyzedValue[], distances: WordDistances): number {
  let least = Number.POSITIVE_INFINITY;
  for (const { tokens } of values) {
    for (const token of tokens) {
      least = Math.min(least, distances.to(token.text));
      if (least === 0) return 0;
    }
  }
  return least;
}

function someOf<T>(values: ReadonlySet<T>, test: (value: T) => boolean): boolean {
  for (const value of values) if (test(value)) return true;
  return false;
}

function isInRange(text: string, { lower, upper }: HighlightTargets["ranges"][number]): boolean {
  if (lower !== null) {
    const order = compareCodePoints(text, lower.value);
    if (order < 0 || (order === 0 && !lower.inclusive)) return false;
  }
  if (upper === null) return true;
  const order = compareCodePoints(text, upper.value);
  return order < 0 || (order === 0 && upper.inclusive);
}
