/** A request's body as it was sent: many need not be parsed, since the same text was answered before. */
export class SentBody {
  /** Names the body: others of the same name are equal, byte by byte. Null for what is too long for a name. */
  readonly text: string | null;
  #parse: (() => unknown) | null;
  #value: unknown;

  private constructor(text: string | null, parse: (() => unknown) | null, value: unknown) {
    this.text = text;
    this.#parse = parse;
    this.#value = value;
  }

  /** @param parse runs once, when somebody looks at the value, and throws where there is none */
  static ofText(text: string, parse: () => unknown): SentBody {
    return new SentBody(text, parse, undefined);
  }

  static ofValue(value: unknown): SentBody {
    return new SentBody(null, null, value);
  }

  /** What was sent; undefined where nothing was. @throws what parsing throws */
  get value(): unknown {
    if (this.#parse !== null) {
      this.#value = this.#parse();
      this.#parse = null;
    }
    return this.#value;
  }
}
