const TIME_DIGITS = 12;
const RANDOM_BYTES = 6;

/**
 * Makes the ids of events: 32 hex digits, of which the first 12 are the time of making in
 * milliseconds, then 8 of a count and 12 of chance, drawn anew with each instance. So they ascend in the
 * order in which they are made, and two processes don't make the same.
 */
export class EventIds {
  readonly #suffix: string;
  #lastTime = 0;
  #timeDigits = digitsOf(0, TIME_DIGITS);
  #count = 0;

  constructor() {
    const random = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES));
    this.#suffix = [...random].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  /** @param nowMs milliseconds since the Unix epoch; a clock that is set back doesn't disturb the order */
  next(nowMs: number): string {
    const time = Math.max(Math.floor(nowMs), this.#lastTime);
    if (time === this.#lastTime) {
      this.#count++;
    } else {
      this.#lastTime = time;
      this.#timeDigits = digitsOf(time, TIME_DIGITS);
      this.#count = 0;
    }
    return this.#timeDigits + countDigits(this.#count) + this.#suffix;
  }
}

function digitsOf(value: number, length: number): string {
  return value.toString(16).padStart(length, "0");
}

/** Hex digits of all bytes. */
const BYTE_DIGITS: readonly string[] = Array.from({ length: 256 }, (_, byte) => digitsOf(byte, 2));

/** Eight, without V8's runtime, which other bases than ten go to. */
function countDigits(count: number): string {
  return (
    BYTE_DIGITS[count >>> 24]! +
    BYTE_DIGITS[(count >>> 16) & 255]! +
    BYTE_DIGITS[(count >>> 8) & 255]! +
    BYTE_DIGITS[count & 255]!
  );
}
