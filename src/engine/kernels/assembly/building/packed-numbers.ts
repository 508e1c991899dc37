// AssemblyScript. Unsigned 32-bit numbers in few bytes, to be unpacked all at once. The first byte says how they are
// written, whichever is shortest:
//
//     0  frames: per 128 numbers their least (varint), bits per number (byte), and what each is more than
//        the least as one bit stream
//     1  the first number (varint), then frames of the differences from the number before, 0 for the
//        first; for numbers that never descend
//     2  varints: seven bits a byte, least significant first
//     3  varints of the differences, modulo 2^32 and zigzagged (0, −1, 1, −2 … as 0, 1, 2, 3 …)
//
// Lemire and Boytsov, "Decoding billions of integers per second through vectorization", 2015, compare
// these and more; here the shortest matters most.

const FRAMES: u32 = 0;
const DELTA_FRAMES: u32 = 1;
const VARINTS: u32 = 2;
const DELTA_VARINTS: u32 = 3;
const FRAME_SIZE: u32 = 128;

/** How the numbers measured last are to be written. */
let kind: u32 = FRAMES;

/** Makes u32 of numbers of 1 or 2 bytes. */
export function widenNumbers(source: usize, width: u32, count: u32, target: usize): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    store<u32>(target + (i << 2), width == 1 ? <u32>load<u8>(source + i) : <u32>load<u16>(source + (i << 1)));
  }
}

/** The opposite: what doesn't fit is cut. */
export function narrowNumbers(source: usize, width: u32, count: u32, target: usize): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    const number = load<u32>(source + (i << 2));
    if (width == 1) store<u8>(target + i, <u8>number);
    else store<u16>(target + (i << 1), <u16>number);
  }
}

/** Chooses the shortest form; returns how many bytes it takes at most. */
export function measureNumbers(numbers: usize, count: u32): u32 {
  let previous: u32 = count == 0 ? 0 : load<u32>(numbers);
  let frames: u32 = 1;
  let deltaFrames: u32 = 1 + varintLength(previous);
  let varints: u32 = 1;
  let deltaVarints: u32 = 1 + varintLength(zigzag(previous));
  let descends = false;
  for (let start: u32 = 0; start < count; start += FRAME_SIZE) {
    const end = min(start + FRAME_SIZE, count);
    let least: u32 = 0xffff_ffff;
    let greatest: u32 = 0;
    let leastDelta: u32 = 0xffff_ffff;
    let greatestDelta: u32 = 0;
    for (let i = start; i < end; i++) {
      const value = load<u32>(numbers + (<usize>i << 2));
      if (value < previous) descends = true;
      const delta = value - previous;
      least = min(least, value);
      greatest = max(greatest, value);
      leastDelta = min(leastDelta, delta);
      greatestDelta = max(greatestDelta, delta);
      varints += varintLength(value);
      deltaVarints += varintLength(zigzag(delta));
      previous = value;
    }
    frames += frameLength(end - start, least, greatest);
    deltaFrames += frameLength(end - start, leastDelta, greatestDelta);
  }
  let length = frames;
  kind = FRAMES;
  if (!descends && deltaFrames < length) {
    length = deltaFrames;
    kind = DELTA_FRAMES;
  }
  if (varints < length) {
    length = varints;
    kind = VARINTS;
  }
  if (deltaVarints < length) {
    length = deltaVarints;
    kind = DELTA_VARINTS;
  }
  return length;
}

/** Packs the numbers measured last; returns where they end. Up to 8 bytes behind them are overwritten. */
export function packNumbers(numbers: usize, count: u32, target: usize): usize {
  const isDelta = kind == DELTA_FRAMES || kind == DELTA_VARINTS;
  store<u8>(target, <u8>kind);
  return kind <= DELTA_FRAMES
    ? writeFrames(numbers, count, isDelta, target + 1)
    : writeVarints(numbers, count, isDelta, target + 1);
}

/**
 * Unpacks numbers; returns where they end, 0 if that is behind `end` or they have no known form. Up to 16 bytes
 * behind `end` may be read.
 */
export function unpackNumbers(source: usize, end: usize, target: usize, count: u32): usize {
  beginNumbers(source, end);
  return nextNumbers(target, count);
}

/** Where the next numbers to be unpacked are, 0 if there are none, and what they are told from. */
let unpackAt: usize = 0;
let unpackEnd: usize = 0;
let unpackForm: u32 = FRAMES;
let unpackedLast: u32 = 0;

/** For `nextNumbers`. */
export function beginNumbers(source: usize, end: usize): void {
  unpackAt = 0;
  unpackEnd = end;
  unpackedLast = 0;
  if (source >= end) return;
  unpackForm = <u32>load<u8>(source);
  if (unpackForm > DELTA_VARINTS) return;
  unpackAt = source + 1;
  if (unpackForm != DELTA_FRAMES) return;
  unpackAt = readVarint(unpackAt);
  unpackedLast = varint;
}

/**
 * As `unpackNumbers`, the next ones: whole frames of 128 unless they are the last. Nothing else may be
 * unpacked in between.
 */
export function nextNumbers(target: usize, count: u32): usize {
  if (unpackAt == 0) return 0;
  const isDelta = unpackForm == DELTA_FRAMES || unpackForm == DELTA_VARINTS;
  unpackAt = unpackForm <= DELTA_FRAMES
    ? readFrames(unpackAt, unpackEnd, isDelta, target, count)
    : readVarints(unpackAt, unpackEnd, isDelta, target, count);
  return unpackAt;
}

@inline
function zigzag(delta: u32): u32 {
  return (delta << 1) ^ <u32>(<i32>delta >> 31);
}

@inline
function varintLength(value: u32): u32 {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
}

@inline
function bitWidth(value: u32): u32 {
  return 32 - clz(value);
}

@inline
function frameLength(count: u32, least: u32, greatest: u32): u32 {
  return varintLength(least) + 1 + ((count * bitWidth(greatest - least) + 7) >>> 3);
}

@inline
function putVarint(at: usize, value: u32): usize {
  while (value > 0x7f) {
    store<u8>(at++, (value & 0x7f) | 0x80);
    value >>>= 7;
  }
  store<u8>(at, value);
  return at + 1;
}

function writeFrames(numbers: usize, count: u32, isDelta: bool, at: usize): usize {
  let base: u32 = 0;
  if (isDelta) {
    base = load<u32>(numbers);
    at = putVarint(at, base);
  }
  for (let start: u32 = 0; start < count; start += FRAME_SIZE) {
    const end = min(start + FRAME_SIZE, count);
    let previous = base;
    let least: u32 = 0xffff_ffff;
    let greatest: u32 = 0;
    for (let i = start; i < end; i++) {
      const value = load<u32>(numbers + (<usize>i << 2));
      const entry = value - previous;
      if (isDelta) previous = value;
      least = min(least, entry);
      greatest = max(greatest, entry);
    }
    const width = bitWidth(greatest - least);
    at = putVarint(at, least);
    store<u8>(at++, <u8>width);
    previous = base;
    let pending: u64 = 0;
    let pendingBits: u32 = 0;
    for (let i = start; i < end; i++) {
      const value = load<u32>(numbers + (<usize>i << 2));
      pending |= <u64>(value - previous - least) << <u64>pendingBits;
      if (isDelta) previous = value;
      pendingBits += width;
      if (pendingBits < 32) continue;
      store<u32>(at, <u32>pending);
      at += 4;
      pending >>>= 32;
      pendingBits -= 32;
    }
    store<u32>(at, <u32>pending);
    at += <usize>((pendingBits + 7) >>> 3);
    if (isDelta) base = previous;
  }
  return at;
}

function writeVarints(numbers: usize, count: u32, isDelta: bool, at: usize): usize {
  let previous: u32 = 0;
  for (let i: usize = 0; i < <usize>count; i++) {
    const value = load<u32>(numbers + (i << 2));
    at = putVarint(at, isDelta ? zigzag(value - previous) : value);
    previous = value;
  }
  return at;
}

/** The varint read last. */
let varint: u32 = 0;

@inline
function readVarint(at: usize): usize {
  let byte = <u32>load<u8>(at++);
  varint = byte & 0x7f;
  for (let shift: u32 = 7; byte > 0x7f && shift < 35; shift += 7) {
    byte = <u32>load<u8>(at++);
    varint |= (byte & 0x7f) << shift;
  }
  return at;
}

function readFrames(at: usize, end: usize, isDelta: bool, target: usize, count: u32): usize {
  let previous = unpackedLast;
  for (let start: u32 = 0; start < count; start += FRAME_SIZE) {
    const frameEnd = min(start + FRAME_SIZE, count);
    if (at >= end) return 0;
    at = readVarint(at);
    const least = varint;
    const width = <u32>load<u8>(at++);
    const next = at + <usize>(((frameEnd - start) * width + 7) >>> 3);
    if (width > 32 || next > end) return 0;
    const mask = <u32>((<u64>1 << <u64>width) - 1);
    let bit: u32 = 0;
    for (let i = start; i < frameEnd; i++) {
      let value = (<u32>(load<u64>(at + <usize>(bit >>> 3)) >>> <u64>(bit & 7)) & mask) + least;
      bit += width;
      if (isDelta) {
        value += previous;
        previous = value;
      }
      store<u32>(target + (<usize>i << 2), value);
    }
    at = next;
  }
  unpackedLast = previous;
  return at;
}

function readVarints(at: usize, end: usize, isDelta: bool, target: usize, count: u32): usize {
  let previous = unpackedLast;
  for (let i: usize = 0; i < <usize>count; i++) {
    if (at >= end) return 0;
    at = readVarint(at);
    let value = varint;
    if (isDelta) {
      value = previous + ((value >>> 1) ^ -(value & 1));
      previous = value;
    }
    store<u32>(target + (i << 2), value);
  }
  unpackedLast = previous;
  return at;
}

/** `foldLongs`: the differences of ascending big-endian u64, 0 before the first, as high and low halves. */
export function splitLongs(values: usize, count: u32, highs: usize, lows: usize): void {
  let previous: u64 = 0;
  for (let i: usize = 0; i < <usize>count; i++) {
    const value = bswap(load<u64>(values + (i << 3)));
    const difference = value - previous;
    store<u32>(highs + (i << 2), <u32>(difference >>> 32));
    store<u32>(lows + (i << 2), <u32>difference);
    previous = value;
  }
}

/** The opposite. */
export function joinLongs(highs: usize, lows: usize, count: u32, values: usize): void {
  let value: u64 = 0;
  for (let i: usize = 0; i < <usize>count; i++) {
    value += (<u64>load<u32>(highs + (i << 2)) << 32) | <u64>load<u32>(lows + (i << 2));
    store<u64>(values + (i << 3), bswap(value));
  }
}
