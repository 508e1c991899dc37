/** A stretch of a text, in UTF-16 offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface FragmentOptions {
  readonly preTag: string;
  readonly postTag: string;
  /** UTF-16 units that a fragment should have; 0 = the whole text. */
  readonly fragmentSize: number;
  readonly maxFragments: number;
}

/** A stretch of the text with its marks and how much of the query it shows. */
interface Window {
  readonly start: number;
  readonly end: number;
  readonly firstMark: number;
  readonly lastMark: number;
  readonly distinctWords: number;
}

/**
 * The stretches of a text that show most of what was looked for, the best first: HTML-escaped, with
 * tags around the marks. Stretches begin and end between words and don't overlap.
 *
 * @param marks ascending, not overlapping; with the word that each stands for
 * @param tokens of the text, ascending: where it may be cut
 */
export function markedFragments(
  text: string,
  marks: readonly (Span & { readonly word: string })[],
  tokens: readonly Span[],
  options: FragmentOptions,
): string[] {
  if (marks.length === 0) return [];
  if (options.fragmentSize === 0 || text.length <= options.fragmentSize) {
    return [withTags(text, { start: 0, end: text.length }, marks, options)];
  }
  const windows = marks.map((_, i) => windowFrom(i, text, marks, tokens, options.fragmentSize));
  windows.sort((a, b) => b.distinctWords - a.distinctWords || marksIn(b) - marksIn(a) || a.start - b.start);
  const chosen: Window[] = [];
  for (const window of windows) {
    if (chosen.length === options.maxFragments) break;
    if (chosen.every((other) => window.end <= other.start || window.start >= other.end)) chosen.push(window);
  }
  return chosen.map((window) => {
    const inside = marks.slice(window.firstMark, window.lastMark + 1);
    return withTags(text, window, inside, options);
  });
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

function marksIn(window: Window): number {
  return window.lastMark - window.firstMark;
}

/** The stretch around a mark and as many of those after it as fit, with context on both sides. */
function windowFrom(
  firstMark: number,
  text: string,
  marks: readonly (Span & { readonly word: string })[],
  tokens: readonly Span[],
  size: number,
): Window {
  const { start: from } = marks[firstMark]!;
  let lastMark = firstMark;
  while (lastMark + 1 < marks.length && marks[lastMark + 1]!.end - from <= size) lastMark++;
  const to = marks[lastMark]!.end;
  const spare = Math.max(0, size - (to - from));
  let first = lowerBound(tokens, from);
  let last = lowerBound(tokens, to) - 1;
  const before = Math.min(Math.floor(spare / 2), from);
  const previousMarkEnd = firstMark === 0 ? 0 : marks[firstMark - 1]!.end;
  while (first > 0 && tokens[first - 1]!.start >= Math.max(from - before, previousMarkEnd)) first--;
  const start = Math.min(tokens[first]?.start ?? from, from);
  while (last + 1 < tokens.length && tokens[last + 1]!.end - start <= size) last++;
  // What stands between words, such as a full stop, belongs to the word before it.
  const nextStart = tokens[last + 1]?.start ?? text.length;
  const end = Math.max(to, start + text.slice(start, nextStart).trimEnd().length);
  while (lastMark + 1 < marks.length && marks[lastMark + 1]!.end <= end) lastMark++;
  const distinctWords = new Set(marks.slice(firstMark, lastMark + 1).map(({ word }) => word)).size;
  return { start, end, firstMark, lastMark, distinctWords };
}

/** Index of the first token that starts at or after the offset. */
function lowerBound(tokens: readonly Span[], offset: number): number {
  let low = 0;
  let high = tokens.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (tokens[middle]!.start < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function withTags(
  text: string,
  { start, end }: Span,
  marks: readonly Span[],
  { preTag, postTag }: FragmentOptions,
): string {
  let html = "";
  let at = start;
  for (const mark of marks) {
    html +=
      escapeHtml(text.slice(at, mark.start)) +
      preTag +
      escapeHtml(text.slice(mark.start, mark.end)) +
      postTag;
    at = mark.end;
  }
  return html + escapeHtml(text.slice(at, end));
}
