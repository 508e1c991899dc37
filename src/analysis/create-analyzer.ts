import { FindlingError } from "../errors/index.js";
import { ANALYSIS_VERSION, type Analyzer, type AnalyzerSettings, type TokenSink } from "./analyzer.js";
import { foldDiacritics, foldVariants } from "./fold-diacritics.js";
import { createStemmer } from "./languages/stemmers.js";
import { COMPOSED_FORM, FOLDED_FORM, type NormalForm, normalizeText } from "./normalized-text.js";
import { readWords } from "./read-words.js";
import { StemCache } from "./stem-cache.js";
import { tokenize } from "./tokenize.js";
import { FIRST_RULES, type WordRules, wordRules } from "./word-rules.js";
import type { WordSink } from "./word-sink.js";
import { createWordTables, type WordReading, type WordTables } from "./word-tables.js";

/**
 * The analyzer of an index's settings. It normalizes the text, so that equivalent texts give the same
 * tokens; takes its tokens (`tokenize`); folds diacritics and stems, if the settings say so, in this
 * order: words that fold to the same letters have the same stem, too.
 *
 * Time is linear in the text. Without stemming, analysing a token gives that token.
 *
 * @throws FindlingError `invalid_schema` for settings of a newer program
 */
export function createAnalyzer(settings: AnalyzerSettings): Analyzer {
  requireKnown(settings.version);
  const plain = new StandardAnalyzer(settings);
  const stems = settings.stemming === undefined ? null : new StemCache(createStemmer(settings.stemming));
  if (stems === null && settings.foldDiacritics !== true) return plain;
  return new FilteringAnalyzer(plain, foldingOf(settings), stems);
}

function foldingOf({ version, foldDiacritics: folds }: AnalyzerSettings): ((token: string) => string) | null {
  if (folds !== true) return null;
  return version === 1 ? foldDiacritics : (token) => foldVariants(foldDiacritics(token));
}

/** The number comes from disk. */
function requireKnown(version: number): void {
  if (version === 1 || version === ANALYSIS_VERSION) return;
  throw new FindlingError(
    "invalid_schema",
    `the index was analysed with rules of version ${version}, and this program knows versions 1 to ${ANALYSIS_VERSION}; use the program that wrote it`,
  );
}

class StandardAnalyzer implements Analyzer {
  readonly termOf = null;
  readonly wordTables: WordReading | null;
  readonly #hasTurkicCasing: boolean;
  readonly #form: NormalForm;
  readonly #rules: WordRules;
  #tables: WordTables | null = null;

  constructor({ version, casing, symbols = "" }: AnalyzerSettings) {
    this.#hasTurkicCasing = casing === "turkic";
    this.#form = version === 1 ? COMPOSED_FORM : FOLDED_FORM;
    this.#rules = version === 1 ? FIRST_RULES : wordRules(symbols);
    // I and ı differ in length; signs that count as letters are none to those who read bytes.
    const isReadInBytes = casing === undefined && symbols === "";
    const { joinsPossessives } = this.#rules;
    const create = () => (this.#tables ??= createWordTables(this.#form, this.#rules));
    this.wordTables = isReadInBytes ? { joinsPossessives, create } : null;
  }

  analyze(text: string, sink: TokenSink): number {
    return this.#analyze(text, sink, false);
  }

  analyzeStored(text: string, sink: TokenSink): number {
    return this.#analyze(text, sink, this.#rules.hasSingles);
  }

  readWords(text: string, sink: WordSink): number {
    const normalized = normalizeText(text, this.#form);
    return readWords(
      this.#cased(normalized === null ? text : normalized.text),
      sink,
      { token: (word, position) => sink.word(word, position) },
      this.#rules,
    );
  }

  #analyze(text: string, sink: TokenSink, withSingles: boolean): number {
    const normalized = normalizeText(text, this.#form);
    if (normalized === null) return tokenize(this.#cased(text), sink, this.#rules, withSingles);
    const { starts, ends } = normalized;
    return tokenize(
      this.#cased(normalized.text),
      {
        token: (tokenText, position, start, end, word) =>
          sink.token(tokenText, position, starts[start]!, ends[end]!, word),
      },
      this.#rules,
      withSingles,
    );
  }

  /** The capitals whose small letters differ from Unicode's default, replaced one for one. */
  #cased(text: string): string {
    return this.#hasTurkicCasing ? text.replaceAll("I", "ı").replaceAll("İ", "i") : text;
  }
}

/** Sends another analyzer's tokens on, folded and stemmed. */
class FilteringAnalyzer implements Analyzer {
  readonly wordTables: WordReading | null;
  readonly termOf = (word: string): string => this.#stemOf(this.#folded(word));
  readonly #analyzer: Analyzer;
  readonly #fold: ((token: string) => string) | null;
  readonly #stems: StemCache | null;

  constructor(analyzer: Analyzer, fold: ((token: string) => string) | null, stems: StemCache | null) {
    this.#analyzer = analyzer;
    this.wordTables = analyzer.wordTables;
    this.#fold = fold;
    this.#stems = stems;
  }

  analyze(text: string, sink: TokenSink): number {
    return this.#analyzer.analyze(text, this.#filtering(sink));
  }

  analyzeStored(text: string, sink: TokenSink): number {
    return this.#analyzer.analyzeStored(text, this.#filtering(sink));
  }

  readWords(text: string, sink: WordSink): number {
    return this.#analyzer.readWords(text, sink);
  }

  #filtering(sink: TokenSink): TokenSink {
    return {
      token: (token, position, start, end) => {
        const word = this.#folded(token);
        sink.token(this.#stemOf(word), position, start, end, word);
      },
    };
  }

  #folded(token: string): string {
    return this.#fold === null ? token : this.#fold(token);
  }

  #stemOf(word: string): string {
    return this.#stems === null ? word : this.#stems.stem(word);
  }
}
