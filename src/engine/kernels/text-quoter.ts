import { BuildingMemory } from "./building-memory.js";

/** Shorter texts are quoted as quickly by `JSON.stringify`, and longer ones don't come often enough for the memory. */
const UNITS_MIN = 48;
const UNITS_MAX = 1 << 16;
/** A control character is one unit, and six bytes as JSON. */
const BYTES_PER_UNIT = 6;
/** Bytes behind what it writes that the kernel may overwrite, and the quotes. */
const MARGIN = 32;

/** Makes JSON of texts by kernel: `JSON.stringify` looks at each unit, and its text has to be encoded after that. */
export class TextQuoter {
  static #ofThread: TextQuoter | null = null;
  readonly #memory: BuildingMemory = BuildingMemory.take();
  #target = 0;
  #capacity = 0;

  /** The one that all of a thread share, which keeps its memory as long as the thread lives. */
  static ofThread(): TextQuoter {
    TextQuoter.#ofThread ??= new TextQuoter();
    return TextQuoter.#ofThread;
  }

  /**
   * UTF-8 of the text's JSON, as `JSON.stringify` has it, valid until the next call; null if the text is left to
   * that.
   */
  quoted(text: string): Uint8Array | null {
    const memory = this.#memory;
    if (text.length < UNITS_MIN || text.length > UNITS_MAX) return null;
    const bytes = BYTES_PER_UNIT * text.length + MARGIN;
    try {
      if (bytes > this.#capacity) this.#grow(memory, bytes);
      const length = memory.writeText(text);
      const end = memory.functions.quoteText(memory.textAddress, length, this.#target);
      return end === 0 ? null : memory.bytes.subarray(this.#target, end);
    } catch {
      // The memory can't grow: the document is written all the same.
      return null;
    }
  }

  /** A region that is given up stays; each is twice as long as the one before. */
  #grow(memory: BuildingMemory, bytes: number): void {
    const capacity = Math.max(bytes, 2 * this.#capacity);
    this.#target = memory.functions.allocate(capacity);
    this.#capacity = capacity;
  }
}
