import type { AllIndexStats, IndexNames, IndexStats, IndexView } from "../../contract/index-bodies.js";
import { FindlingError } from "../../errors/index.js";
import type { Catalog } from "../../ports/catalog.js";
import type { Logger } from "../../ports/logger.js";
import type { SearchBackend } from "../../ports/search-backend.js";
import type { AutoCommit } from "../documents/auto-commit.js";
import type { Authority } from "../keys/authority.js";
import type { IndexLocks } from "../locks/index-locks.js";

export interface IndexServicePorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
  readonly logger: Logger;
  readonly locks: IndexLocks;
  readonly autoCommit: AutoCommit;
}

export interface IndexServiceOptions {
  /** Whether PUT on a missing name creates the index (contract 3.2). */
  readonly putCreates: boolean;
  /** Origins that `ai.llm_base_url` may name (contract 4.4). */
  readonly allowedLlmBaseUrls: readonly string[];
}

/** Indexes as callers see them (contract 3.2). */
export class IndexService {
  readonly #ports: IndexServicePorts;
  readonly #options: IndexServiceOptions;

  constructor(ports: IndexServicePorts, options: IndexServiceOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  /** The names in the caller's scope, sorted. */
  list(_authority: Authority): IndexNames {
    throw this.#unfinished();
  }

  allStats(_authority: Authority): Promise<AllIndexStats> {
    throw this.#unfinished();
  }

  /** @throws FindlingError `index_not_found` */
  get(_name: string, _authority: Authority): IndexView {
    throw this.#unfinished();
  }

  /** @throws FindlingError `index_not_found` */
  stats(_name: string): Promise<IndexStats> {
    throw this.#unfinished();
  }

  create(_body: unknown, _authority: Authority): Promise<"index created" | "index updated"> {
    throw this.#unfinished();
  }

  replace(_name: string, _body: unknown, _authority: Authority): Promise<"index created" | "index updated"> {
    throw this.#unfinished();
  }

  patch(_name: string, _body: unknown, _authority: Authority): Promise<"index updated"> {
    throw this.#unfinished();
  }

  delete(_name: string): Promise<"index deleted"> {
    throw this.#unfinished();
  }

  #unfinished(): FindlingError {
    return new FindlingError("internal", `being written ${Object.keys(this.#ports)} ${this.#options}`);
  }
}
