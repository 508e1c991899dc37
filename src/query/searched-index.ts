import type { Analyzer } from "../analysis/analyzer.js";
import { stopWords } from "../analysis/languages/stop-words.js";
import { StopWordSet } from "../analysis/stop-word-set.js";
import type { SynonymMap } from "../analysis/synonym-map.js";
import type { IndexSchema } from "../contract/index-schema.js";

/** What compiling a query needs to know of an index. */
export interface SearchedIndex {
  readonly schema: IndexSchema;
  /** Immutable: a change of the custom stopwords gives a new array. */
  readonly customStopwords: readonly string[];
  /** Words of the language's dictionary that are none here; immutable likewise. None unless given. */
  readonly stopwordExceptions?: readonly string[] | undefined;
  readonly analyzer: Analyzer;
  /** None unless given. */
  readonly synonyms?: SynonymMap;
  /**
   * How the other indexes that the same request goes to write values of a field that this index
   * lacks. None unless it is a federation that is searched.
   */
  readonly federatedSchemas?: readonly IndexSchema[];
  readonly limits: QueryLimits;
}

export interface QueryLimits {
  /** Levels of parentheses and NOT in one query string. */
  readonly depthMax: number;
  /** Terms that one search looks up, all its clauses together. */
  readonly termsMax: number;
}

/** The language whose dictionary counts when an index names none. */
const LANGUAGE_DEFAULT = "en";

/** The dictionary of the index's language, whether or not the index excludes it. */
export function stopwordDictionary(schema: IndexSchema): ReadonlySet<string> {
  return stopWords(schema.language ?? LANGUAGE_DEFAULT);
}

/**
 * The stopwords in force, as GET stopwords lists them: the dictionary without the exceptions, if switched
 * on, and custom words; lower case, sorted, unique.
 */
export function effectiveStopwords(
  schema: IndexSchema,
  customStopwords: readonly string[],
  exceptions: readonly string[] = [],
): string[] {
  const dictionary = schema.exclude_stop_words
    ? withoutExceptions(stopwordDictionary(schema), exceptions)
    : [];
  return [...new Set([...dictionary, ...customStopwords.map((word) => word.toLowerCase())])].sort();
}

function withoutExceptions(dictionary: ReadonlySet<string>, exceptions: readonly string[]): string[] {
  const excepted = new Set(exceptions);
  return [...dictionary].filter((word) => !excepted.has(word));
}

/** The stopwords that queries drop; null if they drop none (contract 5.4). */
export function stopWordSetOf(index: SearchedIndex): StopWordSet | null {
  const { schema, customStopwords, stopwordExceptions = NO_EXCEPTIONS, analyzer } = index;
  if (!schema.exclude_stop_words) return null;
  const language = schema.language ?? LANGUAGE_DEFAULT;
  const known = PREPARED.get(customStopwords);
  if (
    known !== undefined &&
    known.language === language &&
    known.analyzer === analyzer &&
    known.exceptions === stopwordExceptions
  )
    return known.set;
  const dictionary = withoutExceptions(stopwordDictionary(schema), stopwordExceptions);
  const set = new StopWordSet([...dictionary, ...customStopwords], analyzer);
  PREPARED.set(customStopwords, { language, analyzer, exceptions: stopwordExceptions, set });
  return set;
}

const NO_EXCEPTIONS: readonly string[] = [];

/** Analysing thousands of custom stopwords for every search would cost more than the search. */
const PREPARED = new WeakMap<
  readonly string[],
  { language: string; analyzer: Analyzer; exceptions: readonly string[]; set: StopWordSet }
>();
