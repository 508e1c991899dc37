import { shownTerms } from "../../analysis/stem-terms.js";
import type { ScoreExplanation } from "../../contract/search.js";

/** A document's number in its segment, which another copy of the shard has differently. */
const NUMBER_IN_SEGMENT = / in \d+\)/g;
/** A script's parameters come in an order that each node has of its own. */
const PARAMETERS = /params=\{([^{}]*)\}/g;

/** The cluster's explanation without what hangs on the copy of the shard that was asked: each says the same. */
export function plainExplanation({ value, description, details }: ScoreExplanation): ScoreExplanation {
  const alike = description
    .replaceAll(NUMBER_IN_SEGMENT, ")")
    .replaceAll(PARAMETERS, (_, parameters: string) => `params={${sorted(parameters)}}`);
  return { value, description: shownTerms(alike), details: (details ?? []).map(plainExplanation) };
}

function sorted(parameters: string): string {
  return parameters
    .split(/, (?=\w+=)/)
    .sort()
    .join(", ");
}
