import type { KeywordRule } from "../../contract/ai-config.js";
import type { SearchClause } from "../../contract/search.js";
import { typedClauseIndex } from "../../query/typed-clause.js";

/** What a search is about, for keyword rules and prompt. */
export interface SearchTopic {
  /** As it was typed; for display. */
  readonly original: string;
  /** As the prompt names it: the original unless the rule replaces it. */
  readonly topic: string;
  /** The first that matches (contract 3.6, 2). */
  readonly rule: KeywordRule | undefined;
  /** The clauses to search by, with the replacement in place. */
  readonly clauses: readonly SearchClause[];
}

const PLACEHOLDER = `\${searchTopic}`;

/** The topic of a search: what a person typed of it (`typedClauseIndex`). */
export function searchTopicOf(
  clauses: readonly SearchClause[],
  rules: readonly KeywordRule[] | undefined,
): SearchTopic {
  const place = typedClauseIndex(clauses);
  const original = clauses[place]?.ctx ?? "";
  const rule = matchingRule(rules ?? [], original);
  const replacement = givenText(rule?.replacement_term);
  return {
    original,
    topic: replacement ?? original,
    rule,
    clauses:
      replacement === undefined
        ? clauses
        : clauses.map((clause, i) => (i === place ? { ...clause, ctx: replacement } : clause)),
  };
}

/** A text that somebody has filled in; forms send empty ones for those that nobody has. */
export function givenText(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}

/** What stands in place of a summary where nothing was found; the placeholder is filled once, not again in what fills it. */
export function emptyStateMessage(
  { original, rule }: SearchTopic,
  indexMessage: string | undefined,
): string | undefined {
  const message = givenText(rule?.empty_state_message) ?? givenText(indexMessage);
  return message?.replaceAll(PLACEHOLDER, () => original);
}

function matchingRule(rules: readonly KeywordRule[], text: string): KeywordRule | undefined {
  const folded = withoutCase(text);
  return inOrder(rules).find(({ detect_keywords: keywords }) =>
    keywords.some((keyword) => folded.includes(withoutCase(keyword))),
  );
}

/** Ascending; equal orders keep the list's. */
export function inOrder<Item extends { readonly order: number }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((left, right) => left.order - right.order);
}

/** Upper case, because lower case tells the two small sigmas apart. */
function withoutCase(text: string): string {
  return text.normalize("NFC").toUpperCase();
}
