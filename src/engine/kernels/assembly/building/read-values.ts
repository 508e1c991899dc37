// AssemblyScript. Reads documents' JSON as `DocumentEncoder` writes it: cuts the words of texts where they lie, and
// writes down where all other values are (`kernels/value-reader.ts`).

import { escaped, textEnd, valueEnd } from "./member-beginnings";
import { text } from "./text";
import { addText, beginValue, Words } from "./words";

const QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c;
const OPENING_BRACKET: u32 = 0x5b;
const BACKSLASH: u32 = 0x5c;
const CLOSING_BRACKET: u32 = 0x5d;
const CLOSING_BRACE: u32 = 0x7d;

// What is wanted of a field's values.
const TEXT: u32 = 1;
const VALUE: u32 = 2;

// Why reading stops.
const DONE: u32 = 0;
/** There is no room for more records. */
const FULL: u32 = 1;
/** A text that TypeScript has to read, from `valueStart` to `valueEnd`. */
const UNUSUAL: u32 = 2;
const MALFORMED: u32 = 3;

/** A text's record: field, document, tokens, last position, UTF-16 units, bytes of its beginning, start, end. */
const TEXT_RECORD: usize = 32;
/** Behind it stands how the text begins in the form that sorts. */
const BEGINNING_BYTES: usize = 64;
/** The beginning has more than ASCII. */
const NOT_KNOWN: u32 = -1;
/** What another value has: field, document, start, end. */
const VALUE_RECORD: usize = 16;

@unmanaged
class Field {
  /** Its name as the JSON has it, with quotes and colon. */
  key: usize;
  keyLength: u32;
  /** 0: nothing. */
  wanted: u32;
  /** Where a text's words go; 0: nowhere. */
  words: usize;
  /** Whether it is wanted how texts begin. */
  begins: u32;
}

/** Documents that are read, one behind the other. */
@unmanaged
export class Reading {
  /** In the order in which documents have them. */
  fields: usize;
  fieldsEnd: usize;
  /** Where the next document is, and the last: address and end of its JSON. */
  places: usize;
  placesEnd: usize;
  /** The next document. */
  doc: i32;
  /** Where reading goes on in the document before; 0: it has been read. */
  at: usize;
  end: usize;
  /** The field that comes next, or the one whose list is being read. */
  field: usize;
  isList: u32;
  /** Position where the next text of the list begins, and those that stay free behind each. */
  base: u32;
  gap: u32;
  /** Where records are written. */
  record: usize;
  recordsEnd: usize;
  valueStart: usize;
  valueEnd: usize;
}

/** Goes on until all documents have been read, or something is to be done; returns why it stopped. */
export function readValues(reading: Reading): u32 {
  while (true) {
    if (reading.at == 0) {
      const place = reading.places;
      if (place == reading.placesEnd) return DONE;
      reading.places = place + 8;
      reading.doc++;
      // Behind the brace.
      reading.at = <usize>load<u32>(place) + 1;
      reading.end = <usize>load<u32>(place, 4);
      reading.field = reading.fields;
      reading.isList = 0;
    }
    const stop = readDocument(reading);
    if (stop != DONE) return stop;
    reading.at = 0;
  }
}

function readDocument(reading: Reading): u32 {
  const end = reading.end;
  let at = reading.at;
  // Ends: each turn reads a byte at least.
  while (at < end) {
    const byte = <u32>load<u8>(at);
    if (byte == COMMA) {
      at++;
      continue;
    }
    if (reading.isList != 0) {
      if (byte == CLOSING_BRACKET) {
        reading.isList = 0;
        at++;
        continue;
      }
    } else {
      if (byte == CLOSING_BRACE) return DONE;
      // As long as there is no record's room nothing of a member is read.
      if (reading.record + TEXT_RECORD + BEGINNING_BYTES > reading.recordsEnd) {
        reading.at = at;
        return FULL;
      }
      const field = fieldAt(reading, at);
      if (field == 0) return MALFORMED;
      reading.field = field;
      at += changetype<Field>(field).keyLength;
      if (changetype<Field>(field).wanted == 0) {
        at = valueEnd(at, end);
        continue;
      }
      reading.base = 0;
      if (<u32>load<u8>(at) == OPENING_BRACKET) {
        reading.isList = 1;
        at++;
        continue;
      }
    }
    if (reading.record + TEXT_RECORD + BEGINNING_BYTES > reading.recordsEnd) {
      reading.at = at;
      return FULL;
    }
    const field = changetype<Field>(reading.field);
    if (field.wanted == TEXT) {
      if (!readText(reading, field, at)) {
        reading.valueStart = at;
        at = textEnd(at + 1, end) + 1;
        reading.valueEnd = at;
        reading.at = at;
        return UNUSUAL;
      }
      at = reading.valueEnd;
    } else {
      const start = at;
      at = valueEnd(at, end);
      const record = reading.record;
      store<u32>(record, indexOf(reading, reading.field));
      store<u32>(record, reading.doc, 4);
      store<u32>(record, <u32>start, 8);
      store<u32>(record, <u32>at, 12);
      reading.record = record + VALUE_RECORD;
    }
  }
  return MALFORMED;
}

@inline
function indexOf(reading: Reading, field: usize): u32 {
  return <u32>((field - reading.fields) / offsetof<Field>());
}

/** The field whose key stands here, from the one that comes next on; 0 if it is none of these. */
function fieldAt(reading: Reading, at: usize): usize {
  for (let address = reading.field; address < reading.fieldsEnd; address += offsetof<Field>()) {
    const field = changetype<Field>(address);
    const length = <usize>field.keyLength;
    let same: usize = 0;
    while (same < length && load<u8>(at + same) == load<u8>(field.key + same)) same++;
    if (same == length) return address;
  }
  return 0;
}

/** Adds the text whose quote is here, and writes its record; false, and nothing is done, if TypeScript has to do it. */
function readText(reading: Reading, field: Field, at: usize): bool {
  const end = reading.end;
  let from = at + 1;
  let out = text;
  while (true) {
    if (from >= end) return false;
    const bytes = v128.load(from);
    const odds = i8x16.bitmask(
      v128.or(i8x16.eq(bytes, i8x16.splat(<i8>QUOTE)), i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH))),
    );
    v128.store(out, bytes);
    if (odds == 0) {
      from += 16;
      out += 16;
      continue;
    }
    const plain = <usize>ctz(odds);
    from += plain;
    out += plain;
    if (from >= end) return false;
    if (<u32>load<u8>(from) == QUOTE) break;
    const byte = <u32>load<u8>(escaped + (<usize>load<u8>(from + 1) & 127));
    if (byte == 0) return false;
    store<u8>(out++, byte);
    from += 2;
  }
  const length = out - text;
  const record = reading.record;
  if (field.begins != 0) {
    store<u32>(record, unitsOf(length), 16);
    store<u32>(record, writeBeginning(length, record + TEXT_RECORD), 20);
  }
  if (field.words != 0) {
    const words = changetype<Words>(field.words);
    const before = words.tokenCount;
    beginValue(words, reading.doc);
    const positions = addText(words, length, reading.base);
    if (positions < 0) return false;
    reading.base += <u32>positions + reading.gap;
    store<u32>(record, words.tokenCount - before, 8);
    store<u32>(record, words.nextPosition - 1, 12);
  }
  store<u32>(record, indexOf(reading, changetype<usize>(field)));
  store<u32>(record, reading.doc, 4);
  store<u32>(record, <u32>at, 24);
  store<u32>(record, <u32>from + 1, 28);
  reading.record = record + TEXT_RECORD + (field.begins != 0 ? BEGINNING_BYTES : 0);
  reading.valueEnd = from + 1;
  return true;
}

/** The text's first bytes, its capitals made small; returns how many, unless some aren't ASCII. */
function writeBeginning(length: usize, target: usize): u32 {
  // What follows may become one with the last letter.
  if (length > BEGINNING_BYTES && <u32>load<u8>(text + BEGINNING_BYTES) >= 0x80) return NOT_KNOWN;
  const count = min(length, BEGINNING_BYTES);
  for (let i: usize = 0; i < count; i += 16) {
    const bytes = v128.load(text + i);
    const isCapital = i8x16.lt_u(i8x16.sub(bytes, i8x16.splat(0x41)), i8x16.splat(26));
    v128.store(target + i, v128.or(bytes, v128.and(isCapital, i8x16.splat(0x20))));
    const others = i8x16.bitmask(bytes);
    if (others != 0 && i + <usize>ctz(others) < count) return NOT_KNOWN;
  }
  return <u32>count;
}

/** As many as the text has in UTF-16: as bytes, but for those behind a character's first, and two for those of four. */
function unitsOf(length: usize): u32 {
  let units = <i32>length;
  for (let i: usize = 0; i < length; i += 16) {
    const bytes = v128.load(text + i);
    if (i8x16.bitmask(bytes) == 0) continue;
    const wanted: i32 = length - i < 16 ? (1 << <i32>(length - i)) - 1 : 0xffff;
    units -= popcnt(i8x16.bitmask(i8x16.lt_s(bytes, i8x16.splat(-64))) & wanted);
    units += popcnt(i8x16.bitmask(i8x16.ge_u(bytes, i8x16.splat(<i8>0xf0))) & wanted);
  }
  return units;
}
