import { type Analyzer, tokensOf } from "../../analysis/analyzer.js";

/**
 * Which kept values of a field are meant, as plain data: one of some values as a whole, or text that
 * holds one of some phrases. Phrases are tokens at their positions after the first.
 */
export type KeptValueMatch =
  | { readonly kind: "values"; readonly values: readonly unknown[] }
  | {
      readonly kind: "phrases";
      readonly phrases: readonly (readonly { readonly term: string; readonly position: number }[])[];
    };

/** Whether a value, one of a field's canonical ones, is meant. */
export function keptValueMatcher(match: KeptValueMatch, analyzer: Analyzer): (value: unknown) => boolean {
  if (match.kind === "values") {
    const values = new Set(match.values);
    return (value) => values.has(value);
  }
  const { phrases } = match;
  return (value) => {
    if (typeof value !== "string") return false;
    const byPosition = new Map(tokensOf(analyzer, value).map(({ text, position }) => [position, text]));
    return phrases.some((phrase) =>
      [...byPosition.keys()].some((start) =>
        phrase.every(({ term, position }) => byPosition.get(start + position) === term),
      ),
    );
  };
}
