import { tokensOf } from "../../src/analysis/analyzer.js";
import { createAnalyzer } from "../../src/analysis/create-analyzer.js";
import type { CanonicalDocument, CanonicalValue } from "../../src/contract/canonical-value.js";
import { bytesOfJson } from "../../src/contract/document-json.js";
import type { IndexSchema } from "../../src/contract/index-schema.js";
import { keptValueMatcher } from "../../src/engine/search/kept-value-match.js";
import { FindlingError } from "../../src/errors/index.js";
import { readDocuments, type UnreadDocuments } from "../../src/intake/read-documents.js";
import type { IndexRewrite } from "../../src/ports/index-rewrite.js";
import type {
  BackendSearchResult,
  DocumentsWritten,
  FederatedSearchResult,
  FederationMember,
  OpenSearch,
  SearchBackend,
  SearchCaller,
  StorageId,
} from "../../src/ports/search-backend.js";
import type { KeptValueMatch } from "../../src/query/kept-value-match.js";
import type { AstBound, QueryAst } from "../../src/query/query-ast.js";
import type { SearchPlan } from "../../src/query/search-plan.js";

interface StoredDocument {
  readonly id: string;
  readonly fields: CanonicalDocument;
}

interface MemoryIndex {
  schema: IndexSchema;
  committed: readonly StoredDocument[];
  /** With the pending writes. */
  working: readonly StoredDocument[];
  hasPendingWrites: boolean;
  generation: number;
}

type Operation =
  | "createIndex"
  | "updateIndex"
  | "rewriteIndex"
  | "finishRewrite"
  | "dropIndex"
  | "add"
  | "commit"
  | "rollback"
  | "hasPendingWrites"
  | "search";

/**
 * A back end over plain arrays: every query scans every document, nothing is scored. Slow and
 * obvious, for tests of what is above it. Survives `stop` and `start`, as a disk would.
 */
export class MemoryBackend implements SearchBackend {
  readonly #indexes = new Map<StorageId, MemoryIndex>();
  readonly #failures: Operation[] = [];
  readonly calls: string[] = [];
  #documentCount = 0;
  #generationCount = 0;
  /** Awaited by every operation before it takes effect, so that a test can hold operations up. */
  gate: Promise<void> = Promise.resolve();
  readonly openSearches = new Set<OpenSearch>();
  /** What every open search says of itself. */
  heldHitsPerSearch = 1;

  get storageIds(): readonly StorageId[] {
    return [...this.#indexes.keys()];
  }

  /** Makes the next calls of the operation fail as full storage would, without effect. */
  failNext(operation: Operation, times = 1): void {
    for (let i = 0; i < times; i++) this.#failures.push(operation);
  }

  async start(
    indexes: readonly { readonly storageId: StorageId; readonly schema: IndexSchema }[],
  ): Promise<void> {
    for (const storageId of this.storageIds) {
      if (!indexes.some((index) => index.storageId === storageId)) this.#indexes.delete(storageId);
    }
    for (const { storageId, schema } of indexes) this.#index(storageId).schema = schema;
  }

  async createIndex(storageId: StorageId, schema: IndexSchema): Promise<void> {
    await this.#enter("createIndex");
    this.#indexes.set(storageId, {
      schema,
      committed: [],
      working: [],
      hasPendingWrites: false,
      generation: ++this.#generationCount,
    });
  }

  async keepIndex(): Promise<void> {}

  async releaseIndex(): Promise<void> {}

  async updateIndex(storageId: StorageId, schema: IndexSchema): Promise<void> {
    await this.#enter("updateIndex");
    this.#index(storageId).schema = schema;
  }

  async rewriteIndex(
    storageId: StorageId,
    copy: { readonly storageId: StorageId; readonly schema: IndexSchema },
  ): Promise<IndexRewrite> {
    await this.#enter("rewriteIndex");
    this.#index(storageId);
    await this.createIndex(copy.storageId, copy.schema);
    return {
      finish: async () => {
        await this.#enter("finishRewrite");
        this.#indexes.set(copy.storageId, { ...this.#index(storageId), schema: copy.schema });
      },
      abandon: () => this.dropIndex(copy.storageId),
    };
  }

  async dropIndex(storageId: StorageId): Promise<void> {
    await this.#enter("dropIndex");
    this.#indexes.delete(storageId);
  }

  async add(storageId: StorageId, documents: readonly CanonicalDocument[]): Promise<readonly string[]> {
    await this.#enter("add");
    const index = this.#index(storageId);
    const added = documents.map((fields) => ({
      id: (++this.#documentCount).toString(16).padStart(32, "0"),
      fields,
    }));
    index.working = [...index.working, ...added];
    index.hasPendingWrites = true;
    return added.map(({ id }) => id);
  }

  async addUnread(storageId: StorageId, unread: UnreadDocuments): Promise<DocumentsWritten> {
    const reading = readDocuments(unread);
    const documents: CanonicalDocument[] = [];
    let step = reading.next();
    for (; step.done !== true; step = reading.next()) documents.push(...(step.value ?? []));
    return { ids: await this.add(storageId, documents), ignoredFields: step.value };
  }

  async deleteMatching(storageId: StorageId, ast: QueryAst): Promise<number> {
    const { schema } = this.#index(storageId);
    return this.#remove(storageId, (document) => matches(ast, document, schema));
  }

  async deleteByKeptValue(storageId: StorageId, field: string, match: KeptValueMatch): Promise<number> {
    const matches = keptValueMatcher(match, analyzer);
    return this.#remove(storageId, ({ fields }) => field in fields && [fields[field]].flat().some(matches));
  }

  async deleteDocument(storageId: StorageId, documentId: string): Promise<boolean> {
    return (await this.#remove(storageId, ({ id }) => id === documentId)) > 0;
  }

  async deleteAll(storageId: StorageId): Promise<number> {
    return this.#remove(storageId, () => true);
  }

  async commit(storageId: StorageId): Promise<void> {
    await this.#enter("commit");
    const index = this.#index(storageId);
    index.committed = index.working;
    index.hasPendingWrites = false;
    index.generation = ++this.#generationCount;
  }

  async rollback(storageId: StorageId): Promise<void> {
    await this.#enter("rollback");
    const index = this.#index(storageId);
    index.working = index.committed;
    index.hasPendingWrites = false;
  }

  async hasPendingWrites(storageId: StorageId): Promise<boolean> {
    await this.#enter("hasPendingWrites");
    return this.#index(storageId).hasPendingWrites;
  }

  async search(storageId: StorageId, plan: SearchPlan, caller?: SearchCaller): Promise<BackendSearchResult> {
    await this.#enter("search");
    refuseGone(caller);
    const { committed, schema } = this.#index(storageId);
    const found = committed.filter((document) => matches(plan.ast, document, schema));
    return {
      count: found.length,
      hits: found.slice(plan.offset, plan.offset + plan.limit).map((document) => ({
        documentId: document.id,
        score: 1,
        docJson: bytesOfJson(storedJson(document, schema)),
      })),
      facets: plan.facets.map((field) => ({ field, nodes: [] })),
    };
  }

  async generation(storageId: StorageId): Promise<number> {
    return this.#index(storageId).generation;
  }

  knownGeneration(storageId: StorageId): number | null {
    return this.#indexes.get(storageId)?.generation ?? null;
  }

  async searchFederation(
    members: readonly FederationMember[],
    caller?: SearchCaller,
  ): Promise<FederatedSearchResult> {
    refuseGone(caller);
    const found: FederatedSearchResult[] = [];
    const plans = members.map(({ plan }) => plan).filter((plan) => plan !== null);
    for (const [memberIndex, { storageId, plan }] of members.entries()) {
      if (plan === null) {
        this.#index(storageId);
        continue;
      }
      const all = { ...plan, offset: 0, limit: plan.offset + plan.limit };
      const { hits, ...rest } = await this.search(storageId, all);
      found.push({ hits: hits.map((hit) => ({ ...hit, memberIndex })), ...rest });
    }
    const { offset = 0, limit = 0 } = plans[0] ?? {};
    return {
      count: found.reduce((sum, { count }) => sum + count, 0),
      hits: found.flatMap(({ hits }) => hits).slice(offset, offset + limit),
      facets: [...new Set(plans.flatMap(({ facets }) => facets))].map((field) => ({ field, nodes: [] })),
    };
  }

  async openSearch(storageId: StorageId, plan: SearchPlan, caller?: SearchCaller): Promise<OpenSearch> {
    return this.openFederatedSearch([{ storageId, plan, weight: 1 }], caller);
  }

  async openFederatedSearch(
    members: readonly FederationMember[],
    caller?: SearchCaller,
  ): Promise<OpenSearch> {
    const all = members.map(({ plan, ...member }) => ({
      ...member,
      plan: plan === null ? null : { ...plan, offset: 0, limit: Number.MAX_SAFE_INTEGER },
    }));
    const { count, hits, facets } = await this.searchFederation(all, caller);
    const open: OpenSearch = {
      count,
      facets,
      heldHits: this.heldHitsPerSearch,
      page: async (offset, limit, reader) => {
        refuseGone(reader);
        if (!this.openSearches.has(open)) throw new TypeError("the search is closed");
        return hits.slice(offset, offset + limit);
      },
      close: () => void this.openSearches.delete(open),
    };
    this.openSearches.add(open);
    return open;
  }

  async document(storageId: StorageId, documentId: string): Promise<string | null> {
    const { committed, schema } = this.#index(storageId);
    const document = committed.find(({ id }) => id === documentId);
    return document === undefined ? null : storedJson(document, schema);
  }

  async stats(
    storageId: StorageId,
  ): Promise<{ readonly documentCount: number; readonly spaceUsage: number }> {
    return { documentCount: this.#index(storageId).committed.length, spaceUsage: 0 };
  }

  async stop(): Promise<void> {}

  async #remove(storageId: StorageId, isRemoved: (document: StoredDocument) => boolean): Promise<number> {
    const index = this.#index(storageId);
    const left = index.working.filter((document) => !isRemoved(document));
    const count = index.working.length - left.length;
    index.working = left;
    index.hasPendingWrites ||= count > 0;
    return count;
  }

  async #enter(operation: Operation): Promise<void> {
    this.calls.push(operation);
    await this.gate;
    const failure = this.#failures.indexOf(operation);
    if (failure < 0) return;
    this.#failures.splice(failure, 1);
    throw new FindlingError("storage_unavailable", `${operation} failed because the test wants it to`);
  }

  #index(storageId: StorageId): MemoryIndex {
    const index = this.#indexes.get(storageId);
    if (index === undefined) throw new FindlingError("internal", `there is no storage '${storageId}'`);
    return index;
  }
}

function storedJson({ fields }: StoredDocument, schema: IndexSchema): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(fields).filter(([name]) => schema.fields[name]?.stored)),
  );
}

const analyzer = createAnalyzer({ version: 1 });

function valuesOf({ fields }: StoredDocument, field: string): readonly CanonicalValue[] {
  const value = fields[field];
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

function tokensIn(document: StoredDocument, field: string): readonly (readonly string[])[] {
  return valuesOf(document, field).map((value) => tokensOf(analyzer, String(value)).map(({ text }) => text));
}

function matches(ast: QueryAst, document: StoredDocument, schema: IndexSchema): boolean {
  switch (ast.kind) {
    case "match_all":
      return true;
    case "match_none":
      return false;
    case "term":
      return tokensIn(document, ast.field).some((tokens) => tokens.includes(ast.term));
    case "prefix":
      return tokensIn(document, ast.field).some((tokens) =>
        tokens.some((token) => token.startsWith(ast.prefix)),
      );
    case "phrase":
      return tokensIn(document, ast.field).some((tokens) =>
        tokens.some((_, start) => ast.terms.every(({ term, position }) => tokens[start + position] === term)),
      );
    case "term_range":
      return tokensIn(document, ast.field).some((tokens) => tokens.some((token) => within(token, ast)));
    case "value_set":
      return valuesOf(document, ast.field).some((value) => ast.values.includes(value));
    case "value_range":
      return valuesOf(document, ast.field).some((value) => within(value, ast));
    case "value_prefix":
      return valuesOf(document, ast.field).some((value) => String(value).startsWith(ast.prefix));
    case "facet":
      return valuesOf(document, ast.field).some((value) =>
        ast.paths.some((path) => value === path || String(value).startsWith(`${path}/`)),
      );
    case "exists":
      return valuesOf(document, ast.field).length > 0;
    case "fuzzy":
      return ast.fields.some(({ field }) =>
        tokensIn(document, field).some((tokens) =>
          tokens.some((token) => distance(token, ast.term) <= ast.maxDistance),
        ),
      );
    case "fuzzy_prefix":
      return ast.fields.some(({ field }) =>
        tokensIn(document, field).some((tokens) =>
          tokens.some((token) =>
            Array.from(token, (_, i) => token.slice(0, i + 1)).some(
              (beginning) => distance(beginning, ast.prefix) <= ast.maxDistance,
            ),
          ),
        ),
      );
    case "synonyms":
      return (
        matches(ast.ast, document, schema) ||
        ast.alternatives.some(({ terms }) =>
          terms.some((run) =>
            ast.fields.some(({ field }) =>
              tokensIn(document, field).some((tokens) =>
                tokens.some((_, start) =>
                  run.every(({ term, position }) => tokens[start + position] === term),
                ),
              ),
            ),
          ),
        )
      );
    case "boost":
    case "constant_score":
      return matches(ast.ast, document, schema);
    case "document_ids":
      return ast.ids.includes(document.id);
    case "boolean": {
      const found = ast.clauses.map((clause) => ({
        ...clause,
        isMatch: matches(clause.ast, document, schema),
      }));
      const required = found.filter(
        ({ occur }) => occur === "must" || occur === "filter" || occur === "must_if_present",
      );
      const optional = found.filter(({ occur }) => occur === "should");
      const least = ast.minimumShouldMatch ?? 0;
      return (
        required.every(({ isMatch }) => isMatch) &&
        found.every(({ occur, isMatch }) => occur !== "must_not" || !isMatch) &&
        optional.filter(({ isMatch }) => isMatch).length >=
          (required.length === 0 && optional.length > 0 ? Math.max(1, least) : least)
      );
    }
  }
}

function within(
  value: CanonicalValue,
  range: { readonly lower: AstBound<CanonicalValue> | null; readonly upper: AstBound<CanonicalValue> | null },
): boolean {
  const { lower, upper } = range;
  const orderedBefore = (a: CanonicalValue, b: CanonicalValue) =>
    (a as string | number) < (b as string | number);
  if (lower !== null && (orderedBefore(value, lower.value) || (!lower.inclusive && value === lower.value)))
    return false;
  return (
    upper === null || !(orderedBefore(upper.value, value) || (!upper.inclusive && value === upper.value))
  );
}

function distance(left: string, right: string): number {
  const rows = Array.from({ length: left.length + 1 }, (_, row) => [
    row,
    ...Array<number>(right.length).fill(0),
  ]);
  for (let column = 0; column <= right.length; column++) rows[0]![column] = column;
  for (let row = 1; row <= left.length; row++) {
    for (let column = 1; column <= right.length; column++) {
      const substituted = rows[row - 1]![column - 1]! + (left[row - 1] === right[column - 1] ? 0 : 1);
      rows[row]![column] = Math.min(substituted, rows[row - 1]![column]! + 1, rows[row]![column - 1]! + 1);
    }
  }
  return rows[left.length]![right.length]!;
}

/** Every search here would take long. */
function refuseGone(caller: SearchCaller | undefined): void {
  if (caller?.isGone === true) throw new FindlingError("search_timeout", "the caller has gone");
}
