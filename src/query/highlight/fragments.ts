import type { AnalyzedValue, FieldTokens } from "./field-tokens.js";
import type { Steps } from "./steps.js";

export interface FragmentOptions {
  readonly preTag: string;
  readonly postTag: string;
  /** UTF-16 units that a fragment should have; 0 = the whole text. */
  readonly fragmentSize: number;
  readonly maxFragments: number;
}

/** Stretches of a text that are marked, ascending, none overlapping another; UTF-16 offsets. */
export interface Marks {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** Numbers of the texts that they stand for, see `FieldTokens`. */
  readonly words: readonly number[];
}

/** How many UTF-16 units of HTML may yet be made. */
export interface HtmlRoom {
  unitsLeft: number;
}

export interface FragmentContext {
  readonly tokens: FieldTokens;
  readonly options: FragmentOptions;
  readonly room: HtmlRoom;
  readonly steps: Steps;
}

/**
 * The stretches of a value that show most of what was looked for, the best first: HTML-escaped, with
 * tags around the marks. Stretches begin and end between words and don't overlap. Where there is
 * no room for one, it and those after it are left out. Time is linear in the text, and in its marks times the stretches.
 *
 * @param marks of the value
 */
export function markedFragments(value: AnalyzedValue, marks: Marks, context: FragmentContext): string[] {
  const { text } = value;
  const { fragmentSize, maxFragments } = context.options;
  const markCount = marks.starts.length;
  if (markCount === 0) return [];
  if (fragmentSize === 0 || text.length <= fragmentSize) {
    const whole = withTags(
      text,
      { start: 0, end: text.length, firstMark: 0, marksEnd: markCount },
      marks,
      context,
    );
    return whole === null ? [] : [whole];
  }
  const windows = new Windows(value, marks, context);
  const fragments: string[] = [];
  for (let best = windows.best(); best !== null && fragments.length < maxFragments; best = windows.best()) {
    const fragment = withTags(text, best, marks, context);
    if (fragment === null) break;
    fragments.push(fragment);
    windows.removeOverlapping(best);
  }
  return fragments;
}

const HTML: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HTML[character]!);
}

/** A stretch of a text, and the marks in it: `firstMark` up to `marksEnd`. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly firstMark: number;
  readonly marksEnd: number;
}

/**
 * For each mark the stretch around it and as many of those after it as fit, with context on both sides. Both ends ascend
 * from mark to mark.
 */
class Windows {
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  readonly #marksEnds: Int32Array;
  /** Texts that the marks in it stand for, each once; 0: the window has been removed. */
  readonly #distinct: Int32Array;
  readonly #steps: Steps;

  constructor(value: AnalyzedValue, marks: Marks, { tokens, options, steps }: FragmentContext) {
    const count = marks.starts.length;
    this.#steps = steps;
    this.#starts = new Float64Array(count);
    this.#ends = new Float64Array(count);
    this.#marksEnds = new Int32Array(count);
    this.#distinct = new Int32Array(count);
    const context = new ContextAround(value, tokens, options.fragmentSize);
    const words = new CountedWords();
    let fitting = 0;
    let counted = 0;
    for (let mark = 0; mark < count; mark++) {
      steps.take();
      const from = marks.starts[mark]!;
      fitting = Math.max(fitting, mark + 1);
      while (fitting < count && marks.ends[fitting]! - from <= options.fragmentSize) fitting++;
      const to = marks.ends[fitting - 1]!;
      const { start, end } = context.around(from, to, mark === 0 ? 0 : marks.ends[mark - 1]!);
      let marksEnd = Math.max(fitting, counted);
      while (marksEnd < count && marks.ends[marksEnd]! <= end) marksEnd++;
      for (; counted < marksEnd; counted++) words.add(marks.words[counted]!);
      this.#starts[mark] = start;
      this.#ends[mark] = end;
      this.#marksEnds[mark] = marksEnd;
      this.#distinct[mark] = words.distinct;
      words.remove(marks.words[mark]!);
    }
  }

  /** That with the most texts, then the most marks, then the first; null: none is left. */
  best(): Stretch | null {
    const distinct = this.#distinct;
    let best = -1;
    for (let mark = 0; mark < distinct.length; mark++) {
      this.#steps.take();
      if (distinct[mark] === 0) continue;
      if (best < 0 || distinct[mark]! > distinct[best]! || this.#hasMoreMarks(mark, best)) best = mark;
    }
    if (best < 0) return null;
    return {
      start: this.#starts[best]!,
      end: this.#ends[best]!,
      firstMark: best,
      marksEnd: this.#marksEnds[best]!,
    };
  }

  removeOverlapping({ start, end }: Stretch): void {
    for (let mark = 0; mark < this.#distinct.length; mark++) {
      this.#steps.take();
      if (this.#ends[mark]! > start && this.#starts[mark]! < end) this.#distinct[mark] = 0;
    }
  }

  #hasMoreMarks(mark: number, other: number): boolean {
    if (this.#distinct[mark] !== this.#distinct[other]) return false;
    return this.#marksEnds[mark]! - mark > this.#marksEnds[other]! - other;
  }
}

/** How often each text stands in a window that moves on. */
class CountedWords {
  readonly #counts: Map<number, number> = new Map();

  get distinct(): number {
    return this.#counts.size;
  }

  add(word: number): void {
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
  }

  remove(word: number): void {
    const count = this.#counts.get(word)! - 1;
    if (count === 0) this.#counts.delete(word);
    else this.#counts.set(word, count);
  }
}

/** Finds what stands around marks and still fits. */
class ContextAround {
  readonly #value: AnalyzedValue;
  readonly #tokens: FieldTokens;
  readonly #size: number;
  /** The token that was asked for last, whose end is that of the text up to the next one, without the space before that. */
  #lastToken = -1;
  #lastEnd = 0;

  constructor(value: AnalyzedValue, tokens: FieldTokens, size: number) {
    this.#value = value;
    this.#tokens = tokens;
    this.#size = size;
  }

  /** @param floor where the mark before ends: the stretch doesn't begin before it */
  around(from: number, to: number, floor: number): { readonly start: number; readonly end: number } {
    const { firstToken, tokensEnd } = this.#value;
    const { starts, ends } = this.#tokens;
    const spare = Math.max(0, this.#size - (to - from));
    const before = Math.min(Math.floor(spare / 2), from);
    const first = firstNotBelow(starts, firstToken, tokensEnd, Math.max(from - before, floor));
    const start = Math.min(first === tokensEnd ? from : starts[first]!, from);
    const lastMarked = firstNotBelow(starts, firstToken, tokensEnd, to) - 1;
    const lastFitting = firstNotBelow(ends, firstToken, tokensEnd, start + this.#size + 1) - 1;
    return { start, end: Math.max(to, this.#endBehind(Math.max(lastMarked, lastFitting))) };
  }

  /** What stands between words, such as a full stop, belongs to the word before it. */
  #endBehind(token: number): number {
    if (token !== this.#lastToken) {
      const { text, tokensEnd } = this.#value;
      const { starts, ends } = this.#tokens;
      const end = ends[token]!;
      const nextStart = token + 1 < tokensEnd ? starts[token + 1]! : text.length;
      this.#lastToken = token;
      this.#lastEnd = end + text.slice(end, nextStart).trimEnd().length;
    }
    return this.#lastEnd;
  }
}

/** Among ascending offsets `first` up to `end`, the first that is at least so much; `end` if none is. */
function firstNotBelow(offsets: readonly number[], first: number, end: number, least: number): number {
  let low = first;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Null where there is no room. */
function withTags(
  text: string,
  { start, end, firstMark, marksEnd }: Stretch,
  marks: Marks,
  { options: { preTag, postTag }, room, steps }: FragmentContext,
): string | null {
  let html = "";
  let at = start;
  for (let mark = firstMark; mark < marksEnd; mark++) {
    steps.take();
    html += escapeHtml(text.slice(at, marks.starts[mark]!));
    html += preTag + escapeHtml(text.slice(marks.starts[mark]!, marks.ends[mark]!)) + postTag;
    at = marks.ends[mark]!;
    if (html.length > room.unitsLeft) return null;
  }
  html += escapeHtml(text.slice(at, end));
  if (html.length > room.unitsLeft) return null;
  room.unitsLeft -= html.length;
  return html;
}
