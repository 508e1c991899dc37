const ENDS_WITHIN_PAIR = /[\ud800-\udbff]$/;
/** With `u`, halves of a pair count only where they stand alone. */
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** Cuts a stream of text anew, so that no piece begins or ends within a code point. */
export class WholeCodePoints {
  #held = "";

  /** What can be passed on by now; may be empty. Halves that stand alone become U+FFFD. */
  push(piece: string): string {
    const text = this.#held + piece;
    this.#held = ENDS_WITHIN_PAIR.test(text) ? text.slice(-1) : "";
    return text.slice(0, text.length - this.#held.length).replace(LONE_SURROGATES, "\ufffd");
  }

  /** What is left at the end. */
  end(): string {
    const rest = this.#held.replace(LONE_SURROGATES, "\ufffd");
    this.#held = "";
    return rest;
  }
}
