/**
 * Fuzzy searches with synonyms (contract 5.3) match what a plain reading of the contract says, on
 * generated documents, keys and queries; and a document with the words of a query that is a key
 * comes before every document that matches through the key's terms alone, whatever the weights.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lowerQuery } from "../../src/adapters/embedded/lower-query.js";
import { SynonymMap } from "../../src/analysis/synonym-map.js";
import { createAnalyzer, defineSchema, Index, MemoryDirectory } from "../../src/engine/server-door.js";
import { allowedDistance, compileFuzzy } from "../../src/query/compile-fuzzy.js";
import { expandDynamicMode } from "../../src/query/expand-dynamic-mode.js";
import type { SearchedIndex } from "../../src/query/searched-index.js";
import { sampleIndex } from "../query-kit/sample-index.js";
import { editDistance } from "./naive-values.js";

const WORDS = ["lamp", "lamps", "red", "bed", "the", "of", "tiny", "shed", "glow", "york"];
const STOPWORDS = new Set(["the", "of"]);
const SCHEMA = defineSchema({ title: "text", body: "text" });
const analyzer = createAnalyzer({ version: 1 });

const words = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.constantFrom(...WORDS), fc.boolean()), { minLength, maxLength })
    .map((all) => all.map(([word, isUpper]) => (isUpper ? word.toUpperCase() : word)).join(" "));
const lists = fc.dictionary(words(1, 3), fc.array(words(1, 3), { minLength: 1, maxLength: 3 }), {
  maxKeys: 5,
});
const documents = fc.array(fc.record({ title: words(1, 6), body: words(1, 6) }), {
  minLength: 1,
  maxLength: 12,
});

type Lists = Readonly<Record<string, readonly string[]>>;
type Document = Readonly<Record<"title" | "body", string>>;

function searched(synonyms: Lists, weights: Readonly<Record<string, number>> = {}): SearchedIndex {
  const index = sampleIndex({ search_fields: ["title", "body"], weight_multipliers: weights });
  return { ...index, analyzer, synonyms: new SynonymMap(synonyms, analyzer) };
}

const tokensOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(" ")
    .filter((word) => word !== "");

function holdsRun(text: readonly string[], run: readonly string[]): boolean {
  return text.some((_, start) => run.every((word, i) => text[start + i] === word));
}

/** Contract 5.2 and 5.3, read plainly. */
function shouldMatch(query: string, synonyms: Lists, document: Document): boolean {
  const asked = tokensOf(query);
  const texts = [tokensOf(document.title), tokensOf(document.body)];
  const byWord = asked.some(
    (word) =>
      !STOPWORDS.has(word) &&
      texts.some((text) => text.some((token) => editDistance(token, word) <= allowedDistance(word))),
  );
  const bySynonym = Object.entries(synonyms).some(
    ([key, terms]) =>
      holdsRun(asked, tokensOf(key)) &&
      terms.some(
        (term) =>
          // A term that is the key once more finds nothing that the key's own words don't.
          tokensOf(term).join(" ") !== tokensOf(key).join(" ") &&
          texts.some((text) => holdsRun(text, tokensOf(term))),
      ),
  );
  return byWord || bySynonym;
}

async function withIndex(all: readonly Document[], use: (index: Index) => void): Promise<void> {
  const index = await Index.create(new MemoryDirectory(), SCHEMA);
  // Two segments, so that nothing depends on there being one.
  await index.add(all.slice(0, Math.ceil(all.length / 2)));
  await index.commit();
  if (all.length > 1) await index.add(all.slice(Math.ceil(all.length / 2)));
  await index.commit();
  use(index);
  await index.close();
}

function hitsOf(index: Index, query: string, context: SearchedIndex): { at: number; score: number }[] {
  const everything = index.search({ query: { kind: "match_all" }, limit: 100 }).hits;
  const positions = new Map(everything.map(({ documentId }, at) => [documentId, at]));
  const lowered = lowerQuery(compileFuzzy(query, context), index.searcher);
  const { hits } = index.search({ query: lowered, limit: 100 });
  return hits.map(({ documentId, score }) => ({ at: positions.get(documentId)!, score }));
}

describe("synonyms in a fuzzy clause", () => {
  test("match what the contract says", async () => {
    await fc.assert(
      fc.asyncProperty(documents, lists, words(1, 6), async (all, synonyms, query) => {
        await withIndex(all, (index) => {
          const found = hitsOf(index, query, searched(synonyms)).map(({ at }) => at);
          const expected = all.flatMap((document, at) =>
            shouldMatch(query, synonyms, document) ? [at] : [],
          );
          expect(found.toSorted((a, b) => a - b)).toEqual(expected);
        });
      }),
      { numRuns: 300 },
    );
  });

  test("dynamic mode of four words and more matches as the fuzzy clause does", () => {
    fc.assert(
      fc.property(
        lists,
        fc.array(fc.constantFrom<string>("lamp", "red", "york", "tiny"), { minLength: 4, maxLength: 6 }),
        fc.nat(6),
        (synonyms, content, at) => {
          const query = content.toSpliced(at, 0, "of", "the").join(" ");
          const context = searched(synonyms);
          expect(expandDynamicMode(query, context)).toEqual(compileFuzzy(query, context));
        },
      ),
      { numRuns: 100 },
    );
  });

  test("a document with the key comes before every one with its terms alone, and those before edits", async () => {
    const weight = fc.constantFrom(0, 0.01, 1, 100);
    await fc.assert(
      fc.asyncProperty(
        documents,
        words(1, 3),
        fc.array(words(1, 2), { minLength: 1, maxLength: 3 }),
        weight,
        weight,
        async (all, key, terms, title, body) => {
          const holds = (document: Document, run: string): boolean =>
            [document.title, document.body].some((text) => holdsRun(tokensOf(text), tokensOf(run)));
          const isEdit = (document: Document): boolean =>
            !tokensOf(`${document.title} ${document.body}`).some((word) => tokensOf(key).includes(word));
          const context = searched({ [key]: terms }, { title, body });
          const plain = searched({}, { title, body });
          await withIndex(all, (index) => {
            const ownWords = new Set(hitsOf(index, key, plain).map(({ at }) => at));
            const hits = hitsOf(index, key, context);
            const least = (some: typeof hits): number =>
              Math.min(Infinity, ...some.map(({ score }) => score));
            const most = (some: typeof hits): number => Math.max(0, ...some.map(({ score }) => score));
            const keys = hits.filter(({ at }) => holds(all[at]!, key) && ownWords.has(at));
            const synonyms = hits.filter(({ at }) => !ownWords.has(at));
            expect(least(keys)).toBeGreaterThan(most(synonyms));
            const isOneWord = tokensOf(key).length === 1;
            if (!isOneWord || keys.length === 0) return;
            const edits = hits.filter(
              ({ at }) => isEdit(all[at]!) && !holds(all[at]!, terms[0]!) && ownWords.has(at),
            );
            if (terms.length === 1) expect(least(synonyms)).toBeGreaterThan(most(edits));
          });
        },
      ),
      { numRuns: 300 },
    );
  });
});
