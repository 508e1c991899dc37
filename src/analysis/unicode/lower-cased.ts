/**
 * Capitals that Unicode got with versions 16 and 17, and their small letters. The class table of this
 * analysis knows them, but the Node that runs it may be older.
 */
const LATE_CAPITALS: ReadonlyMap<number, number> = new Map([
  [0x1c89, 0x1c8a],
  [0xa7cb, 0x0264],
  [0xa7cc, 0xa7cd],
  [0xa7ce, 0xa7cf],
  [0xa7d2, 0xa7d3],
  [0xa7d4, 0xa7d5],
  [0xa7da, 0xa7db],
  [0xa7dc, 0x019b],
  ...pairs(0x1_0d50, 0x1_0d65, 0x20),
  ...pairs(0x1_6ea0, 0x1_6eb8, 0x1b),
]);

const LATE_CAPITAL =
  /[\u1c89\ua7cb\ua7cc\ua7ce\ua7d2\ua7d4\ua7da\ua7dc\u{10d50}-\u{10d65}\u{16ea0}-\u{16eb8}]/gu;

/** No code unit of a late capital is below. */
const LATE_FROM = 0x1c89;

/**
 * A word in NFC in lower case and NFC, the same in every version of Node. A final sigma becomes a plain
 * one: whether a sigma is final depends on what follows, which a prefix of the word doesn't know.
 */
export function lowerCased(word: string): string {
  let last = 0;
  for (let i = 0; i < word.length; i++) {
    const unit = word.charCodeAt(i);
    if (unit > last) last = unit;
  }
  const known = last < LATE_FROM ? word : word.replace(LATE_CAPITAL, smallLetter);
  const lower = known.toLowerCase();
  const token = lower.includes("ς") ? lower.replaceAll("ς", "σ") : lower;
  // Lower-casing can bring letter and mark together: there is ǰ, but its capital is J and a caron.
  return lower === word ? token : token.normalize("NFC");
}

function smallLetter(capital: string): string {
  return String.fromCodePoint(LATE_CAPITALS.get(capital.codePointAt(0)!)!);
}

function pairs(first: number, last: number, distance: number): [number, number][] {
  return Array.from({ length: last - first + 1 }, (_, i) => [first + i, first + i + distance]);
}
