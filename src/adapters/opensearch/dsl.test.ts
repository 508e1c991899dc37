import { expect, test } from "vitest";
import { amongst, anyOf, boosted, type Dsl } from "./dsl.js";

const LIVE: readonly Dsl[] = [{ range: { born: { lte: 1 } } }];
const [A, B]: readonly Dsl[] = [{ term: { a: "a" } }, { term: { b: "b" } }] as const;

test("filters stand beside the clauses of a query that has any it needs", () => {
  expect(amongst(LIVE, { bool: { must: [A], filter: [B] } })).toEqual({
    bool: { must: [A], filter: [...LIVE, B] },
  });
  expect(amongst(LIVE, { bool: { must: [A], filter: B } })).toEqual({
    bool: { must: [A], filter: [...LIVE, B] },
  });
  expect(amongst(LIVE, boosted(A!, 2))).toEqual({ bool: { must: [A], boost: 2, filter: LIVE } });
  expect(amongst(LIVE, anyOf([A!, B!]))).toEqual({
    bool: { should: [A, B], minimum_should_match: 1, filter: LIVE },
  });
});

test("filters stand around a query whose clauses would be optional beside them", () => {
  for (const query of [A!, { bool: { should: [A, B] } }, { bool: { must_not: [A] } }])
    expect(amongst(LIVE, query)).toEqual({ bool: { filter: LIVE, must: [query] } });
});
