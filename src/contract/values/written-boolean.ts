const WORDS: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  yes: true,
  y: true,
  on: true,
  1: true,
  false: false,
  f: false,
  no: false,
  n: false,
  off: false,
  0: false,
};

/** A truth value as databases and spreadsheets write it, in letters of any case: `TRUE`, `t`, `yes`, `1` and the like; null for anything else. */
export function writtenBoolean(text: string): boolean | null {
  const word = text.toLowerCase();
  return Object.hasOwn(WORDS, word) ? WORDS[word]! : null;
}
