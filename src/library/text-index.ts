import { lowerQuery } from "../adapters/embedded/lower-query.js";
import type { CanonicalDocument } from "../contract/canonical-value.js";
import { describeKind } from "../contract/wire-object.js";
import {
  type CollectionStatistics,
  type Directory,
  type DocumentId,
  type DocumentsReplaced,
  Index as EngineIndex,
  type EngineSearchResult,
  FileDirectory,
  FindlingError,
  type IndexOptions,
  type IndexParts,
  type Query,
  type SearchOptions,
} from "../engine/server-door.js";
import { compileClauses } from "../query/compile-search.js";
import type { SearchedIndex } from "../query/searched-index.js";
import { CanonicalDocuments } from "./canonical-documents.js";
import { checkedSearch, checkedSuggestLimit } from "./checked-search.js";
import { requireSameSchema, type SchemaInput, schemaOf } from "./define-schema.js";
import { refuse, requireMembers, requireText } from "./require-shape.js";
import { runSuggest, runTextSearch } from "./run-text-search.js";
import { searchedIndexOf } from "./searched-index.js";
import type { SuggestOptions, TextSearchOptions } from "./text-search-options.js";
import type { Suggestions, TextDocument, TextSearchResult } from "./text-search-result.js";
import type { TextSettings } from "./text-settings.js";

/** How an index is opened: how it is written, and what text searches go by. */
export type LibraryOptions = IndexOptions & TextSettings;

/** All names of options, each once. */
const OPTIONS: { readonly [Name in keyof Required<LibraryOptions>]: true } = {
  searchFields: true,
  weights: true,
  synonyms: true,
  stopwords: true,
  suggestField: true,
  owner: true,
  memoryBudgetBytes: true,
  pendingMemory: true,
  mergePolicy: true,
  restAfterMs: true,
  checkpointAfterMs: true,
  waitingWritesMax: true,
  mergeRunner: true,
  onMergeError: true,
  onCommitPointError: true,
  onSearcher: true,
  beforeDeleting: true,
  lock: true,
};

/**
 * An index of documents under one schema, in a folder or in memory. Writes are pending until `commit`, which makes all of
 * them visible and durable at once, or `rollback`, which drops them; what was acknowledged outlives a crash.
 * Searches are synchronous, and see the last commit.
 */
export class Index extends EngineIndex {
  readonly #searched: SearchedIndex;
  readonly #documents: CanonicalDocuments;

  private constructor(parts: IndexParts, settings: TextSettings) {
    super(parts);
    this.#searched = searchedIndexOf(this.schema, settings);
    this.#documents = new CanonicalDocuments(this.#searched.schema);
  }

  /**
   * @param place a folder's path, which is made if it isn't there, or a directory
   * @param schema or its fields: `{ title: "text", year: "u64" }`
   * @throws FindlingError `index_exists`, `invalid_schema`, `storage_locked`, `storage_unavailable`
   */
  static override async create(
    place: Directory | string,
    schema: SchemaInput,
    options: LibraryOptions = {},
  ): Promise<Index> {
    const wanted = schemaOf(schema);
    requireOptions(options);
    searchedIndexOf(wanted, options);
    return new Index(await Index.partsOfNew(await directoryAt(place, true), wanted, options), options);
  }

  /** @throws CorruptionError naming the file; FindlingError `index_not_found`, `storage_locked`, `storage_unavailable` */
  static override async open(place: Directory | string, options: LibraryOptions = {}): Promise<Index> {
    requireOptions(options);
    const parts = await Index.partsOfStored(await directoryAt(place, false), options);
    return Index.#opened(parts, options);
  }

  /**
   * Opens the index that is there, or creates it.
   *
   * @throws FindlingError `invalid_schema` if one with another schema is there, and as `open` and `create`
   */
  static async openOrCreate(
    place: Directory | string,
    schema: SchemaInput,
    options: LibraryOptions = {},
  ): Promise<Index> {
    const wanted = schemaOf(schema);
    requireOptions(options);
    const directory = await directoryAt(place, true);
    const parts = await Index.partsOfStored(directory, options).catch((error: unknown) => {
      if (error instanceof FindlingError && error.code === "index_not_found") return null;
      throw error;
    });
    if (parts === null) return Index.create(directory, wanted, options);
    const index = await Index.#opened(parts, options);
    try {
      requireSameSchema(index.schema, wanted, directory.description);
      return index;
    } catch (error) {
      await index.close();
      throw error;
    }
  }

  /** Settings that don't fit leave nothing locked. */
  static async #opened(parts: IndexParts, options: LibraryOptions): Promise<Index> {
    try {
      return new Index(parts, options);
    } catch (error) {
      await new EngineIndexToClose(parts).close();
      throw error;
    }
  }

  /**
   * Adds documents, all or none, pending; resolves with their ids in order once they are durable. One by itself will do.
   *
   * @throws FindlingError `invalid_document` naming each place that doesn't fit, `storage_unavailable`
   */
  override async add(documents: readonly TextDocument[] | TextDocument): Promise<readonly DocumentId[]> {
    return super.add(this.#documents.of(documents));
  }

  /**
   * As `add`, in place of the documents that have the same values in a field.
   *
   * @param key a field with one value, of kind keyword, u64 or i64, or a text field that is keyed
   */
  override async replace(
    key: string,
    documents: readonly TextDocument[] | TextDocument,
  ): Promise<DocumentsReplaced> {
    return super.replace(requireText("the key", key), this.#documents.of(documents));
  }

  /**
   * Changes members of a document, pending; null takes a value away. The document keeps its id.
   *
   * @throws FindlingError `document_not_found`, `invalid_document`
   */
  async update(documentId: DocumentId, members: TextDocument): Promise<void> {
    const { set, removed } = this.#documents.changeOf(members);
    await this.rewriteDocuments([{ id: requireText("the document's id", documentId) }], ([found]) => {
      if (found === null || found === undefined)
        throw new FindlingError("document_not_found", `there is no document '${documentId}'`);
      const document: Record<string, CanonicalDocument[string]> = {};
      for (const { name } of this.schema.fields) {
        const value = set[name] ?? (removed.includes(name) ? undefined : found.document[name]);
        if (value !== undefined) document[name] = value;
      }
      return [{ id: found.id, document }];
    });
  }

  /**
   * Deletes what matches, committed or pending, pending; resolves with how many there were.
   *
   * @param query in the query language, such as `year:<1930`, or the engine's own
   * @throws FindlingError as `search`; then nothing is deleted
   */
  override async deleteByQuery(query: Query | string, timeLimitMs?: number): Promise<number> {
    return super.deleteByQuery(typeof query === "string" ? this.#compiled(query) : query, timeLimitMs);
  }

  /** The stored fields of a document of the last commit; null if it isn't there. */
  get(documentId: DocumentId): Readonly<Record<string, unknown>> | null {
    const json = this.document(requireText("the document's id", documentId));
    return json === null ? null : (JSON.parse(json) as Record<string, unknown>);
  }

  /**
   * What the last commit has of a text, by default as people type it, typos allowed: the ten best.
   *
   * ```ts
   * films.search("red jacket", { mode: "fuzzy", filter: "year:>=1950", highlight: true });
   * ```
   *
   * Or of a query in the engine's own terms, as an object with `query`.
   *
   * @throws FindlingError `invalid_request` naming what is wrong with the options, `query_syntax`, `unknown_field`,
   *   `field_not_indexed`, `invalid_field_value`, `invalid_order_by`, `search_timeout`; CorruptionError naming the file
   */
  override search(text: string, options?: TextSearchOptions): TextSearchResult;
  override search(
    options: Partial<SearchOptions> & { readonly query: Query },
    statistics?: CollectionStatistics,
  ): EngineSearchResult;
  override search(
    asked: string | (Partial<SearchOptions> & { readonly query: Query }),
    more?: TextSearchOptions | CollectionStatistics,
  ): TextSearchResult | EngineSearchResult {
    if (typeof asked === "string") {
      const search = checkedSearch(asked, more ?? {}, this.#searched.schema);
      return runTextSearch(this.searcher, this.#searched, search);
    }
    if (typeof asked !== "object" || asked === null)
      refuse(`a search takes a text, or an object with 'query', not ${describeKind(asked)}`);
    if (typeof asked.query !== "object" || asked.query === null)
      refuse(
        `'query' must be an object with a 'kind', not ${describeKind(asked.query)}; for text, search(text, options)`,
      );
    return super.search(asked, more as CollectionStatistics | undefined);
  }

  /** Ways to go on with what someone types, from the index's own words and titles. */
  suggest(text: string, options: SuggestOptions = {}): Suggestions {
    const limit = checkedSuggestLimit(options);
    return runSuggest(this.searcher, this.#searched, requireText("what is typed", text), limit);
  }

  #compiled(text: string): Query {
    const ast = compileClauses([{ mode: "exact", ctx: text, occur: "must" }], undefined, this.#searched);
    return lowerQuery(ast, this.searcher);
  }
}

/** Closes what was opened and can't be used. */
class EngineIndexToClose extends EngineIndex {
  // biome-ignore lint/complexity/noUselessConstructor: it makes the constructor public.
  constructor(parts: IndexParts) {
    super(parts);
  }
}

function requireOptions(options: unknown): void {
  requireMembers("the options of an index", options, Object.keys(OPTIONS));
}

async function directoryAt(place: unknown, create: boolean): Promise<Directory> {
  if (typeof place === "string") return FileDirectory.open(place, { create });
  if (typeof place === "object" && place !== null && "writeTogether" in place) return place as Directory;
  return refuse(
    `an index lies in a folder, named by its path, or in a MemoryDirectory or FileDirectory, not in ${describeKind(place)}`,
  );
}
