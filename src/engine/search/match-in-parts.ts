import { andInto, andNotInto, type Bitset, emptyBitset, orInto } from "../bytes/bitset.js";
import { releaseBuffer } from "../bytes/release-buffer.js";
import type { DocBits } from "../segment/segment-reader.js";
import type { SlicedWork } from "../segment/sliced-work.js";
import { collectDocsInSlices } from "./evaluators/collect-docs.js";
import type { SegmentContext } from "./plan/matcher.js";
import type { BooleanQuery, Query } from "./query.js";
import { createWeight } from "./weights/create-weight.js";
import type { QueryBinding } from "./weights/query-binding.js";
import type { Weight } from "./weights/weight.js";

/**
 * What is bound, and begun in a segment, between two pauses: a token or a value counts for one, what has to be expanded
 * for `EXPANDED_COST`, which takes some 10 ms in a segment of 80,000 documents at worst. An object so that tests can
 * change it.
 */
export const partCost: { max: number } = { max: 64 };
const EXPANDED_COST = 16;

/** Which documents a query matches, its scores left aside: what is dear is made of parts, which are found by themselves. */
export type MatchParts =
  | { readonly kind: "whole"; readonly weight: Weight }
  | {
      readonly kind: "combined";
      readonly required: readonly MatchParts[];
      /** One of them has to match; null: none has to. */
      readonly alternatives: readonly MatchParts[] | null;
      readonly excluded: readonly MatchParts[];
    };

/** Binds a query part by part. @throws as `createWeight` */
export function* bindInParts(query: Query, binding: QueryBinding): SlicedWork<MatchParts> {
  if (query.kind === "boost" || query.kind === "constant_score")
    return yield* bindInParts(query.query, binding);
  if (query.kind === "boolean" && isDivisible(query)) return yield* bindClauses(query, binding);
  const weight = createWeight(query, binding);
  yield;
  return { kind: "whole", weight };
}

function isDivisible(query: BooleanQuery): boolean {
  const isIncluding = query.clauses.some(({ occur }) => occur !== "must_not");
  return isIncluding && (query.minimumShouldMatch ?? 0) <= 1 && costOf(query) > partCost.max;
}

function* bindClauses(query: BooleanQuery, binding: QueryBinding): SlicedWork<MatchParts> {
  const of = (...occurs: readonly string[]): Query[] =>
    query.clauses.filter(({ occur }) => occurs.includes(occur)).map((clause) => clause.query);
  const required = yield* bindEach(packed(of("must", "filter"), "must"), binding);
  const alternatives = yield* bindEach(packed(of("should"), "should"), binding);
  const excluded = yield* bindEach(packed(of("must_not"), "should"), binding);
  const wantsOne = required.length === 0 || query.minimumShouldMatch === 1;
  return { kind: "combined", required, alternatives: wantsOne ? alternatives : null, excluded };
}

function* bindEach(queries: readonly Query[], binding: QueryBinding): SlicedWork<MatchParts[]> {
  const parts: MatchParts[] = [];
  for (const query of queries) parts.push(yield* bindInParts(query, binding));
  return parts;
}

/** As few queries in place of these as the cost of each allows. */
function packed(queries: readonly Query[], occur: "must" | "should"): Query[] {
  const packs: Query[][] = [];
  let cost: number = Number.POSITIVE_INFINITY;
  for (const query of queries) {
    const own = costOf(query);
    cost += own;
    if (cost <= partCost.max) packs.at(-1)!.push(query);
    else [cost] = [own, packs.push([query])];
  }
  return packs.map((pack) =>
    pack.length === 1 ? pack[0]! : { kind: "boolean", clauses: pack.map((query) => ({ occur, query })) },
  );
}

/** Recursion is as deep as the query, which is bounded. */
function costOf(query: Query): number {
  switch (query.kind) {
    case "boost":
    case "constant_score":
      return costOf(query.query);
    case "boolean":
      return query.clauses.reduce((cost, clause) => cost + costOf(clause.query), 0);
    case "match_all":
    case "match_none":
    case "term":
    case "document_ids":
      return 1;
    default:
      return EXPANDED_COST;
  }
}

/** The documents of a segment that match. */
export function* docsOfParts(parts: MatchParts, context: SegmentContext): SlicedWork<DocBits> {
  const { segment, pool } = context;
  if (parts.kind === "whole") {
    const evaluator = parts.weight.evaluator(context);
    yield;
    return evaluator === null
      ? emptyBitset(segment.maxDoc)
      : yield* collectDocsInSlices(evaluator, segment, pool);
  }
  let docs: Bitset | null = null;
  for (const part of parts.required) {
    const ofPart: DocBits = yield* docsOfParts(part, context);
    if (docs === null) docs = ofPart;
    else combine(andInto, docs, ofPart);
  }
  if (parts.alternatives !== null) {
    const any = emptyBitset(segment.maxDoc);
    for (const part of parts.alternatives) combine(orInto, any, yield* docsOfParts(part, context));
    if (docs === null) docs = any;
    else combine(andInto, docs, any);
  }
  docs ??= emptyBitset(segment.maxDoc);
  for (const part of parts.excluded) combine(andNotInto, docs, yield* docsOfParts(part, context));
  return docs;
}

/** @param other of no use afterwards */
function combine(into: (target: Bitset, other: Bitset) => void, target: Bitset, other: Bitset): void {
  into(target, other);
  releaseBuffer(other.buffer);
}
