import { GrowableBytes } from "../../bytes/growable-bytes.js";
import { GrowableU32 } from "../../bytes/growable-u32.js";
import type { BuildingMemory } from "../../kernels/building-memory.js";
import { type PlacedStrings, SORTING_MARGIN } from "../strings/sort-strings.js";

/** Byte strings end to end, numbered from 0: write one behind the end of `bytes`, then `close` it. */
export class ByteStrings {
  readonly bytes: GrowableBytes = new GrowableBytes();
  /** String i starts at entry i and ends at entry i + 1. */
  readonly #starts: GrowableU32 = new GrowableU32();

  constructor() {
    this.#starts.push(0);
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  get starts(): Uint32Array {
    return this.#starts.array;
  }

  get bytesUsed(): number {
    return this.bytes.bytes.length + this.#starts.array.length * 4;
  }

  /** Forgets all strings, and keeps their memory for others. */
  clear(): void {
    this.bytes.clear();
    this.#starts.length = 1;
  }

  /** Copies all strings to a memory, for `sortOrder`. */
  place(memory: BuildingMemory): Omit<PlacedStrings, "orderAt"> {
    const starts = this.#starts.toSection();
    let bytesMax = 0;
    for (let i = 0; i < this.count; i++) bytesMax = Math.max(bytesMax, starts[i + 1]! - starts[i]!);
    const startsAt = memory.place(starts);
    const symbolsAt = memory.place(this.bytes.toSection());
    memory.functions.allocate(SORTING_MARGIN);
    return { symbolsAt, startsAt, isWide: false, bytesMax };
  }

  /** Ends the string that was written behind the last; returns its number. */
  close(): number {
    this.#starts.push(this.bytes.length);
    return this.count - 1;
  }

  /** Order of string `a` here and string `b` of `other`: below 0, 0 or above 0. */
  compare(a: number, other: ByteStrings, b: number): number {
    const leftBytes = this.bytes.bytes;
    const rightBytes = other.bytes.bytes;
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
}
