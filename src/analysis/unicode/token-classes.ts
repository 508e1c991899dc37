import { TOKEN_CLASS } from "./token-class.js";
import { TOKEN_CLASS_RANGES } from "./token-class-ranges.js";

/** Code points above the BMP that have a class: starts, ends (exclusive) and classes of the runs. */
interface AstralRuns {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly classes: Uint8Array;
}

const BMP_SIZE = 0x1_0000;

/** The class of each UTF-16 code unit that stands for itself; surrogates are separators here. */
export const BMP_TOKEN_CLASSES: Uint8Array = new Uint8Array(BMP_SIZE);

const ASTRAL_RUNS: AstralRuns = readRanges(TOKEN_CLASS_RANGES);

/** The class of a code point above the BMP. O(log runs). */
export function astralTokenClass(codePoint: number): number {
  const { starts, ends, classes } = ASTRAL_RUNS;
  let low = 0;
  let high = starts.length;
  // Invariant: every run before `low` starts at or before the code point, every run from `high` on after it.
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= codePoint) low = middle + 1;
    else high = middle;
  }
  return low > 0 && codePoint < ends[low - 1]! ? classes[low - 1]! : TOKEN_CLASS.SEPARATOR;
}

/** Fills the BMP's table and returns the rest. No run crosses from the BMP into the next plane. */
function readRanges(encoded: string): AstralRuns {
  const astral: { start: number; end: number; tokenClass: number }[] = [];
  let start = 0;
  for (const [, gap, letter, length] of encoded.matchAll(/([0-9a-z]+)([A-Z])([0-9a-z]+)/g)) {
    start += Number.parseInt(gap!, 36);
    const end = start + Number.parseInt(length!, 36);
    const tokenClass = letter!.charCodeAt(0) - 65;
    if (start < BMP_SIZE) BMP_TOKEN_CLASSES.fill(tokenClass, start, end);
    else astral.push({ start, end, tokenClass });
    start = end;
  }
  return {
    starts: Int32Array.from(astral, (run) => run.start),
    ends: Int32Array.from(astral, (run) => run.end),
    classes: Uint8Array.from(astral, (run) => run.tokenClass),
  };
}
