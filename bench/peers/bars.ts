/** A row of the goals: time (or size) relative to native Tantivy's, smaller is better. */
export interface Bar {
  readonly label: string;
  /** Classes of `query-classes.ts` whose queries the row is the geometric mean of. */
  readonly classes: readonly string[];
  readonly top10: number | null;
  readonly count: number | null;
}

/** The goals for queries, in the order of the report. Those without a number have no goal of their own. */
export const QUERY_BARS: readonly Bar[] = [
  { label: "term, frequent", classes: ["term_f"], top10: 0.25, count: 0.25 },
  { label: "term, middling", classes: ["term_m"], top10: 0.5, count: 0.4 },
  { label: "term, rare", classes: ["term_r"], top10: 0.6, count: 0.6 },
  { label: "AND freq·freq", classes: ["and_ff"], top10: 0.6, count: 0.35 },
  { label: "AND freq·mid", classes: ["and_fm"], top10: 0.3, count: 0.4 },
  { label: "AND mid·mid", classes: ["and_mm"], top10: 0.5, count: 0.8 },
  { label: "AND of three", classes: ["and_ffm"], top10: 0.2, count: 0.3 },
  { label: "OR freq·freq", classes: ["or_ff"], top10: 0.2, count: 0.2 },
  { label: "OR freq·mid", classes: ["or_fm"], top10: 0.2, count: 0.1 },
  { label: "OR mid·mid", classes: ["or_mm"], top10: 0.45, count: 0.65 },
  { label: "OR of three with a frequent term", classes: ["or_ffm", "or_fmm"], top10: 0.35, count: 0.2 },
  { label: "OR mid·mid·rare", classes: ["or_mmr"], top10: 0.9, count: 0.75 },
  {
    label: "AND and OR of terms in 2–6 %",
    classes: ["and_hh", "and_hm", "or_hh", "or_hhm"],
    top10: 0.6,
    count: 0.8,
  },
  { label: "phrase freq·freq", classes: ["phrase_ff"], top10: 0.2, count: 0.3 },
  { label: "phrase freq·mid", classes: ["phrase_fm"], top10: 0.4, count: 0.55 },
  { label: "phrase mid·mid", classes: ["phrase_mm"], top10: 0.55, count: 0.6 },
  { label: "fuzzy, distance 1", classes: ["fuzzy1", "fuzzy1_short"], top10: 0.15, count: 0.15 },
  { label: "fuzzy, distance 2", classes: ["fuzzy2", "fuzzy2_short"], top10: 0.2, count: 0.2 },
  { label: "facets", classes: ["facets"], top10: 0.25, count: null },
  { label: "numeric range", classes: ["range", "term_range"], top10: 0.3, count: null },
  { label: "sort by number", classes: ["sort"], top10: 0.4, count: null },
  { label: "ten stored documents, in the page cache", classes: ["stored"], top10: 0.8, count: null },
  {
    label: "words of documents: term, AND, OR, phrase",
    classes: ["text_term", "text_and2", "text_and3", "text_or2", "text_or3", "text_phrase"],
    top10: null,
    count: null,
  },
  { label: "prefix", classes: ["prefix"], top10: null, count: null },
];

/**
 * Building with one indexing thread, from the file's lines to one merged segment, documents kept, in a process
 * that has built a small index before. Processor time, since Tantivy compresses and writes on threads of its own
 * while another feeds it.
 */
export const INDEXING_BAR = 0.8;
/** Bytes of the index without the kept documents. */
export const SIZE_BAR = 1.1;
/** No single query may take longer than this, relative to Tantivy. */
export const SINGLE_QUERY_BAR = 1.3;
