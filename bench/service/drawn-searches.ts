import { ENGLISH_STOP_WORDS } from "../../src/analysis/languages/english-stop-words.js";
import { SeededRandom } from "../../tests/setup/seeded-random.js";
import { lines } from "../corpus.js";
import { misspelt } from "../peers/misspelt.js";
import * as openSearch from "./open-search-query.js";

/** A search in the words of both servers. */
export interface DrawnSearch {
  readonly kind: string;
  /** Whether finding its matches takes little beside HTTP: one of few words, and few matches. */
  readonly isCheap: boolean;
  readonly findling: object;
  readonly openSearch: object;
}

/** Titles that hold a word, so that it finds something and isn't everywhere. */
const TITLES_MIN = 12;
const TITLES_MAX = 400;
/** Contract 3.4: the default of both requests and their translation. */
const HITS = 20;
const SECTIONS = ["games", "python", "libs", "devel", "science", "doc", "web", "net"];
const TAGS = ["implemented-in/python", "role/program", "uitoolkit/gtk", "interface/commandline"];

/** Tries until a kind is left with fewer searches than wanted, since the corpus has no more. */
const TRIES_PER_SEARCH = 50;

/**
 * Searches as a product would send them, of words and neighbours in titles; up to so many of each kind, no two
 * alike.
 */
export async function drawSearches(
  corpus: string,
  perKind: number,
  seed: number,
): Promise<readonly DrawnSearch[]> {
  const titles = await titleWords(corpus);
  const random = new SeededRandom(seed);
  const eligible = (word: string): boolean => {
    const count = titles.counts.get(word) ?? 0;
    return count >= TITLES_MIN && count <= TITLES_MAX;
  };
  const words = [...titles.counts.keys()].filter(eligible);
  const pairs = titles.lists.flatMap((title) =>
    title.slice(1).flatMap((word, i) => {
      const previous = title[i]!;
      return eligible(previous) && eligible(word) && previous !== word ? [[previous, word] as const] : [];
    }),
  );
  const kinds = searchKinds({
    word: () => random.pick(words),
    pair: () => random.pick(pairs),
    id: () => random.pick(titles.ids),
    random,
  });
  return kinds.flatMap(({ kind, isCheap, make }) => {
    const distinct = new Map<string, DrawnSearch>();
    for (let i = 0; i < perKind * TRIES_PER_SEARCH && distinct.size < perKind; i++) {
      const search = { kind, isCheap, ...make() };
      distinct.set(JSON.stringify(search.findling), search);
    }
    return [...distinct.values()];
  });
}

interface Draws {
  readonly word: () => string;
  readonly pair: () => readonly [string, string];
  readonly id: () => string;
  readonly random: SeededRandom;
}

interface SearchKind {
  readonly kind: string;
  readonly isCheap: boolean;
  readonly make: () => Pick<DrawnSearch, "findling" | "openSearch">;
}

function searchKinds({ word, pair, id, random }: Draws): readonly SearchKind[] {
  const { anyField, anyWordFuzzily, phrase, path, between, request, must, should } = openSearch;
  const exact = (ctx: string): object => ({ query: { exact: { ctx } } });
  const fuzzy = (ctx: string): object => ({ query: { fuzzy: { ctx } } });
  const cheap = (kind: string, make: SearchKind["make"]): SearchKind => ({ kind, isCheap: true, make });
  const other = (kind: string, make: SearchKind["make"]): SearchKind => ({ kind, isCheap: false, make });
  return [
    cheap("exact, by id", () => {
      const value = id();
      return {
        findling: exact(`id:"${value}"`),
        openSearch: request({ term: { id: value } }, HITS),
      };
    }),
    cheap("exact, one word in a field", () => {
      const value = word();
      return {
        findling: exact(`title:${value}`),
        openSearch: request({ match: { title: value } }, HITS),
      };
    }),
    cheap("exact, two words", () => {
      const [a, b] = pair();
      return {
        findling: exact(`${a} AND ${b}`),
        openSearch: request(must([anyField(a), anyField(b)]), HITS),
      };
    }),
    cheap("exact, filter and word", () => {
      const [section, value] = [random.pick(SECTIONS), word()];
      return {
        findling: exact(`section:/section/${section} AND ${value}`),
        openSearch: request(must([path("section", `/section/${section}`), anyField(value)]), HITS),
      };
    }),
    cheap("exact, phrase", () => {
      const [a, b] = pair();
      return { findling: exact(`"${a} ${b}"`), openSearch: request(phrase(`${a} ${b}`), HITS) };
    }),
    other("exact, filter and range", () => {
      const [section, lower] = [random.pick(SECTIONS), 100 + random.below(5000)];
      return {
        findling: exact(`section:/section/${section} AND installed_size:[${lower} TO ${lower * 20}]`),
        openSearch: request(
          must([path("section", `/section/${section}`), between("installed_size", lower, lower * 20)]),
          HITS,
        ),
      };
    }),
    other("fuzzy, one word", () => {
      const value = word();
      return { findling: fuzzy(value), openSearch: request(anyWordFuzzily(value), HITS) };
    }),
    other("fuzzy, two words with a typo", () => {
      const [a, b] = pair();
      const written = `${misspelt(a, 1, random)} ${b}`;
      return { findling: fuzzy(written), openSearch: request(anyWordFuzzily(written), HITS) };
    }),
    other("dynamic, two words", () => {
      const [a, b] = pair();
      return {
        findling: { query: { dynamic: { ctx: `${a} ${b}` } } },
        openSearch: request(must([anyField(a), anyWordFuzzily(b)], [anyWordFuzzily(`${a} ${b}`)]), HITS),
      };
    }),
    other("filter and fuzzy text", () => {
      const [tag, value] = [random.pick(TAGS), word()];
      return {
        findling: {
          query: [
            { exact: { ctx: `debtags:/${tag}` }, occur: "must" },
            { fuzzy: { ctx: value }, occur: "must" },
          ],
        },
        openSearch: request(must([path("debtags", `/${tag}`), anyWordFuzzily(value)]), HITS),
      };
    }),
    other("either word, sorted by size", () => {
      const [a, b] = [word(), word()];
      return {
        findling: { ...exact(`${a} ${b}`), order_by: "installed_size", sort: "desc" },
        openSearch: {
          ...request(should([anyField(a), anyField(b)]), HITS),
          sort: [{ installed_size: "desc" }],
        },
      };
    }),
    other("range, facets only", () => {
      const lower = random.below(5000);
      return {
        findling: { ...exact(`installed_size:[${lower} TO ${lower * 20}]`), limit: 0 },
        openSearch: request(between("installed_size", lower, lower * 20), 0),
      };
    }),
  ];
}

interface TitleWords {
  /** Words of four letters or more that aren't stopwords, and in how many titles each occurs. */
  readonly counts: ReadonlyMap<string, number>;
  /** Each title's words in order, shorter ones and stopwords included. */
  readonly lists: readonly (readonly string[])[];
  readonly ids: readonly string[];
}

async function titleWords(corpus: string): Promise<TitleWords> {
  const stopWords = new Set<string>(ENGLISH_STOP_WORDS);
  const counts = new Map<string, number>();
  const lists: string[][] = [];
  const ids: string[] = [];
  for await (const line of lines(corpus)) {
    const { id, title } = JSON.parse(line) as { readonly id: string; readonly title: string };
    const words = title.toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u);
    for (const word of new Set(words)) {
      if (/^[a-z]{4,}$/.test(word) && !stopWords.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    lists.push(words);
    ids.push(id);
  }
  return { counts, lists, ids };
}
