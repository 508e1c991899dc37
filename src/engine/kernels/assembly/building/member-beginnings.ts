// AssemblyScript. Finds text members in documents, as a document store's blocks hold them, and writes down how
// the texts begin in the form that sorts (`segment/text-order/text-order-merge.ts`, `text-member.ts`).

import { decodeLz4 } from "../lz4";
import { factor } from "./words";

const QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c;
const BACKSLASH: u32 = 0x5c;

/** A text field. */
@unmanaged
export class Member {
  /** Its name as the JSON has it, with quotes. */
  key: usize;
  keyLength: u32;
  /** Which of a record's two parts it is in, from 0. */
  part: u32;
}

/** What a backslash and the letter behind it stand for, by the letter; 0: ask TypeScript. */
const escaped = memory.data<u8>([
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x22, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x2f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x5c, 0, 0, 0, 0, 0, 8, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 10,
  0, 0, 0, 13, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
]);

let members: usize = 0;
let memberCount: i32 = 0;
/** Bytes kept of a text. */
let beginningBytes: usize = 0;

export function useMembers(membersAt: usize, count: i32, bytes: u32): void {
  members = membersAt;
  memberCount = count;
  beginningBytes = bytes;
}

/** Decompresses a block of the store to `target`; false if it isn't what its header says. */
export function decodeBlock(payload: usize, payloadLength: usize, target: usize, length: usize): bool {
  const end = target + length;
  return decodeLz4(payload, payload + payloadLength, target, target, end, end) == end;
}

/**
 * Writes entries of the members that are wanted: from `entry` on, each a byte with the length of the
 * beginning, the beginning and, if that is as long as it may be, the text's hash. For each document and
 * member `places` gets the address of the entry or, where folding takes more than ASCII, 0 and that of the
 * text's opening quote.
 *
 * @param wanted per document a bit for each member
 * Returns where the entries end; 0 if the records aren't so many documents with these members.
 */
export function readBeginnings(
  records: usize,
  recordsEnd: usize,
  documents: i32,
  wanted: usize,
  places: usize,
  entry: usize,
): usize {
  let at = records;
  for (let i = 0; i < documents; i++, places += <usize>memberCount << 3) {
    let missing = load<u32>(wanted + (<usize>i << 2));
    for (let part: u32 = 0; part < 2; part++) {
      let length: usize = 0;
      let byte: usize = 128;
      for (let shift: usize = 0; byte > 127; shift += 7) {
        if (at >= recordsEnd || shift > 28) return 0;
        byte = <usize>load<u8>(at++);
        length |= (byte & 127) << shift;
      }
      if (length > recordsEnd - at) return 0;
      const end = at + length;
      if (missing != 0) {
        entry = readMembers(at, end, part, missing, places, entry);
        missing = left;
      }
      at = end;
    }
    if (missing != 0) return 0;
  }
  return at == recordsEnd ? entry : 0;
}

/** Members that `readMembers` hasn't found, as bits. */
let left: u32 = 0;

function readMembers(json: usize, end: usize, part: u32, missing: u32, places: usize, entry: usize): usize {
  let at = json + 1;
  while (missing != 0 && at < end && <u32>load<u8>(at) == QUOTE) {
    const keyEnd = textEnd(at + 1, end) + 1;
    const value = keyEnd + 1;
    if (value >= end) break;
    const isText = <u32>load<u8>(value) == QUOTE;
    const member = isText ? memberOf(at, keyEnd - at, part) : -1;
    if (member >= 0 && (missing & (1 << member)) != 0) {
      missing &= ~(1 << member);
      const place = places + (<usize>member << 3);
      const next = readText(value + 1, end, entry);
      store<u32>(place, next == 0 ? 0 : entry);
      store<u32>(place, value, 4);
      if (next != 0) entry = next;
    }
    at = valueEnd(value, end);
    if (at >= end || <u32>load<u8>(at) != COMMA) break;
    at++;
  }
  left = missing;
  return entry;
}

function memberOf(key: usize, length: usize, part: u32): i32 {
  for (let i = 0; i < memberCount; i++) {
    const member = changetype<Member>(members + <usize>i * offsetof<Member>());
    if (member.keyLength != length || member.part != part) continue;
    let same: usize = 0;
    while (same < length && load<u8>(key + same) == load<u8>(member.key + same)) same++;
    if (same == length) return i;
  }
  return -1;
}

/** Writes the entry of the text that begins here; returns where it ends, 0 if TypeScript has to do it. */
function readText(text: usize, end: usize, entry: usize): usize {
  const start = entry + 1;
  const limit = start + beginningBytes;
  let out = start;
  let at = text;
  while (out < limit) {
    // Nearly all bytes are letters and the like, which only have to become small.
    while (out + 16 <= limit) {
      const bytes = v128.load(at);
      const odd = v128.or(
        v128.or(i8x16.eq(bytes, i8x16.splat(<i8>QUOTE)), i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH))),
        bytes,
      );
      const isCapital = v128.and(
        i8x16.ge_u(bytes, i8x16.splat(0x41)),
        i8x16.le_u(bytes, i8x16.splat(0x5a)),
      );
      v128.store(out, v128.or(bytes, v128.and(isCapital, i8x16.splat(0x20))));
      const odds = i8x16.bitmask(odd);
      const plain: usize = odds == 0 ? 16 : <usize>ctz(odds);
      at += plain;
      out += plain;
      if (plain < 16) break;
    }
    if (out == limit) break;
    if (at >= end) return 0;
    let byte = <u32>load<u8>(at);
    if (byte == QUOTE) break;
    if (byte == BACKSLASH) byte = <u32>load<u8>(escaped + (<usize>load<u8>(++at) & 127));
    if (byte >= 0x80 || byte == 0) return 0;
    if (byte - 0x41 < 26) byte |= 0x20;
    store<u8>(out++, <u8>byte);
    at++;
  }
  store<u8>(entry, <u8>(out - start));
  if (out < limit) return out;
  // What follows may become one with the last letter.
  if (at < end && <u32>load<u8>(at) >= 0x80) return 0;
  writeHash(text, end, out);
  return out + 8;
}

/** Writes the hash of the text that begins here, as the JSON has it: texts of one hash are one text. */
export function writeHash(text: usize, end: usize, target: usize): void {
  const close = textEnd(text, end);
  let hash = <u64>(close - text) * factor;
  let at = text;
  for (; at + 8 <= close; at += 8) hash = mixed(hash, load<u64>(at));
  if (at < close) hash = mixed(hash, load<u64>(at) & (<u64>-1 >>> <u64>((8 - (close - at)) << 3)));
  store<u64>(target, hash);
}

@inline
function mixed(hash: u64, bytes: u64): u64 {
  const product = (hash ^ bytes) * factor;
  return (product ^ (product >>> 29)) * 0x9e37_79b9_7f4a_7c15;
}

/** The quote that closes the text that begins here; the end of the document if there is none. */
function textEnd(at: usize, end: usize): usize {
  while (at < end) {
    const bytes = v128.load(at);
    const odds = i8x16.bitmask(
      v128.or(i8x16.eq(bytes, i8x16.splat(<i8>QUOTE)), i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH))),
    );
    if (odds == 0) {
      at += 16;
      continue;
    }
    at += <usize>ctz(odds);
    if (at >= end) return end;
    if (<u32>load<u8>(at) == QUOTE) return at;
    at += 2;
  }
  return end;
}

/** Behind the value that starts here: where a comma or closing brace stands outside of texts. */
function valueEnd(at: usize, end: usize): usize {
  let depth: i32 = 0;
  for (; at < end; at++) {
    const byte = <u32>load<u8>(at);
    if (byte == QUOTE) at = textEnd(at + 1, end);
    else if (byte == 0x7b || byte == 0x5b) depth++;
    else if (byte == 0x7d || byte == 0x5d) {
      if (depth == 0) return at;
      depth--;
    } else if (byte == COMMA && depth == 0) return at;
  }
  return end;
}
