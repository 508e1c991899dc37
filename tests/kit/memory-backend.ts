import { toEngineSchema } from "../../src/adapters/embedded/to-engine-schema.js";
import { createAnalyzer } from "../../src/analysis/create-analyzer.js";
import type { CanonicalDocument, CanonicalValue } from "../../src/contract/canonical-value.js";
import { documentVersion } from "../../src/contract/document-version.js";
import type { IndexSchema } from "../../src/contract/index-schema.js";
import { changedShapes, SHAPES_MEMBER } from "../../src/contract/nested-fields.js";
import { keptValueMatcher } from "../../src/engine/search/kept-value-match.js";
import { FindlingError } from "../../src/errors/index.js";
import { readDocuments, type UnreadDocuments } from "../../src/intake/read-documents.js";
import type { ChangeOptions, DocumentChange, DocumentsChanged } from "../../src/ports/document-change.js";
import type { IndexRewrite } from "../../src/ports/index-rewrite.js";
import type {
  BackendSearchResult,
  DocumentsReplaced,
  DocumentsWritten,
  FederatedSearchResult,
  FederationMember,
  Generation,
  KeyConflicts,
  OpenSearch,
  SearchBackend,
  SearchCaller,
  StorageId,
} from "../../src/ports/search-backend.js";
import { indexAnalysis } from "../../src/query/index-analysis.js";
import type { KeptValueMatch } from "../../src/query/kept-value-match.js";
import type { QueryAst } from "../../src/query/query-ast.js";
import type { SearchPlan } from "../../src/query/search-plan.js";
import { type NaiveDocument, naiveDocument } from "../simulation/naive-documents.js";
import { matchingDocuments, searchNaively, storedJson } from "./naive-search.js";

interface MemoryIndex {
  schema: IndexSchema;
  committed: readonly NaiveDocument[];
  /** With the pending writes. */
  working: readonly NaiveDocument[];
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
 * A back end over plain arrays, for tests of what is above it: searches are those of the oracle that the engine is
 * tested against, so it is slow and obvious, and passes the port's suite. Survives `stop` and `start`, as a disk would.
 */
export class MemoryBackend implements SearchBackend {
  readonly #indexes = new Map<StorageId, MemoryIndex>();
  /** Storage that a start was told of and that isn't there. */
  readonly #lost = new Set<StorageId>();
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
    for (const { storageId, schema } of indexes) {
      const index = this.#indexes.get(storageId);
      if (index === undefined) this.#lost.add(storageId);
      else index.schema = schema;
    }
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
    copy: { readonly storageId: StorageId; readonly schema: IndexSchema; readonly isWanted: () => boolean },
  ): Promise<IndexRewrite> {
    await this.#enter("rewriteIndex");
    this.#index(storageId);
    await this.createIndex(copy.storageId, copy.schema);
    if (!copy.isWanted()) {
      await this.dropIndex(copy.storageId);
      throw new Error("the copy is no longer wanted");
    }
    return {
      finish: async () => {
        await this.#enter("finishRewrite");
        const { committed, working, hasPendingWrites } = this.#index(storageId);
        const copied = new Map(
          [...committed, ...working].map(({ id, document }) => [
            id,
            analyzedDocument(copy.schema, id, document),
          ]),
        );
        const copyOf = (documents: readonly NaiveDocument[]): readonly NaiveDocument[] =>
          documents.map(({ id }) => copied.get(id)!);
        this.#indexes.set(copy.storageId, {
          schema: copy.schema,
          committed: copyOf(committed),
          working: copyOf(working),
          hasPendingWrites,
          generation: ++this.#generationCount,
        });
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
    const added = documents.map((document) =>
      analyzedDocument(index.schema, (++this.#documentCount).toString(16).padStart(32, "0"), document),
    );
    index.working = [...index.working, ...added];
    index.hasPendingWrites = true;
    return added.map(({ id }) => id);
  }

  async replace(
    storageId: StorageId,
    key: string,
    documents: readonly CanonicalDocument[],
  ): Promise<DocumentsReplaced> {
    const keys = documents.map((document) => document[key]);
    const ids = await this.add(storageId, documents);
    const index = this.#index(storageId);
    const before = index.working.filter(
      ({ id, document }) => keys.includes(document[key]) && !ids.includes(id),
    );
    const overwritten = ids.filter((_, i) => keys.lastIndexOf(keys[i]) !== i);
    const gone = new Set([...before.map(({ id }) => id), ...overwritten]);
    index.working = index.working.filter(({ id }) => !gone.has(id));
    return { ids: ids.map((id) => (gone.has(id) ? null : id)), replaced: before.length };
  }

  async change(
    storageId: StorageId,
    changes: readonly DocumentChange[],
    { key, upsert }: ChangeOptions,
  ): Promise<DocumentsChanged> {
    await this.#enter("add");
    const index = this.#index(storageId);
    const { schema } = index;
    let { working } = index;
    const refused = { missing: [], conflicting: [], incomplete: [], rekeyed: [] } as Record<string, number[]>;
    const ids: string[] = [];
    let added = 0;
    for (const [place, { target, set, removed, version, isWhole }] of changes.entries()) {
      const refuse = (why: string): unknown => refused[why]!.push(place);
      const before = working.find(({ id, document }) =>
        "id" in target ? id === target.id : document[key!] === target.key,
      );
      const original = index.working.find(({ id }) => id === before?.id);
      const shown = original === undefined ? "" : storedJson(original, schema);
      if (before === undefined && !(upsert && "key" in target)) {
        refuse("missing");
        continue;
      }
      if (version !== undefined && version !== documentVersion(before?.id ?? "", Buffer.from(shown))) {
        refuse("conflicting");
        continue;
      }
      if (before === undefined && !isWhole) {
        refuse("incomplete");
        continue;
      }
      const old = before?.document ?? {};
      if (before !== undefined && key !== undefined && set[key] !== undefined && set[key] !== old[key]) {
        refuse("rekeyed");
        continue;
      }
      const shapes = changedShapes(old, set, removed);
      const merged = Object.entries({ ...old, ...set }).filter(
        ([name]) => name !== SHAPES_MEMBER && !removed.includes(name),
      );
      if (shapes !== undefined) merged.push([SHAPES_MEMBER, shapes]);
      const names = [...Object.keys(schema.fields), SHAPES_MEMBER];
      merged.sort(([a], [b]) => names.indexOf(a) - names.indexOf(b));
      if (before === undefined) added++;
      const id = before?.id ?? (++this.#documentCount).toString(16).padStart(32, "0");
      const document = analyzedDocument(schema, id, Object.fromEntries(merged));
      working = [...working.filter((each) => each.id !== id), document];
      ids.push(id);
    }
    if (ids.length < changes.length) return { kind: "refused", ...refused } as never;
    index.working = working;
    index.hasPendingWrites = true;
    return { kind: "changed", ids, added };
  }

  async keyConflicts(storageId: StorageId, field: string): Promise<KeyConflicts> {
    const { committed, working } = this.#index(storageId);
    const shared = new Set<CanonicalValue>();
    const lacking = new Set<string>();
    for (const documents of [committed, working]) {
      const seen = new Set<CanonicalValue>();
      for (const { id, document } of documents) {
        const value = document[field];
        if (value === undefined || value === "") lacking.add(id);
        else if (seen.has(value)) shared.add(value);
        else seen.add(value);
      }
    }
    return {
      shared: [...shared].slice(0, 20),
      sharedCount: shared.size,
      lacking: [...lacking].slice(0, 20),
      lackingCount: lacking.size,
    };
  }

  async addUnread(storageId: StorageId, unread: UnreadDocuments): Promise<DocumentsWritten> {
    const reading = readDocuments(unread);
    const documents: CanonicalDocument[] = [];
    let step = reading.next();
    for (; step.done !== true; step = reading.next()) documents.push(...(step.value ?? []));
    const { primaryKey } = unread;
    if (primaryKey === undefined)
      return { ids: await this.add(storageId, documents), replaced: 0, ...step.value };
    return { ...(await this.replace(storageId, primaryKey, documents)), ...step.value };
  }

  async deleteMatching(storageId: StorageId, ast: QueryAst): Promise<number> {
    const { schema, working } = this.#index(storageId);
    const removed = new Set(matchingDocuments(schema, working, ast));
    return this.#remove(storageId, (document) => removed.has(document));
  }

  async deleteByKeptValue(storageId: StorageId, field: string, match: KeptValueMatch): Promise<number> {
    const matches = keptValueMatcher(match, createAnalyzer(indexAnalysis(this.#index(storageId).schema)));
    return this.#remove(
      storageId,
      ({ document }) => field in document && [document[field]].flat().some(matches),
    );
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
    if (index.hasPendingWrites) index.generation = ++this.#generationCount;
    index.committed = index.working;
    index.hasPendingWrites = false;
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
    const { hits, ...rest } = await this.#search([{ storageId, plan, weight: 1 }], caller);
    return { hits: hits.map(({ memberIndex: _, ...hit }) => hit), ...rest };
  }

  async generation(storageId: StorageId): Promise<Generation> {
    return String(this.#index(storageId).generation);
  }

  async searchFederation(
    members: readonly FederationMember[],
    caller?: SearchCaller,
  ): Promise<FederatedSearchResult> {
    return this.#search(members, caller);
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
    const { count, hits, facets } = await this.#search(all, caller);
    const backend = this;
    const open: OpenSearch = {
      count,
      facets,
      get heldHits() {
        return backend.openSearches.has(open) ? backend.heldHitsPerSearch : 0;
      },
      first: { offset: members.find(({ plan }) => plan !== null)?.plan?.offset ?? 0, key: "" },
      page: async ({ offset, key }, limit, reader) => {
        if (key !== "") throw new FindlingError("cursor_expired", "the double's positions have no keys");
        refuseGone(reader);
        if (!this.openSearches.has(open)) throw new TypeError("the search is closed");
        const end = Math.min(offset + limit, count);
        return {
          hits: hits.slice(offset, end),
          next: end >= count ? null : { offset: end, key: "" },
        };
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

  async #search(
    members: readonly FederationMember[],
    caller: SearchCaller | undefined,
  ): Promise<FederatedSearchResult> {
    await this.#enter("search");
    refuseGone(caller);
    return searchNaively(
      members.map(({ storageId, plan, weight }) => {
        const { schema, committed } = this.#index(storageId);
        return { schema, documents: committed, plan, weight };
      }),
    );
  }

  async #remove(storageId: StorageId, isRemoved: (document: NaiveDocument) => boolean): Promise<number> {
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
    if (index !== undefined) return index;
    throw this.#lost.has(storageId)
      ? new FindlingError("storage_corrupt", `storage '${storageId}' is gone`)
      : new FindlingError("index_not_found", `there is no storage '${storageId}'`);
  }
}

function analyzedDocument(schema: IndexSchema, id: string, document: CanonicalDocument): NaiveDocument {
  return naiveDocument(toEngineSchema(schema), createAnalyzer(indexAnalysis(schema)), id, document);
}

/** Every search here would take long. */
function refuseGone(caller: SearchCaller | undefined): void {
  if (caller?.isGone === true) throw new FindlingError("search_timeout", "the caller has gone");
}
