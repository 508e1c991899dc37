/** Five books with a field of every kind, for the suite of `SearchBackend`. */

import { toEngineSchema } from "../../../src/adapters/embedded/to-engine-schema.js";
import { createAnalyzer } from "../../../src/analysis/create-analyzer.js";
import type { CanonicalDocument } from "../../../src/contract/canonical-value.js";
import type { IndexSchema } from "../../../src/contract/index-schema.js";
import type {
  BackendHit,
  FederatedHit,
  SearchBackend,
  StorageId,
} from "../../../src/ports/search-backend.js";
import { indexAnalysis } from "../../../src/query/index-analysis.js";
import type { QueryAst } from "../../../src/query/query-ast.js";
import type { SearchPlan } from "../../../src/query/search-plan.js";
import { field, sampleIndex } from "../../query-kit/sample-index.js";
import { type NaiveDocument, naiveDocument } from "../../simulation/naive-documents.js";
import { newStorageId } from "./backend-under-test.js";

export const LIBRARY: IndexSchema = sampleIndex({
  name: "library",
  fields: {
    id: field("text"),
    title: field("text"),
    body: field("text", { multi: true }),
    note: field("text", { indexed: false }),
    secret: field("text", { stored: false }),
    shelf: field("facet"),
    tags: field("facet", { multi: true }),
    count: field("u64"),
    delta: field("i64"),
    price: field("f64"),
    at: field("datetime", { precision: "milliseconds" }),
    flag: field("bool"),
    blob: field("bytes"),
    data: field("json"),
  },
  search_fields: ["title", "body"],
}).schema;

/** Named by their `id`, in the order of their insertion. */
export const BOOKS: readonly CanonicalDocument[] = [
  {
    id: "a",
    title: "Winter tale",
    body: ["snow falls", "in the winter night"],
    note: "signed by the author",
    secret: "attic",
    shelf: "/fiction/drama",
    tags: ["/new", "/sale/half"],
    count: 3,
    delta: -5,
    price: 9.5,
    at: "2024-01-01T00:00:00Z",
    flag: true,
    blob: "aGk=",
    data: { pages: [1, 2], bound: null },
  },
  {
    id: "b",
    title: "winters tales",
    shelf: "/fiction",
    tags: ["/new"],
    count: 10,
    delta: 0,
    price: 9.25,
    at: "2024-01-02T00:00:00.5Z",
    flag: false,
  },
  {
    id: "c",
    title: "summer tale",
    body: ["a warm winter"],
    note: "lent to a friend",
    shelf: "/nonfiction/nature",
    count: "18446744073709551615",
    delta: "-9223372036854775808",
    price: -1.5,
    at: "2023-06-01T12:00:00Z",
  },
  { id: "d", title: "Straße im Winter", shelf: "/fiction/drama/tragedy", count: 3, price: 0 },
  { id: "e", note: "signed and lent" },
];

/** An index with these books, committed, under a name of its own. */
export async function libraryOf(
  backend: SearchBackend,
  books: readonly CanonicalDocument[] = BOOKS,
  schema: IndexSchema = LIBRARY,
): Promise<{ readonly storageId: StorageId; readonly documents: readonly NaiveDocument[] }> {
  const storageId = newStorageId();
  await backend.createIndex(storageId, schema);
  const ids = await backend.add(storageId, books);
  await backend.commit(storageId);
  return { storageId, documents: naiveBooks(ids, books, schema) };
}

/** Books for the oracle. */
function naiveBooks(
  ids: readonly string[],
  books: readonly CanonicalDocument[],
  schema: IndexSchema,
): readonly NaiveDocument[] {
  const analyzer = createAnalyzer(indexAnalysis(schema));
  return books.map((book, i) => naiveDocument(toEngineSchema(schema), analyzer, ids[i]!, book));
}

/** A plan for ten hits, without facets. */
export function planOf(ast: QueryAst, more: Partial<SearchPlan> = {}): SearchPlan {
  return { ast, offset: 0, limit: 10, facets: [], ...more };
}

export const EVERYTHING: QueryAst = { kind: "match_all" };

/** The `id`s of hits, in order. */
export function idsOf(hits: readonly (BackendHit | FederatedHit)[]): readonly unknown[] {
  return hits.map(({ docJson }) => bookOf(docJson)["id"]);
}

/** What a hit shows of its document. */
export function bookOf(docJson: Uint8Array): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(docJson)) as Record<string, unknown>;
}

/** The `id`s that a search of all committed books of an index finds, in the order of their insertion. */
export async function idsIn(backend: SearchBackend, storageId: StorageId): Promise<readonly unknown[]> {
  return idsOf((await backend.search(storageId, planOf(EVERYTHING, { limit: 1000 }))).hits);
}
