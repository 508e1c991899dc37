import { ADDRESS_END, ADDRESS_START, type KnownAddresses, TRAILING_PUNCTUATION } from "./known-addresses.js";
import type { TextFilter } from "./text-filter.js";

const START = new RegExp(ADDRESS_START, "i");
/** Whatever an address may begin with, at the end of what has come so far; longer than any beginning. */
const MAY_BEGIN = /[a-z0-9+.:/&#;-]{1,80}$/i;
const ADDRESS_LENGTH_MAX = 2048;
/** Stands for an address that was taken out. */
const TAKEN_OUT = "…";

/**
 * Takes every address out that does not stand in the documents, wherever in the text it is: what shows a
 * text would make a link of it. The last filter of markup, so it also sees to it that no `<` begins a tag.
 */
export class AddressFilter implements TextFilter {
  readonly #known: KnownAddresses;
  #pending = "";
  /** In an address that is longer than any. */
  #isSkipping = false;
  #endsWithOpen = false;

  constructor(known: KnownAddresses) {
    this.#known = known;
  }

  push(text: string): string {
    this.#pending += text;
    return this.#withoutTagStart(this.#scan(false));
  }

  end(): string {
    return this.#withoutTagStart(this.#scan(true));
  }

  #scan(isEnd: boolean): string {
    let out = "";
    for (;;) {
      if (this.#isSkipping) {
        const end = this.#pending.search(ADDRESS_END);
        this.#pending = end < 0 ? "" : this.#pending.slice(end);
        if (end < 0) return out;
        this.#isSkipping = false;
      }
      const text = this.#pending;
      const start = START.exec(text);
      if (start === null) {
        const held = isEnd ? "" : (MAY_BEGIN.exec(text)?.[0] ?? "");
        this.#pending = held;
        return out + text.slice(0, text.length - held.length);
      }
      const rest = text.slice(start.index);
      const end = rest.search(ADDRESS_END);
      if (end < 0 && !isEnd && rest.length <= ADDRESS_LENGTH_MAX) {
        // With what comes, it may turn out to begin earlier: `a+www.` with `://` behind it.
        const before = text.slice(0, start.index);
        const held = before.length - (MAY_BEGIN.exec(before)?.[0].length ?? 0);
        this.#pending = text.slice(held);
        return out + text.slice(0, held);
      }
      out += text.slice(0, start.index);
      const address = end < 0 ? rest : rest.slice(0, end);
      this.#isSkipping = address.length > ADDRESS_LENGTH_MAX;
      out += this.#isSkipping ? TAKEN_OUT : this.#shown(address);
      this.#pending = rest.slice(address.length);
    }
  }

  #shown(address: string): string {
    const punctuation = TRAILING_PUNCTUATION.exec(address)?.[0] ?? "";
    const bare = address.slice(0, address.length - punctuation.length);
    return this.#known.has(bare) ? address : TAKEN_OUT + punctuation;
  }

  #withoutTagStart(out: string): string {
    if (out === "") return "";
    const before = this.#endsWithOpen ? "<" : "";
    const guarded = (before + out).replace(/<(?=[A-Za-z/!?])/g, "< ");
    this.#endsWithOpen = guarded.endsWith("<");
    return guarded.slice(before.length);
  }
}
