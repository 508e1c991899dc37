import { wordParts } from "../../../analysis/word-parts.js";
import type { FuzzyQuery, WordPattern, WordRow } from "../query.js";
import { BooleanWeight } from "./boolean-weight.js";
import type { QueryBinding } from "./query-binding.js";
import { runWeight } from "./run-weight.js";
import type { Weight } from "./weight.js";

/** Rows that a word may stand for, those of which the rarer word is the most frequent: each costs a phrase in each field. */
const ROWS_MAX = 3;

/** The rows that a word may be written as, chosen by what the collection holds. */
export class WordRows {
  /** Documents with the rarer word of the likeliest row, which bounds how many can hold it. */
  readonly docFreq: number;
  /** Documents that hold any of them; scores BM25 without idf. Null: none is in the query's own fields. */
  readonly weight: Weight | null;
  readonly #rows: readonly WordRow[];

  /**
   * Null if the collection lacks a word of each of them.
   *
   * @param nearest edits to the nearest variant of the word in the collection
   * @param names of the fields whose statistics count
   */
  static of(
    query: FuzzyQuery,
    nearest: number,
    names: readonly string[],
    binding: QueryBinding,
  ): WordRows | null {
    const rows = [...(query.rows ?? [])];
    if (query.rowsComeBefore !== undefined && nearest >= 2) rows.push(...knownParts(query, names, binding));
    /** By row, by field. */
    const known = new Map<WordRow, Map<string, number>>();
    const docFreqIn = (row: WordRow, field: string): number => {
      let fields = known.get(row);
      if (fields === undefined) known.set(row, (fields = new Map()));
      let docFreq = fields.get(field);
      if (docFreq === undefined) fields.set(field, (docFreq = rowDocFreq(row, field, binding)));
      return docFreq;
    };
    const likely: { readonly row: WordRow; readonly docFreq: number }[] = [];
    for (const row of rows) {
      let docFreq = 0;
      for (const name of names) docFreq = Math.max(docFreq, docFreqIn(row, name));
      if (docFreq > 0) likely.push({ row, docFreq });
    }
    if (likely.length === 0) return null;
    likely.sort((a, b) => b.docFreq - a.docFreq);
    return new WordRows(
      chosenOf(likely.map(({ row }) => row)),
      likely[0]!.docFreq,
      query.fields,
      docFreqIn,
      binding,
    );
  }

  private constructor(
    rows: readonly WordRow[],
    docFreq: number,
    fields: FuzzyQuery["fields"],
    docFreqIn: (row: WordRow, field: string) => number,
    binding: QueryBinding,
  ) {
    this.#rows = rows;
    this.docFreq = docFreq;
    const clauses = rows.flatMap((row) =>
      fields
        .filter(({ field }) => docFreqIn(row, field) > 0)
        .map(({ field, boost }) => ({
          occur: "should" as const,
          weight: runWeight(
            row.terms.map((term, position) => ({ term, position })),
            row.lastIsPrefix,
            field,
            boost,
            binding,
          ),
        })),
    );
    this.weight = clauses.length === 0 ? null : new BooleanWeight(clauses, undefined);
  }

  /** Whether any live document of the collection holds one of them. @throws FindlingError `search_timeout` */
  occurIn(names: readonly string[], { statistics, interrupt }: QueryBinding): boolean {
    return this.#rows.some((row) => names.some((name) => statistics.rowOccurs(name, row, interrupt)));
  }
}

/** What a word may be in more than two parts, as far as single parts occur in a field. */
function knownParts(
  { term, begun }: FuzzyQuery,
  names: readonly string[],
  { statistics, interrupt }: QueryBinding,
): WordRow[] {
  const known = new Map<string, boolean>();
  const occurs = (part: string, isPrefix: boolean): boolean => {
    if (!isPrefix) return names.some((name) => statistics.docFreq(name, part) > 0);
    const pattern = beginningOf(part);
    return names.some((name) => statistics.variantDistance(name, pattern, interrupt) === 0);
  };
  return wordParts(term, begun !== undefined, (part, isPrefix) => {
    const key = isPrefix ? `${part}*` : part;
    let isKnown = known.get(key);
    if (isKnown === undefined) known.set(key, (isKnown = occurs(part, isPrefix)));
    return isKnown;
  });
}

/** What begins so, and nothing else. */
function beginningOf(prefix: string): WordPattern {
  return { term: prefix, maxDistance: 0, begun: { prefix, maxDistance: 0 } };
}

/**
 * Those of rows that count, the likeliest first: of a word in two halves the halves as they are written are rows beside
 * what shares the second one's stem, and the likelier holds the other.
 */
function chosenOf(likely: readonly WordRow[]): readonly WordRow[] {
  const chosen: WordRow[] = [];
  for (const row of likely) {
    if (chosen.length === ROWS_MAX) break;
    const isHalves = row.terms.length === 2 && !row.lastIsPrefix;
    const isKnown = isHalves && chosen.some(({ terms }) => terms.length === 2 && terms[0] === row.terms[0]);
    if (!isKnown) chosen.push(row);
  }
  return chosen;
}

/** How many documents of a field can hold a row at most, as far as single terms tell; of a beginning only whether it occurs. */
function rowDocFreq({ terms, lastIsPrefix }: WordRow, field: string, binding: QueryBinding): number {
  const { statistics, interrupt } = binding;
  const begun = lastIsPrefix ? terms.at(-1) : undefined;
  let least = Number.MAX_SAFE_INTEGER;
  // The longer of two is hardly ever a word where a word was parted, so that the other needn't be looked up.
  for (const term of longestFirst(begun === undefined ? terms : terms.slice(0, -1))) {
    least = Math.min(least, statistics.docFreq(field, term));
    if (least === 0) return 0;
  }
  if (begun !== undefined) {
    if (statistics.variantDistance(field, beginningOf(begun), interrupt) > 0) return 0;
  }
  return least === Number.MAX_SAFE_INTEGER ? 1 : least;
}

/** Terms in the order in which they are best looked up where one that isn't there ends it. */
export function longestFirst(terms: readonly string[]): readonly string[] {
  return terms.toSorted((a, b) => b.length - a.length);
}
