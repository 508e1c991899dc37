// The LZ4 block format, drawn in `engine/bytes/lz4.ts`.

/** Bytes copied at a time: as many may be read and written past the end of what is copied. */
const STEP: usize = 16;
/** Bytes of the source that a short sequence takes at most: a token, 14 literals, a distance. */
const SHORT_SOURCE: usize = 17;
/** Bytes that a short sequence makes at most: 14 literals and a match of 18. */
const SHORT_TARGET: usize = 32;

/** Where the last call has stopped in the source. */
let position: usize = 0;

export function lz4Position(): usize {
  return position;
}

/**
 * Goes on at `source` and `out` until the target is filled up to `wanted`, or with the whole block if
 * that is the target's end. Returns how far it is filled, 0 if the source is no block of that length.
 * Reads and writes nothing beyond 16 bytes behind the ranges' ends.
 */
export function decodeLz4(
  source: usize,
  sourceEnd: usize,
  targetStart: usize,
  out: usize,
  targetEnd: usize,
  wanted: usize,
): usize {
  while (source < sourceEnd && (out < wanted || wanted == targetEnd)) {
    // Nearly all sequences are short: they are copied without asking how long, and overwritten by the next.
    while (source + SHORT_SOURCE < sourceEnd && out + SHORT_TARGET <= targetEnd && out < wanted) {
      const token = <usize>load<u8>(source);
      const literals = token >>> 4;
      const length = (token & 15) + 4;
      if (literals == 15 || length == 19) break;
      const distance = <usize>load<u16>(source + 1 + literals);
      const match = out + literals;
      if (distance < 8 || distance > match - targetStart) break;
      v128.store(out, v128.load(source, 1));
      source += literals + 3;
      if (distance >= STEP) {
        v128.store(match, v128.load(match - distance));
        // Of 18 at most, the last two.
        store<u16>(match, load<u16>(match - distance, 16), 16);
      } else {
        store<u64>(match, load<u64>(match - distance));
        store<u64>(match, load<u64>(match - distance, 8), 8);
        store<u16>(match, load<u16>(match - distance, 16), 16);
      }
      out = match + length;
    }
    if (out >= wanted && wanted != targetEnd) break;
    const token = <usize>load<u8>(source++);
    let literals = token >>> 4;
    if (literals == 15) {
      let more: usize = 255;
      while (more == 255) {
        if (source >= sourceEnd) return 0;
        more = <usize>load<u8>(source++);
        literals += more;
      }
    }
    if (literals > sourceEnd - source || literals > targetEnd - out) return 0;
    const literalsEnd = out + literals;
    for (; out < literalsEnd; out += STEP, source += STEP) v128.store(out, v128.load(source));
    source -= out - literalsEnd;
    out = literalsEnd;
    if (source == sourceEnd) break;

    if (sourceEnd - source < 2) return 0;
    const distance = <usize>load<u16>(source);
    source += 2;
    if (distance == 0 || distance > out - targetStart) return 0;
    let length = token & 15;
    if (length == 15) {
      let more: usize = 255;
      while (more == 255) {
        if (source >= sourceEnd) return 0;
        more = <usize>load<u8>(source++);
        length += more;
      }
    }
    length += 4;
    if (length > targetEnd - out) return 0;
    const matchEnd = out + length;
    if (distance >= STEP) {
      for (; out < matchEnd; out += STEP) v128.store(out, v128.load(out - distance));
    } else if (distance >= 8) {
      for (; out < matchEnd; out += 8) store<u64>(out, load<u64>(out - distance));
    } else {
      // Byte by byte: the match repeats what it writes.
      for (; out < matchEnd; out++) store<u8>(out, load<u8>(out - distance));
    }
    out = matchEnd;
    // A block ends after literals.
    if (source >= sourceEnd) return 0;
  }
  if (source >= sourceEnd && out != targetEnd) return 0;
  position = source;
  return out;
}

/** Bytes that the length of a record in a block takes at most, since blocks here are short. */
const LENGTH_BYTES_MAX: usize = 4;

/** Where the record found last ends, and whether it has no byte above 127. */
let recordEnd: usize = 0;
let recordIsAscii: bool = false;
/** How far the target of the last call is filled. */
let filledTo: usize = 0;

export function lz4RecordEnd(): usize {
  return recordEnd;
}

export function lz4RecordIsAscii(): i32 {
  return <i32>recordIsAscii;
}

export function lz4FilledTo(): usize {
  return filledTo;
}

/**
 * Finds a record of a block, which is lengths (varints) and as many bytes each: goes on decompressing, up
 * to `wanted` first and then as far as is needed. Arguments as of `decodeLz4`. Returns where the record
 * starts, 0 if the block isn't one of that length or has no such record.
 */
export function findRecord(
  source: usize,
  sourceEnd: usize,
  targetStart: usize,
  out: usize,
  targetEnd: usize,
  wanted: usize,
  ordinal: i32,
): usize {
  filledTo = out;
  position = source;
  if (!fillTo(sourceEnd, targetStart, targetEnd, wanted)) return 0;
  let at = targetStart;
  for (; ; ordinal--) {
    if (!fillTo(sourceEnd, targetStart, targetEnd, at + LENGTH_BYTES_MAX)) return 0;
    let length: usize = 0;
    let byte: usize = 128;
    for (let shift: usize = 0; byte > 127; shift += 7) {
      if (at >= targetEnd || shift == LENGTH_BYTES_MAX * 7) return 0;
      byte = <usize>load<u8>(at++);
      length |= (byte & 127) << shift;
    }
    if (length > targetEnd - at) return 0;
    if (ordinal == 0) {
      recordEnd = at + length;
      break;
    }
    at += length;
  }
  if (!fillTo(sourceEnd, targetStart, targetEnd, recordEnd)) return 0;
  recordIsAscii = isAscii(at, recordEnd);
  return at;
}

/** Fills the target up to an address, at most its end; false if the source is damaged. */
function fillTo(sourceEnd: usize, targetStart: usize, targetEnd: usize, address: usize): bool {
  const wanted = min(address, targetEnd);
  if (filledTo >= wanted) return true;
  const out = decodeLz4(position, sourceEnd, targetStart, filledTo, targetEnd, wanted);
  if (out == 0) return false;
  filledTo = out;
  return true;
}

function isAscii(start: usize, end: usize): bool {
  let at = start;
  let lanes = i8x16.splat(0);
  for (; at + STEP <= end; at += STEP) lanes = v128.or(lanes, v128.load(at));
  let rest: u32 = <u32>i8x16.bitmask(lanes);
  for (; at < end; at++) rest |= <u32>load<u8>(at) & 128;
  return rest == 0;
}
