/** Random queries of every kind over a schema of `arbitrarySchema`. */
import fc from "fast-check";
import type { CanonicalValue } from "../../src/engine/schema/document.js";
import type { EngineField, EngineSchema } from "../../src/engine/schema/engine-schema.js";
import type { Query, RangeBound, WordRow } from "../../src/engine/search/query.js";
import type { OrderKey, SearchOptions } from "../../src/engine/search/search-types.js";
import { arbitraryValue, word } from "./arbitrary-documents.js";

const boost = fc.constantFrom(0, 0.5, 1, 3, 100);
const occur = fc.constantFrom(
  "should" as const,
  "must" as const,
  "should" as const,
  "should" as const,
  "must_not" as const,
  "filter" as const,
);

function bound<T>(value: fc.Arbitrary<T>): fc.Arbitrary<RangeBound<T> | null> {
  return fc.option(fc.record({ value, inclusive: fc.boolean() }), { freq: 4 });
}

/** A word, or one with an edit or two. */
const misspelt: fc.Arbitrary<string> = fc
  .tuple(
    word,
    fc.array(fc.tuple(fc.nat({ max: 40 }), fc.constantFrom("insert", "delete", "swap")), { maxLength: 2 }),
  )
  .map(([original, edits]) => {
    let letters = [...original];
    for (const [at, kind] of edits) {
      const place = at % (letters.length + 1);
      if (kind === "insert") letters = letters.toSpliced(place, 0, "n");
      else if (kind === "delete" && letters.length > 1) letters = letters.toSpliced(place, 1);
      else if (place + 1 < letters.length)
        letters = letters.toSpliced(place, 2, letters[place + 1]!, letters[place]!);
    }
    return letters.join("");
  });

/** @param ids documents that a query by id may name */
export function arbitraryQuery(schema: EngineSchema, ids: readonly string[]): fc.Arbitrary<Query> {
  const ofKind = (...kinds: readonly string[]): fc.Arbitrary<EngineField> =>
    fc.constantFrom(...schema.fields.filter(({ kind }) => kinds.includes(kind)));
  const textField = ofKind("text", "label").map(({ name }) => name);
  const columnField = ofKind("keyword", "label", "bool", "u64", "i64", "f64", "datetime");
  const typedField = ofKind("bool", "u64", "i64", "f64", "datetime");

  const leaf: fc.Arbitrary<Query> = fc.oneof(
    fc.constant<Query>({ kind: "match_all" }),
    fc.constant<Query>({ kind: "match_none" }),
    fc.record({ kind: fc.constant("term" as const), field: textField, term: word }),
    fc.record({ kind: fc.constant("term" as const), field: textField, term: word }),
    arbitraryPhrase(textField),
    arbitraryPhrase(textField),
    fc.record({
      kind: fc.constant("prefix" as const),
      field: textField,
      prefix: fc.constantFrom("w", "win", "winter", "ta", "é", "日"),
    }),
    fc.record({
      kind: fc.constant("term_range" as const),
      field: textField,
      lower: bound(word),
      upper: bound(word),
    }),
    columnField.chain((field) =>
      fc.record({
        kind: fc.constant("value_set" as const),
        field: fc.constant(field.name),
        values: fc.array(arbitraryValue(field), { maxLength: 4 }),
      }),
    ),
    typedField.chain((field) =>
      fc.record({
        kind: fc.constant("value_range" as const),
        field: fc.constant(field.name),
        lower: bound(arbitraryBound(field)),
        upper: bound(arbitraryBound(field)),
      }),
    ),
    fc.record({
      kind: fc.constant("value_prefix" as const),
      field: ofKind("keyword", "label").map(({ name }) => name),
      prefix: fc.constantFrom("a", "A", "Ab", "É", "", "b-"),
    }),
    fc.record({
      kind: fc.constant("facet" as const),
      field: ofKind("facet").map(({ name }) => name),
      paths: fc.array(fc.constantFrom("/a", "/a/b", "/ab", "/c d", "/é/a", "/none"), { maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant("exists" as const),
      field: fc.constantFrom(...schema.fields).map(({ name }) => name),
    }),
    arbitraryFuzzy(textField),
    arbitraryFuzzy(textField),
    arbitraryBegun(textField),
    arbitraryFuzzyPrefix(textField),
    arbitraryWords(textField),
    arbitraryWords(textField),
    arbitrarySynonyms(textField),
    fc.record({
      kind: fc.constant("document_ids" as const),
      ids: fc.array(fc.constantFrom("0".repeat(32), ...ids), { maxLength: 4 }),
    }),
  );
  return fc.letrec<{ query: Query }>((tie) => ({
    query: fc.oneof(
      { depthSize: "medium", withCrossShrink: true, maxDepth: 4 },
      { arbitrary: leaf, weight: 4 },
      { arbitrary: arbitraryBoolean(tie("query")), weight: 4 },
      fc.record({ kind: fc.constant("boost" as const), query: tie("query"), factor: boost }),
      fc.record({ kind: fc.constant("constant_score" as const), query: tie("query"), score: boost }),
    ),
  })).query;
}

function arbitraryBoolean(query: fc.Arbitrary<Query>): fc.Arbitrary<Query> {
  return fc
    .record({
      clauses: fc.array(fc.record({ occur, query }), { maxLength: 5 }),
      minimumShouldMatch: fc.option(fc.nat({ max: 4 }), { nil: undefined }),
    })
    .map(({ clauses, minimumShouldMatch }) => ({
      kind: "boolean",
      clauses,
      ...(minimumShouldMatch === undefined ? {} : { minimumShouldMatch }),
    }));
}

function arbitraryPhrase(field: fc.Arbitrary<string>): fc.Arbitrary<Query> {
  return fc
    .record({
      field,
      words: fc.array(fc.tuple(word, fc.constantFrom(1, 1, 1, 2)), { minLength: 1, maxLength: 3 }),
      slop: fc.constantFrom(0, 0, 1, 3),
      prefixLength: fc.constantFrom(0, 0, 1, 3),
    })
    .map(({ field: name, words, slop, prefixLength }) => {
      let position = 7;
      const terms = words.map(([term, gap]) => ({ term, position: (position += gap) }));
      const last = terms.at(-1)!;
      if (prefixLength > 0) last.term = [...last.term].slice(0, prefixLength).join("");
      return { kind: "phrase", field: name, terms, slop, lastIsPrefix: prefixLength > 0 };
    });
}

function arbitraryFuzzy(field: fc.Arbitrary<string>): fc.Arbitrary<Extract<Query, { kind: "fuzzy" }>> {
  return fc
    .record({
      kind: fc.constant("fuzzy" as const),
      term: misspelt,
      maxDistance: fc.constantFrom(0 as const, 1 as const, 2 as const),
      rows: fc.array(arbitraryRow, { maxLength: 5 }),
      fields: fc.uniqueArray(fc.record({ field, boost }), {
        minLength: 1,
        maxLength: 3,
        selector: (entry) => entry.field,
      }),
    })
    .map(({ rows, ...query }) =>
      rows.length > 2
        ? {
            ...query,
            rows,
            ...(rows.length > 3 && { rowsComeBefore: rows.length > 4 ? (1 as const) : (2 as const) }),
          }
        : query,
    );
}

/** A word in two, or one that two have become. */
const arbitraryRow: fc.Arbitrary<WordRow> = fc
  .record({
    terms: fc.array(word, { minLength: 1, maxLength: 2 }),
    prefixLength: fc.constantFrom(0, 0, 0, 2),
  })
  .map(({ terms, prefixLength }) => {
    const last = terms.at(-1)!;
    const beginning = [...last].slice(0, prefixLength).join("");
    return prefixLength === 0
      ? { terms, lastIsPrefix: false }
      : { terms: [...terms.slice(0, -1), beginning], lastIsPrefix: true };
  });

/** A word still being typed. */
function arbitraryBegun(field: fc.Arbitrary<string>): fc.Arbitrary<Extract<Query, { kind: "fuzzy" }>> {
  return fc
    .tuple(
      arbitraryFuzzy(field),
      fc.record({
        length: fc.integer({ min: 1, max: 12 }),
        maxDistance: fc.constantFrom(0 as const, 0 as const, 1 as const, 2 as const),
      }),
    )
    .map(([word, { length, maxDistance }]) => {
      const term = [...word.term].slice(0, length).join("");
      return { ...word, term, begun: { prefix: term, maxDistance } };
    });
}

/** Words in their own readings, and others of one or several of them. */
function arbitraryWords(field: fc.Arbitrary<string>): fc.Arbitrary<Query> {
  const own = fc.oneof(arbitraryFuzzy(field), arbitraryFuzzy(field), arbitraryBegun(field));
  const other = fc.record({
    from: fc.nat({ max: 3 }),
    size: fc.nat({ max: 2 }),
    query: fc.oneof(
      fc.record({ kind: fc.constant("term" as const), field, term: word }),
      arbitraryPhrase(field).filter(
        (query) => query.kind === "phrase" && query.slop === 0 && !query.lastIsPrefix,
      ),
    ),
    slips: fc.constantFrom(0, 0, 1),
    counts: fc.constantFrom(undefined, "cover" as const, "score" as const),
  });
  return fc
    .record({
      words: fc.array(own, { minLength: 1, maxLength: 4 }),
      others: fc.array(other, { maxLength: 2 }),
      needsAll: fc.constantFrom(undefined, undefined, true as const),
      unplaced: fc.nat({ max: 8 }),
      stopWord: fc.option(word, { nil: undefined }),
    })
    .map(({ words, others, needsAll, unplaced, stopWord }) => ({
      kind: "words",
      readings: [
        ...words.map((query, start) => ({
          start,
          end: start + 1,
          query: { ...query, fields: words[0]!.fields },
          ...(start !== unplaced && { position: start + (start > 1 ? 1 : 0) }),
        })),
        ...(stopWord === undefined
          ? []
          : [
              {
                start: 0,
                end: 0,
                query: {
                  kind: "fuzzy" as const,
                  term: stopWord,
                  maxDistance: 0 as const,
                  fields: words[0]!.fields,
                },
                position: words.length === 1 ? 1 : 2,
                counts: "nearness" as const,
              },
            ]),
        ...others.flatMap(({ from, size, query, slips, counts }) => {
          const start = Math.min(from, words.length);
          const end = Math.min(start + size, words.length);
          const reading = {
            start,
            end,
            query,
            slips,
            ...(counts !== undefined ? { counts } : start === end && { counts: "score" as const }),
          };
          // What covers without scoring scores otherwise, as synonyms do: no document is found by it alone.
          const scoring = { start: 0, end: 0, query, counts: "score" as const };
          return counts === "cover" ? [reading, scoring] : [reading];
        }),
      ],
      ...(needsAll === true && { needsAll }),
    }));
}

/** One or two keys over a word, or over nothing, as where all of a key's tokens are stopwords. */
function arbitrarySynonyms(field: fc.Arbitrary<string>): fc.Arbitrary<Query> {
  const run = fc
    .array(word, { minLength: 1, maxLength: 3 })
    .map((words) => words.map((term, position) => ({ term, position })));
  return fc.record({
    kind: fc.constant("synonyms" as const),
    query: fc.oneof(arbitraryFuzzy(field), arbitraryFuzzy(field), fc.constant<Query>({ kind: "match_none" })),
    alternatives: fc.array(fc.record({ key: run, terms: fc.array(run, { minLength: 1, maxLength: 3 }) }), {
      minLength: 1,
      maxLength: 2,
    }),
    fields: fc.uniqueArray(fc.record({ field, boost }), {
      minLength: 1,
      maxLength: 3,
      selector: (entry) => entry.field,
    }),
  });
}

/** From one letter to a whole word, with typos. */
function arbitraryFuzzyPrefix(field: fc.Arbitrary<string>): fc.Arbitrary<Query> {
  return fc.record({
    kind: fc.constant("fuzzy_prefix" as const),
    prefix: fc
      .tuple(misspelt, fc.integer({ min: 1, max: 12 }))
      .map(([text, length]) => text.slice(0, length)),
    maxDistance: fc.constantFrom(0 as const, 1 as const, 2 as const),
    fields: fc.uniqueArray(fc.record({ field, boost }), {
      minLength: 1,
      maxLength: 3,
      selector: (entry) => entry.field,
    }),
  });
}

/** A bound that the field may or may not be able to hold. */
function arbitraryBound(field: EngineField): fc.Arbitrary<CanonicalValue> {
  switch (field.kind) {
    case "u64":
    case "i64":
    case "f64":
      return fc.oneof(
        arbitraryValue(field),
        fc.constantFrom<CanonicalValue>(-1, 2.5, "0.1", "-3", "99999999999999999999"),
      );
    case "datetime":
      return fc.oneof(
        arbitraryValue(field),
        fc.constantFrom("2024-01-02T00:00:00.0000001Z", "2024-01-03T00:00:00Z"),
      );
    default:
      return arbitraryValue(field);
  }
}

/** Mostly one key, sometimes several, relevance among them. */
function arbitraryOrder(fields: readonly string[]): fc.Arbitrary<readonly OrderKey[]> {
  const byField = fc.record({
    kind: fc.constant("field" as const),
    field: fc.constantFrom(...fields),
    descending: fc.boolean(),
  });
  const byScore = fc.record({ kind: fc.constant("score" as const), descending: fc.boolean() });
  const key = fc.oneof({ arbitrary: byField, weight: 4 }, { arbitrary: byScore, weight: 1 });
  return fc.oneof(
    fc.tuple(byField),
    fc.array(byField, { minLength: 2, maxLength: 3 }),
    fc.array(key, { minLength: 1, maxLength: 4 }),
  );
}

/** A whole search: a page, and sometimes an order, a decay or facets. */
export function arbitrarySearch(schema: EngineSchema, ids: readonly string[]): fc.Arbitrary<SearchOptions> {
  const orderFields = schema.fields
    .filter(({ kind, multi }) => kind !== "facet" && !multi)
    .map(({ name }) => name);
  return fc
    .record({
      query: arbitraryQuery(schema, ids),
      offset: fc.constantFrom(0, 0, 1, 5),
      limit: fc.constantFrom(0, 1, 3, 100),
      facets: fc.subarray(["shelf", "category", "brand", "colours"]),
      orderBy: fc.option(arbitraryOrder(orderFields), { nil: undefined, freq: 2 }),
      decayField: fc.constantFrom(undefined, undefined, "at", "times"),
    })
    .map(({ orderBy, decayField, ...options }) => ({
      ...options,
      ...(orderBy === undefined ? {} : { orderBy }),
      ...(decayField === undefined
        ? {}
        : { timeDecay: { field: decayField, nowSeconds: Date.UTC(2024, 0, 3) / 1000, ratePerDay: 0.01 } }),
    }));
}
