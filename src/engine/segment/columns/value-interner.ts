import { FindlingError } from "../../../errors/index.js";
import type { SlicedWork } from "../sliced-work.js";
import { numbered } from "../strings/numbered.js";
import { sortStrings } from "../strings/sort-strings.js";

const SLOTS_MIN = 64;
const BYTES_MAX = 0xffff_ffff;

/**
 * Numbers distinct byte strings from 0 in the order of their first appearance. All of them lie end
 * to end in one array; an open-addressed table of ids finds them again.
 */
export class ValueInterner {
  #bytes: Uint8Array = new Uint8Array(1024);
  #length = 0;
  /** Value `id` ends where value `id + 1` starts. */
  #starts: Uint32Array = new Uint32Array(SLOTS_MIN);
  #hashes: Uint32Array = new Uint32Array(SLOTS_MIN);
  /** Id + 1; 0 = free. A power of two, at most half full. */
  #slots: Uint32Array = new Uint32Array(SLOTS_MIN);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get bytesUsed(): number {
    return this.#bytes.length + (this.#starts.length + this.#hashes.length + this.#slots.length) * 4;
  }

  /** Where each of these values starts, and the last ends, if they lie one behind the other. */
  offsetsOf(ids: Uint32Array): Uint32Array {
    const starts = this.#starts;
    const offsets = new Uint32Array(ids.length + 1);
    let end = 0;
    for (let i = 0; i < ids.length; i++) {
      end += starts[ids[i]! + 1]! - starts[ids[i]!]!;
      offsets[i + 1] = end;
    }
    return offsets;
  }

  /** Copies these values to `target`, one behind the other. */
  copy(ids: Uint32Array, target: Uint8Array, offset: number): void {
    const starts = this.#starts;
    const bytes = this.#bytes;
    let at = offset;
    for (let i = 0; i < ids.length; i++) {
      const end = starts[ids[i]! + 1]!;
      for (let from = starts[ids[i]!]!; from < end; from++) target[at++] = bytes[from]!;
    }
  }

  /** A view of a value; valid until another one is added. */
  bytesOf(id: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[id]!, this.#starts[id + 1]!);
  }

  /** The id of the value that the first `length` bytes are, a new one (`count` before the call) if it hasn't been seen. */
  intern(bytes: Uint8Array, length: number): number {
    const hash = hashBytes(bytes, length);
    const mask = this.#slots.length - 1;
    // Terminates: half of the slots are free.
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot]!;
      if (entry === 0) return this.#append(bytes, length, hash, slot);
      if (this.#hashes[entry - 1] === hash && this.#equals(entry - 1, bytes, length)) return entry - 1;
    }
  }

  /** The id of a value; -1 if it hasn't been seen. */
  idOf(value: Uint8Array): number {
    const hash = hashBytes(value, value.length);
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot]!;
      if (entry === 0) return -1;
      if (this.#hashes[entry - 1] === hash && this.#equals(entry - 1, value, value.length)) return entry - 1;
    }
  }

  /** Ids sorted by their values. */
  *sortedIds(): SlicedWork<Uint32Array> {
    const ids = numbered(this.#count);
    yield* sortStrings(ids, this.#bytes, this.#starts);
    return ids;
  }

  #append(value: Uint8Array, length: number, hash: number, slot: number): number {
    const id = this.#count;
    const end = this.#length + length;
    if (end > BYTES_MAX) {
      throw new FindlingError(
        "internal",
        "a column would pass 4 GiB in one segment; flush and merge into smaller segments",
      );
    }
    if (end > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(end, this.#bytes.length * 2));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    if (id + 2 > this.#starts.length) {
      this.#starts = doubled(this.#starts);
      this.#hashes = doubled(this.#hashes);
    }
    for (let i = 0; i < length; i++) this.#bytes[this.#length + i] = value[i]!;
    this.#length = end;
    this.#starts[id + 1] = end;
    this.#hashes[id] = hash;
    this.#slots[slot] = id + 1;
    this.#count++;
    if (this.#count * 2 > this.#slots.length) this.#rehash();
    return id;
  }

  #rehash(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let id = 0; id < this.#count; id++) {
      let slot = this.#hashes[id]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = id + 1;
    }
    this.#slots = slots;
  }

  #equals(id: number, value: Uint8Array, length: number): boolean {
    const start = this.#starts[id]!;
    if (this.#starts[id + 1]! - start !== length) return false;
    const bytes = this.#bytes;
    for (let i = 0; i < length; i++) {
      if (bytes[start + i] !== value[i]) return false;
    }
    return true;
  }
}

/** The first six bytes as an integer, with zeros after a shorter value: never contradicts the bytes' order. */
export function prefixKey(bytes: Uint8Array, start: number, end: number): number {
  let high = 0;
  let low = 0;
  for (let i = 0; i < 3; i++) high = (high << 8) | (start + i < end ? bytes[start + i]! : 0);
  for (let i = 3; i < 6; i++) low = (low << 8) | (start + i < end ? bytes[start + i]! : 0);
  return high * 0x100_0000 + low;
}

function doubled(array: Uint32Array): Uint32Array {
  const grown = new Uint32Array(array.length * 2);
  grown.set(array);
  return grown;
}

/** FNV-1a with a final mix (Appleby, MurmurHash3): FNV alone leaves the low bits of short values alike. */
function hashBytes(bytes: Uint8Array, length: number): number {
  let hash = 0x811c_9dc5;
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ bytes[i]!, 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
