import type { Query, Searcher, SearchInterrupt } from "../../engine/server-door.js";
import type { AstClause, ConditionalClause, FuzzyAst, QueryAst } from "../../query/query-ast.js";

/** What an index holds, for the one decision that depends on it. */
export type IndexContents = Pick<Searcher, "docFreq" | "count">;

/** A snapshot's contents, for a search that may be ended. */
export function contentsOf(searcher: Searcher, interrupt: SearchInterrupt): IndexContents {
  return {
    docFreq: (field, term) => searcher.docFreq(field, term),
    count: (query) => searcher.count(query, interrupt),
  };
}

type LoweredClause = Extract<Query, { readonly kind: "boolean" }>["clauses"][number];

/** What lowering asks of the collection that is searched: one index, or a federation. */
export interface SearchedCollection {
  /** Whether any live document has the clause's word (contract 5.2). */
  holds(clause: ConditionalClause): boolean;
  /** All the fields of the collection that the word is looked for in; null if they are the query's own. */
  fieldsOfWord(word: FuzzyAst): readonly string[] | null;
  /** The weights of the fields of its heaviest member; null if they are the query's own. */
  readonly boosts: { readonly sum: number; readonly greatest: number } | null;
}

/** Lowers a query on one index to the engine's terms. */
export function lowerQuery(ast: QueryAst, contents: IndexContents): Query {
  return lowerFor(ast, {
    holds: (clause) => occurs(clause.ast, contents),
    fieldsOfWord: () => null,
    boosts: null,
  });
}

/** Lowers a query where it has been looked up which of the conditional clauses' words there are. */
export function lowerKnowing(ast: QueryAst, holds: (clause: ConditionalClause) => boolean): Query {
  return lowerFor(ast, { holds, fieldsOfWord: () => null, boosts: null });
}

/** Those that lowering the query would ask for. */
export function conditionalClausesOf(ast: QueryAst): ConditionalClause[] {
  switch (ast.kind) {
    case "boolean":
      return ast.clauses.flatMap((clause) => {
        const inner = conditionalClausesOf(clause.ast);
        return clause.occur === "must_if_present" ? [clause, ...inner] : inner;
      });
    case "words":
      return ast.readings.flatMap((reading) => conditionalClausesOf(reading.ast));
    case "boost":
    case "constant_score":
    case "synonyms":
      return conditionalClausesOf(ast.ast);
    default:
      return [];
  }
}

/** The two trees are alike; only what depends on the collection is decided here. */
export function lowerFor(ast: QueryAst, collection: SearchedCollection): Query {
  switch (ast.kind) {
    case "boolean": {
      const { minimumShouldMatch } = ast;
      const clauses: LoweredClause[] = [];
      for (let i = 0; i < ast.clauses.length; i++) {
        const clause = ast.clauses[i]!;
        clauses.push({ occur: lowerOccur(clause, collection), query: lowerFor(clause.ast, collection) });
      }
      return minimumShouldMatch === undefined
        ? { kind: "boolean", clauses }
        : { kind: "boolean", clauses, minimumShouldMatch };
    }
    case "boost":
      return { kind: "boost", query: lowerFor(ast.ast, collection), factor: ast.factor };
    case "constant_score":
      return { kind: "constant_score", query: lowerFor(ast.ast, collection), score: ast.score };
    case "synonyms":
      return {
        kind: "synonyms",
        query: lowerFor(ast.ast, collection),
        alternatives: ast.alternatives,
        fields: ast.fields,
        ...statisticsFieldsOf(ast.ast, collection),
      };
    case "words":
      return {
        kind: "words",
        readings: ast.readings.map(({ ast: reading, ...words }) => ({
          ...words,
          query: lowerFor(reading, collection),
        })),
        ...(ast.needsAll && { needsAll: true }),
        ...(collection.boosts && { boosts: collection.boosts }),
      };
    case "fuzzy": {
      const statisticsFields = collection.fieldsOfWord(ast);
      return statisticsFields === null ? ast : { ...ast, statisticsFields };
    }
    default:
      return ast;
  }
}

/** The fields that any of the words is looked for in; none if they are the query's own. */
function statisticsFieldsOf(
  ast: QueryAst,
  collection: SearchedCollection,
): { readonly statisticsFields?: readonly string[] } {
  const words = ast.kind === "boolean" ? ast.clauses.map((clause) => clause.ast) : [ast];
  const fields = words.flatMap((word) =>
    word.kind === "fuzzy" ? (collection.fieldsOfWord(word) ?? []) : [],
  );
  return fields.length === 0 ? {} : { statisticsFields: [...new Set(fields)] };
}

function lowerOccur(
  clause: AstClause,
  collection: SearchedCollection,
): "must" | "should" | "must_not" | "filter" {
  if (clause.occur !== "must_if_present") return clause.occur;
  return collection.holds(clause) ? "must" : "should";
}

/**
 * Whether any live document has the word that the query looks for, in any of its fields (contract
 * 5.2). A word that is one token has its documents counted already; what else a word can become, an
 * identifier or several tokens in a row, is looked up.
 */
export function occurs(ast: QueryAst, contents: IndexContents): boolean {
  switch (ast.kind) {
    case "term":
      return contents.docFreq(ast.field, ast.term) > 0;
    case "boolean":
      return ast.clauses.some((clause) => clause.occur !== "must_not" && occurs(clause.ast, contents));
    case "boost":
    case "constant_score":
      return occurs(ast.ast, contents);
    default:
      return contents.count(lowerQuery(ast, contents)) > 0;
  }
}
