// AssemblyScript. Numbers a field's distinct words, and writes down which word comes after which.

import { allocate, clearHeap, Piece, pieceAfter, pieceData, recycle } from "./heap";
import { clearText, mask, markWords, text } from "./text";

/** Longer words are left out; they still take their position. */
const WORD_BYTES_MAX: usize = 255;
const SLOTS_MIN: u32 = 256;
/** A slot: the word's hash, and its entry's address or 0. */
const SLOT_BYTES: usize = 8;
/** An entry: the word's number, its length, and how often it came, then its bytes with zeros up to a multiple of 8. */
export const ENTRY_HEADER: usize = 12;
export const ENTRY_TOKENS: usize = 8;

// A stream is of units of 16 bits. One below `LONG_WORD` is a word's number; one below `NEXT_DOCUMENT` holds
// the upper bits of a number above that, of which the lower 16 follow; the others are marks.
export const LONG_WORD: u32 = 0x8000;
/** The document after the one before, or the first. */
export const NEXT_DOCUMENT: u32 = 0xc000;
/** The document that follows as two units. */
export const DOCUMENT: u32 = 0xc001;
/** The position of the next word follows as two units. */
export const JUMP: u32 = 0xc002;
/** The longest thing that is written in one go: a jump, and a word. */
const STREAM_BYTES_MAX: usize = 10;

/** A field's words, and the stream of them. */
@unmanaged
export class Words {
  slots: usize;
  slotCount: u32;
  /** A hash without its lower so many bits is a slot's number. */
  slotShift: u32;
  count: u32;
  /** Bytes of all words, and of the longest. */
  byteCount: u32;
  longest: u32;
  /** Entries, one after the other. */
  firstEntries: Piece;
  lastEntries: Piece;
  firstStream: Piece;
  lastStream: Piece;
  tokenCount: u32;
  /** -1 before the first. */
  doc: i32;
  /** Where the document's next token is, unless the stream says otherwise. */
  nextPosition: u32;
  /** The entry that `nextNewWord` gives next. */
  newEntries: Piece;
  newEntry: usize;
}

/** Odd and random, so that nobody can choose words that all collide. */
export let factor: u64 = 1;

export function clear(low: u32, high: u32): void {
  clearHeap();
  clearText();
  factor = ((<u64>high << 32) | <u64>low) | 1;
}

export function addField(): Words {
  const words = changetype<Words>(allocate(offsetof<Words>()));
  words.slots = newSlots(SLOTS_MIN);
  words.slotCount = SLOTS_MIN;
  words.slotShift = 24;
  words.count = 0;
  words.byteCount = 0;
  words.longest = 0;
  words.firstEntries = pieceAfter(null, 0);
  words.lastEntries = words.firstEntries;
  words.firstStream = pieceAfter(null, 0);
  words.lastStream = words.firstStream;
  words.tokenCount = 0;
  words.doc = -1;
  words.nextPosition = 0;
  words.newEntries = words.firstEntries;
  words.newEntry = pieceData(words.firstEntries);
  return words;
}

/** To be called before a value's words are added. */
export function beginValue(words: Words, doc: i32): void {
  if (words.doc == doc) return;
  const stream = roomInStream(words);
  const end = stream.end;
  if (doc == words.doc + 1) {
    store<u16>(end, <u16>NEXT_DOCUMENT);
    stream.end = end + 2;
  } else {
    store<u16>(end, <u16>DOCUMENT);
    store<i32>(end + 2, doc);
    stream.end = end + 6;
  }
  words.doc = doc;
  words.nextPosition = 0;
}

/**
 * Words that are looked up together, 16 bytes each: address, length, hash, position. Their places in memory are
 * touched before any is compared, so that the processor waits for several at once.
 */
const BATCH_MAX: i32 = 64;
const BATCH_BYTES: usize = 16;
const batch = memory.data(1024, 16);
/** What was read in touching, which nobody needs. */
export let touched: u32 = 0;

/**
 * Adds the words of a text of `length` bytes, whose positions count from `base`. Returns how many
 * positions it took; -1 if it holds letters that `markWords` doesn't know, and nothing was added.
 */
export function addText(words: Words, length: usize, base: u32): i32 {
  if (!markWords(length)) return -1;
  const end = text + length;
  let position = base;
  let row = text;
  let rowMask = mask;
  let bits = load<u64>(rowMask);
  let next = batch;
  while (true) {
    while (bits == 0) {
      row += 64;
      if (row >= end) {
        addBatch(words, next);
        return position - base;
      }
      rowMask += 8;
      bits = load<u64>(rowMask);
    }
    const start = row + <usize>ctz(bits);
    // Ends: behind the text the mask is 0.
    let rest = ~bits & (<u64>-1 << <u64>(start - row));
    while (rest == 0) {
      row += 64;
      rowMask += 8;
      bits = load<u64>(rowMask);
      rest = ~bits;
    }
    const shift = <u64>ctz(rest);
    bits &= <u64>-1 << shift;
    const wordLength = row + <usize>shift - start;
    if (wordLength <= WORD_BYTES_MAX) {
      store<u32>(next, <u32>start);
      store<u32>(next, <u32>wordLength, 4);
      store<u32>(next, hashOf(start, wordLength), 8);
      store<u32>(next, position, 12);
      next += BATCH_BYTES;
      if (next == batch + <usize>BATCH_MAX * BATCH_BYTES) {
        addBatch(words, next);
        next = batch;
      }
    }
    position++;
  }
}

function addBatch(words: Words, end: usize): void {
  // What each word needs stays out of memory meanwhile: a new one, which is rare, may change the slots.
  let slots = words.slots;
  let shift = words.slotShift;
  let slotMask = words.slotCount - 1;
  let sum: u32 = 0;
  for (let at = batch; at < end; at += BATCH_BYTES) {
    const entry = <usize>load<u32>(slots + <usize>(load<u32>(at, 8) >>> shift) * SLOT_BYTES, 4);
    sum += load<u32>(entry);
  }
  touched = sum;
  let stream = words.lastStream;
  let out = stream.end;
  let limit = stream.limit;
  let nextPosition = words.nextPosition;
  for (let at = batch; at < end; at += BATCH_BYTES) {
    const start = <usize>load<u32>(at);
    const length = <usize>load<u32>(at, 4);
    const high = load<u32>(at, 8);
    const position = load<u32>(at, 12);
    const slot = slotOf(slots, slotMask, high >>> shift, high, start, length);
    let entry = <usize>load<u32>(slot, 4);
    if (entry == 0) {
      entry = insert(words, slot, high, start, length);
      slots = words.slots;
      shift = words.slotShift;
      slotMask = words.slotCount - 1;
    }
    store<u32>(entry, load<u32>(entry, ENTRY_TOKENS) + 1, ENTRY_TOKENS);
    if (out + STREAM_BYTES_MAX > limit) {
      stream.end = out;
      stream = roomInStream(words);
      out = stream.end;
      limit = stream.limit;
    }
    out = putToken(out, load<u32>(entry), position, nextPosition);
    nextPosition = position + 1;
  }
  stream.end = out;
  words.nextPosition = nextPosition;
  words.tokenCount += <u32>((end - batch) / BATCH_BYTES);
}

/** Writes a word down; of the bytes behind it up to 7 may be read. */
export function addWord(words: Words, start: usize, length: usize, position: u32): void {
  addToken(words, entryOf(words, hashOf(start, length), start, length), position);
}

@inline
function addToken(words: Words, entry: usize, position: u32): void {
  store<u32>(entry, load<u32>(entry, ENTRY_TOKENS) + 1, ENTRY_TOKENS);
  const stream = roomInStream(words);
  stream.end = putToken(stream.end, load<u32>(entry), position, words.nextPosition);
  words.nextPosition = position + 1;
  words.tokenCount++;
}

/** Writes a word to the stream, whose next is at `nextPosition` unless it says otherwise; returns where that ends. */
@inline
function putToken(stream: usize, word: u32, position: u32, nextPosition: u32): usize {
  let end = stream;
  if (position != nextPosition) {
    store<u16>(end, <u16>JUMP);
    store<u32>(end + 2, position);
    end += 6;
  }
  if (word < LONG_WORD) {
    store<u16>(end, <u16>word);
    return end + 2;
  }
  store<u16>(end, <u16>(LONG_WORD | (word >>> 16)));
  store<u16>(end + 2, <u16>word);
  return end + 4;
}

@inline
function roomInStream(words: Words): Piece {
  let stream = words.lastStream;
  if (stream.end + STREAM_BYTES_MAX > stream.limit) {
    stream = pieceAfter(stream, STREAM_BYTES_MAX);
    words.lastStream = stream;
  }
  return stream;
}

/** The number of the word of `length` bytes, of which up to 7 behind may be read; a new one if it is new. */
export function numberOf(words: Words, start: usize, length: usize): u32 {
  return load<u32>(entryOf(words, hashOf(start, length), start, length));
}

/** The word's last bytes, or all of a short one, from `at` on; an empty one has none. */
@inline
function lastBytesOf(at: usize, end: usize, length: usize): u64 {
  return length == 0 ? 0 : load<u64>(at) & (<u64>-1 >>> (64 - (<u64>(end - at) << 3)));
}

@inline
function hashOf(start: usize, length: usize): u32 {
  let hash = factor ^ <u64>length;
  let at = start;
  const end = start + length;
  for (; at + 8 < end; at += 8) hash = mixed(hash ^ load<u64>(at));
  return <u32>(mixed(hash ^ lastBytesOf(at, end, length)) >>> 32);
}

/** The entry of a word of that hash, a new one if it is new. */
function entryOf(words: Words, high: u32, start: usize, length: usize): usize {
  const slot = slotOf(words.slots, words.slotCount - 1, high >>> words.slotShift, high, start, length);
  const entry = <usize>load<u32>(slot, 4);
  return entry == 0 ? insert(words, slot, high, start, length) : entry;
}

/** The address of a word's slot, or of the free one for it if it is new; `first` is the first that it may have. */
@inline
function slotOf(slots: usize, slotMask: u32, first: u32, high: u32, start: usize, length: usize): usize {
  const end = start + length;
  // Eight bytes at a time are compared up to here.
  const at = length == 0 ? start : start + ((length - 1) & ~7);
  const lastBytes = lastBytesOf(at, end, length);
  let slot = first;
  let address: usize = 0;
  // Ends: at least half of the slots are free.
  while (true) {
    address = slots + <usize>slot * SLOT_BYTES;
    const entry = <usize>load<u32>(address, 4);
    if (entry == 0) break;
    if (load<u32>(address) == high && load<u32>(entry, 4) == <u32>length) {
      let other = entry + ENTRY_HEADER;
      let from = start;
      while (from != at && load<u64>(other) == load<u64>(from)) {
        other += 8;
        from += 8;
      }
      if (from == at && load<u64>(other) == lastBytes) break;
    }
    slot = (slot + 1) & slotMask;
  }
  return address;
}

/** The product's upper half depends on all bits, its uppermost most. */
@inline
function mixed(value: u64): u64 {
  const product = value * factor;
  return product ^ (product >>> 32);
}

function insert(words: Words, slot: usize, hash: u32, start: usize, length: usize): usize {
  const number = words.count++;
  words.byteCount += <u32>length;
  words.longest = max(words.longest, <u32>length);
  const bytes = entryBytes(<u32>length);
  let entries = words.lastEntries;
  if (entries.end + bytes > entries.limit) {
    entries = pieceAfter(entries, bytes);
    words.lastEntries = entries;
  }
  const entry = entries.end;
  entries.end = entry + bytes;
  store<u32>(entry, number);
  store<u32>(entry + 4, <u32>length);
  store<u32>(entry + ENTRY_TOKENS, 0);
  store<u64>(entry + bytes - 8, 0);
  memory.copy(entry + ENTRY_HEADER, start, length);
  store<u32>(slot, hash);
  store<u32>(slot + 4, <u32>entry);
  if (words.count << 1 >= words.slotCount) growSlots(words);
  return entry;
}

/** Also of the empty word, whose bytes are compared as eight zeros. */
@inline
export function entryBytes(length: u32): usize {
  return ENTRY_HEADER + max(<usize>8, <usize>((length + 7) & ~7));
}

function newSlots(count: u32): usize {
  const slots = allocate(<usize>count * SLOT_BYTES);
  memory.fill(slots, 0, <usize>count * SLOT_BYTES);
  return slots;
}

function growSlots(words: Words): void {
  const oldSlots = words.slots;
  const oldCount = words.slotCount;
  const slots = newSlots(2 * oldCount);
  words.slots = slots;
  words.slotCount = 2 * oldCount;
  words.slotShift--;
  const slotMask = words.slotCount - 1;
  for (let i: u32 = 0; i < oldCount; i++) {
    const from = oldSlots + <usize>i * SLOT_BYTES;
    if (load<u32>(from + 4) == 0) continue;
    let slot = load<u32>(from) >>> words.slotShift;
    while (load<u32>(slots + <usize>slot * SLOT_BYTES + 4) != 0) slot = (slot + 1) & slotMask;
    store<u64>(slots + <usize>slot * SLOT_BYTES, load<u64>(from));
  }
  recycle(oldSlots, <usize>oldCount * SLOT_BYTES);
}
