import { decodeUtf8 } from "../../src/engine/bytes/byte-reader.js";
import { GrowableBytes } from "../../src/engine/bytes/growable-bytes.js";
import { GrowableU32 } from "../../src/engine/bytes/growable-u32.js";

const SLOTS_MIN = 1024;

/** UTF-8 needs at most three bytes for a UTF-16 code unit. */
const BYTES_PER_UNIT_MAX = 3;

/**
 * Numbers distinct terms from 0 in order of appearance. An open-addressed hash table over the terms'
 * UTF-8 bytes in one arena, all of it in typed arrays: a JavaScript Map of strings measured two to
 * four times slower and costs an object per term.
 */
export class TermTable {
  readonly #arena = new GrowableBytes();
  /** Term i is the arena's bytes `#offsets[i]` to `#offsets[i + 1] - 1`. */
  readonly #offsets = new GrowableU32();
  /** Slot s: the term's hash at 2s, its number + 1 at 2s + 1 (0 = free). At most half full. */
  #slots = new Uint32Array(2 * SLOTS_MIN);
  #slotMask = SLOTS_MIN - 1;
  /** Odd and random, so that nobody can choose words that all collide. */
  readonly hashFactor: number = crypto.getRandomValues(new Uint32Array(1))[0]! | 1;

  constructor() {
    this.#offsets.push(0);
  }

  get termCount(): number {
    return this.#offsets.length - 1;
  }

  /** All terms' bytes one after the other. */
  get bytes(): Uint8Array {
    return this.#arena.toSection();
  }

  /** Where each term starts in `bytes`, and the end of the last. */
  get offsets(): Uint32Array {
    return this.#offsets.toSection();
  }

  /** Memory in bytes. */
  get bytesUsed(): number {
    return this.#arena.bytes.length + 4 * this.#offsets.array.length + 4 * this.#slots.length;
  }

  /** The term's number, a new one if it is new. Lone surrogates count as U+FFFD, as in `TextEncoder`. */
  numberOf(text: string): number {
    const arena = this.#arena;
    // The term is written behind the arena's end and stays there if it is new.
    arena.reserve(BYTES_PER_UNIT_MAX * text.length);
    const bytes = arena.bytes;
    const start = arena.length;
    const end = encodeUtf8(text, bytes, start);
    const factor = this.hashFactor;
    let hash = 0;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, factor);
    return this.#find(bytes, start, end - start, hash);
  }

  /** A term's text. */
  textOf(term: number): string {
    const offsets = this.#offsets.array;
    return decodeUtf8(this.#arena.bytes.subarray(offsets[term]!, offsets[term + 1]!));
  }

  /** The number of the first `length` bytes given, UTF-8; `hash` as `WordSink` says, with `hashFactor`. */
  numberOfBytes(bytes: Uint8Array, length: number, hash: number): number {
    return this.#find(bytes, 0, length, hash);
  }

  #find(source: Uint8Array, from: number, length: number, rawHash: number): number {
    // The hash's low bits depend on the low bits of all bytes alone.
    const hash = (rawHash ^ (rawHash >>> 15)) >>> 0;
    const slots = this.#slots;
    const mask = this.#slotMask;
    const bytes = this.#arena.bytes;
    const offsets = this.#offsets.array;
    // Terminates: at least half of the slots are free.
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[2 * slot + 1]!;
      if (entry === 0) return this.#insert(slot, hash, source, from, length);
      if (slots[2 * slot] !== hash) continue;
      const other = offsets[entry - 1]!;
      if (offsets[entry]! - other !== length) continue;
      let i = 0;
      while (i < length && bytes[other + i] === source[from + i]) i++;
      if (i === length) return entry - 1;
    }
  }

  #insert(slot: number, hash: number, source: Uint8Array, from: number, length: number): number {
    const term = this.termCount;
    const arena = this.#arena;
    arena.reserve(length);
    const target = arena.bytes;
    const start = arena.length;
    // The source may be the arena behind its end; then the bytes stay where they are.
    for (let i = 0; i < length; i++) target[start + i] = source[from + i]!;
    arena.length = start + length;
    this.#slots[2 * slot] = hash;
    this.#slots[2 * slot + 1] = term + 1;
    this.#offsets.push(arena.length);
    if (2 * (term + 1) > this.#slotMask) this.#growSlots();
    return term;
  }

  #growSlots(): void {
    const old = this.#slots;
    const slots = new Uint32Array(2 * old.length);
    const mask = slots.length / 2 - 1;
    for (let from = 0; from < old.length; from += 2) {
      const entry = old[from + 1]!;
      if (entry === 0) continue;
      let slot = old[from]! & mask;
      while (slots[2 * slot + 1] !== 0) slot = (slot + 1) & mask;
      slots[2 * slot] = old[from]!;
      slots[2 * slot + 1] = entry;
    }
    this.#slots = slots;
    this.#slotMask = mask;
  }
}

/** Writes the text as UTF-8 at `bytes[at]`; returns the end. */
function encodeUtf8(text: string, bytes: Uint8Array, at: number): number {
  let end = at;
  for (let i = 0; i < text.length; i++) {
    let codePoint = text.charCodeAt(i);
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) {
      const next = i + 1 < text.length ? text.charCodeAt(i + 1) : 0;
      if (codePoint < 0xdc00 && next >= 0xdc00 && next <= 0xdfff) {
        codePoint = 0x1_0000 + ((codePoint - 0xd800) << 10) + (next - 0xdc00);
        i++;
      } else {
        codePoint = 0xfffd;
      }
    }
    if (codePoint < 0x80) {
      bytes[end++] = codePoint;
    } else if (codePoint < 0x800) {
      bytes[end++] = 0xc0 | (codePoint >>> 6);
      bytes[end++] = 0x80 | (codePoint & 0x3f);
    } else if (codePoint < 0x1_0000) {
      bytes[end++] = 0xe0 | (codePoint >>> 12);
      bytes[end++] = 0x80 | ((codePoint >>> 6) & 0x3f);
      bytes[end++] = 0x80 | (codePoint & 0x3f);
    } else {
      bytes[end++] = 0xf0 | (codePoint >>> 18);
      bytes[end++] = 0x80 | ((codePoint >>> 12) & 0x3f);
      bytes[end++] = 0x80 | ((codePoint >>> 6) & 0x3f);
      bytes[end++] = 0x80 | (codePoint & 0x3f);
    }
  }
  return end;
}
