/** Words that are known, of all indexes together. */
const KNOWN_WORDS_MAX = 300_000;
const NONE: ReadonlySet<string> = new Set();

/** Words that are known to be in the cluster, by storage and field; all are forgotten where they become too many. */
export class KnownWords {
  readonly #fields = new Map<string, Set<string>>();
  #count = 0;

  of(storageId: string, field: string): ReadonlySet<string> {
    return this.#fields.get(keyOf(storageId, field)) ?? NONE;
  }

  /** @param words that aren't known yet */
  add(storageId: string, field: string, words: ReadonlySet<string>): void {
    if (this.#count + words.size > KNOWN_WORDS_MAX) {
      this.#fields.clear();
      this.#count = 0;
    }
    const key = keyOf(storageId, field);
    const known = this.#fields.get(key);
    if (known === undefined) this.#fields.set(key, new Set(words));
    else for (const word of words) known.add(word);
    this.#count += words.size;
  }
}

function keyOf(storageId: string, field: string): string {
  return `${storageId} ${field}`;
}
