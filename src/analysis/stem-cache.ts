import { HAS_DIGIT, STEMMED_LENGTH_MAX, type Stemmer } from "./languages/stemmers.js";

/** Entries of one generation; there are two. */
const GENERATION_SIZE = 16_384;

/**
 * Stems by word. Text repeats its words, and a stemmer takes up to a hundred times as long as a look
 * into a map. The cache holds two generations: a word of the older one moves to the younger when it is
 * met again, and the older one is dropped when the younger is full, so that memory is bounded and words
 * in use stay.
 */
export class StemCache {
  readonly #stemmer: Stemmer;
  #younger = new Map<string, string>();
  #older = new Map<string, string>();

  constructor(stemmer: Stemmer) {
    this.#stemmer = stemmer;
  }

  stem(word: string): string {
    const known = this.#younger.get(word);
    if (known !== undefined) return known;
    if (word.length > STEMMED_LENGTH_MAX) return word;
    const owned = ownedCopy(word);
    const stem = this.#older.get(word) ?? this.#newStem(owned);
    if (this.#younger.size >= GENERATION_SIZE) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    this.#younger.set(owned, stem);
    return stem;
  }

  #newStem(word: string): string {
    if (HAS_DIGIT.test(word)) return word;
    const stem = this.#stemmer.stem(word).normalize("NFC");
    return stem === "" ? word : stem;
  }
}

/** A copy of the word alone: V8 makes a slice of a document hold on to all of the document. */
function ownedCopy(word: string): string {
  return ` ${word}`.slice(1);
}
