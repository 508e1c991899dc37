import { FederatedCollection } from "../../src/adapters/embedded/federated-collection.js";
import { type IndexContents, lowerFor } from "../../src/adapters/embedded/lower-query.js";
import { showHits } from "../../src/adapters/embedded/show-hits.js";
import { toEngineSchema } from "../../src/adapters/embedded/to-engine-schema.js";
import { requireFields, requireFieldsOfPlan } from "../../src/adapters/opensearch/require-fields.js";
import { bytesOfJson } from "../../src/contract/document-json.js";
import type { IndexSchema } from "../../src/contract/index-schema.js";
import { SHAPES_MEMBER } from "../../src/contract/nested-fields.js";
import type { ScoreExplanation } from "../../src/contract/search.js";
import type { FederatedSearchResult } from "../../src/ports/search-backend.js";
import type { QueryAst } from "../../src/query/query-ast.js";
import { hasScores, type SearchPlan } from "../../src/query/search-plan.js";
import type { NaiveDocument } from "../simulation/naive-documents.js";
import { decayOf, facetNodes, labelNodes, type NaiveHit, NaiveIndex } from "../simulation/naive-index.js";
import { frequency } from "../simulation/naive-scoring.js";
import { valuesOf } from "../simulation/naive-values.js";

/** An index as one search sees it. */
export interface NaiveMember {
  readonly schema: IndexSchema;
  readonly documents: readonly NaiveDocument[];
  /** Null: its documents are left out, but its statistics count. */
  readonly plan: SearchPlan | null;
  readonly weight: number;
}

interface MemberHit extends NaiveHit {
  readonly memberIndex: number;
}

/**
 * What a search over indexes has to find (contract 5.8), computed from all documents of all members by the oracle that
 * the engine is tested against; of one member with weight 1 it is the search over that index.
 */
export function searchNaively(members: readonly NaiveMember[]): FederatedSearchResult {
  const searched = members.flatMap((member, memberIndex) =>
    member.plan === null ? [] : [{ ...member, plan: member.plan, memberIndex }],
  );
  for (const { plan, schema } of searched) requireFieldsOfPlan(plan, schema);
  const [first] = searched;
  if (first === undefined) return { count: 0, hits: [], facets: [] };
  const all = members.flatMap(({ documents }) => documents);
  const words = new FederatedCollection(
    members.map(({ schema, documents, plan }) => ({ plan, member: contentsOf(schema, documents) })),
  );
  const scorers = members.map(({ schema }) => new NaiveIndex(toEngineSchema(schema), all));
  const matches = (ast: QueryAst, memberIndex: number): readonly MemberHit[] => {
    const query = lowerFor(ast, words);
    return members[memberIndex]!.documents.flatMap((document) => {
      const score = scorers[memberIndex]!.score(query, document);
      return score === null ? [] : [{ document, score, memberIndex }];
    });
  };

  const found = searched.flatMap(({ plan, weight, memberIndex }) =>
    matches(plan.ast, memberIndex).map(({ document, score }) => ({
      document,
      score: hasScores(plan) ? score * weight * decayOf(document, plan.timeDecay) : 1,
      memberIndex,
    })),
  );
  const { orderBy = [{ kind: "score", descending: true }], offset, limit } = first.plan;
  const ranked = [...found].sort((a, b) => scorers[first.memberIndex]!.compare(orderBy, a, b));

  const paths = new Map<string, (readonly string[])[]>();
  const isFlat = (field: string): boolean => first.schema.fields[field]?.hierarchical === false;
  const count = (field: string, hits: readonly NaiveHit[]): void => {
    const counted = hits.map(({ document }) => valuesOf(document.document[field]).map(String));
    paths.set(field, [...(paths.get(field) ?? []), ...counted]);
  };
  for (const { plan, memberIndex } of searched) {
    const own = found.filter((hit) => hit.memberIndex === memberIndex);
    for (const field of plan.facets) count(field, own);
    for (const { field, ast } of plan.multiSelectFacets ?? []) count(field, matches(ast, memberIndex));
  }
  const page = ranked.slice(offset, offset + limit).map(({ document, score, memberIndex }) => ({
    memberIndex,
    documentId: document.id,
    score,
    docJson: bytesOfJson(storedJson(document, members[memberIndex]!.schema)),
    ...(first.plan.explain === true && hasScores(first.plan) ? { explanationJson: explained(score) } : {}),
  }));
  const shown = members.map(({ schema, plan }) => ({
    searcher: { schema: toEngineSchema(schema) },
    plan: plan!,
  }));
  return {
    count: found.length,
    hits: showHits(page, ({ memberIndex }) => shown[memberIndex]!, { interrupt: { check() {} }, admit() {} }),
    facets: [...paths].map(([field, counted]) => ({
      field,
      nodes: (isFlat(field) ? labelNodes : facetNodes)(counted),
    })),
  };
}

/** Documents that the query matches, whatever they score. */
export function matchingDocuments(
  schema: IndexSchema,
  documents: readonly NaiveDocument[],
  ast: QueryAst,
): readonly NaiveDocument[] {
  requireFields(ast, toEngineSchema(schema).fields);
  const index = new NaiveIndex(toEngineSchema(schema), documents);
  const plan: SearchPlan = { ast, offset: 0, limit: 0, facets: [] };
  const query = lowerFor(ast, new FederatedCollection([{ plan, member: contentsOf(schema, documents) }]));
  return documents.filter((document) => index.score(query, document) !== null);
}

export function storedJson({ document }: NaiveDocument, schema: IndexSchema): string {
  return JSON.stringify(
    Object.fromEntries(
      Object.entries(document).filter(([name]) => name === SHAPES_MEMBER || schema.fields[name]?.stored),
    ),
  );
}

function contentsOf(schema: IndexSchema, documents: readonly NaiveDocument[]): IndexContents {
  const index = new NaiveIndex(toEngineSchema(schema), documents);
  return {
    docFreq: (field, term) =>
      documents.filter((document) => frequency(document, field, (other) => other === term) > 0).length,
    count: (query) => documents.filter((document) => index.score(query, document) !== null).length,
  };
}

/** The oracle gives no reasons. */
function explained(value: number): Uint8Array {
  const explanation: ScoreExplanation = { value, description: "computed from all documents", details: [] };
  return bytesOfJson(JSON.stringify(explanation));
}
