import { writeTextSortPrefix } from "../../schema/text-sort-bytes.js";
import { ByteStrings } from "./byte-strings.js";
import type { TextMember } from "./text-member.js";

/** Bytes kept of each text: few real values share that many and differ after them. */
export const PREFIX_BYTES = 64;

/**
 * The first bytes of texts in sort order (`textSortBytes`), numbered from 0: enough to tell most of
 * them apart without keeping them in memory whole.
 */
export class TextPrefixes {
  readonly #strings: ByteStrings = new ByteStrings();

  get count(): number {
    return this.#strings.count;
  }

  get bytesUsed(): number {
    return this.#strings.bytesUsed;
  }

  /** Returns the text's number. */
  add(text: string): number {
    const target = this.#strings.bytes;
    target.reserve(PREFIX_BYTES);
    target.length += writeTextSortPrefix(text, target.bytes, target.length, PREFIX_BYTES);
    return this.#strings.close();
  }

  /** The same for the member of a document's JSON. */
  addMember(member: TextMember, json: Uint8Array): number {
    member.appendSortBytes(json, this.#strings.bytes, PREFIX_BYTES);
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
