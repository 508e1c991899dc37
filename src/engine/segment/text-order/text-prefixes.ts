import { writeTextSortPrefix } from "../../schema/text-sort-bytes.js";
import type { SlicedWork } from "../sliced-work.js";
import { GrowableBytes } from "../terms/growable-bytes.js";
import { GrowableU32 } from "../terms/growable-u32.js";
import { sortSymbolStrings } from "../terms/sort-symbol-strings.js";

/** Bytes kept of each text: few real values share that many and differ after them. */
const PREFIX_BYTES = 64;

/**
 * The first bytes of texts in sort order (`textSortBytes`), numbered from 0: enough to tell most of
 * them apart without keeping them in memory whole.
 */
export class TextPrefixes {
  readonly #bytes: GrowableBytes = new GrowableBytes();
  readonly #starts: GrowableU32 = new GrowableU32();
  readonly #scratch: Uint8Array = new Uint8Array(PREFIX_BYTES);

  constructor() {
    this.#starts.push(0);
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  get bytesUsed(): number {
    return this.#bytes.bytes.length + this.#starts.array.length * 4;
  }

  /** Returns the text's number. */
  add(text: string): number {
    const length = writeTextSortPrefix(text, this.#scratch);
    const bytes = this.#bytes;
    bytes.reserve(length);
    bytes.bytes.set(this.#scratch.subarray(0, length), bytes.length);
    bytes.length += length;
    this.#starts.push(bytes.length);
    return this.count - 1;
  }

  /** Whether the text may go on after its prefix, so that equal prefixes don't mean equal texts. */
  isCut(index: number): boolean {
    return this.#starts.array[index + 1]! - this.#starts.array[index]! === PREFIX_BYTES;
  }

  /** Order of the prefix of text `a` here and of text `b` of `other`: below 0, 0 or above 0. */
  compare(a: number, other: TextPrefixes, b: number): number {
    const leftBytes = this.#bytes.bytes;
    const rightBytes = other.#bytes.bytes;
    let left = this.#starts.array[a]!;
    let right = other.#starts.array[b]!;
    const leftEnd = this.#starts.array[a + 1]!;
    const rightEnd = other.#starts.array[b + 1]!;
    for (; left < leftEnd && right < rightEnd; left++, right++) {
      const difference = leftBytes[left]! - rightBytes[right]!;
      if (difference !== 0) return difference;
    }
    return leftEnd - left - (rightEnd - right);
  }

  /** Numbers of all texts, sorted by prefix. */
  *sorted(): SlicedWork<Uint32Array> {
    const indices = new Uint32Array(this.count);
    for (let i = 0; i < indices.length; i++) indices[i] = i;
    yield* sortSymbolStrings(indices, this.#bytes.bytes, this.#starts.array);
    return indices;
  }
}
