/**
 * Marks over scripts, stems, particles and beginnings: a text without its marks is the text, and no mark cuts what
 * people take for one character.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleIndex } from "../../../tests/query-kit/sample-index.js";
import { compileExact } from "../compile-exact.js";
import { compileFuzzy } from "../compile-fuzzy.js";
import { expandDynamicMode } from "../expand-dynamic-mode.js";
import { ANALYSIS_VERSION } from "../index-analysis.js";
import { indexQueryContext } from "../index-query-context.js";
import { Highlighter } from "./highlighter.js";

const WORDS = [
  ..."organizations settings Straße e\u0301cole women's t-shirts 学校で 水 ไทยแลนด์ 학교에서는 스마트폰을".split(
    " ",
  ),
  ..."книги كتاب नमस्ते \u{1f44d}\u{1f3fd} \u{1f1e6}\u{1f1f9} super\u00admarket o\ufb03ce 5 İstanbul".split(
    " ",
  ),
];
const word = fc.constantFrom(...WORDS);
const text = fc.array(fc.tuple(word, fc.constantFrom(" ", ", ", "-", "")), { maxLength: 8 });

const { schema, limits } = sampleIndex();
const CONTEXTS = ["en", "de", "ru"].map((language) =>
  indexQueryContext(
    { ...schema, language, enable_language_stemming: true, analysis_version: ANALYSIS_VERSION },
    { custom_stopwords: [], synonyms: {} },
    limits,
  ),
);
const OPENED = "\u0002";
const CLOSED = "\u0003";
const SEGMENTER = new Intl.Segmenter("en", { granularity: "grapheme" });

test("a beginning that ends within a character marks all of it", () => {
  const [index] = CONTEXTS;
  const options = { fields: ["title"], preTag: "[", postTag: "]", fragmentSize: 0, maxFragments: 1 };
  const highlighter = new Highlighter(compileExact('"ไทยแลนด"*', index!), index!.analyzer, options, {
    check() {},
  });
  expect(highlighter.highlight({ title: "ไทยแลนด์ ดี" })["title"]).toEqual(["[ไทยแลนด์] ดี"]);
});

test("marks leave the text as it is, and its characters whole", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CONTEXTS),
      text.map((parts) => parts.flat().join("")),
      word,
      fc.nat({ max: 12 }),
      (index, title, asked, typed) => {
        const beginning = asked.slice(0, typed + 1).replace(/[\ud800-\udbff]$/, "");
        const asts = [
          compileFuzzy(asked, index),
          compileExact(`"${asked}"`, index),
          compileExact(`"${beginning}"*`, index),
          expandDynamicMode(beginning, index, true),
        ];
        for (const ast of asts) {
          const options = {
            fields: ["title"],
            preTag: OPENED,
            postTag: CLOSED,
            fragmentSize: 0,
            maxFragments: 3,
          };
          const highlighter = new Highlighter(ast, index.analyzer, options, { check() {} });
          const [fragment] = highlighter.highlight({ title })["title"] ?? [];
          if (fragment === undefined) continue;
          const shown = fragment.replaceAll("&#39;", "'").replaceAll("&#x27;", "'");
          expect(shown.replaceAll(OPENED, "").replaceAll(CLOSED, "")).toBe(title);
          const borders = new Set([...SEGMENTER.segment(title)].map((segment) => segment.index));
          let at = 0;
          for (const unit of shown) {
            if (unit === OPENED || unit === CLOSED)
              expect(at === title.length || borders.has(at), `${JSON.stringify(shown)} ${asked}`).toBe(true);
            else at += unit.length;
          }
        }
      },
    ),
    { numRuns: 300 },
  );
});
