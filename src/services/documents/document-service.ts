import type { CanonicalDocument } from "../../contract/canonical-value.js";
import { parseDeleteByFieldBody } from "../../contract/delete-body.js";
import {
  type DocumentsAdded,
  type DocumentsRemoved,
  type DocumentsUpdated,
  type SkippedDocument,
  skipsBadDocuments,
} from "../../contract/document-bodies.js";
import { bytesOfJson } from "../../contract/document-json.js";
import { documentVersion } from "../../contract/document-version.js";
import type { IndexSchema } from "../../contract/index-schema.js";
import { nestedJson, rootOf } from "../../contract/nested-fields.js";
import { parseDeleteByQueryBody, type SearchLimits } from "../../contract/search-body.js";
import { FindlingError } from "../../errors/index.js";
import { DocumentRecords, type SentDocument } from "../../intake/document-records.js";
import { normalizeDocuments } from "../../intake/normalize-documents.js";
import { normalizeSent } from "../../intake/normalize-sent.js";
import { UnreadBody } from "../../intake/unread-body.js";
import type { Catalog, CatalogIndex } from "../../ports/catalog.js";
import type { Metrics } from "../../ports/metrics.js";
import type { DocumentsWritten, SearchBackend } from "../../ports/search-backend.js";
import { compileDeleteByTerm } from "../../query/compile-delete.js";
import { compileClauses } from "../../query/compile-search.js";
import type { IndexActivity } from "../admin/index-activity.js";
import { indexNameOf, requireIndex } from "../indexes/require-index.js";
import type { IndexLocks } from "../locks/index-locks.js";
import type { QueryContexts } from "../search/query-contexts.js";
import type { AutoCommit, WriteOutcome } from "../transactions/auto-commit.js";
import { awaitedFields } from "./awaited-fields.js";
import { parseChanges, refusedChanges } from "./document-changes.js";
import { intakeFields, keyAst } from "./primary-key.js";
import { StoredDocument } from "./stored-document.js";

export interface DocumentServicePorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
  readonly locks: IndexLocks;
  readonly autoCommit: AutoCommit;
  readonly queryContexts: QueryContexts;
  readonly metrics: Pick<Metrics, "documentsAdded" | "documentsRemoved">;
  readonly activity: Pick<IndexActivity, "added" | "removed" | "committed" | "rolledBack">;
}

export interface DocumentServiceOptions {
  readonly maxDocumentsPerRequest: number;
  /** For the query of a delete. */
  readonly search: SearchLimits;
}

/** Bodies of more are read where documents are written, as a long one takes long. */
const SMALL_BYTES = 16_384;

const DETAILS: Readonly<Record<WriteOutcome, string>> = {
  pending: "accepted; commit or roll back to finish",
  scheduled: "accepted; the automatic commit will finish",
  committed: "accepted and committed",
  commit_failed: "accepted; the automatic commit failed and will be tried again",
};

/**
 * Documents in and out, and the transactions around them (contract 3.3, 3.5). Bodies come in as
 * they were sent: whether the index exists is asked before their shape is.
 */
export class DocumentService {
  readonly #ports: DocumentServicePorts;
  readonly #options: DocumentServiceOptions;

  constructor(ports: DocumentServicePorts, options: DocumentServiceOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  /**
   * Adds one document or an array of them, all or none.
   *
   * @param body as it was sent, or unread
   * @throws FindlingError `index_not_found`, `invalid_request`, `invalid_document`; for an unread body also
   *   what is wrong with its JSON
   */
  async add(
    indexName: string,
    body: unknown,
    query: Readonly<Record<string, unknown>> = {},
  ): Promise<DocumentsAdded> {
    if (body instanceof UnreadBody) await requireIndexOrJson(this.#ports.catalog, indexName, body);
    return this.#write(indexName, async (index) => {
      const skipsBad = skipsBadDocuments(query);
      const { ids, replaced, ignoredFields, skipped } = isReadHere(body, skipsBad)
        ? await this.#addSent(index, body, skipsBad)
        : withPlaces(await this.#add(index, body, skipsBad));
      const written = ids.reduce((count, id) => (id === null ? count : count + 1), 0);
      this.#ports.metrics.documentsAdded(written);
      this.#ports.activity.added(index.storageId, written);
      if (replaced > 0) this.#ports.activity.removed(index.storageId, replaced);
      return (outcome) => ({
        success: true,
        detail: `changes ${DETAILS[outcome]}`,
        num_added: written - replaced,
        ...(index.schema.primary_key === undefined ? {} : { num_replaced: replaced }),
        ids,
        ...(skipped !== undefined && { num_skipped: skipped.count, errors: skipped.named }),
        ...(ignoredFields.length === 0 ? {} : { ignored_fields: ignoredFields }),
      });
    });
  }

  /** Documents that are looked at one by one: records, and those of which bad ones are left out. */
  async #addSent(
    index: CatalogIndex,
    body: unknown,
    skipsBad: boolean,
  ): Promise<DocumentsWritten & { readonly skipped: SkippedDocuments | undefined }> {
    const sent = await sentDocuments(body, this.#options.maxDocumentsPerRequest);
    const normalized = await normalizeSent(intakeFields(index.schema), sent, skipsBad, awaitedFields(index));
    const { documents, places, ignoredFields, skippedCount } = normalized;
    const written =
      documents.length === 0 ? { ids: [], replaced: 0 } : await this.#writeDocuments(index, documents);
    const ids: (string | null)[] = Array.from(sent, () => null);
    for (const [i, place] of places.entries()) ids[place] = written.ids[i] ?? null;
    const skipped = skipsBad ? { count: skippedCount, named: normalized.skipped } : undefined;
    return { ids, replaced: written.replaced, ignoredFields, skipped };
  }

  async #writeDocuments(
    { schema: { primary_key: primaryKey }, storageId }: CatalogIndex,
    documents: readonly CanonicalDocument[],
  ): Promise<Pick<DocumentsWritten, "ids" | "replaced">> {
    const { backend } = this.#ports;
    return primaryKey === undefined
      ? { ids: await backend.add(storageId, documents), replaced: 0 }
      : backend.replace(storageId, primaryKey, documents);
  }

  async #add(index: CatalogIndex, body: unknown, skipsBad: boolean): Promise<DocumentsWritten> {
    const { schema, storageId } = index;
    const { backend } = this.#ports;
    const { primary_key: primaryKey } = schema;
    const maxDocuments = this.#options.maxDocumentsPerRequest;
    const fields = intakeFields(schema);
    if (body instanceof UnreadBody || body instanceof DocumentRecords) {
      const { bytes, memoryMax } = body;
      const format = body instanceof DocumentRecords ? { format: body.format } : {};
      const key = primaryKey === undefined ? {} : { primaryKey };
      const awaited = awaitedFields(index);
      const awaiting = awaited.length === 0 ? {} : { awaitedFields: awaited };
      return backend.addUnread(storageId, {
        bytes,
        ...format,
        fields,
        maxDocuments,
        memoryMax,
        ...(skipsBad && { skipsBad }),
        ...key,
        ...awaiting,
      });
    }
    const { documents, ignoredFields } = await normalizeDocuments(
      fields,
      body,
      maxDocuments,
      awaitedFields(index),
    );
    return { ...(await this.#writeDocuments(index, documents)), ignoredFields };
  }

  /**
   * Changes members of documents, all or none.
   *
   * @param body an object or a list of them, each with the primary key or `_id`
   * @param upsert whether documents that aren't there are added
   * @throws FindlingError `index_not_found`, `invalid_request`, `invalid_document`, `document_not_found`,
   *   `version_conflict`; then nothing is changed
   */
  async update(indexName: string, body: unknown, upsert: boolean): Promise<DocumentsUpdated> {
    return this.#write(indexName, async (index) => {
      const { schema, storageId } = index;
      const { maxDocumentsPerRequest } = this.#options;
      const parsed = parseChanges(schema, body, maxDocumentsPerRequest, awaitedFields(index));
      const options = { key: schema.primary_key, upsert };
      const changed = await this.#ports.backend.change(storageId, parsed.changes, options);
      if (changed.kind === "refused") throw refusedChanges(schema, parsed, changed);
      const { ids, added } = changed;
      const updated = new Set(ids).size - added;
      this.#ports.metrics.documentsAdded(updated + added);
      this.#ports.activity.added(storageId, updated + added);
      if (updated > 0) this.#ports.activity.removed(storageId, updated);
      const { ignoredFields } = parsed;
      return (outcome) => ({
        success: true,
        detail: `changes ${DETAILS[outcome]}`,
        num_updated: updated,
        num_added: added,
        ids,
        ...(ignoredFields.length === 0 ? {} : { ignored_fields: ignoredFields }),
      });
    });
  }

  /**
   * A committed document by its internal id.
   *
   * @throws FindlingError `index_not_found`, `document_not_found`
   */
  async get(indexName: string, documentId: string): Promise<StoredDocument> {
    const { storageId, schema } = requireIndex(this.#ports.catalog, indexName);
    const json = await this.#ports.backend.document(storageId, documentId);
    if (json === null) throw documentNotFound(indexName, documentId);
    return storedDocument(json, documentId, schema);
  }

  /**
   * A committed document by its primary key.
   *
   * @param key as it is in the path: a number in decimal digits
   * @throws FindlingError `index_not_found`, `invalid_request` if the index has no primary key, `invalid_field_value`,
   *   `document_not_found`
   */
  async getByKey(indexName: string, key: string): Promise<StoredDocument> {
    const { storageId, schema } = requireIndex(this.#ports.catalog, indexName);
    const plan = { ast: keyAst(schema, key), offset: 0, limit: 1, facets: [] };
    const [hit] = (await this.#ports.backend.search(storageId, plan)).hits;
    if (hit === undefined) throw keyNotFound(schema, key);
    return storedDocument(Buffer.from(hit.docJson).toString(), hit.documentId, schema);
  }

  /** @throws FindlingError as `getByKey` */
  async deleteByKey(indexName: string, key: string): Promise<DocumentsRemoved> {
    return this.#remove(indexName, async ({ storageId, schema }) => {
      const found = await this.#ports.backend.deleteMatching(storageId, keyAst(schema, key));
      if (found === 0) throw keyNotFound(schema, key);
      return found;
    });
  }

  /** @throws FindlingError `index_not_found`, `invalid_request`, `unknown_field`, `field_not_indexed`, `invalid_field_value` */
  async deleteByField(indexName: string, body: unknown): Promise<DocumentsRemoved> {
    return this.#remove(indexName, (index) => {
      const { backend, queryContexts } = this.#ports;
      const { field, values } = parseDeleteByFieldBody(body);
      const plan = compileDeleteByTerm(field, values, queryContexts.of(index));
      return plan.by === "query"
        ? backend.deleteMatching(index.storageId, plan.ast)
        : backend.deleteByKeptValue(index.storageId, plan.field, plan.match);
    });
  }

  /** @throws FindlingError `index_not_found`, `invalid_request` and what a search's query throws */
  async deleteByQuery(indexName: string, body: unknown): Promise<DocumentsRemoved> {
    return this.#remove(indexName, (index) => {
      const clauses = parseDeleteByQueryBody(body, this.#options.search);
      const ast = compileClauses(clauses, undefined, this.#ports.queryContexts.of(index));
      return this.#ports.backend.deleteMatching(index.storageId, ast);
    });
  }

  /** @throws FindlingError `index_not_found` */
  async deleteAll(indexName: string): Promise<DocumentsRemoved> {
    return this.#remove(indexName, ({ storageId }) => this.#ports.backend.deleteAll(storageId));
  }

  /** @throws FindlingError `index_not_found`, `document_not_found` */
  async deleteDocument(indexName: string, documentId: string): Promise<DocumentsRemoved> {
    return this.#remove(indexName, async ({ storageId }) => {
      const found = await this.#ports.backend.deleteDocument(storageId, documentId);
      if (!found) throw documentNotFound(indexName, documentId);
      return 1;
    });
  }

  /** @throws FindlingError `index_not_found` */
  async commit(indexName: string): Promise<"commit complete"> {
    const { catalog, backend, locks, activity } = this.#ports;
    await locks.shared(indexNameOf(catalog, indexName), () =>
      this.#endTransaction(indexNameOf(catalog, indexName), async ({ storageId }) => {
        await backend.commit(storageId);
        activity.committed(storageId);
      }),
    );
    return "commit complete";
  }

  /**
   * Comes between writes, never into one: it would take what that is about to commit before its answer, which then says
   * of lost documents that they are committed.
   *
   * @throws FindlingError `index_not_found`
   */
  async rollback(indexName: string): Promise<"rollback complete"> {
    const { catalog, backend, locks, activity } = this.#ports;
    await locks.exclusive(indexNameOf(catalog, indexName), () =>
      this.#endTransaction(indexNameOf(catalog, indexName), async ({ storageId }) => {
        await backend.rollback(storageId);
        activity.rolledBack(storageId);
      }),
    );
    return "rollback complete";
  }

  async #remove(
    indexName: string,
    remove: (index: CatalogIndex) => Promise<number>,
  ): Promise<DocumentsRemoved> {
    return this.#write(indexName, async (index) => {
      const count = await remove(index);
      this.#ports.metrics.documentsRemoved(count);
      this.#ports.activity.removed(index.storageId, count);
      return (outcome) => ({ success: true, detail: `deletion ${DETAILS[outcome]}`, num_removed: count });
    });
  }

  /** The answer is made last, because it tells what the automatic commit has come to. */
  #write<T>(
    indexName: string,
    write: (index: CatalogIndex) => Promise<(outcome: WriteOutcome) => T>,
  ): Promise<T> {
    const { catalog, locks, autoCommit } = this.#ports;
    const own = indexNameOf(catalog, indexName);
    return locks.shared(own, async () => {
      const index = requireIndex(catalog, own);
      const answer = await write(index);
      return answer(await autoCommit.afterWrite(index));
    });
  }

  /** Under the index's lock. */
  async #endTransaction(indexName: string, end: (index: CatalogIndex) => Promise<void>): Promise<void> {
    const { catalog, autoCommit } = this.#ports;
    const index = requireIndex(catalog, indexName);
    // Before and not after: a write that comes while this runs schedules a commit of its own.
    autoCommit.cancel(index.schema.name);
    try {
      await end(index);
    } catch (error) {
      await autoCommit.resume(index);
      throw error;
    }
  }
}

function storedDocument(json: string, documentId: string, schema: IndexSchema): StoredDocument {
  return new StoredDocument({
    json: nestedJson(json, schema.fields),
    documentId,
    sourceIndex: schema.name,
    memberNames: Object.keys(schema.fields).map(rootOf),
    version: () => documentVersion(documentId, bytesOfJson(json)),
  });
}

function keyNotFound({ name, primary_key }: IndexSchema, key: string): FindlingError {
  return new FindlingError(
    "document_not_found",
    `index '${name}' has no document whose ${primary_key} is '${key}'`,
  );
}

/** Whether documents are looked at one by one in this thread. */
function isReadHere(body: unknown, skipsBad: boolean): boolean {
  if (body instanceof DocumentRecords) return body.bytes.length <= SMALL_BYTES;
  return skipsBad && (!(body instanceof UnreadBody) || body.bytes.length <= SMALL_BYTES);
}

/** Ids in the places of the documents that were sent. */
function withPlaces(
  written: DocumentsWritten,
): DocumentsWritten & { readonly skipped: SkippedDocuments | undefined } {
  const { leftOut } = written;
  if (leftOut === undefined) return { ...written, skipped: undefined };
  const ids: (string | null)[] = Array.from({ length: leftOut.sentCount }, () => null);
  for (const [i, place] of leftOut.places.entries()) ids[place] = written.ids[i] ?? null;
  return { ...written, ids, skipped: { count: leftOut.skippedCount, named: leftOut.skipped } };
}

interface SkippedDocuments {
  readonly count: number;
  readonly named: readonly SkippedDocument[];
}

/** The documents of a body of any kind, one by one. @throws FindlingError as reading it does; `invalid_request` for too many */
async function sentDocuments(body: unknown, documentsMax: number): Promise<readonly SentDocument[]> {
  if (body instanceof DocumentRecords) return body.read(documentsMax);
  const value = body instanceof UnreadBody ? await body.parsed() : body;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length <= documentsMax) return values.map((each) => ({ value: each }));
  throw new FindlingError(
    "invalid_request",
    `the body holds ${values.length} documents, at most ${documentsMax} are allowed in one request`,
  );
}

function documentNotFound(indexName: string, documentId: string): FindlingError {
  return new FindlingError("document_not_found", `index '${indexName}' has no document '${documentId}'`);
}

/** What is wrong with the body itself is told before that there is no such index. */
async function requireIndexOrJson(catalog: Catalog, indexName: string, body: UnreadBody): Promise<void> {
  try {
    requireIndex(catalog, indexName);
  } catch (error) {
    // The body is of no use afterwards, so that it ends here even if the index has come to be meanwhile.
    await body.requireJson();
    throw error;
  }
}
