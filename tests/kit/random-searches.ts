/** Documents and searches for tests that compare kernels with evaluators: few words, from everyday to rare. */
import { createAnalyzer } from "../../src/analysis/create-analyzer.js";
import { emptyBitset, setBit } from "../../src/engine/bytes/bitset.js";
import { LISTED_MAX } from "../../src/engine/kernels/scratch-layout.js";
import { defineSchema } from "../../src/engine/schema/define-schema.js";
import type { CanonicalDocument } from "../../src/engine/schema/document.js";
import type { BooleanQuery, Query } from "../../src/engine/search/query.js";

export const schema = defineSchema({
  title: "text",
  body: "text",
  n: "u64",
  few: "u64",
  d: "datetime",
  f: { kind: "facet", multi: true },
});
export const analyzer = createAnalyzer({ version: 1 });
const VOCABULARY = 60;
/** Share of the words that are among so many rare ones, each in one or two of a hundred documents. */
const RARE_SHARE = 0.05;
const RARE_WORDS = 60;
/** Words that are in about as many documents as are listed at most, or in twice as many together. */
const BOUNDS = [LISTED_MAX, LISTED_MAX + 60, LISTED_MAX / 2, LISTED_MAX / 2 + 60];
const NOW_SECONDS = 1_000_000;

export type RandomSearch = ReturnType<typeof randomSearch>;

export function randomDocument(random: () => number, paths: number, place: number): CanonicalDocument {
  // The last one's documents begin where the one before it ends, so that both have a few more together than are listed.
  const starts = [0, 0, 0, LISTED_MAX / 2];
  const bounds = BOUNDS.map((bound, i) =>
    place >= starts[i]! && place < starts[i]! + bound ? ` e${i}` : "",
  ).join("");
  const f = [`/a/${Math.floor(random() * 3)}`, `/b/${Math.floor(random() * 3)}/${Math.floor(random() * 2)}`];
  return {
    title: words(random, 1 + Math.floor(random() * 5)),
    // Now and then a word so often that its frequency takes more than a byte.
    body:
      words(random, Math.floor(random() * 40)) +
      (random() < 0.002 ? ` ${word(random)}`.repeat(300) : "") +
      bounds,
    ...(random() < 0.9 ? { n: String(Math.floor(random() * 1000)) } : {}),
    few: String(Math.floor(random() * 5)),
    ...(random() < 0.8 ? { d: new Date(Math.floor(random() * NOW_SECONDS * 1000)).toISOString() } : {}),
    f: f.slice(0, paths),
  };
}

/** Some words are in nearly every document, some in a handful. */
function word(random: () => number): string {
  if (random() < RARE_SHARE) return rareWord(random);
  return `w${Math.floor(VOCABULARY * random() ** 3)}`;
}

function rareWord(random: () => number): string {
  return `r${Math.floor(RARE_WORDS * random())}`;
}

function words(random: () => number, count: number): string {
  return Array.from({ length: count }, () => word(random)).join(" ");
}

export function randomLiveDocs(random: () => number, size: number): Uint32Array {
  const bits = emptyBitset(size);
  const share = random();
  for (let docId = 0; docId < size; docId++) if (random() < share) setBit(bits, docId);
  return bits;
}

export function randomSearch(random: () => number) {
  return {
    query: randomQuery(random),
    offset: random() < 0.8 ? 0 : 7,
    limit: [0, 1, 3, 10, 10, 100, 2000][Math.floor(random() * 7)]!,
    withCount: random() < 0.7,
    ...(random() < 0.2 ? { facets: ["f"] } : {}),
    ...(random() < 0.2 ? { timeDecay: { field: "d", nowSeconds: NOW_SECONDS, ratePerDay: random() } } : {}),
    ...(random() < 0.2
      ? { orderBy: [{ kind: "field" as const, field: "n", descending: random() < 0.5 }] }
      : {}),
  };
}

/** Words about the bounds, one or two at once; or more groups than are listed, all of which documents share. */
export function aboutBounds(random: () => number): RandomSearch {
  const bound = (): Query => ({
    kind: "term",
    field: "body",
    term: `e${Math.floor(random() * BOUNDS.length)}`,
  });
  const alternatives = (): Query =>
    should(random() < 0.3 ? [bound(), leaf(random, rareWord)] : [bound(), bound()]);
  const count = random() < 0.5 ? 1 + Math.floor(random() * 2) : 30 + Math.floor(random() * 5);
  const clauses = Array.from({ length: count }, () => ({
    occur: random() < 0.7 ? ("must" as const) : ("should" as const),
    query: alternatives(),
  }));
  if (count >= 30)
    clauses.unshift({ occur: "must", query: should([leaf(random, rareWord), leaf(random, rareWord)]) });
  return { query: { kind: "boolean", clauses }, offset: 0, limit: 20, withCount: true };
}

/** A value of few documents, of many or of none; now and then two, of which documents may have both. */
export function oneValue(random: () => number): Query {
  const number = (): string => String(Math.floor(random() * 1010));
  const path = (): string => `/b/${Math.floor(random() * 3)}/${Math.floor(random() * 3)}`;
  const count = random() < 0.8 ? 1 : 2;
  const drawn = <Value>(draw: () => Value): Value[] => Array.from({ length: count }, draw);
  const query: Query =
    random() < 0.6
      ? { kind: "value_set", field: "n", values: drawn(number) }
      : { kind: "facet", field: "f", paths: drawn(path) };
  return random() < 0.7 ? query : { kind: "constant_score", query, score: random() * 3 };
}

/** Words in several fields that are rare together, alone and beside filters. */
export function fewMatches(random: () => number): RandomSearch {
  const inFields = (draw: (random: () => number) => string): Query => {
    const term = draw(random);
    return should(["title", "body"].map((field) => ({ kind: "term", field, term })));
  };
  const rare = random() < 0.3 ? should([inFields(rareWord), phrase(random)]) : inFields(rareWord);
  const clauses: BooleanQuery["clauses"][number][] = [{ occur: "must", query: rare }];
  if (random() < 0.6) clauses.push({ occur: "must", query: inFields(random() < 0.5 ? word : rareWord) });
  if (random() < 0.2) clauses.push({ occur: "must", query: inFields(word) });
  if (random() < 0.2) clauses.push({ occur: "must", query: should([range(random), inFields(word)]) });
  for (let filters = Math.floor(random() * 3); filters > 0; filters--)
    clauses.push({ occur: random() < 0.4 ? "must" : "filter", query: filter(random) });
  if (random() < 0.3)
    clauses.push({ occur: "should", query: random() < 0.5 ? leaf(random) : filter(random) });
  if (random() < 0.2) clauses.push({ occur: "must_not", query: leaf(random) });
  clauses.sort(() => random() - 0.5);
  return {
    query: { kind: "boolean", clauses },
    offset: 0,
    limit: [0, 1, 20, 100][Math.floor(random() * 4)]!,
    withCount: true,
  };
}

function should(queries: readonly Query[]): Query {
  return { kind: "boolean", clauses: queries.map((query) => ({ occur: "should", query })) };
}

function randomQuery(random: () => number): Query {
  // Again and again, as its facets are counted only once.
  if (random() < 0.08) return { kind: "match_all" };
  const kind = Math.floor(random() * 16);
  if (kind > 11) return tree(random, 2);
  if (kind === 11)
    return random() < 0.5
      ? filter(random)
      : {
          kind: "boolean",
          clauses: [
            { occur: "must", query: filter(random) },
            { occur: "filter", query: filter(random) },
          ],
        };
  if (kind === 9) {
    if (random() < 0.3) return fuzzy(random);
    const clauses: { occur: "should" | "must" | "filter"; query: Query }[] = [];
    const occur = random() < 0.6 ? "should" : "must";
    for (let i = 0; i < 3; i++) {
      clauses.push({ occur, query: random() < 0.7 ? fuzzy(random) : leaf(random) });
    }
    if (random() < 0.2) clauses.push({ occur: "filter", query: filter(random) });
    return { kind: "boolean", clauses };
  }
  if (kind === 10) {
    return {
      kind: "boolean",
      clauses: [
        { occur: "must", query: fuzzy(random) },
        { occur: random() < 0.5 ? "filter" : "must_not", query: filter(random) },
      ],
    };
  }
  if (kind === 7) return phrase(random);
  if (kind === 8) {
    const clauses: { occur: "must" | "filter" | "must_not"; query: Query }[] = [
      { occur: "must", query: phrase(random) },
    ];
    if (random() < 0.5) clauses.push({ occur: "filter", query: filter(random) });
    if (random() < 0.5) clauses.push({ occur: "must_not", query: leaf(random) });
    return { kind: "boolean", clauses };
  }
  if (kind === 0) return leaf(random);
  if (kind === 1) return some(random, "should");
  if (kind === 2) return some(random, "must", random() < 0.3 ? [filter(random)] : []);
  const required = 1 + Math.floor(random() * 2);
  const clauses: { occur: "must" | "should" | "filter" | "must_not"; query: Query }[] = [];
  for (let i = 0; i < required; i++) {
    clauses.push({ occur: "must", query: random() < 0.5 ? leaf(random) : some(random, "should") });
  }
  if (random() < 0.5) clauses.push({ occur: "should", query: leaf(random) });
  if (random() < 0.3) clauses.push({ occur: "should", query: some(random, "should") });
  if (random() < 0.4) clauses.push({ occur: "filter", query: filter(random) });
  if (random() < 0.3)
    clauses.push({ occur: "must_not", query: random() < 0.5 ? leaf(random) : filter(random) });
  const minimumShouldMatch = random() < 0.2 ? { minimumShouldMatch: 1 } : {};
  return { kind: "boolean", clauses, ...minimumShouldMatch };
}

/** Clauses of every kind, nested. */
function tree(random: () => number, depth: number): Query {
  const kind = random();
  if (depth === 0 || kind < 0.1) {
    const choice = random();
    if (choice < 0.5) return leaf(random);
    if (choice < 0.7) return phrase(random);
    return choice < 0.85 ? fuzzy(random) : filter(random);
  }
  if (kind < 0.2) return { kind: "boost", query: tree(random, depth - 1), factor: Math.floor(random() * 4) };
  if (kind < 0.3) return { kind: "constant_score", query: tree(random, depth - 1), score: random() * 3 };
  // A sum that is rounded before it is added to another.
  if (kind < 0.4) {
    const clauses: { occur: "must" | "should" | "must_not"; query: Query }[] = [
      { occur: random() < 0.5 ? "must" : "should", query: some(random, "should") },
    ];
    if (random() < 0.5) clauses.push({ occur: "must_not", query: leaf(random) });
    return { kind: "boolean", clauses };
  }
  const occurs = [
    ["should"],
    ["must"],
    ["must", "should"],
    ["should", "must_not"],
    ["must", "must_not", "filter"],
    ["must_not"],
  ] as const;
  const drawn = occurs[Math.floor(random() ** 1.5 * occurs.length)]!;
  const clauses = Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
    occur: drawn[Math.floor(random() * drawn.length)]!,
    query: tree(random, depth - 1),
  }));
  return { kind: "boolean", clauses, ...(random() < 0.1 ? { minimumShouldMatch: 1 } : {}) };
}

export function some(random: () => number, occur: "must" | "should", filters: readonly Query[] = []): Query {
  const count = 1 + Math.floor(random() ** 1.5 * 4);
  const draw = random() < 0.3 ? rareWord : word;
  const clauses: { occur: "must" | "should" | "filter"; query: Query }[] = [];
  for (let i = 0; i < count; i++) clauses.push({ occur, query: leaf(random, draw) });
  for (const query of filters) clauses.push({ occur: "filter", query });
  return { kind: "boolean", clauses };
}

function leaf(random: () => number, draw: (random: () => number) => string = word): Query {
  const field = random() < 0.4 ? "title" : "body";
  // As if one were the stem of the other.
  const written = random() < 0.15 ? { written: draw(random) } : {};
  const query: Query = { kind: "term", field, term: draw(random), ...written };
  return random() < 0.7 ? query : { kind: "boost", query, factor: Math.floor(random() * 4) };
}

/** Words here are alike, so that most have variants. */
function fuzzy(random: () => number): Query {
  const fields = [
    { field: "title", boost: 1 + Math.floor(random() * 3) },
    { field: "body", boost: 1 },
  ];
  return {
    kind: "fuzzy",
    term: random() < 0.7 ? word(random) : ["w", "w1x", "x12", "w123"][Math.floor(random() * 4)]!,
    ...(random() < 0.3 ? { stem: { term: word(random), ranksBelow: random() < 0.5 } } : {}),
    maxDistance: [0, 1, 2][Math.floor(random() * 3)] as 0 | 1 | 2,
    fields: random() < 0.5 ? fields : fields.slice(random() < 0.5 ? 0 : 1, 2),
  };
}

function phrase(random: () => number): Query {
  const count = 1 + Math.floor(random() * 4);
  let position = 0;
  const terms = Array.from({ length: count }, () => {
    const token = { term: word(random), position };
    position += random() < 0.8 ? 1 : 2;
    return token;
  });
  const field = random() < 0.2 ? "title" : "body";
  return { kind: "phrase", field, terms, slop: random() < 0.1 ? 1 : 0, lastIsPrefix: random() < 0.1 };
}

function filter(random: () => number): Query {
  const kind = random();
  if (kind < 0.15) return { kind: "prefix", field: "body", prefix: random() < 0.5 ? "w1" : "w" };
  if (kind < 0.2) return { kind: "match_all" };
  if (kind < 0.25) return { kind: "exists", field: "title" };
  if (kind < 0.5) return { kind: "facet", field: "f", paths: [`/a/${Math.floor(random() * 4)}`] };
  return range(random);
}

export function range(random: () => number): Query {
  const field = random() < 0.5 ? "n" : "few";
  const width = field === "n" ? 1000 : 5;
  const value = Math.floor(random() * width);
  const upper = random() < 0.4 ? null : { value: value + Math.ceil(width / 5), inclusive: random() < 0.5 };
  return { kind: "value_range", field, lower: { value, inclusive: true }, upper };
}
