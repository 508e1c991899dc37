// AssemblyScript. Finds the words of a text: brings it into lower case where it lies, and notes in a mask
// which of its bytes belong to words.

import { allocate, recycle } from "./heap";

/** Bytes behind the text that may be read and overwritten; a multiple of 64. */
const MARGIN: usize = 64;
const CAPACITY_MIN: usize = 4096;

/** By code point below 0x800 its small letter, 0 for one that separates words, 0xffff: not known here, 0xfffe: ss. */
let letters: usize = 0;
/** Bits of separators from U+2000 and from U+1F000 on. */
let symbols: usize = 0;
const NOT_KNOWN: u32 = 0xffff;
/** Stands for two letters of ASCII. */
const DOUBLE_S: u32 = 0xfffe;
/** Whether the 's after a word belongs to it: it is no word then, and neither is it part of one. */
let joinsPossessives: bool = false;
const SYMBOLS_START: u32 = 0x2000;
const SYMBOLS_END: u32 = 0x2c00;
const PICTURES_START: u32 = 0x1_f000;
const PICTURES_END: u32 = 0x1_fc00;

/** Where the text is, and the mask's bits, one for each byte and 64 more that are 0. */
export let text: usize = 0;
export let mask: usize = 0;
let capacity: usize = 0;

export function clearText(): void {
  text = 0;
  mask = 0;
  capacity = 0;
  letters = 0;
  symbols = 0;
  joinsPossessives = false;
}

/** Takes tables of letters and of symbols, laid out as above. */
export function useLetters(lettersAt: usize, symbolsAt: usize): void {
  letters = lettersAt;
  symbols = symbolsAt;
}

export function usePossessives(areJoined: bool): void {
  joinsPossessives = areJoined;
}

/** Room for a text of so many bytes of UTF-8; its address. */
export function reserveText(bytes: usize): usize {
  if (bytes <= capacity) return text;
  const wanted = (max(bytes, max(capacity << 1, CAPACITY_MIN)) + 63) & ~63;
  if (text != 0) recycle(text, regionBytes(capacity));
  text = allocate(regionBytes(wanted));
  mask = text + wanted + MARGIN;
  capacity = wanted;
  return text;
}

function regionBytes(length: usize): usize {
  return length + MARGIN + (length >>> 3) + 16;
}

/** Marks the words of the first `length` bytes. False if the text holds what isn't known here. */
export function markWords(length: usize): bool {
  const end = text + length;
  let any = i8x16.splat(0);
  // What lies behind the text must be no letter.
  for (let at = end; at < end + MARGIN; at += 8) store<u64>(at, 0);
  for (let at = text; at < end; at += 16) any = v128.or(any, v128.load(at));
  if (i8x16.bitmask(any) == 0) markAscii(end);
  else if (letters == 0 || !markLetters(end)) return false;
  if (joinsPossessives) joinPossessives(end);
  return true;
}

/** Takes the s of a possessive 's out of the words, which leaves its word as it is. */
function joinPossessives(end: usize): void {
  const s = i8x16.splat(0x73);
  for (let at = text; at < end; at += 16) {
    let found = i8x16.bitmask(i8x16.eq(v128.load(at), s));
    while (found != 0) {
      const letter = at + <usize>ctz(found);
      found &= found - 1;
      if (!isWordByte(letter) || isWordByte(letter + 1)) continue;
      const apostrophe = apostropheBefore(letter);
      if (apostrophe == 0 || apostrophe == text || !isWordByte(apostrophe - 1)) continue;
      const bit = letter - text;
      const byte = mask + (bit >>> 3);
      store<u8>(byte, load<u8>(byte) & ~(<u8>1 << <u8>(bit & 7)));
    }
  }
}

/** Where the apostrophe begins that ends before the address: ' \` ´ ʻ ʼ ‘ ’. 0: there is none. */
function apostropheBefore(at: usize): usize {
  if (at == text) return 0;
  const last = <u32>load<u8>(at - 1);
  if (last == 0x27 || last == 0x60) return at - 1;
  if (last < 0x80 || at - text < 2) return 0;
  const before = <u32>load<u8>(at - 2);
  if (before == 0xc2) return last == 0xb4 ? at - 2 : 0;
  if (before == 0xca) return last == 0xbb || last == 0xbc ? at - 2 : 0;
  if (at - text < 3 || before != 0x80 || <u32>load<u8>(at - 3) != 0xe2) return 0;
  return last == 0x98 || last == 0x99 ? at - 3 : 0;
}

function isWordByte(at: usize): bool {
  const bit = at - text;
  return ((<u32>load<u8>(mask + (bit >>> 3)) >>> <u32>(bit & 7)) & 1) != 0;
}

function markAscii(end: usize): void {
  const caseBit = i8x16.splat(0x20);
  let bits = mask;
  for (let at = text; at < end; at += 16, bits += 2) {
    const bytes = v128.load(at);
    const small = v128.or(bytes, caseBit);
    const isLetter = i8x16.lt_u(i8x16.sub(small, i8x16.splat(0x61)), i8x16.splat(26));
    const isDigit = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x30)), i8x16.splat(10));
    v128.store(at, v128.or(bytes, v128.and(isLetter, caseBit)));
    store<u16>(bits, <u16>i8x16.bitmask(v128.or(isLetter, isDigit)));
  }
  store<u64>(bits, 0);
  store<u16>(bits + 8, 0);
}

/** Marks letters of UTF-8 in which they take one or two bytes, and small letters as many as their capitals. */
function markLetters(end: usize): bool {
  let bits: u64 = 0;
  let at = text;
  let row = mask;
  let rowEnd = text + 64;
  while (at < end) {
    const byte = <u32>load<u8>(at);
    let width: usize = 1;
    let isWord = false;
    if (byte < 0x80) {
      const small = byte | 0x20;
      if (small - 0x61 < 26) {
        store<u8>(at, small);
        isWord = true;
      } else isWord = byte - 0x30 < 10;
    } else if (byte < 0xe0) {
      const codePoint = ((byte & 0x1f) << 6) | (<u32>load<u8>(at + 1) & 0x3f);
      const small = <u32>load<u16>(letters + (<usize>codePoint << 1));
      if (small == NOT_KNOWN) return false;
      width = 2;
      if (small == DOUBLE_S) {
        store<u16>(at, 0x7373);
        isWord = true;
      } else if (small != 0) {
        store<u8>(at, 0xc0 | (small >>> 6));
        store<u8>(at + 1, 0x80 | (small & 0x3f));
        isWord = true;
      }
    } else if (byte < 0xf0) {
      const codePoint =
        ((byte & 0x0f) << 12) | ((<u32>load<u8>(at + 1) & 0x3f) << 6) | (<u32>load<u8>(at + 2) & 0x3f);
      if (codePoint - SYMBOLS_START >= SYMBOLS_END - SYMBOLS_START) return false;
      if (!isSymbol(codePoint - SYMBOLS_START)) return false;
      width = 3;
    } else {
      const codePoint =
        ((byte & 0x07) << 18) |
        ((<u32>load<u8>(at + 1) & 0x3f) << 12) |
        ((<u32>load<u8>(at + 2) & 0x3f) << 6) |
        (<u32>load<u8>(at + 3) & 0x3f);
      if (codePoint - PICTURES_START >= PICTURES_END - PICTURES_START) return false;
      if (!isSymbol(SYMBOLS_END - SYMBOLS_START + codePoint - PICTURES_START)) return false;
      width = 4;
    }
    // A letter's second byte may be the first of the next row.
    while (width != 0) {
      if (at == rowEnd) {
        store<u64>(row, bits);
        bits = 0;
        row += 8;
        rowEnd += 64;
      }
      if (isWord) bits |= <u64>1 << <u64>((at - text) & 63);
      at++;
      width--;
    }
  }
  store<u64>(row, bits);
  store<u64>(row + 8, 0);
  return true;
}

function isSymbol(index: u32): bool {
  return ((<u32>load<u8>(symbols + <usize>(index >>> 3)) >>> (index & 7)) & 1) != 0;
}
