import {
  type CollectionStatistics,
  CombinedStatistics,
  compareSortValues,
  type EngineField,
  type Query,
  type RankedHit,
  type RankedResult,
  type Searcher,
} from "../../engine/index.js";
import type { FederatedHit, FederatedSearchResult } from "../../ports/search-backend.js";
import type { SearchPlan } from "../../query/search-plan.js";
import { FederatedWords } from "./federated-words.js";
import { lowerFor, type SearchedCollection } from "./lower-query.js";
import { mergeFacets } from "./merge-facets.js";

/** An index of a federation as one search sees it; the port's `FederationMember` with its snapshot. */
export interface SearchedMember {
  readonly searcher: Searcher;
  readonly plan: SearchPlan | null;
  readonly weight: number;
}

/** A member that is not left out, with what it found. */
interface RankedMember {
  readonly memberIndex: number;
  readonly searcher: Searcher;
  readonly plan: SearchPlan;
  readonly query: Query;
  readonly result: RankedResult;
  /** The field that hits are ordered by. */
  readonly orderField: EngineField | undefined;
}

interface MergedHit {
  readonly member: RankedMember;
  readonly hit: RankedHit;
}

/**
 * Searches snapshots of several indexes as one (contract 5.8). Every member ranks as many hits as
 * the page may need, by the statistics of all members, those left out included: so a filter that
 * leaves an index out doesn't move the scores of the others. Only the page's documents are read.
 */
export function searchFederation(members: readonly SearchedMember[]): FederatedSearchResult {
  const statistics = new CombinedStatistics(members.map(({ searcher }) => searcher));
  const words = new FederatedWords(members);
  const ranked = members.flatMap((member, memberIndex) => {
    const { searcher, plan } = member;
    if (plan === null) return [];
    const query = weighted(lowerFor(plan.ast, words), plan.orderBy === undefined ? member.weight : 1);
    const result = rank(searcher, query, plan, statistics);
    const orderField = searcher.schema.fields.find(({ name }) => name === plan.orderBy?.field);
    return [{ memberIndex, searcher, plan, query, result, orderField }];
  });
  const { offset = 0, limit = 0, orderBy } = ranked[0]?.plan ?? {};
  const page = mergedHits(ranked, orderBy?.descending).slice(offset, offset + limit);
  return {
    count: ranked.reduce((sum, { result }) => sum + result.count, 0),
    hits: page.map((merged) => loaded(merged, statistics)),
    facets: mergeFacets(ranked.flatMap((member) => [member.result.facets, multiSelectFacets(member, words)])),
  };
}

/** The weight is part of the query, so that scores tie where the weighted ones do. */
function weighted(query: Query, weight: number): Query {
  return weight === 1 ? query : { kind: "boost", query, factor: weight };
}

function rank(
  searcher: Searcher,
  query: Query,
  { offset, limit, facets, orderBy, timeDecay }: SearchPlan,
  statistics: CollectionStatistics,
): RankedResult {
  const order = orderBy === undefined ? {} : { orderBy };
  const decay = timeDecay === undefined ? {} : { timeDecay };
  return searcher.rank({ query, offset, limit, facets, ...order, ...decay }, statistics);
}

/**
 * Each member's hits come in order and members in theirs, so a stable sort leaves ties as they are to be.
 *
 * @param descending undefined: by score
 */
function mergedHits(ranked: readonly RankedMember[], descending: boolean | undefined): MergedHit[] {
  const hits = ranked.flatMap((member) => member.result.hits.map((hit) => ({ member, hit })));
  if (descending === undefined) return hits.sort((a, b) => b.hit.score - a.hit.score);
  return hits.sort((a, b) => {
    const left = sortValue(a);
    const right = sortValue(b);
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return descending ? compareSortValues(right, left) : compareSortValues(left, right);
  });
}

function sortValue({
  member,
  hit,
}: MergedHit): { readonly field: EngineField; readonly bytes: Uint8Array } | null {
  const { sortKey: bytes } = hit;
  const field = member.orderField;
  return bytes === undefined || bytes === null || field === undefined ? null : { field, bytes };
}

function loaded({ member, hit }: MergedHit, statistics: CollectionStatistics): FederatedHit {
  const { memberIndex, searcher, plan, query } = member;
  const { documentId, score, json } = searcher.load(hit);
  // Ordered hits have no score to explain.
  const explains = plan.explain === true && plan.orderBy === undefined;
  const explanation = explains ? searcher.explain(query, documentId, statistics, plan.timeDecay) : null;
  return {
    memberIndex,
    documentId,
    score,
    docJson: json,
    ...(explanation === null ? {} : { explanation }),
  };
}

function multiSelectFacets(
  { searcher, plan }: RankedMember,
  collection: SearchedCollection,
): RankedResult["facets"] {
  return (plan.multiSelectFacets ?? []).flatMap(({ field, ast }) => {
    const query = lowerFor(ast, collection);
    return searcher.rank({ query, offset: 0, limit: 0, facets: [field] }).facets;
  });
}
