import { GrowableBytes } from "../segment/terms/growable-bytes.js";
import { GrowableU32 } from "../segment/terms/growable-u32.js";

const SLOTS_MIN = 1024;

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
  readonly #multiplier: number;

  constructor() {
    this.#multiplier = crypto.getRandomValues(new Uint32Array(1))[0]! | 1;
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
    const length = text.length;
    // The term is written behind the arena's end and stays there if it is new.
    if (arena.length + 3 * length > arena.bytes.length) arena.reserve(3 * length);
    const bytes = arena.bytes;
    const start = arena.length;
    const multiplier = this.#multiplier;
    let end = start;
    let hash = length;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 0x7f) {
        end = encodeUtf8(text, i, bytes, end);
        hash = length;
        for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, multiplier);
        break;
      }
      bytes[end++] = unit;
      hash = Math.imul(hash ^ unit, multiplier);
    }
    hash ^= hash >>> 15;
    return this.#find(hash >>> 0, start, end);
  }

  #find(hash: number, start: number, end: number): number {
    const slots = this.#slots;
    const mask = this.#slotMask;
    const bytes = this.#arena.bytes;
    const offsets = this.#offsets.array;
    const length = end - start;
    // Terminates: at least half of the slots are free.
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = slots[2 * slot + 1]!;
      if (entry === 0) return this.#insert(slot, hash, end);
      if (slots[2 * slot] !== hash) continue;
      const other = offsets[entry - 1]!;
      if (offsets[entry]! - other !== length) continue;
      let i = 0;
      while (i < length && bytes[other + i] === bytes[start + i]) i++;
      if (i === length) return entry - 1;
    }
  }

  #insert(slot: number, hash: number, end: number): number {
    const term = this.termCount;
    this.#slots[2 * slot] = hash;
    this.#slots[2 * slot + 1] = term + 1;
    this.#arena.length = end;
    this.#offsets.push(end);
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

/** Writes the text from UTF-16 unit `from` on as UTF-8 at `bytes[at]`; returns the end. */
function encodeUtf8(text: string, from: number, bytes: Uint8Array, at: number): number {
  let end = at;
  for (let i = from; i < text.length; i++) {
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
