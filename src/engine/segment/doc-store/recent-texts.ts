/** Texts kept at most, and their characters together. */
const TEXTS_MAX = 16_384;
const CHARACTERS_MAX = 4 * 1024 * 1024;
/** Longer texts aren't kept: they would drive out too many others. */
const TEXT_LENGTH_MAX = CHARACTERS_MAX / 64;

/**
 * Bounds what all document stores of a thread keep of the texts that they were asked for repeatedly: the
 * one that was kept first goes first.
 */
export class RecentTexts {
  static readonly #ofThread: RecentTexts = new RecentTexts();
  readonly #owners: Map<number, string>[] = [];
  readonly #docIds: Uint32Array = new Uint32Array(TEXTS_MAX);
  readonly #lengths: Uint32Array = new Uint32Array(TEXTS_MAX);
  /** Texts ever kept, and those of them that are gone: places in the arrays, which are used in turn. */
  #added = 0;
  #dropped = 0;
  #characters = 0;

  static ofThread(): RecentTexts {
    return RecentTexts.#ofThread;
  }

  /** Keeps a document's text in its store's map, where it isn't yet. */
  keep(owner: Map<number, string>, docId: number, text: string): void {
    if (text.length > TEXT_LENGTH_MAX) return;
    while (this.#added - this.#dropped === TEXTS_MAX || this.#characters + text.length > CHARACTERS_MAX) {
      const place = this.#dropped++ % TEXTS_MAX;
      this.#owners[place]!.delete(this.#docIds[place]!);
      this.#characters -= this.#lengths[place]!;
    }
    const place = this.#added++ % TEXTS_MAX;
    this.#owners[place] = owner;
    this.#docIds[place] = docId;
    this.#lengths[place] = text.length;
    this.#characters += text.length;
    owner.set(docId, text);
  }
}
