import { lowerQuery } from "../../src/adapters/embedded/lower-query.js";
import { toEngineSchema } from "../../src/adapters/embedded/to-engine-schema.js";
import { tokensOf } from "../../src/analysis/analyzer.js";
import { shownTerm } from "../../src/analysis/stem-terms.js";
import type { FieldDefinition, IndexSchema } from "../../src/contract/index-schema.js";
import type { SearchClause } from "../../src/contract/search.js";
import { type DocumentId, Index, MemoryDirectory } from "../../src/engine/server-door.js";
import { compileSearch } from "../../src/query/compile-search.js";
import { ANALYSIS_VERSION } from "../../src/query/index-analysis.js";
import { indexQueryContext } from "../../src/query/index-query-context.js";
import type { SearchPlan } from "../../src/query/search-plan.js";
import { type SearchedIndex, stopWordSetOf } from "../../src/query/searched-index.js";
import type { JudgedDocument } from "./cranfield.js";
import { RANKING_DEPTH } from "./metrics.js";

export type SearchMode = SearchClause["mode"];

const TEXT: FieldDefinition = {
  type: "text",
  required: false,
  stored: true,
  indexed: true,
  multi: false,
  fast: false,
};

/** The server's defaults. */
const QUERY_LIMITS = { depthMax: 64, termsMax: 20_000 };

export interface RankerOptions {
  readonly isStemming: boolean;
  /** Default true. */
  readonly dropsStopWords?: boolean;
}

/** An index as rankings are judged on: `title` and `text`, of equal weight; language English. */
export function englishIndex(options: RankerOptions): SearchedIndex {
  return indexQueryContext(englishSchema(options), { custom_stopwords: [], synonyms: {} }, QUERY_LIMITS);
}

/**
 * What a server makes of a request for the first hits.
 *
 * @param ctx what the user types: in exact mode the query language, else plain text
 */
export function rankingPlan(index: SearchedIndex, mode: SearchMode, ctx: string, limit: number): SearchPlan {
  const clauses = [{ mode, ctx, occur: "should" as const }];
  return compileSearch({ clauses, limit, offset: 0, sort: "desc" }, index, 0);
}

function englishSchema({ isStemming, dropsStopWords = true }: RankerOptions): IndexSchema {
  return {
    name: "judged",
    fields: { id: TEXT, title: TEXT, text: TEXT },
    search_fields: ["title", "text"],
    weight_multipliers: {},
    language: "en",
    enable_language_stemming: isStemming,
    exclude_stop_words: dropsStopWords,
    auto_commit_delay: 0,
    ai_enabled: false,
    analysis_version: ANALYSIS_VERSION,
  };
}

/**
 * Findling as a server asks it: the request is compiled and lowered, and the engine ranks. Two fields,
 * `title` and `text`, of equal weight; language English.
 */
export class FindlingRanker {
  readonly #context: SearchedIndex;
  readonly #index: Index;
  readonly #sourceIds: ReadonlyMap<DocumentId, string>;

  private constructor(context: SearchedIndex, index: Index, sourceIds: ReadonlyMap<DocumentId, string>) {
    this.#context = context;
    this.#index = index;
    this.#sourceIds = sourceIds;
  }

  static async build(documents: readonly JudgedDocument[], options: RankerOptions): Promise<FindlingRanker> {
    const context = englishIndex(options);
    const index = await Index.create(new MemoryDirectory(), toEngineSchema(context.schema));
    const ids = await index.add(documents.map(({ id, title, text }) => ({ id, title, text })));
    await index.commit();
    return new FindlingRanker(context, index, new Map(documents.map(({ id }, i) => [ids[i]!, id])));
  }

  /**
   * The documents found, best first.
   * @param ctx what the user types: in exact mode the query language, else plain text
   */
  search(mode: SearchMode, ctx: string, limit: number): { readonly id: string; readonly score: number }[] {
    const plan = rankingPlan(this.#context, mode, ctx, limit);
    const { searcher } = this.#index;
    // Thousands of rankings of a thousand documents each: none of them is read.
    const { hits } = searcher.rank({ query: lowerQuery(plan.ast, searcher), offset: 0, limit });
    return Array.from({ length: hits.length }, (_, place) => {
      const { segmentIndex, docId, score } = hits.at(place);
      return { id: this.#sourceIds.get(searcher.segments[segmentIndex]!.documentId(docId))!, score };
    });
  }

  /** Ids of the documents found, best first, as many as are judged. */
  rank(mode: SearchMode, ctx: string): string[] {
    return this.search(mode, ctx, RANKING_DEPTH).map(({ id }) => id);
  }

  /** A text's tokens: stems if it stems. */
  tokens(text: string): string[] {
    return tokensOf(this.#context.analyzer, text).map((token) => shownTerm(token.text));
  }

  /** A query's tokens without stopwords: what fuzzy mode looks for. */
  queryTokens(text: string): string[] {
    const all = tokensOf(this.#context.analyzer, text);
    return (stopWordSetOf(this.#context)?.without(all, text) ?? all).map((token) => shownTerm(token.text));
  }

  close(): Promise<void> {
    return this.#index.close();
  }
}

/**
 * The query string of exact mode that asks for any of a text's words, as a user would write it: the
 * words one after the other, what the query language gives a meaning escaped. A word of several tokens
 * (`high-speed`) is a phrase of them.
 *
 * @param text lower case, so that no word of it is an operator
 */
export function anyOfWords(text: string): string {
  return text
    .split(/\s+/)
    .map((word) => word.replace(/[\\:{}"[\]()*^~!+`,]|^[-']/g, "\\$&"))
    .join(" ")
    .trim();
}

/** The query string that asks for any of a text's words, those joined by punctuation among them. */
export function separateWords(text: string): string {
  return anyOfWords(text.replace(/[^\p{L}\p{M}\p{N}\s']+/gu, " "));
}
