import { SeededRandom } from "../../tests/setup/seeded-random.js";
import type { InputDigest } from "./input-digest.js";
import { misspelt } from "./misspelt.js";
import type { PeerQuery } from "./peer-query.js";

export interface QueryClass {
  readonly name: string;
  readonly queries: readonly PeerQuery[];
}

/** Shares of the documents that make a word frequent, middling or in the band between; rare ones have 10 at least. */
const FREQUENT_MIN = 0.08;
const BAND = [0.02, 0.06] as const;
const MIDDLING = [0.003, 0.02] as const;
const RARE_MAX = 0.0005;
const RARE_COUNT_MIN = 10;
/** Shares of the documents that ranges of numbers hold. */
const RANGE_SHARES = [0.001, 0.1, 0.8];
/** Documents that a query of the class `stored` reads in turn, ten a time. */
const STORED_DOCS = 1000;
/** Words of a long question, repeated ones not counted. */
const QUESTION = { lengthMin: 10, lengthMax: 30 };
const OPENINGS = [
  "how do i",
  "how can i use",
  "what is the best way to",
  "which package do i need for",
  "is there a tool that",
  "i am looking for a",
  "please find everything about",
  "",
];
/** Tries until a class is left with fewer queries than wanted, since the corpus has no more. */
const TRIES_PER_QUERY = 1000;

/** Draws every class of queries anew for a seed; no query occurs twice in a class. */
export function drawQueryClasses(digest: InputDigest, seed: number, perClass: number): QueryClass[] {
  const draw = new QueryDraw(digest, new SeededRandom(seed));
  return draw.recipes().map(([name, make]) => ({ name, queries: distinct(perClass, make) }));
}

function distinct(count: number, make: () => PeerQuery | null): PeerQuery[] {
  const queries = new Map<string, PeerQuery>();
  for (let i = 0; i < count * TRIES_PER_QUERY && queries.size < count; i++) {
    const query = make();
    if (query !== null) queries.set(JSON.stringify(query), query);
  }
  return [...queries.values()];
}

/** A word of some frequency; absent where the corpus has no such word. */
type WordDraw = () => string | undefined;
type Recipe = readonly [name: string, make: () => PeerQuery | null];

class QueryDraw {
  readonly #digest: InputDigest;
  readonly #random: SeededRandom;
  readonly #docFreqs: ReadonlyMap<string, number>;

  constructor(digest: InputDigest, random: SeededRandom) {
    this.#digest = digest;
    this.#random = random;
    this.#docFreqs = new Map(digest.words.map((word, i) => [word, digest.docFreqs[i]!]));
  }

  recipes(): Recipe[] {
    const f = this.#words(FREQUENT_MIN, 1);
    const h = this.#words(BAND[0], BAND[1]);
    const m = this.#words(MIDDLING[0], MIDDLING[1]);
    const r = this.#words(RARE_COUNT_MIN / this.#digest.docCount, RARE_MAX);
    const ofWords =
      (kind: PeerQuery["kind"], ...words: WordDraw[]) =>
      () =>
        query(
          kind,
          words.map((word) => word()),
        );
    return [
      ["term_f", ofWords("term", f)],
      ["term_m", ofWords("term", m)],
      ["term_r", ofWords("term", r)],
      ["and_ff", ofWords("and", f, f)],
      ["and_fm", ofWords("and", f, m)],
      ["and_mm", ofWords("and", m, m)],
      ["and_ffm", ofWords("and", f, f, m)],
      ["or_ff", ofWords("or", f, f)],
      ["or_fm", ofWords("or", f, m)],
      ["or_mm", ofWords("or", m, m)],
      ["or_ffm", ofWords("or", f, f, m)],
      ["or_fmm", ofWords("or", f, m, m)],
      ["or_mmr", ofWords("or", m, m, r)],
      ["and_hh", ofWords("and", h, h)],
      ["and_hm", ofWords("and", h, m)],
      ["or_hh", ofWords("or", h, h)],
      ["or_hhm", ofWords("or", h, h, m)],
      ["phrase_ff", () => this.#neighbours(isFrequent, isFrequent)],
      ["phrase_fm", () => this.#neighbours(isFrequent, isMiddling)],
      ["phrase_mm", () => this.#neighbours(isMiddling, isMiddling)],
      ["text_term", () => query("term", this.#together(1))],
      ["text_and2", () => query("and", this.#together(2))],
      ["text_and3", () => query("and", this.#together(3))],
      ["text_or2", () => query("or", this.#together(2))],
      ["text_or3", () => query("or", this.#together(3))],
      ["text_phrase", () => query("phrase", this.#passage(2 + this.#random.below(3)))],
      ["fuzzy1", this.#fuzzy(1, 6, 10)],
      ["fuzzy1_short", this.#fuzzy(1, 4, 5)],
      ["fuzzy2", this.#fuzzy(2, 6, 10)],
      ["fuzzy2_short", this.#fuzzy(2, 4, 5)],
      ["prefix", this.#prefix(m)],
      ["facets", this.#everyThird("facets", f, m)],
      ["sort", this.#everyThird("sort", f, m)],
      ["range", () => ({ kind: "range", ...this.#range() })],
      ["term_range", this.#termRange(f, m)],
      ["stored", () => ({ kind: "stored", docs: this.#docs() })],
      ["question", () => this.#question()],
      ["shop_page", () => this.#shopPage()],
    ];
  }

  /** Words in that share of the documents, the bounds included. */
  #words(shareMin: number, shareMax: number, lengthMin = 1, lengthMax = 255): WordDraw {
    const { words, docFreqs, docCount } = this.#digest;
    const pool = words.filter((word, i) => {
      const share = docFreqs[i]! / docCount;
      return share >= shareMin && share <= shareMax && word.length >= lengthMin && word.length <= lengthMax;
    });
    return () => this.#random.pick(pool);
  }

  /** Neighbours in some document. */
  #neighbours(isFirst: (share: number) => boolean, isSecond: (share: number) => boolean): PeerQuery | null {
    const words = this.#random.pick(this.#digest.texts).split(" ");
    const starts = words
      .slice(1)
      .flatMap((word, i) =>
        isFirst(this.#share(words[i]!)) && isSecond(this.#share(word)) && word !== words[i] ? [i] : [],
      );
    if (starts.length === 0) return null;
    const start = this.#random.pick(starts);
    return query("phrase", words.slice(start, start + 2));
  }

  #share(word: string): number {
    return (this.#docFreqs.get(word) ?? 0) / this.#digest.docCount;
  }

  /** Different words of one document, each place as likely: words of all frequencies, as they are written. */
  #together(count: number): (string | undefined)[] {
    const words = this.#random.pick(this.#digest.texts).split(" ");
    return Array.from({ length: count }, () => this.#random.pick(words));
  }

  /** Words that follow one another in a document. */
  #passage(length: number): (string | undefined)[] {
    const words = this.#random.pick(this.#digest.texts).split(" ");
    const start = this.#random.below(Math.max(1, words.length - length + 1));
    return Array.from({ length }, (_, i) => words[start + i]);
  }

  #fuzzy(distance: 1 | 2, lengthMin: number, lengthMax: number): () => PeerQuery {
    const word = this.#words(RARE_MAX, 1, lengthMin, lengthMax);
    return () => ({ kind: "fuzzy", terms: [misspelt(word()!, distance, this.#random)], distance });
  }

  #prefix(word: WordDraw): () => PeerQuery | null {
    return () => {
      const length = 3 + this.#random.below(2);
      const whole = word();
      return whole === undefined || whole.length < length ? null : query("prefix", [whole.slice(0, length)]);
    };
  }

  /** What is asked of all documents in one case of three, else of those with a frequent or a middling term. */
  #everyThird(kind: "facets" | "sort", frequent: WordDraw, middling: WordDraw): () => PeerQuery | null {
    return () => {
      const which = this.#random.below(3);
      return which === 0 ? { kind } : query(kind, [which === 1 ? frequent() : middling()]);
    };
  }

  #range(): { readonly lower: number; readonly upper: number } {
    const { numbers } = this.#digest;
    const share = this.#random.pick(RANGE_SHARES);
    const start = this.#random.below(Math.floor(numbers.length * (1 - share)));
    const end = Math.min(numbers.length - 1, start + Math.floor(numbers.length * share));
    return { lower: numbers[start]!, upper: numbers[end]! };
  }

  #termRange(frequent: WordDraw, middling: WordDraw): () => PeerQuery | null {
    return () => {
      const drawn = query("term_range", [this.#random.below(2) === 0 ? frequent() : middling()]);
      return drawn === null ? null : { ...drawn, ...this.#range() };
    };
  }

  /**
   * Ten to thirty different words, any of which may match, as people ask and agents send: an English opening where the
   * corpus has its words, and then a passage of a document.
   */
  #question(): PeerQuery | null {
    const { lengthMin, lengthMax } = QUESTION;
    const length = lengthMin + this.#random.below(lengthMax - lengthMin + 1);
    const opening = this.#random
      .pick(OPENINGS)
      .split(" ")
      .filter((word) => this.#docFreqs.has(word));
    const words = new Set(opening);
    const text = this.#random.pick(this.#digest.texts).split(" ");
    for (let i = this.#random.below(text.length); i < text.length && words.size < length; i++) {
      if (text[i] !== "") words.add(text[i]!);
    }
    return words.size < lengthMin ? null : query("or", [...words]);
  }

  /** One or two words of a document that lies under the path, which may be an ancestor of one of its own. */
  #shopPage(): PeerQuery | null {
    const { texts, paths } = this.#digest;
    const place = this.#random.below(texts.length);
    const ownPaths = paths[place]!;
    if (ownPaths.length === 0) return null;
    const names = this.#random.pick(ownPaths).split("/");
    const path = names.slice(0, 2 + this.#random.below(names.length - 1)).join("/");
    const known = texts[place]!.split(" ").filter((word) => this.#share(word) >= MIDDLING[0]);
    const words = Array.from({ length: 1 + this.#random.below(2) }, () => this.#random.pick(known));
    const drawn = query("filtered_page", words);
    return drawn === null ? null : { ...drawn, path };
  }

  #docs(): number[] {
    return Array.from({ length: STORED_DOCS }, () => this.#random.below(this.#digest.docCount));
  }
}

const isFrequent = (share: number): boolean => share >= FREQUENT_MIN;
const isMiddling = (share: number): boolean => share >= MIDDLING[0] && share <= MIDDLING[1];

/** Null where a word is missing; or occurs twice, unless the order of the words counts. */
function query(kind: PeerQuery["kind"], words: readonly (string | undefined)[]): PeerQuery | null {
  const terms = words.filter((word) => word !== undefined && word !== "") as string[];
  if (terms.length < words.length) return null;
  if (kind !== "phrase" && new Set(terms).size < terms.length) return null;
  return { kind, terms };
}
