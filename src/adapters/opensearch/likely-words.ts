import type { Collection } from "./collection.js";
import { allOf } from "./dsl.js";
import { nearestWords } from "./fuzzy-words.js";
import { partOf } from "./index-mapping.js";
import { mostFrequent } from "./most-frequent.js";
import { anySpan, apartBy, inFront } from "./spans.js";
import type { WordPair } from "./word-pairs.js";

/** Words that a beginning may become which count. */
const LIKELY_WORDS_MAX = 2;
/** Words that begin so whose documents are counted in one field: each is a query of its own. */
const COUNTED_MAX = 100;
/** Variants of the word before that are looked for in front of each. */
const BEFORE_MAX = 16;

/** What a word that is being typed may become. */
export interface LikelyWord {
  readonly term: string;
  /** What a document counts for that holds it: a part of the pair that the beginning and the word before it are. */
  readonly weight: number;
}

/** What stands most often behind the word before, each with its share of the pair's weight (docs/adr/0047). */
export async function likelyWords(
  { first, second, gap, weight }: WordPair,
  collection: Collection,
): Promise<readonly LikelyWord[]> {
  const docFreqs = new Map<string, number>();
  const fields = [...second.facts.docFreqs.keys()];
  const counted = await Promise.all(
    fields.map(async (field) => {
      const [before, terms] = await Promise.all([
        frequentWords(nearestWords(first.ast, first.facts, field), BEFORE_MAX, field, collection),
        frequentWords(
          nearestWords(second.ast, { ...second.facts, hasStem: false }, field),
          COUNTED_MAX,
          field,
          collection,
        ),
      ]);
      return before.length === 0 ? [] : followerDocFreqs(field, before, terms, gap, collection);
    }),
  );
  for (const [term, docFreq] of counted.flat()) docFreqs.set(term, (docFreqs.get(term) ?? 0) + docFreq);
  const all = [...docFreqs.values()].reduce((sum, docFreq) => sum + docFreq, 0);
  return [...docFreqs]
    .filter(([, docFreq]) => docFreq > 0)
    .sort(([termA, a], [termB, b]) => b - a || (termA < termB ? -1 : 1))
    .slice(0, LIKELY_WORDS_MAX)
    .map(([term, docFreq]) => ({ term, weight: (weight * docFreq) / all }));
}

function frequentWords(
  terms: readonly string[],
  count: number,
  field: string,
  collection: Collection,
): Promise<readonly string[]> {
  return mostFrequent(terms, count, (term) => collection.docFreq(field, term));
}

/** In how many live documents each of the terms stands so far behind any of those before. */
function followerDocFreqs(
  field: string,
  before: readonly string[],
  terms: readonly string[],
  gap: number,
  collection: Collection,
): Promise<readonly (readonly [term: string, docFreq: number])[]> {
  const path = partOf("t", field);
  const first = anySpan(path, before);
  const both = allOf([{ terms: { [path]: before } }, { terms: { [path]: terms } }]);
  return Promise.all(
    terms.map(async (term) => {
      const behind = inFront(apartBy(path, first, anySpan(path, [term]), gap));
      return [term, await collection.count(behind, both)] as const;
    }),
  );
}
