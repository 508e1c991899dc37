import type { DocumentsAdded, DocumentsRemoved, DocumentView } from "../../contract/document-bodies.js";
import { FindlingError } from "../../errors/index.js";
import type { Catalog } from "../../ports/catalog.js";
import type { SearchBackend } from "../../ports/search-backend.js";
import type { IndexLocks } from "../locks/index-locks.js";
import type { AutoCommit } from "./auto-commit.js";

export interface DocumentServicePorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
  readonly locks: IndexLocks;
  readonly autoCommit: AutoCommit;
}

export interface DocumentServiceOptions {
  readonly maxDocumentsPerRequest: number;
}

/** Documents in and out, and the transactions around them (contract 3.3, 3.5). */
export class DocumentService {
  readonly #ports: DocumentServicePorts;
  readonly #options: DocumentServiceOptions;

  constructor(ports: DocumentServicePorts, options: DocumentServiceOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  /** @throws FindlingError `index_not_found`, `invalid_document` */
  add(_indexName: string, _body: unknown): Promise<DocumentsAdded> {
    throw this.#unfinished();
  }

  /** @throws FindlingError `index_not_found`, `document_not_found` */
  get(_indexName: string, _documentId: string): Promise<DocumentView> {
    throw this.#unfinished();
  }

  deleteByField(_indexName: string, _body: unknown): Promise<DocumentsRemoved> {
    throw this.#unfinished();
  }

  deleteByQuery(_indexName: string, _body: unknown): Promise<DocumentsRemoved> {
    throw this.#unfinished();
  }

  deleteAll(_indexName: string): Promise<DocumentsRemoved> {
    throw this.#unfinished();
  }

  /** @throws FindlingError `index_not_found`, `document_not_found` */
  deleteDocument(_indexName: string, _documentId: string): Promise<DocumentsRemoved> {
    throw this.#unfinished();
  }

  commit(_indexName: string): Promise<"commit complete"> {
    throw this.#unfinished();
  }

  rollback(_indexName: string): Promise<"rollback complete"> {
    throw this.#unfinished();
  }

  #unfinished(): FindlingError {
    return new FindlingError("internal", `being written ${Object.keys(this.#ports)} ${this.#options}`);
  }
}
