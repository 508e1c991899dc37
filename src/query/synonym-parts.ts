import type { Token } from "../analysis/analyzer.js";
import { runOf } from "../analysis/synonym-map.js";
import type { SynonymAlternative } from "./query-ast.js";
import type { SearchedIndex } from "./searched-index.js";

/** Some tokens of a text in a row, and the synonym keys among them. */
export interface SynonymPart {
  readonly tokens: readonly Token[];
  readonly alternatives: readonly PlacedAlternative[];
}

/** A key that the text holds. */
export interface PlacedAlternative extends SynonymAlternative {
  /** Its tokens. */
  readonly tokens: readonly Token[];
}

/**
 * The tokens of a fuzzy text, cut where synonyms allow it (contract 5.3): keys that overlap, and all the tokens they
 * cover, make one part. Keys are looked for among all tokens, stopwords too.
 */
export function synonymParts(tokens: readonly Token[], index: SearchedIndex): SynonymPart[] {
  const occurrences = index.synonyms?.occurrences(tokens) ?? [];
  const parts: SynonymPart[] = [];
  let at = 0;
  for (let next = 0; at < tokens.length; ) {
    const alternatives: PlacedAlternative[] = [];
    const start = at;
    let end = at + 1;
    for (; next < occurrences.length && occurrences[next]!.start < end; next++) {
      const { start: keyStart, end: keyEnd, terms } = occurrences[next]!;
      const keyTokens = tokens.slice(keyStart, keyEnd);
      alternatives.push({ tokens: keyTokens, key: runOf(keyTokens), terms });
      end = Math.max(end, keyEnd);
    }
    parts.push({ tokens: tokens.slice(start, end), alternatives });
    at = end;
  }
  return parts;
}
