import type { TextFilter } from "./output/text-filter.js";

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "grapheme" });
/** UTF-16 units that are segmented at a time: the segmenter's time grows with the square of a text's length. */
const SLICE_LENGTH = 256;
/** Every character a grapheme: needs no segmenter, which takes many times longer. */
const PLAIN = /^[\x20-\x7e\n\t]*$/;
/** Code points; no script has longer ones, and a text of nothing but marks must not be held back for ever. */
const GRAPHEME_LENGTH_MAX = 64;

/**
 * The beginning of a text that has at most so many code points and ends between two graphemes. Until it
 * is full, the last grapheme is held back, as more marks may follow it.
 */
export class GraphemeLimit implements TextFilter {
  #left: number;
  #pending = "";

  /** @param lengthMax code points */
  constructor(lengthMax: number) {
    this.#left = lengthMax;
  }

  /** Whether nothing that comes can go out any more. */
  get isFull(): boolean {
    return this.#left < 0;
  }

  push(text: string): string {
    let out = "";
    for (let at = 0; at < text.length && !this.isFull; ) {
      let end = Math.min(text.length, at + SLICE_LENGTH);
      // Not through the middle of a pair.
      if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end++;
      this.#pending += text.slice(at, end);
      out += this.#take(false);
      at = end;
    }
    return out;
  }

  end(): string {
    return this.#take(true);
  }

  #take(isEnd: boolean): string {
    return PLAIN.test(this.#pending) ? this.#takePlain(isEnd) : this.#takeGraphemes(isEnd);
  }

  /** Every character is a grapheme; the last one, to which marks may come, is held back. */
  #takePlain(isEnd: boolean): string {
    const text = this.#pending;
    const length = isEnd ? text.length : Math.max(0, text.length - 1);
    if (length > this.#left) return this.#close(text.slice(0, this.#left));
    this.#left -= length;
    const out = text.slice(0, length);
    this.#pending = text.slice(length);
    return this.#pending.length > this.#left ? this.#close(out) : out;
  }

  #takeGraphemes(isEnd: boolean): string {
    const graphemes = graphemesOf(this.#pending);
    const held = isEnd ? "" : (graphemes.pop() ?? "");
    let out = "";
    for (const grapheme of graphemes) {
      const length = codePointCount(grapheme);
      if (length > this.#left) return this.#close(out);
      this.#left -= length;
      out += grapheme;
    }
    this.#pending = held;
    return codePointCount(held) > this.#left ? this.#close(out) : out;
  }

  #close(out: string): string {
    this.#left = -1;
    this.#pending = "";
    return out;
  }
}

function graphemesOf(text: string): string[] {
  return [...SEGMENTER.segment(text)].flatMap(({ segment }) => boundedPieces(segment));
}

function boundedPieces(grapheme: string): readonly string[] {
  if (grapheme.length <= GRAPHEME_LENGTH_MAX) return [grapheme];
  const points = [...grapheme];
  const pieces: string[] = [];
  for (let at = 0; at < points.length; at += GRAPHEME_LENGTH_MAX) {
    pieces.push(points.slice(at, at + GRAPHEME_LENGTH_MAX).join(""));
  }
  return pieces;
}

function codePointCount(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
