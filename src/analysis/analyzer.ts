import type { WordSink } from "./word-sink.js";
import type { WordReading } from "./word-tables.js";

/**
 * Where analysis hands over its tokens. A method instead of an array or generator, because indexing
 * calls it for every word of every document and an allocation per token would dominate.
 */
export interface TokenSink {
  /**
   * @param text the token as it is indexed: normalized, lower case, at most 255 bytes of UTF-8, or of a stem
   *   that is indexed beside its word (`stem-terms.ts`)
   * @param position ordinal of the token in the value, from 0; stopwords keep theirs
   * @param start first UTF-16 offset in the original text
   * @param end offset after the last UTF-16 unit in the original text
   * @param word the token as it is written: normalized, before stemming
   */
  token(text: string, position: number, start: number, end: number, word: string): void;
}

/** How text becomes tokens, the same on both sides: documents and queries (contract 5.1). */
export interface Analyzer {
  /**
   * Sends the tokens that a query looks for to the sink in order, one at a position: the stem of a word that
   * has one; returns how many positions the text took.
   */
  analyze(text: string, sink: TokenSink): number;
  /**
   * Sends the tokens that are indexed of the text, several at a position: those of `analyze`, words beside
   * their stems, single characters of scripts without spaces beside the pairs that they begin, Korean nouns
   * beside what they are with their particle, and with folding other spellings of nasals in Indian scripts.
   */
  analyzeStored(text: string, sink: TokenSink): number;
  /**
   * Sends the words behind the tokens of `analyzeStored`, in order and at the same positions. The tokens
   * of a word are `stemOf(word)`, if there is one, and `termOf(word)`.
   */
  readWords(text: string, sink: WordSink): number;
  /** By which `readWords` can be done on bytes; null: it can't. */
  readonly wordTables: WordReading | null;
  /** What is indexed for a word; null if every word is indexed as it is. */
  readonly termOf: ((word: string) => string) | null;
  /** The term of its stem that is indexed beside a word, null for one that has none; null if no word has. */
  readonly stemOf: ((word: string) => string | null) | null;
}

/**
 * What decides an analyzer's tokens. Stored with an index; equal settings give equal tokens for ever,
 * and settings are equal if and only if their members are.
 */
export interface AnalyzerSettings {
  /** Format of the tokens; a change of tables or rules raises it, and indexes of before are analysed anew. */
  readonly version: AnalysisVersion;
  /** Absent = Unicode's casing. `turkic`: I and ı, İ and i are the pairs. */
  readonly casing?: "turkic";
  /** Whether words with and without diacritics are one. Absent = no. */
  readonly foldDiacritics?: true;
  /** Two-letter code whose stemmer applies. Absent = no stemming. */
  readonly stemming?: string;
  /** Signs that count as letters, sorted, each once; never in version 1. Absent = none. */
  readonly symbols?: string;
}

/** What new indexes are analysed by. */
export const ANALYSIS_VERSION = 5;

/**
 * 1: words in NFC, small letters; 2: NFKC case folding, possessives, single characters and pictures; 3:
 * words beside their stems, where before there were stems alone, and Korean nouns without their particle; 4: the same
 * tokens, and whole values are compared in NFC; 5: marks of Thai and Lao in one order, and with `foldDiacritics` Arabic
 * letters at the ends of words that are mixed up, both spellings of nasals in Indian scripts, and katakana as hiragana.
 */
export type AnalysisVersion = 1 | 2 | 3 | 4 | typeof ANALYSIS_VERSION;

export interface Token {
  /** As it is indexed; the stem's term of a word that has one. */
  readonly text: string;
  /** As it is written, before stemming: what stopwords, prefixes and misspelt words are compared with. */
  readonly word: string;
  readonly position: number;
  readonly start: number;
  readonly end: number;
}

/** Collects the tokens of one text; for queries and tools, not for the indexing path. */
export function tokensOf(analyzer: Analyzer, text: string): Token[] {
  const tokens: Token[] = [];
  analyzer.analyze(text, {
    token: (tokenText, position, start, end, word) =>
      tokens.push({ text: tokenText, word, position, start, end }),
  });
  return tokens;
}

/** Positions left free between two values of a multi-valued text field, so that phrases never span values. */
export const POSITION_GAP = 100;
