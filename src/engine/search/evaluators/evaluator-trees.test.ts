/**
 * Trees of combining evaluators, over many windows and with or without candidates, match and score
 * each document as a computation for that document alone says. Scores are integers, so that sums are
 * exact in any order.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { testBit } from "../../bytes/bitset.js";
import { NO_MORE_DOCS } from "../../schema/document.js";
import { ConjunctionEvaluator } from "./conjunction-evaluator.js";
import { DisjunctionEvaluator } from "./disjunction-evaluator.js";
import {
  AllDocumentsEvaluator,
  DocBitsEvaluator,
  DocListEvaluator,
  docsEvaluator,
  NumberRangeEvaluator,
} from "./document-evaluators.js";
import { evaluateWindows } from "./evaluate-windows.js";
import type { Evaluator } from "./evaluator.js";
import { ExclusionEvaluator } from "./exclusion-evaluator.js";
import { MinimumShouldMatchEvaluator } from "./minimum-should-match-evaluator.js";
import { OptionalEvaluator } from "./optional-evaluator.js";
import { BoostEvaluator, ConstantScoreEvaluator } from "./rescoring-evaluators.js";
import { WindowPool } from "./window-pool.js";

const MAX_DOC = 3 * 4096 + 77;

/** A tree in both forms: per document, and as evaluators. */
interface Tree {
  readonly text: string;
  score(docId: number): number | null;
  evaluator(pool: WindowPool): Evaluator;
}

/** Doc ids around window ends and in between, and runs of them. */
const docIds: fc.Arbitrary<readonly number[]> = fc
  .array(
    fc.tuple(
      fc.oneof(fc.nat({ max: MAX_DOC - 1 }), fc.constantFrom(0, 31, 32, 4095, 4096, 8191, 8192, MAX_DOC - 1)),
      fc.constantFrom(1, 1, 3, 500, 5000),
    ),
    { maxLength: 4 },
  )
  .map((runs) => [
    ...new Set(
      runs.flatMap(([first, length]) =>
        Array.from({ length: Math.min(length, MAX_DOC - first) }, (_, i) => first + i),
      ),
    ),
  ]);

const leaf: fc.Arbitrary<Tree> = fc.oneof(
  fc.constant<Tree>({ text: "all", score: () => 1, evaluator: () => new AllDocumentsEvaluator(MAX_DOC) }),
  fc.tuple(docIds, fc.constantFrom("list", "bits", "docs", "numbers")).map(([ids, kind]): Tree => {
    const set = new Set(ids);
    return {
      text: `${kind}(${ids.length})`,
      score: (docId) => (set.has(docId) ? 1 : null),
      evaluator: () => {
        const sorted = Uint32Array.from(ids).sort();
        if (kind === "list") return new DocListEvaluator(sorted);
        if (kind === "numbers") {
          const numbers = new Uint8Array(MAX_DOC).map((_, docId) =>
            set.has(docId) ? 5 + (docId & 1) : docId % 5,
          );
          return new NumberRangeEvaluator(numbers, { first: 5, end: 7 }, MAX_DOC, ids.length);
        }
        const bits = new Uint32Array((MAX_DOC + 31) >>> 5);
        for (const docId of ids) bits[docId >>> 5]! |= 1 << (docId & 31);
        return kind === "bits" ? new DocBitsEvaluator(bits, ids.length) : docsEvaluator(bits);
      },
    };
  }),
);

const tree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => {
  const several = fc.array(tie("tree"), { minLength: 1, maxLength: 4 });
  return {
    tree: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      leaf,
      fc
        .tuple(several, fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }))
        .map(([clauses, scoring]) => and(clauses, scoring)),
      several.map((clauses) => atLeast(1, clauses)),
      fc
        .tuple(several, fc.integer({ min: 1, max: 4 }))
        .map(([clauses, m]) => atLeast(Math.min(m, clauses.length), clauses)),
      fc.tuple(tie("tree"), several).map(([included, excluded]) => not(included, excluded)),
      fc.tuple(tie("tree"), several).map(([required, optional]) => withOptional(required, optional)),
      fc.tuple(tie("tree"), fc.nat({ max: 3 })).map(([inner, factor]) => rescored("boost", inner, factor)),
      fc.tuple(tie("tree"), fc.nat({ max: 3 })).map(([inner, score]) => rescored("constant", inner, score)),
    ),
  };
}).tree;

describe("evaluator trees", () => {
  test("match and score as each document alone", () => {
    fc.assert(
      fc.property(tree, fc.option(docIds), fc.boolean(), (root, live, withScores) => {
        const pool = new WindowPool();
        const liveDocs = live === null ? null : new Uint32Array((MAX_DOC + 31) >>> 5);
        for (const docId of live ?? []) liveDocs![docId >>> 5]! |= 1 << (docId & 31);
        const found: [number, number][] = [];
        evaluateWindows(root.evaluator(pool), { maxDoc: MAX_DOC, liveDocs }, pool, withScores, {
          collect(windowStart, matches, scores) {
            for (let offset = 0; offset < 4096; offset++) {
              const matched = testBit(matches, offset);
              if (matched) found.push([windowStart + offset, scores === null ? 0 : scores[offset]!]);
              else if (scores !== null && scores[offset] !== 0)
                throw new Error(`score without match at ${offset}`);
            }
          },
        });
        const expected: [number, number][] = [];
        for (let docId = 0; docId < MAX_DOC; docId++) {
          const score = liveDocs === null || testBit(liveDocs, docId) ? root.score(docId) : null;
          if (score !== null) expected.push([docId, withScores ? score : 0]);
        }
        expect(found, root.text).toEqual(expected);
        for (let i = 0; i < 3; i++) expect(pool.borrowScores().every((score) => score === 0)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test("sums more clauses than are reordered", () => {
    const clauses = Array.from({ length: 40 }, () => new AllDocumentsEvaluator(100));
    const pool = new WindowPool();
    const conjunction = new ConjunctionEvaluator(
      clauses.map((evaluator) => ({ evaluator, scoring: true })),
      pool,
    );
    const scores = new Float32Array(4096);
    conjunction.evaluate(0, null, new Uint32Array(128), scores);
    expect([scores[0], scores[99], scores[100]]).toEqual([40, 40, 0]);
    expect(conjunction.nextMatchBound(100)).toBe(NO_MORE_DOCS);
  });
});

function and(clauses: readonly Tree[], scoring: readonly boolean[]): Tree {
  return {
    text: `and(${clauses.map(({ text }) => text).join(", ")})`,
    score: (docId) => {
      const scores = clauses.map((clause) => clause.score(docId));
      if (scores.includes(null)) return null;
      return scores.reduce<number>((sum, score, i) => sum + (scoring[i] === true ? score! : 0), 0);
    },
    evaluator: (pool) =>
      new ConjunctionEvaluator(
        clauses.map((clause, i) => ({ evaluator: clause.evaluator(pool), scoring: scoring[i]! })),
        pool,
      ),
  };
}

function atLeast(minimum: number, clauses: readonly Tree[]): Tree {
  return {
    text: `atLeast${minimum}(${clauses.map(({ text }) => text).join(", ")})`,
    score: (docId) => {
      const scores = clauses.map((clause) => clause.score(docId)).filter((score) => score !== null);
      return scores.length < minimum ? null : scores.reduce((sum, score) => sum + score, 0);
    },
    evaluator: (pool) => {
      const evaluators = clauses.map((clause) => clause.evaluator(pool));
      if (minimum === 1) return new DisjunctionEvaluator(evaluators, pool);
      return new MinimumShouldMatchEvaluator(evaluators, minimum, pool);
    },
  };
}

function not(included: Tree, excluded: readonly Tree[]): Tree {
  return {
    text: `not(${included.text}; ${excluded.map(({ text }) => text).join(", ")})`,
    score: (docId) =>
      excluded.some((clause) => clause.score(docId) !== null) ? null : included.score(docId),
    evaluator: (pool) =>
      new ExclusionEvaluator(
        included.evaluator(pool),
        excluded.map((clause) => clause.evaluator(pool)),
        pool,
      ),
  };
}

function withOptional(required: Tree, optional: readonly Tree[]): Tree {
  return {
    text: `optional(${required.text}; ${optional.map(({ text }) => text).join(", ")})`,
    score: (docId) => {
      const score = required.score(docId);
      return score === null
        ? null
        : optional.reduce((sum, clause) => sum + (clause.score(docId) ?? 0), score);
    },
    evaluator: (pool) =>
      new OptionalEvaluator(
        required.evaluator(pool),
        optional.map((clause) => clause.evaluator(pool)),
        pool,
      ),
  };
}

function rescored(kind: "boost" | "constant", inner: Tree, value: number): Tree {
  return {
    text: `${kind}${value}(${inner.text})`,
    score: (docId) => {
      const score = inner.score(docId);
      return score === null ? null : kind === "boost" ? score * value : value;
    },
    evaluator: (pool) =>
      kind === "boost"
        ? new BoostEvaluator(inner.evaluator(pool), value, pool)
        : new ConstantScoreEvaluator(inner.evaluator(pool), value),
  };
}
