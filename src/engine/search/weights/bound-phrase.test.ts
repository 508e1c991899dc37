// Property: a phrase's tokens are ordered by where they stand, those of the same place as they were named, whatever the order in which they were.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { PhraseQuery } from "../query.js";
import { BoundPhrase } from "./bound-phrase.js";
import type { BoundTerm } from "./bound-term.js";

const token = fc.record({
  term: fc.constantFrom("red", "green", "blue"),
  position: fc.integer({ min: 0, max: 6 }),
});
const phrase = fc.record({
  terms: fc.array(token, { minLength: 2, maxLength: 8 }),
  slop: fc.integer({ min: 0, max: 2 }),
  lastIsPrefix: fc.boolean(),
});

test("tokens in any order, repeated ones and gaps between them", () => {
  fc.assert(
    fc.property(phrase, ({ terms, slop, lastIsPrefix }) => {
      const query: PhraseQuery = { kind: "phrase", field: "title", terms, slop, lastIsPrefix };
      const tokens = lastIsPrefix ? terms.slice(0, -1) : terms;
      const bound = tokens.map(
        ({ term }, i) => ({ field: "title", term, inverseDocFreq: i + 1 }) as unknown as BoundTerm,
      );
      const first = Math.min(...terms.map(({ position }) => position));
      const expected = tokens
        .map(({ position }, i) => ({ term: bound[i], offset: position - first }))
        .toSorted((a, b) => a.offset - b.offset);
      const { terms: ordered, prefix, inverseDocFreq, query: kept } = new BoundPhrase(query, bound);
      expect(ordered.map(({ offset }) => offset)).toEqual(expected.map(({ offset }) => offset));
      for (const [i, { term }] of ordered.entries()) expect(term).toBe(expected[i]!.term);
      const last = terms[terms.length - 1]!;
      expect(prefix).toEqual(lastIsPrefix ? { text: last.term, offset: last.position - first } : null);
      expect(inverseDocFreq).toBe((bound.length * (bound.length + 1)) / 2);
      expect(kept).toEqual(query);
    }),
  );
});
