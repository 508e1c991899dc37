import { tokensOf } from "../analysis/analyzer.js";
import { allowedPrefixDistance, endsInWord, typedUnfieldedAst } from "./as-you-type.js";
import { compileFuzzy } from "./compile-fuzzy.js";
import { WordDistances } from "./highlight/word-distances.js";
import type { QueryAst } from "./query-ast.js";
import { searchFieldsOf } from "./search-fields.js";
import type { SearchedIndex } from "./searched-index.js";

/** UTF-16 units of one value that are looked at. */
const VALUE_UNITS_MAX = 2_000;
/** A title longer than that is none. */
const TITLE_UNITS_MAX = 200;

/**
 * Finds ways to go on with a text in the documents that it may be about: the query for them, and what
 * is gathered from the answer. Completions come from the documents themselves, so they are words as
 * they are written, stemmed or not, and each of them finds something.
 */
export class SuggestionCollector {
  /** Every word but the last with typos, the last as the beginning of a word; null if there is no word. */
  readonly ast: QueryAst | null;
  readonly #index: SearchedIndex;
  /** What stands before the last word, as typed. */
  readonly #before: string;
  readonly #typed: WordDistances | null;
  readonly #typedWord: string;
  readonly #fields: readonly string[];
  readonly #titleField: string | null;
  /** By word: documents that hold it, and how far it is from what was typed. */
  readonly #words = new Map<string, { count: number; distance: number }>();
  readonly #titles: { readonly text: string; readonly document_id: string }[] = [];

  constructor(index: SearchedIndex, text: string) {
    const words = text.split(/\s+/).filter((word) => tokensOf(index.analyzer, word).length > 0);
    const last = endsInWord(text) ? words.pop() : undefined;
    const tokens = last === undefined ? [] : tokensOf(index.analyzer, last);
    this.#index = index;
    this.#typedWord = tokens.at(-1)?.word ?? "";
    this.#before = last === undefined ? text : text.slice(0, text.length - lastWordLength(text));
    this.#typed =
      this.#typedWord === ""
        ? null
        : new WordDistances({
            word: this.#typedWord,
            maxDistance: allowedPrefixDistance(this.#typedWord),
            isPrefix: true,
          });
    const fields = searchFieldsOf(index.schema).filter(
      ({ field }) => field.kind === "text" && index.schema.fields[field.name]!.stored,
    );
    this.#fields = fields.map(({ field }) => field.name);
    const [heaviest] = fields.toSorted((a, b) => b.weight - a.weight);
    this.#titleField = heaviest?.field.name ?? null;
    const asts = words.map((word) => compileFuzzy(word, index)).filter(({ kind }) => kind !== "match_none");
    if (last !== undefined) asts.push(typedUnfieldedAst(index, last));
    this.ast =
      asts.length === 0 ? null : { kind: "boolean", clauses: asts.map((ast) => ({ occur: "must", ast })) };
  }

  /** Takes a document that the query found; the best come first. */
  add(documentId: string, document: Readonly<Record<string, unknown>>): void {
    const found = new Map<string, number>();
    for (const field of this.#fields) {
      for (const text of textsOf(document[field])) this.#gather(text, found);
    }
    for (const [word, distance] of found) {
      const known = this.#words.get(word);
      if (known === undefined) this.#words.set(word, { count: 1, distance });
      else known.count++;
    }
    const [title] = this.#titleField === null ? [] : textsOf(document[this.#titleField]);
    if (title === undefined || title.length > TITLE_UNITS_MAX) return;
    if (this.#titles.some(({ text }) => text === title)) return;
    this.#titles.push({ text: title, document_id: documentId });
  }

  /** The text with its last word completed: what needs no correction first, then what most documents hold. */
  completions(limit: number): string[] {
    return [...this.#words]
      .filter(([word]) => word !== this.#typedWord)
      .sort(
        ([wordA, a], [wordB, b]) => a.distance - b.distance || b.count - a.count || (wordA < wordB ? -1 : 1),
      )
      .slice(0, limit)
      .map(([word]) => `${this.#before}${word}`);
  }

  titles(limit: number): readonly { readonly text: string; readonly document_id: string }[] {
    return this.#titles.slice(0, limit);
  }

  #gather(text: string, found: Map<string, number>): void {
    if (this.#typed === null) return;
    const maxDistance = allowedPrefixDistance(this.#typedWord);
    for (const { word } of tokensOf(this.#index.analyzer, text.slice(0, VALUE_UNITS_MAX))) {
      const distance = this.#typed.to(word);
      if (distance <= maxDistance) found.set(word, distance);
    }
  }
}

/** Units of the run of letters and digits at the end. */
function lastWordLength(text: string): number {
  return /[\p{L}\p{M}\p{N}]+$/u.exec(text)?.[0].length ?? 0;
}

function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
}
