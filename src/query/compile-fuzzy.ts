import { type Token, tokensOf } from "../analysis/analyzer.js";
import { joinedWords } from "../analysis/joined-words.js";
import { withMovedFinal } from "../analysis/korean-beginnings.js";
import { begunNasals } from "../analysis/nasal-spellings.js";
import { isStemTerm } from "../analysis/stem-terms.js";
import { allowedPrefixDistance, typedToken } from "./as-you-type.js";
import { anyOf, boosted } from "./combine.js";
import { fuzzyWord } from "./fuzzy-word.js";
import { type JoinedRun, JoinedSpellings } from "./joined-spellings.js";
import { hasWords } from "./queried-field.js";
import type { AstReading, AstRow, QueryAst } from "./query-ast.js";
import { identifierAst, type SearchField, searchFieldsOf } from "./search-fields.js";
import { type SearchedIndex, stopWordSetOf } from "./searched-index.js";
import { type SynonymPart, synonymParts } from "./synonym-parts.js";

/**
 * Weight of a word's parts in a row beside the parts themselves: enough to tell a code from others with the
 * same parts, and little enough to leave compounds such as `high-speed` to their words (docs/relevance.md).
 */
const JOINED_WEIGHT = 0.25;

/**
 * Weight of a row with a stopword, such as `OR-12/3`, among few words: nothing else counts for a stopword, and a field
 * that holds nothing but the other words must not come before it (`WHOLE_FIELD`).
 */
const JOINED_STOP_WORD_WEIGHT = 8;

/** Queries of more words are questions, of which few documents hold every word. */
const SHORT_QUERY_WORDS = 6;

/** Weight of a version with or without its v where it is asked for otherwise: what is as written comes first. */
const VERSION_WEIGHT = 0.1;
/** What a version begins with. */
const VERSION_START = /^v?\d+$/;
const ALL_DIGITS = /^\p{Nd}+$/u;
const HAS_DIGIT = /\p{Nd}/u;

/** Edits that a word of the query may be away from a term, by its length in code points (contract 5.2). */
export function allowedDistance(token: string): 0 | 1 | 2 {
  if (ALL_DIGITS.test(token)) return 0;
  let length = 0;
  for (const _codePoint of token) length++;
  if (length <= 2) return 0;
  return length <= 5 ? 1 : 2;
}

export interface FuzzyOptions {
  /** The text in which identifiers are looked for; all of it unless given. */
  readonly identifier?: string;
  /** Whether a word at the very end stands for every word that begins like it, too. */
  readonly isBeingTyped?: boolean;
  /** Whether it is a part of a longer query. */
  readonly isPart?: boolean;
  /** Whether only documents match that hold every word. */
  readonly needsAll?: boolean;
}

type WeightedField = { readonly field: string; readonly boost: number };

/**
 * Documents with any of the text's tokens, stopwords aside, within its allowed distance in any search
 * field (contract 5.2), or with a synonym of them, which needs no token that isn't a stopword; where there are few
 * words, those that hold all of them come first. The query
 * language has no meaning here. What is written without white space, such as a code, scores more where
 * it stands as it is written. If `id` is a search field, it matches where it equals the whole text or
 * one of its words.
 */
export function compileFuzzy(text: string, index: SearchedIndex, options: FuzzyOptions = {}): QueryAst {
  const { identifier = text, isBeingTyped = false, isPart = false, needsAll = false } = options;
  const all = tokensOf(index.analyzer, text);
  const typed = isBeingTyped ? typedToken(all, text) : null;
  const kept = new Set(stopWordSetOf(index)?.without(all, text) ?? all);
  if (typed !== null) kept.add(typed);
  const searchFields = searchFieldsOf(index.schema);
  const fields = searchFields
    .filter(({ field }) => hasWords(field))
    .map(({ field, weight }) => ({ field: field.name, boost: weight }));
  const words = fields.length === 0 ? [] : all.filter((token) => kept.has(token));
  const spellings = new JoinedSpellings(index, text, all);
  const silent = words.length > 0 && words.length <= SHORT_QUERY_WORDS ? stopWordsOf(all, kept) : [];
  const isShort =
    needsAll ||
    (words.length + silent.length > (isPart ? 1 : 0) &&
      words.length > 0 &&
      words.length <= SHORT_QUERY_WORDS);
  const isFew = isShort || words.length === 1;
  const joinedRuns = fields.length === 0 ? [] : spellings.joinedRuns(kept, isFew ? 3 : 2);
  // In a long query words count by themselves, and what they make together as a slip of the first.
  const runsFrom = isShort ? null : byFirst(joinedRuns, kept);
  const wordAst = (token: Token): QueryAst => {
    const isTyped = token === typed;
    const rows = [
      ...spellings.halvesOf(token, isTyped),
      ...(isFew ? [...spellings.lettersOf(token), ...spellings.groupsOf(token)] : []),
      ...spellings.codePartsOf(token, isTyped),
      ...spellings.joinedToStopWords(token, kept, isTyped),
    ];
    rows.push(...spellings.inOtherLetters(token, isTyped));
    if (isTyped) rows.push(...begunOtherwise(token.word));
    for (const { tokens, joined } of runsFrom?.get(token) ?? [])
      rows.push({ terms: [joined.word], lastIsPrefix: tokens.at(-1) === typed });
    return fuzzyWord(token, {
      maxDistance: allowedDistance(token.word),
      fields,
      isAlone: !isPart && words.length === 1,
      ...(isTyped && { begun: beginningOf(token) }),
      rows,
      // Among many words one that nothing holds as it is written would outweigh the others.
      rowsComeBefore: isFew ? rowsComeBefore(token.word) : undefined,
    });
  };
  const parts = fields.length === 0 ? [] : synonymParts(all, index);
  const asts: QueryAst[] = [];
  if (isShort) {
    const readings = readingsOf(parts, words, fields, wordAst);
    readings.push(...silent.map((token) => silentReading(token, fields)));
    readings.push(...joinedReadings(words, joinedRuns, typed, fields, spellings));
    readings.push(...versionReadings(words, text, fields));
    readings.push(...joinedAsts(all, text, kept, fields, JOINED_STOP_WORD_WEIGHT).map(scoring));
    asts.push({ kind: "words", readings, ...(needsAll && { needsAll: true as const }) });
  } else {
    for (const part of parts) {
      const own = part.tokens.filter((token) => kept.has(token)).map((token) => wordAst(token));
      if (part.alternatives.length > 0) asts.push(synonymsAst(part, anyOf(own), fields));
      else asts.push(...own);
    }
    asts.push(...joinedAsts(all, text, kept, fields, JOINED_WEIGHT));
  }
  if (kept.size === 0 && fields.length > 0) asts.push(...abbreviationAsts(text, spellings, fields));
  if (kept.size > 0) asts.push(...identifierAsts(searchFields, identifier, typed !== null));
  return anyOf(asts);
}

/** By their first word that is no stopword. */
function byFirst(
  runs: readonly JoinedRun[],
  kept: ReadonlySet<Token>,
): ReadonlyMap<Token, readonly JoinedRun[]> {
  const grouped = new Map<Token, JoinedRun[]>();
  for (const run of runs) {
    const first = run.tokens.find((token) => kept.has(token))!;
    const group = grouped.get(first);
    if (group === undefined) grouped.set(first, [run]);
    else group.push(run);
  }
  return grouped;
}

/** Another code, by a letter or a digit, is another thing. */
function rowsComeBefore(word: string): 1 | 2 {
  return HAS_DIGIT.test(word) && !ALL_DIGITS.test(word) ? 1 : 2;
}

/** What a beginning may be written as: its last letters are not yet those of the word. */
function begunOtherwise(beginning: string): AstRow[] {
  const moved = withMovedFinal(beginning);
  const others = moved === null ? begunNasals(beginning) : [moved];
  return others.map((other) => ({ terms: [other], lastIsPrefix: true }));
}

/** An index of old analysis holds stems alone, which may be shorter than what has been typed. */
function beginningOf({ text, word }: Token): { readonly prefix: string; readonly maxDistance: 0 | 1 | 2 } {
  return { prefix: isStemTerm(text) ? word : text, maxDistance: allowedPrefixDistance(word) };
}

/** What the words may stand for, one by one and together, and what only adds to the score. */
function readingsOf(
  parts: readonly SynonymPart[],
  words: readonly Token[],
  fields: readonly WeightedField[],
  wordAst: (token: Token) => QueryAst,
): AstReading[] {
  const readings: AstReading[] = [];
  for (const part of parts) {
    const own = words
      .map((token, start) => ({ token, start }))
      .filter(({ token }) => part.tokens.includes(token))
      .map(
        ({ token, start }): AstReading => ({
          start,
          end: start + 1,
          position: token.position,
          ast: wordAst(token),
        }),
      );
    if (part.alternatives.length === 0) {
      readings.push(...own);
      continue;
    }
    readings.push(scoring(synonymsAst(part, anyOf(own.map(({ ast }) => ast)), fields)));
    readings.push(...own.map((reading) => ({ ...reading, counts: "cover" as const })));
    for (const { tokens, terms } of part.alternatives) {
      const start = words.findIndex((token) => tokens.includes(token));
      const end = 1 + words.findLastIndex((token) => tokens.includes(token));
      if (start >= 0) readings.push({ start, end, ast: anyRunAst(terms, fields), counts: "cover" });
    }
  }
  return readings;
}

/** Neighbours as one word, which is one slip; a code may be parted elsewhere (`wh1000 xm4`, "WH-1000XM4"). */
function joinedReadings(
  words: readonly Token[],
  runs: readonly JoinedRun[],
  typed: Token | null,
  fields: readonly WeightedField[],
  spellings: JoinedSpellings,
): AstReading[] {
  return runs.map(({ tokens, joined }): AstReading => {
    const start = words.findIndex((token) => tokens.includes(token));
    const end = 1 + words.findLastIndex((token) => tokens.includes(token));
    const begun = { prefix: joined.word, maxDistance: 0 as const };
    const isTyped = tokens.at(-1) === typed;
    const rows = spellings.codePartingsOf(joined, tokens, isTyped);
    const ast = fuzzyWord(joined, {
      maxDistance: 0,
      fields,
      isAlone: false,
      ...(isTyped && { begun }),
      rows,
    });
    return { start, end, ast, slips: 1 };
  });
}

/** A version is one with and without a v before it (`v1.2.3`, `1.2.3`). */
function versionReadings(
  words: readonly Token[],
  text: string,
  fields: readonly WeightedField[],
): AstReading[] {
  return joinedWords(words, text).flatMap(([first, second]): AstReading[] => {
    if (!VERSION_START.test(first!.word) || !ALL_DIGITS.test(second!.word)) return [];
    if (text.slice(first!.end, second!.start) !== ".") return [];
    const word = first!.word.startsWith("v") ? first!.word.slice(1) : `v${first!.word}`;
    const less = fields.map(({ field, boost }) => ({ field, boost: boost * VERSION_WEIGHT }));
    const ast = fuzzyWord({ ...first!, word, text: word }, { maxDistance: 0, fields: less, isAlone: false });
    const start = words.indexOf(first!);
    return [{ start, end: start + 1, ast }];
  });
}

/**
 * An abbreviation of which every letter is a stopword (`A.I.`), where nothing else is asked for: it is a word, written
 * with full stops or without.
 */
function abbreviationAsts(
  text: string,
  spellings: JoinedSpellings,
  fields: readonly WeightedField[],
): QueryAst[] {
  return spellings.abbreviations().flatMap((letters): QueryAst[] => {
    if (/\s/u.test(text.slice(letters[0]!.start, letters.at(-1)!.end))) return [];
    const joined = spellings.joined(letters);
    if (joined === null) return [];
    const rows = [{ terms: letters.map(({ word }) => word), lastIsPrefix: false }];
    return [fuzzyWord(joined, { maxDistance: 0, fields, isAlone: true, rows })];
  });
}

/** Stopwords of a query, as far as each is a word of its own. */
function stopWordsOf(all: readonly Token[], kept: ReadonlySet<Token>): readonly Token[] {
  return all.filter((token) => !kept.has(token));
}

/** A stopword finds nothing; documents come first in which it stands beside the words as in the query. */
function silentReading(token: Token, fields: readonly WeightedField[]): AstReading {
  const ast = fuzzyWord(token, { maxDistance: 0, fields, isAlone: false });
  return { start: 0, end: 0, position: token.position, ast, counts: "nearness" };
}

function scoring(ast: QueryAst): AstReading {
  return { start: 0, end: 0, ast, counts: "score" };
}

function synonymsAst(
  { alternatives }: SynonymPart,
  ast: QueryAst,
  fields: readonly WeightedField[],
): QueryAst {
  return {
    kind: "synonyms",
    ast,
    alternatives: alternatives.map(({ key, terms }) => ({ key, terms })),
    fields,
  };
}

/** Documents with any of the runs in any of the fields. */
function anyRunAst(
  runs: SynonymPart["alternatives"][number]["terms"],
  fields: readonly WeightedField[],
): QueryAst {
  return anyOf(runs.flatMap((run) => fields.map(({ field }) => runAst(run, field))));
}

function runAst(
  run: readonly { readonly term: string; readonly position: number }[],
  field: string,
): QueryAst {
  const [first, second] = run;
  if (first !== undefined && second === undefined) return { kind: "term", field, term: first.term };
  return { kind: "phrase", field, terms: run, slop: 0, lastIsPrefix: false };
}

/**
 * A code is several words to the index: documents that hold them side by side are what was meant. They match through
 * one of the tokens anyway; this adds to their score.
 *
 * @param stopWordWeight of rows with a stopword
 */
function joinedAsts(
  all: readonly Token[],
  text: string,
  kept: ReadonlySet<Token>,
  fields: readonly WeightedField[],
  stopWordWeight: number,
): QueryAst[] {
  return joinedWords(all, text)
    .filter((tokens) => tokens.some((token) => kept.has(token)))
    .flatMap((tokens) => {
      const weight = tokens.every((token) => kept.has(token)) ? JOINED_WEIGHT : stopWordWeight;
      return fields.map(({ field, boost }) => boosted(runAst(rowOf(tokens), field), boost * weight));
    });
}

/** The tokens as they stand in a row. */
function rowOf(tokens: readonly Token[]): { readonly term: string; readonly position: number }[] {
  const [first] = tokens;
  return tokens.map(({ text, position }) => ({ term: text, position: position - first!.position }));
}

/** Documents whose identifier is the whole text or one of its words, or begins like the last one if that is being typed. */
function identifierAsts(fields: readonly SearchField[], text: string, isTyped: boolean): QueryAst[] {
  const whole = text.trim();
  const words = whole.split(/\s+/);
  return fields
    .filter(({ field }) => field.kind === "identifier")
    .flatMap(({ field, weight }) => {
      const values = [...new Set([whole, ...words])];
      const asts: QueryAst[] = [boosted({ kind: "value_set", field: field.name, values }, weight)];
      const last = { text: words.at(-1)!, slop: 0, isPrefix: true };
      if (isTyped) asts.push(boosted(identifierAst(field, last), weight));
      return asts;
    });
}
