import { invalidEntry, type SynonymLists } from "../../contract/dictionary-bodies.js";
import { parseSynonymEntry, type SynonymEntry } from "../../contract/synonym-entry.js";
import { FindlingError } from "../../errors/index.js";

/** How much an index may hold of synonyms: an entry of many keys and terms stands for all their pairs. */
export interface SynonymLimits {
  readonly pairsMax: number;
  readonly termsPerKeyMax: number;
}

export const DEFAULT_SYNONYM_LIMITS: SynonymLimits = { pairsMax: 100_000, termsPerKeyMax: 1_000 };

/**
 * The lists with the entries' pairs in them; a key is no term of its own.
 *
 * @param isApplicable whether a key is anything that a query may hold
 * @throws FindlingError `invalid_request` for an entry that is none or has a key that can't apply, or over a limit
 */
export function withSynonyms(
  lists: SynonymLists,
  entries: readonly string[],
  limits: SynonymLimits,
  isApplicable: (key: string) => boolean = () => true,
): SynonymLists {
  const parsed = entries.map(requireEntry);
  parsed.forEach(({ keys }, position) => {
    const useless = keys.find((key) => !isApplicable(key));
    if (useless !== undefined)
      throw invalidEntry(position, `has the key '${useless}', which can never apply: it holds no word`);
  });
  // Before the pairs are made: two thousand keys and as many terms fit into a few kilobytes.
  const pairCount = parsed.reduce((sum, { keys, terms }) => sum + keys.length * terms.length, 0);
  if (pairCount > limits.pairsMax) throw tooManyPairs(limits);
  const next = new Map(Object.entries(lists).map(([key, terms]) => [key, new Set(terms)]));
  for (const { keys, terms } of parsed) {
    for (const key of keys) {
      const list = next.get(key) ?? new Set<string>();
      for (const term of terms) if (term !== key) list.add(term);
      if (list.size > limits.termsPerKeyMax) {
        throw new FindlingError(
          "invalid_request",
          `'${key}' would have more than ${limits.termsPerKeyMax} synonyms; split it or leave some out`,
        );
      }
      if (list.size > 0) next.set(key, list);
    }
  }
  let total = 0;
  for (const list of next.values()) total += list.size;
  if (total > limits.pairsMax) throw tooManyPairs(limits);
  return listsOf(next);
}

/** The lists without the entries' keys and pairs; what isn't there, or means nothing, is passed over. */
export function withoutSynonyms(lists: SynonymLists, entries: readonly string[]): SynonymLists {
  const next = new Map(Object.entries(lists).map(([key, terms]) => [key, new Set(terms)]));
  for (const entry of entries) {
    const parsed = parseSynonymEntry(entry);
    for (const key of parsed?.keys ?? []) {
      const list = next.get(key);
      if (list === undefined || parsed === null) continue;
      if (parsed.terms === null) list.clear();
      for (const term of parsed.terms ?? []) list.delete(term);
      if (list.size === 0) next.delete(key);
    }
  }
  return listsOf(next);
}

function requireEntry(
  entry: string,
  position: number,
): Required<SynonymEntry> & { terms: readonly string[] } {
  const parsed = parseSynonymEntry(entry);
  if (parsed !== null && parsed.terms !== null) return { keys: parsed.keys, terms: parsed.terms };
  throw invalidEntry(
    position,
    "must be keys:terms with exactly one colon and something on either side; a backslash makes a colon part of a term",
  );
}

function tooManyPairs({ pairsMax }: SynonymLimits): FindlingError {
  return new FindlingError(
    "invalid_request",
    `an index holds at most ${pairsMax} pairs of key and synonym, and these would be more`,
  );
}

/** `fromEntries` makes own members even of names such as `__proto__`. */
function listsOf(lists: ReadonlyMap<string, ReadonlySet<string>>): SynonymLists {
  return Object.fromEntries([...lists].map(([key, terms]) => [key, [...terms]]));
}
