/**
 * For words of each language with a stemmer that the test packs know: every beginning of three letters and more
 * finds the word, in the exact, the dynamic and the fuzzy mode as it is typed, as `word*`, and among suggestions where these
 * list all that begin so; every single edit within the allowed distance finds it in fuzzy mode, with stemming and
 * without; the word as it is written comes first. Words are made of the packs' roots and endings, or are those of
 * the translations in `FINDLING_TEST_TRANSLATIONS`, such as `/usr/share/locale`.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { lowerQuery } from "../../src/adapters/embedded/lower-query.js";
import { toEngineSchema } from "../../src/adapters/embedded/to-engine-schema.js";
import { tokensOf } from "../../src/analysis/analyzer.js";
import { STEMMED_LANGUAGES } from "../../src/analysis/languages/stemmers.js";
import type { IndexSchema } from "../../src/contract/index-schema.js";
import { MemoryDirectory } from "../../src/engine/directory/memory-directory.js";
import { Index } from "../../src/engine/document-index.js";
import type { Searcher } from "../../src/engine/search/searcher.js";
import { compileExact } from "../../src/query/compile-exact.js";
import { allowedDistance, compileFuzzy } from "../../src/query/compile-fuzzy.js";
import { expandDynamicMode } from "../../src/query/expand-dynamic-mode.js";
import { ANALYSIS_VERSION } from "../../src/query/index-analysis.js";
import { indexQueryContext } from "../../src/query/index-query-context.js";
import type { QueryAst } from "../../src/query/query-ast.js";
import type { SearchedIndex } from "../../src/query/searched-index.js";
import { SuggestionCollector } from "../../src/query/suggestion-collector.js";
import { sampleIndex } from "../query-kit/sample-index.js";
import { SeededRandom } from "../setup/seeded-random.js";
import { wordsOfTranslations } from "./words-of-translations.js";

const PACKS = new URL("../../src/analysis/test-packs/", import.meta.url);
const WANTED = process.env["FINDLING_TEST_WORDS"];
/** Words that are in an index, and those of them that are looked for; `FINDLING_TEST_WORDS` for a longer test, which tells its counts. */
const INDEXED = Number(WANTED ?? 300);
const ASKED = Number(WANTED ?? 12);
const TRANSLATIONS = process.env["FINDLING_TEST_TRANSLATIONS"];
const LIMIT = 1000;
/** Completions that are asked for. */
const SUGGESTED = 10;

interface Pack {
  readonly language: string;
  readonly stemming?: { readonly together: readonly (readonly string[])[] };
}

interface Language {
  readonly language: string;
  /** Those of the index; the first of them are looked for. */
  readonly words: readonly string[];
}

const languages = TRANSLATIONS === undefined ? languagesOfPacks() : languagesOfTranslations(TRANSLATIONS);

test("there are words of fifteen languages", () => {
  expect(languages.length).toBeGreaterThanOrEqual(15);
});

describe.each(languages)("$language", ({ language, words }) => {
  const random = new SeededRandom(7);
  const asked = words.slice(0, ASKED);

  test("is found by every beginning", async () => {
    const { index, searcher, close } = await indexOf(words, { language, enable_language_stemming: true });
    const missed: string[] = [];
    let tried = 0;
    for (const word of asked) {
      const letters = [...word];
      for (let length = 3; length <= letters.length; length++) {
        const beginning = letters.slice(0, length).join("");
        const asts = {
          exact: compileExact(beginning, index, true),
          dynamic: expandDynamicMode(beginning, index, true),
          fuzzy: compileFuzzy(beginning, index, { isBeingTyped: true }),
          star: compileExact(`${beginning}*`, index),
        };
        for (const [mode, ast] of Object.entries(asts)) {
          tried++;
          if (!found(searcher, ast).includes(word)) missed.push(`${mode} ${beginning} ${word}`);
        }
        if (beginning === word) continue;
        const collector = new SuggestionCollector(index, beginning);
        const completed = words.filter((other) => other.startsWith(beginning) && other !== beginning);
        if (completed.length > SUGGESTED) continue;
        tried++;
        for (const title of found(searcher, collector.ast!, 100)) collector.add(title, { title });
        const completions = collector.completions(SUGGESTED).map((text) => text.normalize("NFKC"));
        if (!completions.includes(word.normalize("NFKC"))) missed.push(`suggest ${beginning} ${word}`);
      }
    }
    tell(`${language}: beginnings`, tried, missed);
    expect(missed).toEqual([]);
    await close();
  });

  test.each([true, false])("is found with every single edit, stemming: %s", async (isStemmed) => {
    const { index, searcher, close } = await indexOf(words, {
      language,
      enable_language_stemming: isStemmed,
    });
    const missed: string[] = [];
    const behind: string[] = [];
    let tried = 0;
    for (const word of asked) {
      for (const mode of [compileFuzzy, compileExact, expandDynamicMode]) {
        const [first] = found(searcher, mode(word, index));
        if (first !== word) behind.push(`${mode.name} ${word} is behind ${first}`);
      }
      for (const edited of editsOf(tokensOf(index.analyzer, word)[0]!.word, random)) {
        const tokens = tokensOf(index.analyzer, edited);
        // A vowel sign that is left behind another may become one letter with it, so that more than one has changed.
        if (tokens.length !== 1 || tokens[0]!.word !== edited || allowedDistance(edited) === 0) continue;
        tried++;
        if (!found(searcher, compileFuzzy(edited, index)).includes(word)) missed.push(`${edited} ${word}`);
      }
    }
    tell(`${language}: edits, ${isStemmed ? "with" : "without"} stems`, tried, missed);
    tell(`${language}: words first as they are written`, 3 * asked.length, behind);
    expect([...behind, ...missed]).toEqual([]);
    await close();
  });
});

/** Counts of a longer test. */
function tell(what: string, tried: number, missed: readonly string[]): void {
  if (WANTED !== undefined) process.stderr.write(`${what}: ${tried} tried, ${tried - missed.length} found\n`);
}

function languagesOfPacks(): Language[] {
  return readdirSync(PACKS)
    .filter((file) => file.endsWith(".json"))
    .map((file) => JSON.parse(readFileSync(new URL(file, PACKS), "utf8")) as Pack)
    .filter(({ stemming }) => stemming !== undefined)
    .map(({ language, stemming }) => ({
      language,
      words: wordsOf(stemming!.together, new SeededRandom(7)),
    }));
}

function languagesOfTranslations(folder: string): Language[] {
  return STEMMED_LANGUAGES.map((language) => ({
    language,
    words: wordsOfTranslations(folder, language).slice(0, INDEXED),
  }));
}

/** The packs' words, then roots with endings of others, in any order. */
function wordsOf(groups: readonly (readonly string[])[], random: SeededRandom): string[] {
  const folded = groups.map((group) => group.map((word) => word.toLowerCase().normalize("NFC")));
  const roots = folded.map(commonBeginning).filter((root) => [...root].length >= 2);
  const endings = folded.flatMap((group) => group.map((word) => word.slice(commonBeginning(group).length)));
  const all = roots.flatMap((root) => endings.map((ending) => root + ending));
  const words = [...new Set([...folded.flat(), ...all])].filter((word) => [...word].length >= 3);
  const ranked = words.map((word) => ({ word, rank: random.next() }));
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .map(({ word }) => word)
    .slice(0, INDEXED);
}

function commonBeginning(words: readonly string[]): string {
  let length = 0;
  while (words.every((word) => length < word.length && word[length] === words[0]![length])) length++;
  return words[0]!.slice(0, length);
}

/** Every deletion and swap of neighbours; at each place another letter of the word put in or in place of one. */
function editsOf(word: string, random: SeededRandom): string[] {
  const letters = [...word];
  const edits = new Set<string>();
  letters.forEach((letter, i) => {
    const other = letters[Math.floor(random.next() * letters.length)]!;
    const before = letters.slice(0, i).join("");
    const after = letters.slice(i + 1).join("");
    edits.add(before + after);
    edits.add(before + other + after);
    edits.add(before + other + letter + after);
    if (i > 0) edits.add([...letters.slice(0, i - 1), letter, letters[i - 1]!].join("") + after);
  });
  edits.delete(word);
  return [...edits];
}

/** Words of the documents, the best first. */
function found(searcher: Searcher, ast: QueryAst, limit = LIMIT): string[] {
  const query = lowerQuery(ast, {
    docFreq: (field, term) => searcher.docFreq(field, term),
    count: (counted) => searcher.count(counted),
  });
  return searcher
    .search({ query, offset: 0, limit })
    .hits.map(({ json }) => (JSON.parse(json) as { readonly title: string }).title);
}

/** A document for each word. */
async function indexOf(
  words: readonly string[],
  settings: Pick<IndexSchema, "language" | "enable_language_stemming">,
): Promise<{
  readonly index: SearchedIndex;
  readonly searcher: Searcher;
  readonly close: () => Promise<void>;
}> {
  const { schema, limits } = sampleIndex();
  const { title } = schema.fields;
  const own: IndexSchema = {
    ...schema,
    ...settings,
    fields: { title: title! },
    search_fields: ["title"],
    exclude_stop_words: false,
    analysis_version: ANALYSIS_VERSION,
  };
  const engine = await Index.create(new MemoryDirectory(), toEngineSchema(own));
  await engine.add(words.map((word) => ({ title: word })));
  await engine.commit();
  const index = indexQueryContext(own, { custom_stopwords: [], synonyms: {} }, limits);
  return { index, searcher: engine.searcher, close: () => engine.close() };
}
