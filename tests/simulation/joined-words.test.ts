/**
 * Words written as two or two as one, in fuzzy mode over several scripts, fields, segments and a federation's cut: what
 * is found and in which order is compared with a plain look at the letters of each document.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { contentsOf, lowerQuery } from "../../src/adapters/embedded/lower-query.js";
import { toEngineSchema } from "../../src/adapters/embedded/to-engine-schema.js";
import type { IndexSchema } from "../../src/contract/index-schema.js";
import { MemoryDirectory } from "../../src/engine/directory/memory-directory.js";
import { Index } from "../../src/engine/document-index.js";
import { NO_INTERRUPT } from "../../src/engine/search/search-interrupt.js";
import { allowedDistance, compileFuzzy, type FuzzyOptions } from "../../src/query/compile-fuzzy.js";
import { ANALYSIS_VERSION } from "../../src/query/index-analysis.js";
import { indexQueryContext } from "../../src/query/index-query-context.js";
import { sampleIndex } from "../query-kit/sample-index.js";
import { editDistance } from "./naive-values.js";

/** Words of a script that are joined to one another; none is another one with an edit or two. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  latin: ["red", "bull", "note", "book", "super", "market", "x", "ray"],
  digits: ["mp", "3", "iphone", "15", "node", "js"],
  greek: ["κόκκινο", "ταύρος", "βιβλίο", "νερό"],
  cyrillic: ["красный", "бык", "книга", "вода"],
  arabic: ["احمر", "ثور", "كتاب", "ماء"],
  hindi: ["लाल", "बैल", "किताब", "पानी"],
  korean: ["빨간", "황소", "책방", "우유"],
};

interface Document {
  readonly title: readonly string[];
  readonly body: readonly string[];
}

const FIELDS = ["title", "body"] as const;

function documentsOf(words: readonly string[]): fc.Arbitrary<Document[]> {
  const word = fc.oneof(
    { arbitrary: fc.constantFrom(...words), weight: 3 },
    fc.tuple(fc.constantFrom(...words), fc.constantFrom(...words)).map((pair) => pair.join("")),
  );
  const text = fc.array(word, { maxLength: 5 });
  return fc.array(fc.record({ title: text, body: text }), { minLength: 1, maxLength: 12 });
}

const schema: IndexSchema = {
  ...sampleIndex().schema,
  fields: {
    title: sampleIndex().schema.fields["title"]!,
    body: { ...sampleIndex().schema.fields["title"]! },
  },
  search_fields: ["title", "body"],
  weight_multipliers: { title: 3 },
  exclude_stop_words: false,
  analysis_version: ANALYSIS_VERSION,
};

/** The documents that a text finds, by number, the best first; documents are cut into segments after some of them. */
async function found(
  documents: readonly Document[],
  cuts: readonly number[],
  text: string,
  options: FuzzyOptions = {},
): Promise<readonly number[]> {
  const engine = await Index.create(new MemoryDirectory(), toEngineSchema(schema));
  for (const [i, { title, body }] of documents.entries()) {
    await engine.add([{ title: `${i}n ${title.join(" ")}`, body: body.join(" ") }]);
    if (cuts.includes(i)) await engine.commit();
  }
  await engine.commit();
  const index = indexQueryContext(schema, { custom_stopwords: [], synonyms: {} }, sampleIndex().limits);
  const { searcher } = engine;
  const query = lowerQuery(compileFuzzy(text, index, options), contentsOf(searcher, NO_INTERRUPT));
  const { hits } = searcher.search({ query, offset: 0, limit: 100 });
  const numbers = hits.map(({ json }) => Number.parseInt((JSON.parse(json) as { title: string }).title, 10));
  await engine.close();
  return numbers;
}

/** Whether two words that make the wanted one stand side by side. */
function holdsApart({ title, body }: Document, wanted: string): boolean {
  return [title, body].some((text) => text.some((word, i) => i > 0 && text[i - 1]! + word === wanted));
}

function holds(document: Document, wanted: string): boolean {
  return FIELDS.some((field) => document[field].includes(wanted));
}

/** Edits to the nearest word that is allowed; infinite if none is. */
function edits(document: Document, wanted: string): number {
  const distances = FIELDS.flatMap((field) => document[field].map((word) => editDistance(word, wanted)));
  const nearest = Math.min(Number.POSITIVE_INFINITY, ...distances);
  return nearest <= allowedDistance(wanted) ? nearest : Number.POSITIVE_INFINITY;
}

const cuts = fc.array(fc.nat({ max: 11 }), { maxLength: 3 });

describe.each(Object.entries(SCRIPTS))("%s", (_script, words) => {
  const cases = fc.record({
    documents: documentsOf(words),
    cuts,
    first: fc.constantFrom(...words),
    second: fc.constantFrom(...words),
  });

  test("a word is found that is written as two, behind those that write it so", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ documents, cuts: ends, first, second }) => {
        const wanted = first + second;
        const numbers = await found(documents, ends, wanted);
        // Numbers take no letters in: they are not taken apart; nor is a last letter from what stands before it.
        const isHalves = !/^\p{Nd}+$/u.test(wanted) && [...wanted].length > 3 && [...second].length > 1;
        const isAbbreviation = /^\p{Ll}{2}$/u.test(wanted);
        const isApart = isHalves || isAbbreviation;
        const expected = documents.flatMap((document, i) =>
          edits(document, wanted) < 3 || (isApart && holdsApart(document, wanted)) ? [i] : [],
        );
        expect(numbers.toSorted((a, b) => a - b)).toEqual(expected);
        const ranks = numbers.map((i) => {
          if (holds(documents[i]!, wanted)) return 0;
          return isApart && holdsApart(documents[i]!, wanted) ? 1 : 2;
        });
        if (ranks.includes(0)) expect(ranks).toEqual(ranks.toSorted());
      }),
      { numRuns: 40 },
    );
  });

  test("two words are found that are written as one, behind those that write them so", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ documents, cuts: ends, first, second }) => {
        const numbers = await found(documents, ends, `${first} ${second}`);
        for (const [i, document] of documents.entries()) {
          if (holds(document, first + second)) expect(numbers).toContain(i);
        }
        const ranks = numbers.map((i) => {
          if (holds(documents[i]!, first) && holds(documents[i]!, second)) return 0;
          return holds(documents[i]!, first + second) ? 1 : 2;
        });
        expect(ranks.filter((rank) => rank < 2)).toEqual(ranks.filter((rank) => rank < 2).toSorted());
      }),
      { numRuns: 40 },
    );
  });

  test("both are found while the second one is being typed", async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.nat(), async ({ documents, cuts: ends, first, second }, at) => {
        const letters = [...second];
        if (letters.length < 4 || [...first].length < 2) return;
        const beginning = letters.slice(0, 3 + (at % (letters.length - 3))).join("");
        const joined = await found(documents, ends, first + beginning, { isBeingTyped: true });
        const apart = await found(documents, ends, `${first} ${beginning}`, { isBeingTyped: true });
        for (const [i, document] of documents.entries()) {
          if (holdsApart(document, first + second)) expect(joined).toContain(i);
          if (holds(document, first + second)) expect(apart).toContain(i);
        }
      }),
      { numRuns: 40 },
    );
  });

  test("nothing depends on how documents lie in segments", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ documents, cuts: ends, first, second }) => {
        for (const text of [first + second, `${first} ${second}`])
          expect(await found(documents, ends, text)).toEqual(await found(documents, [], text));
      }),
      { numRuns: 20 },
    );
  });
});
