import type { FieldDraft } from "../../client/index.js";

/** Texts that are told apart; a column of more is text. */
const DISTINCT_MAX = 1000;
/** Fewer values say nothing of how many there are. */
const VALUES_MIN = 10;
/** A value of a facet comes so often, on average. */
const REPEATS_MIN = 3;
/** What is longer is a sentence. */
const CHARACTERS_MAX = 80;

/** What may stand between the values of one cell. */
const SEPARATORS = ["|", ";", ","] as const;
const LISTS_SHARE_MIN = 0.1;
const PART_CHARACTERS_MAX = 40;
const PART_WORDS_MAX = 3;

const LEVELS = /\S\s*>\s*\S/;
/** Signs of markup and of programs, in which > means something else. */
const NO_PATH = /[<{}]|[-=]>|>=/;
const PATH_CHARACTERS_MAX = 500;

/** What kind of texts a column has: whole values that repeat, lists of such, paths, or texts to read. */
export class TextShape {
  readonly #whole = new RepeatedTexts(CHARACTERS_MAX);
  readonly #parts = SEPARATORS.map(() => new RepeatedTexts(PART_CHARACTERS_MAX));
  readonly #lists = SEPARATORS.map(() => 0);
  #count = 0;
  #paths = 0;
  #isNoPath = false;
  /** Texts in which a comma separates paths. */
  #pathLists = 0;
  #longest = 0;

  add(text: string): void {
    this.#count++;
    this.#whole.add(text);
    this.#longest = Math.max(this.#longest, text.length);
    if (NO_PATH.test(text)) this.#isNoPath = true;
    else if (LEVELS.test(text)) {
      this.#paths++;
      if (text.split(",").filter((part) => LEVELS.test(part)).length > 1) this.#pathLists++;
    }
    for (const [i, separator] of SEPARATORS.entries()) {
      if (!text.includes(separator)) {
        this.#parts[i]!.add(text.trim());
        continue;
      }
      this.#lists[i]!++;
      for (const part of text.split(separator)) this.#parts[i]!.add(part.trim());
    }
  }

  /** @param isList whether values came as lists already */
  definition(isList: boolean): FieldDraft {
    const multi = isList ? { multi: true } : {};
    if (this.#paths > this.#count / 2 && !this.#isNoPath && this.#longest <= PATH_CHARACTERS_MAX) {
      const list = !isList && this.#pathLists > 0 ? { multi: true, separator: "," } : multi;
      return { type: "facet", coerce: true, path_separator: ">", ...list };
    }
    if (this.#whole.areFew && this.#listSeparator() === undefined)
      return { type: "facet", hierarchical: false, ...multi };
    const separator = isList ? undefined : this.#listSeparator();
    if (separator !== undefined)
      return { type: "facet", hierarchical: false, multi: true, coerce: true, separator };
    return this.#whole.areFew ? { type: "facet", hierarchical: false, ...multi } : { type: "text", ...multi };
  }

  #listSeparator(): string | undefined {
    return SEPARATORS.find(
      (_, i) =>
        this.#lists[i]! >= this.#count * LISTS_SHARE_MIN &&
        this.#parts[i]!.areFew &&
        this.#parts[i]!.areShort,
    );
  }
}

/** Texts, and how often they repeat. */
class RepeatedTexts {
  readonly #charactersMax: number;
  readonly #distinct = new Set<string>();
  #count = 0;
  #longest = 0;
  #words = 0;

  constructor(charactersMax: number) {
    this.#charactersMax = charactersMax;
  }

  get areFew(): boolean {
    return (
      this.#count >= VALUES_MIN &&
      this.#distinct.size <= DISTINCT_MAX &&
      this.#distinct.size * REPEATS_MIN <= this.#count &&
      this.#longest <= this.#charactersMax
    );
  }

  get areShort(): boolean {
    return this.#words <= PART_WORDS_MAX;
  }

  add(text: string): void {
    this.#count++;
    if (this.#distinct.size <= DISTINCT_MAX && !this.#distinct.has(text)) {
      this.#distinct.add(text);
      this.#longest = Math.max(this.#longest, text.length);
      this.#words = Math.max(this.#words, text.split(/\s+/).length);
    }
  }
}
