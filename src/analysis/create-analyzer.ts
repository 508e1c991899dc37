import { FindlingError } from "../errors/index.js";
import type { Analyzer, AnalyzerSettings, TokenSink } from "./analyzer.js";
import { foldDiacritics } from "./fold-diacritics.js";
import { createStemmer } from "./languages/stemmers.js";
import { normalizeText } from "./normalized-text.js";
import { readWords } from "./read-words.js";
import { StemCache } from "./stem-cache.js";
import { tokenize } from "./tokenize.js";
import type { WordSink } from "./word-sink.js";
import { createWordTables, type WordTables } from "./word-tables.js";

/**
 * The analyzer of contract 5.1. It normalizes the text to NFC, so that canonically equivalent texts
 * give the same tokens; takes its tokens (`tokenize`); folds diacritics and stems, if the settings say
 * so, in this order: words that fold to the same letters have the same stem, too.
 *
 * Time is linear in the text. Without stemming, analysing a token gives that token.
 *
 * @throws FindlingError `invalid_schema` for settings of a newer program
 */
export function createAnalyzer(settings: AnalyzerSettings): Analyzer {
  requireKnown(settings.version);
  const plain = new StandardAnalyzer(settings.casing === "turkic");
  const stems = settings.stemming === undefined ? null : new StemCache(createStemmer(settings.stemming));
  if (stems === null && settings.foldDiacritics !== true) return plain;
  return new FilteringAnalyzer(plain, settings.foldDiacritics === true, stems);
}

/** The number comes from disk. */
function requireKnown(version: number): void {
  if (version === 1) return;
  throw new FindlingError(
    "invalid_schema",
    `the index was analysed with rules of version ${version}, and this program knows version 1; use the program that wrote it`,
  );
}

class StandardAnalyzer implements Analyzer {
  readonly termOf = null;
  readonly wordTables: (() => WordTables) | null;
  readonly #hasTurkicCasing: boolean;
  #tables: WordTables | null = null;

  constructor(hasTurkicCasing: boolean) {
    this.#hasTurkicCasing = hasTurkicCasing;
    // I and ı differ in length.
    this.wordTables = hasTurkicCasing ? null : () => (this.#tables ??= createWordTables());
  }

  analyze(text: string, sink: TokenSink): number {
    const normalized = normalizeText(text);
    if (normalized === null) return tokenize(this.#cased(text), sink);
    const { starts, ends } = normalized;
    return tokenize(this.#cased(normalized.text), {
      token: (tokenText, position, start, end, word) =>
        sink.token(tokenText, position, starts[start]!, ends[end]!, word),
    });
  }

  readWords(text: string, sink: WordSink): number {
    const normalized = normalizeText(text);
    return readWords(this.#cased(normalized === null ? text : normalized.text), sink, {
      token: (word, position) => sink.word(word, position),
    });
  }

  /** The capitals whose small letters differ from Unicode's default, replaced one for one. */
  #cased(text: string): string {
    return this.#hasTurkicCasing ? text.replaceAll("I", "ı").replaceAll("İ", "i") : text;
  }
}

/** Sends another analyzer's tokens on, folded and stemmed. */
class FilteringAnalyzer implements Analyzer {
  readonly wordTables: (() => WordTables) | null;
  readonly termOf = (word: string): string => this.#stemOf(this.#folded(word));
  readonly #analyzer: Analyzer;
  readonly #folds: boolean;
  readonly #stems: StemCache | null;

  constructor(analyzer: Analyzer, folds: boolean, stems: StemCache | null) {
    this.#analyzer = analyzer;
    this.wordTables = analyzer.wordTables;
    this.#folds = folds;
    this.#stems = stems;
  }

  analyze(text: string, sink: TokenSink): number {
    return this.#analyzer.analyze(text, {
      token: (token, position, start, end) => {
        const word = this.#folded(token);
        sink.token(this.#stemOf(word), position, start, end, word);
      },
    });
  }

  readWords(text: string, sink: WordSink): number {
    return this.#analyzer.readWords(text, sink);
  }

  #folded(token: string): string {
    return this.#folds ? foldDiacritics(token) : token;
  }

  #stemOf(word: string): string {
    return this.#stems === null ? word : this.#stems.stem(word);
  }
}
