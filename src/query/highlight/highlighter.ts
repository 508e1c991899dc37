import type { Analyzer } from "../../analysis/analyzer.js";
import type { QueryAst } from "../query-ast.js";
import { type AnalyzedValue, FieldTokens } from "./field-tokens.js";
import { type FragmentOptions, type HtmlRoom, type Marks, markedFragments } from "./fragments.js";
import { type FuzzyTarget, type HighlightTargets, highlightTargets } from "./highlight-targets.js";
import { markPhrase } from "./phrase-occurrences.js";
import { type Interrupt, Steps } from "./steps.js";
import { WantedTexts } from "./wanted-texts.js";
import { wholeEnd, wholeStart } from "./whole-characters.js";
import { WordDistances } from "./word-distances.js";

export interface HighlightOptions extends FragmentOptions {
  /** Text fields, in the order of the answer. */
  readonly fields: readonly string[];
}

/** UTF-16 units of text that one highlighter reads; what comes after them is not highlighted. */
const TEXT_UNITS_MAX = 4_000_000;
/** The units of HTML that it makes, tags included; fragments beyond them are left out. */
const HTML_UNITS_MAX = 4 * TEXT_UNITS_MAX;

/**
 * Shows where documents hold what a query looks for. It goes by the tokens of analysis, as matching
 * does: under stemming the whole word is marked, of a fuzzy word its nearest variants (the only ones
 * that count in the score), of a phrase the words of its occurrences.
 *
 * Time is linear in the texts, and in their distinct words times the fuzzy words. It asks an interrupt whether it may
 * go on. One highlighter serves one page of hits.
 */
export class Highlighter {
  readonly #analyzer: Analyzer;
  readonly #options: HighlightOptions;
  readonly #steps: Steps;
  readonly #targets: ReadonlyMap<string, HighlightTargets>;
  readonly #wanted: ReadonlyMap<string, WantedTexts>;
  readonly #distances = new Map<FuzzyTarget, WordDistances>();
  readonly #room: HtmlRoom = { unitsLeft: HTML_UNITS_MAX };
  #unitsLeft = TEXT_UNITS_MAX;

  constructor(ast: QueryAst, analyzer: Analyzer, options: HighlightOptions, interrupt: Interrupt) {
    this.#analyzer = analyzer;
    this.#options = options;
    this.#steps = new Steps(interrupt);
    this.#targets = highlightTargets(ast);
    this.#wanted = new Map([...this.#targets].map(([field, targets]) => [field, new WantedTexts(targets)]));
    for (const { fuzzy } of this.#targets.values()) {
      for (const target of fuzzy) {
        if (!this.#distances.has(target)) this.#distances.set(target, new WordDistances(target));
      }
    }
  }

  /**
   * By field the marked fragments of a document, HTML-safe; fields without a mark are left out.
   *
   * @throws what the interrupt throws
   */
  highlight(document: Readonly<Record<string, unknown>>): Record<string, string[]> {
    const analyzed = new Map<string, FieldTokens>();
    const tokensOf = (field: string): FieldTokens => {
      let tokens = analyzed.get(field);
      if (tokens === undefined) analyzed.set(field, (tokens = this.#analyze(document, field)));
      return tokens;
    };
    const nearest = new Map<FuzzyTarget, number>();
    for (const [target, distances] of this.#distances) {
      nearest.set(target, this.#leastDistance(target.fields.map(tokensOf), distances));
    }
    const fragments: [string, string[]][] = [];
    for (const field of this.#options.fields) {
      const targets = this.#targets.get(field);
      if (targets === undefined) continue;
      const marked = this.#markField(tokensOf(field), field, targets, nearest);
      if (marked.length > 0) fragments.push([field, marked]);
    }
    return Object.fromEntries(fragments);
  }

  #analyze(document: Readonly<Record<string, unknown>>, field: string): FieldTokens {
    const value = Object.hasOwn(document, field) ? document[field] : undefined;
    const texts = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
    const readable = (length: number): number => {
      const read = Math.min(length, this.#unitsLeft);
      this.#unitsLeft -= read;
      return read;
    };
    return new FieldTokens(texts, readable, this.#analyzer, this.#steps);
  }

  #leastDistance(fields: readonly FieldTokens[], distances: WordDistances): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { texts } of fields) {
      for (const text of texts) {
        this.#steps.take();
        least = Math.min(least, distances.to(text));
        if (least === 0) return 0;
      }
    }
    return least;
  }

  #markField(
    tokens: FieldTokens,
    field: string,
    targets: HighlightTargets,
    nearest: ReadonlyMap<FuzzyTarget, number>,
  ): string[] {
    const isWanted = this.#wantedTexts(tokens, field, targets, nearest);
    const marked = new Uint8Array(tokens.count);
    for (let token = 0; token < marked.length; token++) marked[token] = isWanted[tokens.textNumbers[token]!]!;
    for (const phrase of targets.phrases) markPhrase(tokens, phrase, marked, this.#steps);
    const fragments: string[] = [];
    for (const value of tokens.values) {
      const maxFragments = this.#options.maxFragments - fragments.length;
      if (maxFragments <= 0) break;
      const marks = joinedMarks(tokens, value, marked);
      const options = { ...this.#options, maxFragments };
      const context = { tokens, options, room: this.#room, steps: this.#steps };
      for (const fragment of markedFragments(value, marks, context)) fragments.push(fragment);
    }
    return fragments;
  }

  /** By number of a token's text: 1 if it is marked wherever it stands. */
  #wantedTexts(
    { texts }: FieldTokens,
    field: string,
    { fuzzy }: HighlightTargets,
    nearest: ReadonlyMap<FuzzyTarget, number>,
  ): Uint8Array {
    const wanted = this.#wanted.get(field)!;
    const variants = fuzzy
      .map((target) => ({ distances: this.#distances.get(target)!, distance: nearest.get(target)! }))
      .filter(({ distances, distance }) => distance <= distances.farthest);
    const isWanted = new Uint8Array(texts.length);
    for (let number = 0; number < texts.length; number++) {
      const text = texts[number]!;
      this.#steps.take(1 + variants.length);
      if (wanted.has(text) || variants.some(({ distances, distance }) => distances.to(text) === distance)) {
        isWanted[number] = 1;
      }
    }
    return isWanted;
  }
}

/** Marks of a value's tokens, around whole characters; where tokens overlap, as bigrams do, they share one. */
function joinedMarks(
  { starts, ends, textNumbers }: FieldTokens,
  { text, firstToken, tokensEnd }: AnalyzedValue,
  marked: Uint8Array,
): Marks {
  const marks = { starts: [] as number[], ends: [] as number[], words: [] as number[] };
  for (let token = firstToken; token < tokensEnd; token++) {
    if (marked[token] === 0) continue;
    const last = marks.ends.length - 1;
    const lastEnd = marks.ends[last] ?? 0;
    if (last >= 0 && starts[token]! < lastEnd) {
      if (ends[token]! > lastEnd) marks.ends[last] = wholeEnd(text, ends[token]!);
      continue;
    }
    marks.starts.push(wholeStart(text, starts[token]!, lastEnd));
    marks.ends.push(wholeEnd(text, ends[token]!));
    marks.words.push(textNumbers[token]!);
  }
  return marks;
}
