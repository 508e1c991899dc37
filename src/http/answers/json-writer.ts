import { copyWords, type StringTable } from "./string-table.js";

/** Bytes at first, and what is kept from one use to the next. */
const LENGTH_LEAST = 64 * 1024;
const LENGTH_KEPT = 1024 * 1024;
/** UTF-8 of one UTF-16 unit, at most. */
const BYTES_PER_UNIT = 3;
/** Larger numbers aren't small integers everywhere. */
const WRITTEN_BY_HAND_MAX = 2 ** 30 - 1;
const ZERO = 0x30;
const POINT = 0x2e;
/** Decimals that fractions are written with by hand, in two halves that are small integers. */
const DECIMALS = 12;
const HALF = 1e6;
/** JSON writes smaller ones with an exponent. */
const DECIMAL_LEAST = 1e-6;

/**
 * Puts JSON in UTF-8 together from text and from bytes that are UTF-8 already. A string of so many pieces
 * would be joined, measured and encoded by the socket, each of which takes longer than this.
 */
export class JsonWriter {
  readonly #headroom: number;
  /** Where what is being written begins. */
  #start: number;
  #buffer: Buffer = Buffer.allocUnsafeSlow(LENGTH_LEAST);
  #view: DataView = viewOf(this.#buffer);
  #length: number;

  /** @param headroom bytes that are left free before what is written */
  constructor(headroom = 0) {
    this.#headroom = headroom;
    this.#start = headroom;
    this.#length = headroom;
  }

  /** Forgets what has been written: what failed half-way is nobody's. */
  clear(): this {
    if (this.#buffer.length > LENGTH_KEPT) this.#use(Buffer.allocUnsafeSlow(LENGTH_LEAST));
    this.#begin(this.#headroom);
    return this;
  }

  /** Begins anew behind what has been written: what `behind` gave stays valid until `clear`. */
  another(): this {
    this.#begin(this.#length + this.#headroom);
    return this;
  }

  /** Bytes that have been written. */
  get length(): number {
    return this.#length - this.#start;
  }

  text(text: string): this {
    this.#reserve(text.length * BYTES_PER_UNIT);
    this.#length += this.#buffer.write(text, this.#length, "utf8");
    return this;
  }

  /** Writes text of ASCII alone. */
  ascii(text: string): this {
    this.#reserve(text.length);
    this.#length += this.#buffer.write(text, this.#length, "latin1");
    return this;
  }

  bytes(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** As `bytes`, for a few dozen: copied in words these take less than the call that copies many. */
  interned(texts: StringTable, place: number): this {
    const { words } = texts;
    this.#reserve(words[place]! + 3);
    this.#length = copyWords(this.#view, this.#length, words, place);
    return this;
  }

  /**
   * Reserves so many bytes, to be written to `memory` or `view`, which are valid until more is wanted, and then
   * told to `wrote`.
   *
   * @returns where they begin
   */
  reserve(length: number): number {
    this.#reserve(length);
    return this.#length;
  }

  get memory(): Uint8Array {
    return this.#buffer;
  }

  get view(): DataView {
    return this.#view;
  }

  /** @param end of what was written to what `reserve` gave */
  wrote(end: number): void {
    this.#length = end;
  }

  /** One character of ASCII. */
  character(code: number): this {
    this.#reserve(1);
    this.#buffer[this.#length++] = code;
    return this;
  }

  /** A whole number, at least 0. */
  whole(value: number): this {
    if (value > WRITTEN_BY_HAND_MAX) return this.ascii(String(value));
    this.#reserve(10);
    let end = this.#length + 1;
    for (let rest = value; rest >= 10; rest = (rest / 10) | 0) end++;
    this.#length = end;
    let rest = value;
    do {
      const tens = (rest / 10) | 0;
      this.#buffer[--end] = ZERO + rest - 10 * tens;
      rest = tens;
    } while (rest > 0);
    return this;
  }

  /** Any number. One below 1 with few decimals, as times in seconds are, takes a tenth of making its text. */
  fraction(value: number): this {
    const decimals = Math.round(value * HALF * HALF);
    // Two numbers of so few digits are never one and the same double, so that these are the digits that JSON has.
    if (!(value >= DECIMAL_LEAST && value < 1) || decimals / (HALF * HALF) !== value)
      return this.ascii(JSON.stringify(value));
    const high = Math.floor(decimals / HALF);
    let rest = decimals - high * HALF;
    let digits = DECIMALS;
    if (rest === 0) {
      rest = high;
      digits = DECIMALS / 2;
    }
    for (; rest % 10 === 0; rest = (rest / 10) | 0) digits--;
    this.#reserve(DECIMALS + 2);
    const buffer = this.#buffer;
    const start = this.#length;
    buffer[start] = ZERO;
    buffer[start + 1] = POINT;
    this.#length = start + 2 + digits;
    for (let at = this.#length - 1; at > start + 1; at--) {
      if (at === start + 1 + DECIMALS / 2 && digits > DECIMALS / 2) rest = high;
      const tens = (rest / 10) | 0;
      buffer[at] = ZERO + rest - 10 * tens;
      rest = tens;
    }
    return this;
  }

  /** What has been written, in memory of its own; the writer is empty afterwards. */
  take(): Buffer {
    const taken = Buffer.allocUnsafeSlow(this.length);
    taken.set(this.#buffer.subarray(this.#start, this.#length));
    this.#length = this.#start;
    if (this.#buffer.length > LENGTH_KEPT) this.#use(Buffer.allocUnsafeSlow(LENGTH_LEAST));
    return taken;
  }

  /**
   * What has been written, behind a head of ASCII that fits into the headroom: valid until the writer is used
   * again but for `another`, unless `renounce` is called before.
   */
  behind(head: Uint8Array): Buffer {
    if (head.length > this.#headroom) throw new RangeError("the head is longer than the headroom");
    const start = this.#start - head.length;
    this.#buffer.set(head, start);
    return this.#buffer.subarray(start, this.#length);
  }

  /** Leaves its memory to whoever has what `behind` gave. */
  renounce(): void {
    this.#use(Buffer.allocUnsafeSlow(LENGTH_LEAST));
    this.#begin(this.#headroom);
  }

  #begin(start: number): void {
    this.#start = start;
    this.#length = start;
  }

  #reserve(length: number): void {
    if (this.#length + length <= this.#buffer.length) return;
    const written = this.#buffer.subarray(this.#start, this.#length);
    const needed = this.#headroom + written.length + length;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length));
    larger.set(written, this.#headroom);
    this.#use(larger);
    this.#begin(this.#headroom);
    this.#length += written.length;
  }

  #use(buffer: Buffer): void {
    this.#buffer = buffer;
    this.#view = viewOf(buffer);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
