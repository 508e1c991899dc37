import { typedOnTheWayTo } from "../../analysis/korean-beginnings.js";
import { compareCodePoints } from "../../contract/code-points.js";
import type { AstBound } from "../query-ast.js";
import type { HighlightTargets } from "./highlight-targets.js";

/**
 * Tells which tokens a query looks for by terms, prefixes and ranges: each is found in a time that doesn't grow with how
 * many there are, but for the logarithm of the ranges.
 */
export class WantedTexts {
  readonly #terms: ReadonlySet<string>;
  readonly #prefixes: ReadonlySet<string>;
  /** Lengths of prefixes, each once. */
  readonly #prefixLengths: readonly number[];
  readonly #ranges: readonly TextRange[];

  constructor({ terms, prefixes, ranges }: Pick<HighlightTargets, "terms" | "prefixes" | "ranges">) {
    this.#terms = terms;
    this.#prefixes = prefixes;
    this.#prefixLengths = [...new Set(Array.from(prefixes, (prefix) => prefix.length))];
    this.#ranges = disjoint(ranges);
  }

  has(text: string): boolean {
    return this.#terms.has(text) || this.#beginsAsWanted(text) || this.#isInRange(text);
  }

  #beginsAsWanted(text: string): boolean {
    for (const length of this.#prefixLengths) {
      if (length > text.length) continue;
      for (const typed of typedOnTheWayTo(text.slice(0, length))) if (this.#prefixes.has(typed)) return true;
    }
    return false;
  }

  /** It can only be in the last range that begins at or before it. */
  #isInRange(text: string): boolean {
    const ranges = this.#ranges;
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isAboveLower(text, ranges[middle]!.lower)) low = middle + 1;
      else high = middle;
    }
    return low > 0 && isBelowUpper(text, ranges[low - 1]!.upper);
  }
}

interface TextRange {
  readonly lower: AstBound<string> | null;
  readonly upper: AstBound<string> | null;
}

/** The texts by ranges that ascend and have none in common. */
function disjoint(ranges: readonly TextRange[]): readonly TextRange[] {
  const sorted = ranges.filter((range) => !isEmpty(range)).sort((a, b) => compareLower(a.lower, b.lower));
  const joined: TextRange[] = [];
  for (const range of sorted) {
    const last = joined.at(-1);
    if (last === undefined || !reaches(last.upper, range.lower)) joined.push(range);
    else if (compareUpper(last.upper, range.upper) < 0) {
      joined[joined.length - 1] = { lower: last.lower, upper: range.upper };
    }
  }
  return joined;
}

function isEmpty({ lower, upper }: TextRange): boolean {
  if (lower === null || upper === null) return false;
  const order = compareCodePoints(lower.value, upper.value);
  return order > 0 || (order === 0 && !(lower.inclusive && upper.inclusive));
}

/** Whether a range that ends so has a text in common with one that begins so, later. */
function reaches(upper: AstBound<string> | null, lower: AstBound<string> | null): boolean {
  if (upper === null || lower === null) return true;
  const order = compareCodePoints(lower.value, upper.value);
  return order < 0 || (order === 0 && lower.inclusive && upper.inclusive);
}

function compareLower(a: AstBound<string> | null, b: AstBound<string> | null): number {
  if (a === null || b === null) return (a === null ? 0 : 1) - (b === null ? 0 : 1);
  return compareCodePoints(a.value, b.value) || Number(b.inclusive) - Number(a.inclusive);
}

function compareUpper(a: AstBound<string> | null, b: AstBound<string> | null): number {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
  return compareCodePoints(a.value, b.value) || Number(a.inclusive) - Number(b.inclusive);
}

function isAboveLower(text: string, lower: AstBound<string> | null): boolean {
  if (lower === null) return true;
  const order = compareCodePoints(text, lower.value);
  return order > 0 || (order === 0 && lower.inclusive);
}

function isBelowUpper(text: string, upper: AstBound<string> | null): boolean {
  if (upper === null) return true;
  const order = compareCodePoints(text, upper.value);
  return order < 0 || (order === 0 && upper.inclusive);
}
