import { bitWidth, readStreamAt, streamByteLength } from "../../src/engine/bytes/bit-packing.js";
import { MalformedBytesError } from "../../src/engine/bytes/malformed-bytes-error.js";
import { writeStream } from "./bit-writing.js";

/**
 * Unsigned 32-bit numbers in few bytes, to be unpacked all at once. The first byte says how they are
 * written, whichever is shortest:
 *
 *     0  frames: per 128 numbers their least (varint), bits per number (byte), and what each is more than
 *        the least as one bit stream
 *     1  the first number (varint), then frames of the differences from the number before, 0 for the
 *        first; for numbers that never descend
 *     2  varints: seven bits a byte, least significant first
 *     3  varints of the differences, modulo 2^32 and zigzagged (0, −1, 1, −2 … as 0, 1, 2, 3 …)
 *
 * Lemire and Boytsov, "Decoding billions of integers per second through vectorization", 2015, compare
 * these and more; here the shortest matters most.
 */
const FRAMES = 0;
const DELTA_FRAMES = 1;
const VARINTS = 2;
const DELTA_VARINTS = 3;

/** Numbers of a frame, which share a base and a width. */
const FRAME_SIZE = 128;
/** Widths up to here are unpacked through one 32-bit word. */
const WORD_WIDTH_MAX = 24;

export type NumberArray = Uint8Array | Uint16Array | Uint32Array;

/** Packs the numbers as `unpackNumbers` reads them. Equal numbers give equal bytes. */
export function packNumbers(numbers: NumberArray): Uint8Array {
  const form = shortestForm(numbers);
  const bytes = new Uint8Array(form.length);
  bytes[0] = form.kind;
  const isDelta = form.kind === DELTA_FRAMES || form.kind === DELTA_VARINTS;
  const end =
    form.kind === FRAMES || form.kind === DELTA_FRAMES
      ? writeFrames(numbers, isDelta, bytes)
      : writeVarints(numbers, isDelta, bytes);
  return bytes.subarray(0, end);
}

/** Unpacks as many numbers as `target` holds. @throws MalformedBytesError if the bytes are of another number of them */
export function unpackNumbers(bytes: Uint8Array, target: NumberArray): void {
  const kind = bytes[0];
  let end: number;
  if (kind === FRAMES || kind === DELTA_FRAMES) end = readFrames(bytes, kind === DELTA_FRAMES, target);
  else if (kind === VARINTS || kind === DELTA_VARINTS)
    end = readVarints(bytes, kind === DELTA_VARINTS, target);
  else throw new MalformedBytesError(`packed numbers of an unknown form ${kind}`);
  if (end !== bytes.length) {
    throw new MalformedBytesError(
      `${target.length} packed numbers take ${end} bytes instead of ${bytes.length}`,
    );
  }
}

/** The form that takes least, and at most how many bytes. */
function shortestForm(numbers: NumberArray): { readonly kind: number; readonly length: number } {
  const count = numbers.length;
  let frames = 1;
  let previous = count === 0 ? 0 : numbers[0]!;
  let deltaFrames = 1 + varintLength(previous);
  let varints = 1;
  let deltaVarints = 1 + varintLength(zigzag(previous));
  for (let start = 0; start < count; start += FRAME_SIZE) {
    const end = Math.min(start + FRAME_SIZE, count);
    let least = 0xffff_ffff;
    let greatest = 0;
    let leastDelta = 0xffff_ffff;
    let greatestDelta = 0;
    for (let i = start; i < end; i++) {
      const value = numbers[i]!;
      if (value < least) least = value;
      if (value > greatest) greatest = value;
      if (value < previous) deltaFrames = Number.POSITIVE_INFINITY;
      const delta = value - previous;
      if (delta < leastDelta) leastDelta = delta;
      if (delta > greatestDelta) greatestDelta = delta;
      varints += varintLength(value);
      deltaVarints += varintLength(zigzag(delta));
      previous = value;
    }
    frames += frameLength(end - start, least, greatest);
    deltaFrames += frameLength(end - start, leastDelta, greatestDelta);
  }
  const length = Math.min(frames, deltaFrames, varints, deltaVarints);
  const kind = [frames, deltaFrames, varints, deltaVarints].indexOf(length);
  return { kind, length };
}

function frameLength(count: number, least: number, greatest: number): number {
  return varintLength(least) + 1 + streamByteLength(count, bitWidth(greatest - least));
}

function writeFrames(numbers: NumberArray, isDelta: boolean, bytes: Uint8Array): number {
  const frame = new Uint32Array(Math.min(FRAME_SIZE, numbers.length));
  let previous = 0;
  let at = 1;
  if (isDelta) {
    previous = numbers[0]!;
    at = writeVarint(bytes, at, previous);
  }
  for (let start = 0; start < numbers.length; start += FRAME_SIZE) {
    const count = Math.min(FRAME_SIZE, numbers.length - start);
    let least = 0xffff_ffff;
    let greatest = 0;
    for (let i = 0; i < count; i++) {
      const value = numbers[start + i]!;
      const entry = isDelta ? value - previous : value;
      previous = value;
      frame[i] = entry;
      if (entry < least) least = entry;
      if (entry > greatest) greatest = entry;
    }
    const width = bitWidth(greatest - least);
    for (let i = 0; i < count; i++) frame[i]! -= least;
    at = writeVarint(bytes, at, least);
    bytes[at++] = width;
    writeStream(frame, 0, count, width, bytes, at);
    at += streamByteLength(count, width);
  }
  return at;
}

function readFrames(bytes: Uint8Array, isDelta: boolean, target: NumberArray): number {
  let at = 1;
  let previous = 0;
  if (isDelta) {
    let byte = bytes[at++]!;
    previous = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++]!;
      previous |= (byte & 0x7f) << shift;
    }
  }
  for (let start = 0; start < target.length; start += FRAME_SIZE) {
    const end = Math.min(start + FRAME_SIZE, target.length);
    let byte = bytes[at++]!;
    let least = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++]!;
      least |= (byte & 0x7f) << shift;
    }
    const width = bytes[at++]!;
    if (!(width <= 32)) throw new MalformedBytesError(`packed numbers have ${width} bits`);
    const mask = width === 0 ? 0 : 0xffff_ffff >>> (32 - width);
    const next = at + streamByteLength(end - start, width);
    // `pending` holds the lower bits of what hasn't been unpacked, `pendingBits` of them.
    let pending = 0;
    let pendingBits = 0;
    for (let i = start; i < end; i++) {
      let value: number;
      if (width <= WORD_WIDTH_MAX) {
        while (pendingBits < width) {
          pending |= bytes[at++]! << pendingBits;
          pendingBits += 8;
        }
        value = pending & mask;
        pending >>>= width;
        pendingBits -= width;
      } else {
        value = readStreamAt(bytes.subarray(at), width, i - start);
      }
      value = (value + least) >>> 0;
      if (isDelta) {
        value = (value + previous) >>> 0;
        previous = value;
      }
      target[i] = value;
    }
    at = next;
  }
  return at;
}

function writeVarints(numbers: NumberArray, isDelta: boolean, bytes: Uint8Array): number {
  let previous = 0;
  let at = 1;
  for (let i = 0; i < numbers.length; i++) {
    const value = numbers[i]!;
    at = writeVarint(bytes, at, isDelta ? zigzag(value - previous) : value);
    previous = value;
  }
  return at;
}

function readVarints(bytes: Uint8Array, isDelta: boolean, target: NumberArray): number {
  let previous = 0;
  let at = 1;
  for (let i = 0; i < target.length; i++) {
    let byte = bytes[at++]!;
    let value = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++]!;
      value |= (byte & 0x7f) << shift;
    }
    if (isDelta) {
      value = previous + ((value >>> 1) ^ -(value & 1));
      previous = value;
    }
    target[i] = value;
  }
  return at;
}

/** Signed to unsigned, small ones to small ones; modulo 2^32. */
function zigzag(delta: number): number {
  const wrapped = delta | 0;
  return ((wrapped << 1) ^ (wrapped >> 31)) >>> 0;
}

function varintLength(value: number): number {
  return value < 0x80 ? 1 : value < 0x4000 ? 2 : value < 0x20_0000 ? 3 : value < 0x1000_0000 ? 4 : 5;
}

function writeVarint(bytes: Uint8Array, offset: number, value: number): number {
  let at = offset;
  let rest = value >>> 0;
  while (rest > 0x7f) {
    bytes[at++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  bytes[at++] = rest;
  return at;
}
