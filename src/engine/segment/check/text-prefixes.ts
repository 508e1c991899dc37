import { writeTextSortPrefix } from "../../schema/text-sort-bytes.js";
import { ByteStrings } from "../text-order/byte-strings.js";
import { PREFIX_BYTES } from "../text-order/text-order-writer.js";

/**
 * The first bytes of texts in sort order (`textSortBytes`), numbered from 0: enough to tell most of
 * them apart without keeping them in memory whole.
 */
export class TextPrefixes {
  readonly #strings: ByteStrings = new ByteStrings();
  readonly #isComposed: boolean;

  constructor(isComposed: boolean) {
    this.#isComposed = isComposed;
  }

  /** Returns the text's number. */
  add(text: string): number {
    const target = this.#strings.bytes;
    target.reserve(PREFIX_BYTES);
    target.length += writeTextSortPrefix(text, this.#isComposed, target.bytes, target.length, PREFIX_BYTES);
    return this.#strings.close();
  }

  /** Whether the text may go on after its prefix, so that equal prefixes don't mean equal texts. */
  isCut(index: number): boolean {
    const { starts } = this.#strings;
    return starts[index + 1]! - starts[index]! === PREFIX_BYTES;
  }

  /** Order of the prefix of text `a` here and of text `b` of `other`: below 0, 0 or above 0. */
  compare(a: number, other: TextPrefixes, b: number): number {
    return this.#strings.compare(a, other.#strings, b);
  }
}
