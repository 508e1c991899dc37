import { FindlingError } from "../errors/index.js";
import { ANALYSIS_VERSION, type Analyzer, type AnalyzerSettings, type TokenSink } from "./analyzer.js";
import { fold, foldDiacritics, foldVariants } from "./fold-diacritics.js";
import { createStemmer, type Stemmer, stemmedWords } from "./languages/stemmers.js";
import {
  COMPOSED_FORM,
  FOLDED_FORM,
  type NormalForm,
  normalizeText,
  ORDERED_FORM,
} from "./normalized-text.js";
import { readWords } from "./read-words.js";
import { StemCache } from "./stem-cache.js";
import { stemTerm } from "./stem-terms.js";
import { tokenize } from "./tokenize.js";
import { FIRST_RULES, type WordRules, wordRules } from "./word-rules.js";
import type { WordSink } from "./word-sink.js";
import { createWordTables, type WordReading, type WordTables } from "./word-tables.js";

/**
 * The analyzer of an index's settings. It normalizes the text, so that equivalent texts give the same
 * tokens; takes its tokens (`tokenize`); folds diacritics and stems, if the settings say so, in this
 * order: words that fold to the same letters have the same stem, too. Stems are indexed beside words, up to
 * version 2 in their place.
 *
 * Time is linear in the text. Without stemming, analysing a token gives that token.
 *
 * @throws FindlingError `invalid_schema` for settings of a newer program
 */
export function createAnalyzer(settings: AnalyzerSettings): Analyzer {
  requireKnown(settings.version);
  const plain = new StandardAnalyzer(settings);
  const fold = foldingOf(settings);
  if (settings.stemming === undefined) {
    return fold === null
      ? plain
      : new FilteringAnalyzer(plain, { fold, stemInPlace: null, stemBeside: null });
  }
  const stems = new StemCache(stemmerOf(settings, settings.stemming));
  if (settings.version < 3) {
    const stemInPlace = (word: string) => stems.stem(word);
    return new FilteringAnalyzer(plain, { fold, stemInPlace, stemBeside: null });
  }
  const mayHaveStem = stemmedWords(settings.stemming);
  const stemBeside = (word: string) => (mayHaveStem(word) ? stemTerm(stems.stem(word)) : null);
  return new FilteringAnalyzer(plain, { fold, stemInPlace: null, stemBeside });
}

/** Teh marbuta, which folding makes heh, tells the Arabic stemmer a noun from one with a pronoun: it stays one here. */
function stemmerOf({ version, foldDiacritics: folds }: AnalyzerSettings, language: string): Stemmer {
  const stemmer = createStemmer(language);
  if (language !== "ar" || version < 5 || folds !== true) return stemmer;
  return { stem: (word) => stemmer.stem(word.replace(/\u0647$/, "\u0629")) };
}

function foldingOf({ version, foldDiacritics: folds }: AnalyzerSettings): ((token: string) => string) | null {
  if (folds !== true) return null;
  if (version === 1) return foldDiacritics;
  if (version < 5) return (token) => foldVariants(foldDiacritics(token));
  return fold;
}

/** The number comes from disk. */
function requireKnown(version: number): void {
  if (Number.isInteger(version) && version >= 1 && version <= ANALYSIS_VERSION) return;
  throw new FindlingError(
    "invalid_schema",
    `the index was analysed with rules of version ${version}, and this program knows versions 1 to ${ANALYSIS_VERSION}; use the program that wrote it`,
  );
}

function formOf(version: number): NormalForm {
  if (version === 1) return COMPOSED_FORM;
  return version < 5 ? FOLDED_FORM : ORDERED_FORM;
}

class StandardAnalyzer implements Analyzer {
  readonly termOf = null;
  readonly stemOf = null;
  readonly wordTables: WordReading | null;
  readonly #hasTurkicCasing: boolean;
  readonly #form: NormalForm;
  readonly #rules: WordRules;
  #tables: WordTables | null = null;

  constructor({ version, casing, foldDiacritics: folds, symbols = "" }: AnalyzerSettings) {
    this.#hasTurkicCasing = casing === "turkic";
    this.#form = formOf(version);
    this.#rules =
      version === 1
        ? FIRST_RULES
        : wordRules(symbols, {
            stripsParticles: version >= 3,
            spellsNasals: version >= 5 && folds === true,
          });
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
    return this.#analyze(text, sink, true);
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

  #analyze(text: string, sink: TokenSink, isStored: boolean): number {
    const normalized = normalizeText(text, this.#form);
    if (normalized === null) return tokenize(this.#cased(text), sink, this.#rules, isStored);
    const { starts, ends } = normalized;
    return tokenize(
      this.#cased(normalized.text),
      {
        token: (tokenText, position, start, end, word) =>
          sink.token(tokenText, position, starts[start]!, ends[end]!, word),
      },
      this.#rules,
      isStored,
    );
  }

  /** The capitals whose small letters differ from Unicode's default, replaced one for one. */
  #cased(text: string): string {
    return this.#hasTurkicCasing ? text.replaceAll("I", "ı").replaceAll("İ", "i") : text;
  }
}

interface WordFilters {
  readonly fold: ((token: string) => string) | null;
  /** What stands in the index in place of a folded word. */
  readonly stemInPlace: ((word: string) => string) | null;
  /** What stands in it beside a folded word; null: nothing. */
  readonly stemBeside: ((word: string) => string | null) | null;
}

/** Sends another analyzer's tokens on, folded and stemmed. */
class FilteringAnalyzer implements Analyzer {
  readonly wordTables: WordReading | null;
  readonly termOf: ((word: string) => string) | null;
  readonly stemOf: ((word: string) => string | null) | null;
  readonly #analyzer: Analyzer;
  readonly #filters: WordFilters;

  constructor(analyzer: Analyzer, filters: WordFilters) {
    const { fold, stemInPlace, stemBeside } = filters;
    this.#analyzer = analyzer;
    this.#filters = filters;
    this.wordTables = analyzer.wordTables;
    this.termOf = fold === null && stemInPlace === null ? null : (word) => this.#inPlace(this.#folded(word));
    this.stemOf = stemBeside === null ? null : (word) => stemBeside(this.#folded(word));
  }

  analyze(text: string, sink: TokenSink): number {
    const { stemBeside } = this.#filters;
    return this.#analyzer.analyze(text, {
      token: (token, position, start, end) => {
        const word = this.#folded(token);
        sink.token(stemBeside?.(word) ?? this.#inPlace(word), position, start, end, word);
      },
    });
  }

  analyzeStored(text: string, sink: TokenSink): number {
    const { stemBeside } = this.#filters;
    return this.#analyzer.analyzeStored(text, {
      token: (token, position, start, end) => {
        const word = this.#folded(token);
        const stem = stemBeside === null ? null : stemBeside(word);
        if (stem !== null) sink.token(stem, position, start, end, word);
        sink.token(this.#inPlace(word), position, start, end, word);
      },
    });
  }

  readWords(text: string, sink: WordSink): number {
    return this.#analyzer.readWords(text, sink);
  }

  #folded(token: string): string {
    const { fold } = this.#filters;
    return fold === null ? token : fold(token);
  }

  #inPlace(word: string): string {
    const { stemInPlace } = this.#filters;
    return stemInPlace === null ? word : stemInPlace(word);
  }
}
