import { GraphemeLimit } from "../grapheme-limit.js";
import { AddressFilter } from "./address-filter.js";
import type { KnownAddresses } from "./known-addresses.js";
import { LinkFilter } from "./link-filter.js";
import { type GuardedTexts, PromptLeakGuard } from "./prompt-leak-guard.js";
import { TagFilter } from "./tag-filter.js";
import type { TextFilter } from "./text-filter.js";

export interface SummaryOutputOptions {
  readonly known: KnownAddresses;
  readonly guarded: GuardedTexts;
  /** Code points. */
  readonly characterLimit: number;
}

/** What a model may send for each character that gets out; one that sends more and more markup is stopped. */
const MARKUP_FACTOR = 16;
const MARKUP_LENGTH_MIN = 16_384;
/** UTF-16 units of a piece that go through the filters at a time. */
const SLICE_LENGTH = 2_048;

/**
 * From a model's words to a reader's: tags go, then links, then addresses that the documents don't have.
 * Each filter works on what the one before lets out, so that nothing that is put together by taking something
 * out gets past. Then the guard of the system prompt, and the limit.
 */
export class SummaryOutput implements TextFilter {
  readonly #filters: readonly TextFilter[];
  readonly #limit: GraphemeLimit;
  #lengthLeft: number;

  constructor({ known, guarded, characterLimit }: SummaryOutputOptions) {
    this.#limit = new GraphemeLimit(characterLimit);
    this.#lengthLeft = Math.max(MARKUP_LENGTH_MIN, characterLimit * MARKUP_FACTOR);
    this.#filters = [
      new TagFilter(),
      new LinkFilter(known),
      new AddressFilter(known),
      new PromptLeakGuard(guarded),
      this.#limit,
    ];
  }

  /** Whether the model can stop: nothing more of it would get out. */
  get isFull(): boolean {
    return this.#limit.isFull || this.#lengthLeft < 0;
  }

  /** @throws FindlingError `model_refused` where the model recites its system prompt */
  push(text: string): string {
    let out = "";
    for (let at = 0; at < text.length && !this.isFull; ) {
      const slice = sliceOf(text, at);
      at += slice.length;
      this.#lengthLeft -= slice.length;
      out += this.#filters.reduce((passed, filter) => filter.push(passed), slice);
    }
    return out;
  }

  end(): string {
    return this.#filters.reduce((passed, filter) => filter.push(passed) + filter.end(), "");
  }
}

/** Whole code points from there on, so few that a long text is given up as soon as it is full. */
function sliceOf(text: string, start: number): string {
  const slice = text.slice(start, start + SLICE_LENGTH);
  return /[\ud800-\udbff]$/.test(slice) ? text.slice(start, start + SLICE_LENGTH + 1) : slice;
}
