import { beginsLike } from "../../analysis/korean-beginnings.js";
import { isStemTerm } from "../../analysis/stem-terms.js";
import { editsOf } from "../../analysis/word-distance.js";
import type { AstRow, FuzzyAst } from "../../query/query-ast.js";
import { beginningWith } from "./beginning-with.js";
import type { Collection } from "./collection.js";
import { allOf, anyOf, type Dsl, scripted } from "./dsl.js";
import { phraseQuery } from "./phrases.js";

/** Rows that a word may stand for: those of which the rarer word is the most frequent. */
const ROWS_MAX = 3;
/** Words that a beginning at the end of a row stands for, at most. */
const ENDS_MAX = 200;

/** One way in which a field may hold a row. */
interface FieldRun {
  readonly field: string;
  readonly boost: number;
  readonly terms: readonly string[];
}

/** The rows that a word may be written as, chosen by what the collection holds. */
export interface RowFacts {
  readonly runs: readonly FieldRun[];
  /** Documents with the rarer word of the likeliest row. */
  readonly docFreq: number;
}

/** Null if the collection lacks a word of each row. */
export async function rowFacts(
  { rows = [], fields }: Pick<FuzzyAst, "rows" | "fields">,
  collection: Collection,
  statisticsFields: readonly string[],
): Promise<RowFacts | null> {
  if (rows.length === 0) return null;
  const names = [...new Set([...fields.map(({ field }) => field), ...statisticsFields])];
  const wholes = rows.flatMap(({ terms, lastIsPrefix }) =>
    (lastIsPrefix ? terms.slice(0, -1) : terms).filter((term) => !isStemTerm(term)),
  );
  const beginnings = rows.flatMap(({ terms, lastIsPrefix }) => (lastIsPrefix ? [terms.at(-1)!] : []));
  const found = await collection.words(
    allOf([
      { terms: { field: names } },
      anyOf([
        { terms: { word: [...new Set(wholes)] } },
        ...[...new Set(beginnings)].map((beginning) => beginningWith("word", beginning)),
      ]),
    ]),
  );
  const wordsOf = new Map(names.map((name) => [name, new Set<string>()]));
  for (const { field, word } of found) wordsOf.get(field)?.add(word);
  const docFreqIn = async ({ terms, lastIsPrefix }: AstRow, field: string): Promise<number> => {
    const words = wordsOf.get(field)!;
    const whole = lastIsPrefix ? terms.slice(0, -1) : terms;
    // Stems are counted alone.
    if (!whole.every((term) => isStemTerm(term) || words.has(term))) return 0;
    if (lastIsPrefix && ![...words].some((word) => beginsLike(word, terms.at(-1)!))) return 0;
    const docFreqs = await Promise.all(whole.map((term) => collection.docFreq(field, term)));
    return docFreqs.length === 0 ? 1 : Math.min(...docFreqs);
  };
  const likely = await Promise.all(
    rows.map(async (row) => {
      const docFreqs = await Promise.all(statisticsFields.map((name) => docFreqIn(row, name)));
      return { row, docFreq: Math.max(0, ...docFreqs) };
    }),
  );
  const chosen = likely
    .filter(({ docFreq }) => docFreq > 0)
    .toSorted((a, b) => b.docFreq - a.docFreq)
    .filter(({ row }, i, all) => i === all.findIndex((other) => areSameHalves(other.row, row)))
    .slice(0, ROWS_MAX);
  if (chosen.length === 0) return null;
  const runs = chosen.flatMap(({ row: { terms, lastIsPrefix } }) =>
    fields.flatMap(({ field, boost }): FieldRun[] => {
      if (!lastIsPrefix) return [{ field, boost, terms }];
      const ends = [...wordsOf.get(field)!].filter((word) => beginsLike(word, terms.at(-1)!));
      return ends.slice(0, ENDS_MAX).map((end) => ({ field, boost, terms: [...terms.slice(0, -1), end] }));
    }),
  );
  return { runs, docFreq: chosen[0]!.docFreq };
}

/** Whether two rows take a word apart at the same place: the likelier holds the other (as in the engine's `WordRows`). */
function areSameHalves(one: AstRow, other: AstRow): boolean {
  if (one === other) return true;
  if (one.terms.length !== 2 || other.terms.length !== 2 || other.lastIsPrefix) return false;
  return one.terms[0] === other.terms[0];
}

/** Documents that hold any of the rows; scores BM25 without idf. */
export function rowsQuery({ runs }: RowFacts): Dsl {
  return anyOf(
    runs.map(({ field, boost, terms }) => {
      const placed = terms.map((term, position) => ({ term, position }));
      return phraseQuery(field, placed, 0, boost);
    }),
  );
}

/** The greatest BM25 of a word without idf, in that of one word in a field of weight 1: variants may count beside the word. */
export function shareOf({ stem, begun }: FuzzyAst): number {
  return 1 + (stem === undefined ? 0 : 0.1) + (begun === undefined ? 0 : 0.8);
}

/** Documents that hold any of the rows, scored as one slip of a word (docs/adr/0041-joined-and-split-words.md). */
export function scoredRows(
  facts: RowFacts,
  ast: FuzzyAst,
  {
    idf,
    nearest,
    areRowsFirst,
  }: { readonly idf: number; readonly nearest: number | null; readonly areRowsFirst: boolean },
): Dsl {
  const most = 2.2 * ast.fields.reduce((sum, { boost }) => sum + boost, 0);
  const query = rowsQuery(facts);
  if (nearest !== null && editsOf(nearest) === 0) {
    const source =
      "params.scale * (0.515 + 0.01 * Math.min(_score, params.most) / (1.0 + Math.min(_score, params.most)))";
    return scripted(query, source, { scale: 0.1 * idf, most });
  }
  return scripted(query, "params.scale * (params.base + Math.min(_score, params.most))", {
    scale: idf,
    base: 0.1 + (areRowsFirst ? most * shareOf(ast) : 0),
    most,
  });
}
