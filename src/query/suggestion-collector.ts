import { type Token, tokensOf } from "../analysis/analyzer.js";
import { beginsLike, withMovedFinal } from "../analysis/korean-beginnings.js";
import { allowedPrefixDistance, typedToken } from "./as-you-type.js";
import { allowedDistance, compileFuzzy } from "./compile-fuzzy.js";
import { WordDistances } from "./highlight/word-distances.js";
import { hasWords } from "./queried-field.js";
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
  /** As a fuzzy search of all words finds them while they are typed, joined and split ones too; null if there is no word. */
  readonly ast: QueryAst | null;
  readonly #index: SearchedIndex;
  /** What stands before the last word, as typed. */
  readonly #before: string;
  readonly #typed: WordDistances | null;
  readonly #typedWord: string;
  /** What that word may be as well; null: nothing. */
  readonly #moved: string | null;
  /** That word as it is shown, which tells it from others that analysis takes for it, such as `phở` for `pho`. */
  readonly #typedSpelling: string;
  /** What is written behind the last word, as the hyphen of `coca-`: words go on with it that stand so in documents. Null: nothing. */
  readonly #sign: string | null;
  /** The word before it that nothing but signs parts from it, as in a code or an address; null: none. */
  readonly #joinedTo: string | null;
  /** The words before it, of which one comes again only where it does in a document (`bora bora`). */
  readonly #wordsBefore: ReadonlySet<string>;
  /** The last of them; null: none. */
  readonly #wordBefore: string | null;
  readonly #fields: readonly string[];
  readonly #titleField: string | null;
  /** By word: documents that hold it, and how far it is from what was typed. */
  readonly #words = new Map<string, Completion>();
  readonly #titles: { readonly text: string; readonly document_id: string }[] = [];

  constructor(index: SearchedIndex, text: string) {
    const tokens = tokensOf(index.analyzer, text);
    const typed = typedToken(tokens, text);
    const sign = typed === null ? "" : text.slice(typed.end);
    this.#index = index;
    this.#sign = sign === "" ? null : sign;
    this.#typedWord = typed === null || sign !== "" ? "" : typed.word;
    this.#moved = withMovedFinal(this.#typedWord);
    this.#typedSpelling = typed === null ? "" : spellingOf(text.slice(typed.start, typed.end));
    if (typed === null) this.#joinedTo = null;
    else this.#joinedTo = sign === "" ? joinedBefore(tokens, typed, text) : typed.word;
    const before = tokens.slice(0, this.#typedWord === "" ? tokens.length : -1).map(({ word }) => word);
    this.#wordsBefore = new Set(before);
    this.#wordBefore = before.at(-1) ?? null;
    this.#before = typed === null || sign !== "" ? text : text.slice(0, typed.start);
    this.#typed =
      this.#typedWord === ""
        ? null
        : new WordDistances({
            word: this.#typedWord,
            maxDistance: allowedPrefixDistance(this.#typedWord),
            isPrefix: true,
            mayFold: allowedDistance(this.#typedWord) > 0,
            stem: null,
          });
    const fields = searchFieldsOf(index.schema).filter(
      ({ field }) => hasWords(field) && index.schema.fields[field.name]!.stored,
    );
    this.#fields = fields.map(({ field }) => field.name);
    const titles = fields.filter(({ field }) => field.kind === "text");
    const [heaviest] = titles.toSorted((a, b) => b.weight - a.weight);
    this.#titleField = index.schema.suggest_field ?? heaviest?.field.name ?? null;
    const ast = compileFuzzy(text, index, { isBeingTyped: true, needsAll: true });
    this.ast = ast.kind === "match_none" ? null : ast;
  }

  /** Takes a document that the query found; the best come first. */
  add(documentId: string, document: Readonly<Record<string, unknown>>): void {
    const found = new Map<string, FoundWord>();
    for (const field of this.#fields) {
      for (const text of textsOf(document[field])) this.#gather(text, found);
    }
    for (const [word, { distance, spelling, isJoined }] of found) {
      let known = this.#words.get(word);
      if (known === undefined) {
        known = { count: 0, distance, spellings: new Map(), isJoined: false };
        this.#words.set(word, known);
      }
      known.count++;
      known.isJoined ||= isJoined;
      known.spellings.set(spelling, (known.spellings.get(spelling) ?? 0) + 1);
    }
    const [title] = this.#titleField === null ? [] : textsOf(document[this.#titleField]);
    if (title === undefined || title.length > TITLE_UNITS_MAX) return;
    if (this.#titles.some(({ text }) => text === title)) return;
    this.#titles.push({ text: title, document_id: documentId });
  }

  /**
   * The text with its last word completed: what needs no correction first, then what most documents hold. Where words
   * go on with the code that it ends, those alone.
   */
  completions(limit: number): string[] {
    const words = [...this.#words];
    const joined = words.filter(([, { isJoined }]) => isJoined);
    return (joined.length > 0 ? joined : words)
      .filter(([word, { spellings }]) => word !== this.#typedWord || !spellings.has(this.#typedSpelling))
      .sort(
        ([wordA, a], [wordB, b]) => a.distance - b.distance || b.count - a.count || (wordA < wordB ? -1 : 1),
      )
      .slice(0, limit)
      .map(([, { spellings }]) => `${this.#before}${mostFrequent(spellings)}`);
  }

  titles(limit: number): readonly { readonly text: string; readonly document_id: string }[] {
    return this.#titles.slice(0, limit);
  }

  #gather(text: string, found: Map<string, FoundWord>): void {
    if (this.#typed === null && this.#sign === null) return;
    const farthest = this.#typed?.farthest ?? 0;
    let joinedAt = -1;
    let joinedEnd = 0;
    let beforeAt = -1;
    for (const token of tokensOf(this.#index.analyzer, text.slice(0, VALUE_UNITS_MAX))) {
      const { word, start, end } = token;
      const isJoined =
        joinedAt >= 0 &&
        token.position === joinedAt + 1 &&
        (this.#sign === null || text.slice(joinedEnd, start) === this.#sign);
      const comesAgain = beforeAt >= 0 && token.position === beforeAt + 1;
      if (word === this.#wordBefore) beforeAt = token.position;
      if (word === this.#joinedTo) [joinedAt, joinedEnd] = [token.position, end];
      const known = found.get(word);
      if (known !== undefined) {
        known.isJoined ||= isJoined;
        continue;
      }
      if (this.#wordsBefore.has(word) && !comesAgain) continue;
      const isMoved = this.#moved !== null && beginsLike(word, this.#moved);
      const distance = isMoved || this.#typed === null ? 0 : this.#typed.to(word);
      if (distance <= farthest && (isJoined || this.#sign === null))
        found.set(word, { distance, spelling: this.#spelled(word, text.slice(start, end)), isJoined });
    }
  }

  /** The word in small letters with the diacritics that it is written with, if analysis takes that for the word. */
  #spelled(word: string, written: string): string {
    const [token, second] = tokensOf(this.#index.analyzer, inSmallLetters(written).normalize("NFC"));
    if (second !== undefined || token?.word !== word) return word;
    return spellingOf(written);
  }
}

/** A word that the text may go on with: in how many documents, how far from what was typed, and how it is written. */
interface Completion {
  count: number;
  readonly distance: number;
  readonly spellings: Map<string, number>;
  /** Whether a document has it behind the word that the typed one is joined to. */
  isJoined: boolean;
}

/** A word of one document, as `Completion`. */
interface FoundWord {
  readonly distance: number;
  readonly spelling: string;
  isJoined: boolean;
}

/** The word that a token is joined to by signs alone; null if there is none, or white space between them. */
function joinedBefore(tokens: readonly Token[], token: Token, text: string): string | null {
  const before = tokens[tokens.indexOf(token) - 1];
  if (before === undefined || before.end >= token.start) return null;
  return /\s/.test(text.slice(before.end, token.start)) ? null : before.word;
}

/** What nobody sees in a word and nobody would type. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;

/** All but the Armenian letter that Unicode takes for a ligature, as which nobody writes it. */
const COMPATIBLE = /[^և]+/g;

/** In small letters, without what nobody sees. */
function spellingOf(written: string): string {
  const small = inSmallLetters(written).replace(COMPATIBLE, (part) => part.normalize("NFKC"));
  return small.replace(UNSEEN, "");
}

/** İ is i, without the dot above it that Unicode keeps. */
function inSmallLetters(written: string): string {
  return written.replaceAll("İ", "i").toLowerCase();
}

function mostFrequent(spellings: ReadonlyMap<string, number>): string {
  let best = "";
  let bestCount = 0;
  for (const [spelling, count] of spellings) {
    if (count > bestCount) [best, bestCount] = [spelling, count];
  }
  return best;
}

function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
}
