import type { FuzzyAst } from "../../query/query-ast.js";
import { type Dsl, scripted } from "./dsl.js";
import { type FuzzyFacts, matchingWords } from "./fuzzy-words.js";
import { partOf } from "./index-mapping.js";

/** What a field counts that holds nothing but the word, in parts of its idf. */
const WHOLE_WORD_WEIGHT = 4;

/** Explanations show the text. */
const ONE_TOKEN =
  "/* holds nothing but the word */ doc[params.length].size() > 0 && doc[params.length].value == 1 ? params.score : 0";

/** A query of one word, which is its only reading that has a place. */
export interface LoneWord {
  readonly ast: FuzzyAst;
  readonly facts: FuzzyFacts;
}

/** What documents that hold the word score besides, as the engine counts it (docs/adr/0038-words-in-tiers.md). */
export function wholeFields({ ast, facts }: LoneWord): readonly Dsl[] {
  const { stem, fields } = ast;
  const { nearest, idf, hasStem, docFreqs, wholes, areRowsFirst } = facts;
  if (nearest === null || areRowsFirst) return [];
  const hasWord = [...docFreqs.values()].some(([own]) => own > 0);
  const stems = hasStem && !(stem!.ranksBelow && hasWord) ? [stem!.term] : [];
  return fields.flatMap(({ field, boost }): readonly Dsl[] => {
    const score = WHOLE_WORD_WEIGHT * idf * boost;
    const words = [...(wholes[nearest]!.get(field) ?? []), ...stems];
    if (words.length === 0 || !(score > 0)) return [];
    const [filter] = matchingWords(field, words);
    return [scripted({ bool: { filter } }, ONE_TOKEN, { length: partOf("l", field), score })];
  });
}

/** What they score at most. @param boosts of all fields together; absent: the word's own */
export function wholeFieldsBound(
  { ast: { fields }, facts: { nearest, idf } }: LoneWord,
  boosts: number = fields.reduce((sum, { boost }) => sum + boost, 0),
): number {
  return nearest === null ? 0 : WHOLE_WORD_WEIGHT * idf * boosts;
}
