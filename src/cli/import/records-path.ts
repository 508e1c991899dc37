/**
 * Members that hold an answer's or an export's documents, as shops, search servers and feeds name them, and those around
 * them.
 */
const LISTS: ReadonlySet<string> = new Set(
  "products features hits documents docs items results records data rows entries posts articles pages orders customers collections variants movies books events users value response objects elements contents RECORDS".split(
    " ",
  ),
);
const AROUND: ReadonlySet<string> = new Set([
  "hits",
  "data",
  "response",
  "result",
  "results",
  "_embedded",
  "body",
]);

/** Members that are looked at before a list; an object of more is a document. */
const MEMBERS_MAX = 100;

/**
 * Where in a JSON object the list of its documents is, by its beginning: `["products"]`, `["hits", "hits"]`; null if the
 * object is a document itself, as far as can be seen.
 */
export function guessRecordsPath(head: Uint8Array): readonly string[] | null {
  const reader = new BeginningReader(new TextDecoder().decode(head));
  return reader.take("{") ? reader.listIn([]) : null;
}

/** Reads the beginning of a JSON text, which may end anywhere. */
class BeginningReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  take(character: string): boolean {
    this.#at += /^\s*/.exec(this.#text.slice(this.#at))![0].length;
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  /** The object's opening brace has been taken. */
  listIn(path: readonly string[]): readonly string[] | null {
    for (let member = 0; member < MEMBERS_MAX; member++) {
      const name = this.#string();
      if (name === null || !this.take(":")) return null;
      if (LISTS.has(name) && this.#peeks("[")) {
        const before = this.#at;
        this.take("[");
        if (this.#peeks("{") || this.#peeks("]")) return [...path, name];
        this.#at = before;
      }
      if (AROUND.has(name) && path.length < 2 && this.#peeks("{")) {
        const before = this.#at;
        this.take("{");
        const found = this.listIn([...path, name]);
        if (found !== null) return found;
        this.#at = before;
      }
      if (!this.#skip() || !this.take(",")) return null;
    }
    return null;
  }

  #peeks(character: string): boolean {
    return /^\s*(\S)/.exec(this.#text.slice(this.#at, this.#at + 1000))?.[1] === character;
  }

  #string(): string | null {
    if (!this.take('"')) return null;
    const match = /^(?:[^"\\]|\\.)*"/s.exec(this.#text.slice(this.#at));
    if (match === null) return null;
    this.#at += match[0].length;
    return match[0].slice(0, -1);
  }

  /** Passes over a value; false where the beginning ends within it. */
  #skip(): boolean {
    let depth = 0;
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at]!;
      if (character === '"') {
        this.#at++;
        const match = /^(?:[^"\\]|\\.)*"/s.exec(this.#text.slice(this.#at));
        if (match === null) return false;
        this.#at += match[0].length - 1;
      } else if (character === "{" || character === "[") depth++;
      else if (character === "}" || character === "]") {
        if (depth === 0) return true;
        depth--;
      } else if (character === "," && depth === 0) return true;
    }
    return false;
  }
}
