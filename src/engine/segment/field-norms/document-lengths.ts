import { bitWidth } from "../../bytes/bit-packing.js";
import { GrowableBytes } from "../../bytes/growable-bytes.js";
import { GrowableU32 } from "../../bytes/growable-u32.js";

/** What is known of a text field's documents besides their tokens, up to the last one with a value. */
export class DocumentLengths {
  /** Tokens per doc id. */
  readonly #lengths = new GrowableU32();
  /** Bits of the greatest position per doc id. */
  readonly #positionWidths = new GrowableBytes();

  get bytesUsed(): number {
    return 4 * this.#lengths.array.length + this.#positionWidths.bytes.length;
  }

  /** At least `maxDoc` entries. */
  lengths(maxDoc: number): Uint32Array {
    this.#growTo(maxDoc);
    return this.#lengths.array;
  }

  /** At least `maxDoc` entries, as `lengths` has them. */
  positionWidths(maxDoc: number): Uint8Array {
    this.#growTo(maxDoc);
    return this.#positionWidths.bytes;
  }

  /** Adds a value's tokens, of which there may be none; the greatest position of any is `lastPosition`. */
  add(docId: number, tokens: number, lastPosition: number): void {
    this.#growTo(docId + 1);
    if (tokens === 0) return;
    this.#lengths.array[docId]! += tokens;
    this.#positionWidths.bytes[docId] = bitWidth(lastPosition);
  }

  /** New entries are 0. */
  #growTo(length: number): void {
    const lengths = this.#lengths;
    if (lengths.length >= length) return;
    lengths.reserve(length - lengths.length);
    lengths.length = length;
    this.#positionWidths.reserve(length - this.#positionWidths.length);
    this.#positionWidths.length = length;
  }
}
