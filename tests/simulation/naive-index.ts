import type { CanonicalValue, DocumentId } from "../../src/engine/schema/document.js";
import type { EngineField, EngineSchema } from "../../src/engine/schema/engine-schema.js";
import type { BooleanQuery, Query, RangeBound } from "../../src/engine/search/query.js";
import type { FacetNode, OrderKey, SearchOptions, TimeDecay } from "../../src/engine/search/search-types.js";
import type { NaiveDocument } from "./naive-documents.js";
import { fuzzyPrefixScore, fuzzyScore, phraseScore, stemScore, synonymsScore } from "./naive-scoring.js";
import { compareCodePoints, compareForOrder, compareValues, valuesOf } from "./naive-values.js";
import { wordsScore } from "./naive-words.js";

export type { NaiveDocument } from "./naive-documents.js";

export interface NaiveHit {
  readonly document: NaiveDocument;
  readonly score: number;
}

export interface NaiveSearchResult {
  readonly count: number;
  readonly hits: readonly { readonly documentId: DocumentId; readonly score: number }[];
  readonly facets: readonly { readonly field: string; readonly nodes: readonly FacetNode[] }[];
}

/**
 * What a search has to find, computed from a plain array of documents with no index, no segments and
 * no code of the engine's but the coding of field norms. Quadratic and worse: for small collections.
 */
export class NaiveIndex {
  readonly schema: EngineSchema;
  /** Live documents in insertion order. */
  readonly documents: readonly NaiveDocument[];

  constructor(schema: EngineSchema, documents: readonly NaiveDocument[]) {
    this.schema = schema;
    this.documents = documents;
  }

  search(options: SearchOptions): NaiveSearchResult {
    const { orderBy, timeDecay } = options;
    const matches = this.documents.flatMap((document) => {
      const score = this.score(options.query, document);
      return score === null ? [] : [{ document, score }];
    });
    const withScores = orderBy === undefined || orderBy.some(({ kind }) => kind === "score");
    const ranked = matches
      .map(({ document, score }) => ({
        document,
        score: withScores ? score * decayOf(document, timeDecay) : 1,
      }))
      .sort((a, b) => this.compare(orderBy ?? [{ kind: "score", descending: true }], a, b));
    return {
      count: matches.length,
      hits: ranked
        .slice(options.offset, options.offset + options.limit)
        .map(({ document, score }) => ({ documentId: document.id, score })),
      facets: (options.facets ?? []).map((field) => ({
        field,
        nodes: (this.#field(field).kind === "label" ? labelNodes : facetNodes)(
          matches.map(({ document }) => valuesOf(document.document[field]).map(String)),
        ),
      })),
    };
  }

  /** Score of a document for a query; null if it doesn't match. */
  score(query: Query, document: NaiveDocument): number | null {
    const constant = (matches: boolean): number | null => (matches ? 1 : null);
    switch (query.kind) {
      case "match_all":
        return 1;
      case "match_none":
        return null;
      case "term":
        return stemScore(this.documents, document, query);
      case "phrase":
        return phraseScore(this.documents, document, query);
      case "prefix":
        return constant(terms(document, query.field).some((term) => term.startsWith(query.prefix)));
      case "term_range":
        return constant(
          terms(document, query.field).some((term) =>
            isBetween(query.lower, query.upper, term, compareCodePoints),
          ),
        );
      case "value_set": {
        const field = this.#field(query.field);
        return constant(
          valuesOf(document.document[query.field]).some((value) =>
            query.values.some((wanted) => compareValues(field, value, wanted) === 0),
          ),
        );
      }
      case "value_range": {
        const field = this.#field(query.field);
        return constant(
          valuesOf(document.document[query.field]).some((value) =>
            isBetween(query.lower, query.upper, value, (a, b) => compareValues(field, a, b)),
          ),
        );
      }
      case "value_prefix":
        return constant(
          valuesOf(document.document[query.field]).some((value) => String(value).startsWith(query.prefix)),
        );
      case "facet":
        return constant(
          valuesOf(document.document[query.field]).some((value) =>
            query.paths.some((path) => value === path || String(value).startsWith(`${path}/`)),
          ),
        );
      case "exists":
        return constant(
          this.#field(query.field).kind === "text"
            ? terms(document, query.field).length > 0
            : valuesOf(document.document[query.field]).length > 0,
        );
      case "fuzzy":
        return fuzzyScore(this.documents, document, query);
      case "fuzzy_prefix":
        return fuzzyPrefixScore(this.documents, document, query);
      case "synonyms":
        return synonymsScore(this.documents, document, query, this.score(query.query, document));
      case "words":
        return wordsScore(query, document, this.documents, (reading, other) => this.score(reading, other));
      case "boolean":
        return this.#booleanScore(query, document);
      case "boost": {
        const score = this.score(query.query, document);
        return score === null ? null : score * query.factor;
      }
      case "constant_score":
        return this.score(query.query, document) === null ? null : query.score;
      case "document_ids":
        return constant(query.ids.includes(document.id));
    }
  }

  #booleanScore(query: BooleanQuery, document: NaiveDocument): number | null {
    const scores = (occur: string): (number | null)[] =>
      query.clauses
        .filter((clause) => clause.occur === occur)
        .map((clause) => this.score(clause.query, document));
    const required = [...scores("must"), ...scores("filter")];
    const optional = scores("should");
    const onlyOptional = required.length === 0 && optional.length > 0;
    const minimum = Math.max(query.minimumShouldMatch ?? 0, onlyOptional ? 1 : 0);
    if (required.includes(null)) return null;
    if (scores("must_not").some((score) => score !== null)) return null;
    if (optional.filter((score) => score !== null).length < minimum) return null;
    if (required.length === 0 && optional.length === 0) return 1;
    return [...scores("must"), ...optional].reduce<number>((sum, score) => sum + (score ?? 0), 0);
  }

  /** Sign of the order of two hits by the keys; 0 for a tie. */
  compare(order: readonly OrderKey[], left: NaiveHit, right: NaiveHit): number {
    return order.map((key) => this.#compareByKey(key, left, right)).find((result) => result !== 0) ?? 0;
  }

  #compareByKey(key: OrderKey, left: NaiveHit, right: NaiveHit): number {
    const sign = key.descending ? -1 : 1;
    if (key.kind === "score") return sign * (left.score - right.score);
    const [a] = valuesOf(left.document.document[key.field]);
    const [b] = valuesOf(right.document.document[key.field]);
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return sign * compareForOrder(this.#field(key.field), a, b);
  }

  #field(name: string): EngineField {
    const field = this.schema.fields.find((candidate) => candidate.name === name);
    if (field === undefined) throw new Error(`no field ${name}`);
    return field;
  }
}

function terms(document: NaiveDocument, field: string): string[] {
  return (document.tokens[field] ?? []).map(({ term }) => term);
}

function isBetween<T extends CanonicalValue>(
  lower: RangeBound<T> | null,
  upper: RangeBound<T> | null,
  value: T,
  compare: (left: T, right: T) => number,
): boolean {
  const above = lower === null ? 1 : compare(value, lower.value);
  const below = upper === null ? -1 : compare(value, upper.value);
  return (above > 0 || (above === 0 && lower!.inclusive)) && (below < 0 || (below === 0 && upper!.inclusive));
}

export function decayOf(document: NaiveDocument, decay: TimeDecay | undefined): number {
  if (decay === undefined) return 1;
  const instants = valuesOf(document.document[decay.field]).map((value) => Date.parse(String(value)) / 1000);
  if (instants.length === 0) return 1;
  const days = Math.max(0, decay.nowSeconds - Math.max(...instants)) / 86_400;
  return Math.exp(-decay.ratePerDay * days);
}

/** @param documents the labels of each matching document */
export function labelNodes(documents: readonly (readonly string[])[]): FacetNode[] {
  const counts = new Map<string, number>();
  for (const label of documents.flatMap((labels) => [...new Set(labels)]))
    counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts]
    .map(([path, count]) => ({ path, count }))
    .sort((a, b) => b.count - a.count || compareCodePoints(a.path, b.path));
}

/** @param documents the paths of each matching document */
export function facetNodes(documents: readonly (readonly string[])[], parent = ""): FacetNode[] {
  const counts = new Map<string, number>();
  for (const paths of documents) {
    const children = paths
      .filter((path) => path.startsWith(`${parent}/`))
      .map((path) => `${parent}/${path.slice(parent.length + 1).split("/")[0]}`);
    for (const child of new Set(children)) counts.set(child, (counts.get(child) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a, countA], [b, countB]) => countB - countA || compareCodePoints(a, b))
    .map(([path, count]) => {
      const children = facetNodes(documents, path);
      return children.length === 0 ? { path, count } : { path, count, children };
    });
}
