/** One entry of a synonyms body: each key with each term. */
export interface SynonymEntry {
  readonly keys: readonly string[];
  /** Null where the entry has no colon. */
  readonly terms: readonly string[] | null;
}

/**
 * Takes `keys:terms` apart (contract 3.7). A backslash makes a comma, colon or backslash after it part
 * of the term. Spaces belong to terms; terms of nothing but white space are left out.
 *
 * Null for an entry that means nothing: more than one colon, or an empty side.
 */
export function parseSynonymEntry(entry: string): SynonymEntry | null {
  const sides: string[][] = [[""]];
  for (let i = 0; i < entry.length; i++) {
    const side = sides.at(-1)!;
    const character = entry[i]!;
    if (character === "\\" && ESCAPABLE.has(entry[i + 1] ?? "")) side.push(side.pop()! + entry[++i]!);
    else if (character === ",") side.push("");
    else if (character === ":") sides.push([""]);
    else side.push(side.pop()! + character);
  }
  const [keys = [], terms, ...others] = sides.map((side) => side.filter((term) => term.trim() !== ""));
  if (others.length > 0 || keys.length === 0 || terms?.length === 0) return null;
  return { keys, terms: terms ?? null };
}

const ESCAPABLE: ReadonlySet<string> = new Set(["\\", ",", ":"]);
