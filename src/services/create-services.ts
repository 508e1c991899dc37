import type { SearchLimits } from "../contract/search-body.js";
import type { Catalog } from "../ports/catalog.js";
import type { Clock } from "../ports/clock.js";
import type { LanguageModels } from "../ports/language-models.js";
import type { Logger } from "../ports/logger.js";
import type { SearchBackend } from "../ports/search-backend.js";
import { DictionaryService, type DictionaryServiceOptions } from "./dictionaries/dictionary-service.js";
import { AutoCommit } from "./documents/auto-commit.js";
import { DocumentService } from "./documents/document-service.js";
import { FederatedSearchService } from "./federations/federated-search-service.js";
import { FederationService } from "./federations/federation-service.js";
import { IndexService, type IndexServiceOptions } from "./indexes/index-service.js";
import { Reanalysis } from "./indexes/reanalysis.js";
import { KeyService, type KeyServiceOptions } from "./keys/key-service.js";
import { IndexLocks } from "./locks/index-locks.js";
import { type CursorLimits, CursorStore } from "./search/cursor-store.js";
import { QueryContexts } from "./search/query-contexts.js";
import { SearchService } from "./search/search-service.js";
import { SuggestService } from "./search/suggest-service.js";

export interface ServicePorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly languageModels?: LanguageModels;
}

export interface ServiceOptions {
  readonly keys: KeyServiceOptions;
  readonly indexes: IndexServiceOptions;
  readonly dictionaries: DictionaryServiceOptions;
  readonly search: SearchLimits;
  readonly cursors: CursorLimits;
  /** Documents in one request, at most. */
  readonly maxDocumentsPerRequest: number;
}

export interface Services {
  readonly indexes: IndexService;
  readonly dictionaries: DictionaryService;
  readonly documents: DocumentService;
  readonly search: SearchService;
  readonly suggest: SuggestService;
  readonly federations: FederationService;
  readonly federatedSearch: FederatedSearchService;
  readonly keys: KeyService;
  /** Opens the indexes and takes up the automatic commits that a stop or crash interrupted. */
  start(): Promise<void>;
  /** Ends automatic commits and releases back end and catalog; pending writes stay pending. */
  stop(): Promise<void>;
}

/** Puts the services together over their ports. */
export function createServices(ports: ServicePorts, options: ServiceOptions): Services {
  const { catalog, backend, clock, logger } = ports;
  const locks = new IndexLocks();
  const autoCommit = new AutoCommit({ catalog, backend, clock, logger, locks });
  const reanalysis = new Reanalysis({ catalog, backend, clock, logger, locks, autoCommit });
  const queryContexts = new QueryContexts(options.search);
  const cursors = new CursorStore(clock, options.cursors);
  return {
    indexes: new IndexService(
      { catalog, backend, clock, logger, locks, autoCommit, reanalysis },
      options.indexes,
    ),
    dictionaries: new DictionaryService({ catalog, locks }, options.dictionaries),
    documents: new DocumentService(
      { catalog, backend, locks, autoCommit, queryContexts },
      { maxDocumentsPerRequest: options.maxDocumentsPerRequest, search: options.search },
    ),
    search: new SearchService({ catalog, backend, clock, queryContexts, cursors }, options.search),
    suggest: new SuggestService({ catalog, backend, queryContexts }),
    federations: new FederationService({ catalog, backend, clock }),
    federatedSearch: new FederatedSearchService(
      { catalog, backend, clock, queryContexts, cursors },
      options.search,
    ),
    keys: new KeyService(catalog, options.keys),
    async start() {
      await backend.start(catalog.indexes());
      await autoCommit.start();
      reanalysis.start();
    },
    async stop() {
      await reanalysis.stop();
      await autoCommit.stop();
      cursors.closeAll();
      await backend.stop();
      await catalog.close();
    },
  };
}
