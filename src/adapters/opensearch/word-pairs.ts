import type { FuzzyAst } from "../../query/query-ast.js";
import type { FuzzyFacts } from "./fuzzy-words.js";

/** A word of a query that is told by where it stands. */
export interface PlacedWord {
  readonly ast: FuzzyAst;
  readonly facts: FuzzyFacts;
  readonly position: number;
  /** Whether it is a stopword, which has only neighbours beside it. */
  readonly isSilent: boolean;
}

/** Two neighbouring words of a query. */
export interface WordPair {
  readonly first: PlacedWord;
  readonly second: PlacedWord;
  readonly gap: number;
  readonly weight: number;
}

/** Words further apart in a query are no neighbours. */
const GAP_MAX = 16;
/** Beginnings of one letter stand for too many words to ask for the positions of all. */
const BEGUN_LENGTH_MIN = 2;
/** What a pair counts, in parts of the idf of its words. */
const PAIR_WEIGHT = 4;
/** What a pair counts of which one is a stopword. */
const SILENT_PAIR_WEIGHT = 2;
function isShortBeginning({ ast: { begun } }: PlacedWord): boolean {
  return begun !== undefined && [...begun.prefix].length < BEGUN_LENGTH_MIN;
}

/** Neighbouring words, stopwords aside, and each stopword with what stands beside it. */
export function pairsOf(words: readonly PlacedWord[]): readonly WordPair[] {
  return words.flatMap((second, i) => {
    const before = words.slice(0, i);
    const nearest = second.isSilent ? undefined : before.findLast(({ isSilent }) => !isSilent);
    return before.flatMap((first): readonly WordPair[] => {
      const gap = second.position - first.position;
      const isSilent = first.isSilent || second.isSilent;
      const isPair = isSilent ? gap === 1 : first === nearest && gap >= 1 && gap <= GAP_MAX;
      if (!isPair || isShortBeginning(first) || isShortBeginning(second)) return [];
      const importance = first.facts.idf + second.facts.idf;
      return [{ first, second, gap, weight: (isSilent ? SILENT_PAIR_WEIGHT : PAIR_WEIGHT) * importance }];
    });
  });
}
