import type { SettingView } from "../contract/admin.js";
import type { SearchLimits } from "../contract/search-body.js";
import type { Catalog } from "../ports/catalog.js";
import type { Clock } from "../ports/clock.js";
import type { EventStore } from "../ports/event-store.js";
import type { LanguageModels } from "../ports/language-models.js";
import type { Logger } from "../ports/logger.js";
import type { Metrics } from "../ports/metrics.js";
import type { RecentLog } from "../ports/recent-log.js";
import type { SearchBackend } from "../ports/search-backend.js";
import type { ServerHealth } from "../ports/server-health.js";
import { ONE_SERVER, type Servers } from "../ports/servers.js";
import type { StorageHealth } from "../ports/storage-health.js";
import { NO_TRACING, type Tracing } from "../ports/tracing.js";
import { AdminService } from "./admin/admin-service.js";
import { IndexActivity } from "./admin/index-activity.js";
import { type BackupOptions, type BackupParts, BackupService } from "./backup/backup-service.js";
import { DictionaryService, type DictionaryServiceOptions } from "./dictionaries/dictionary-service.js";
import { DocumentService } from "./documents/document-service.js";
import { FederatedSearchService } from "./federations/federated-search-service.js";
import { FederationService } from "./federations/federation-service.js";
import { AliasService } from "./indexes/alias-service.js";
import { IndexService, type IndexServiceOptions } from "./indexes/index-service.js";
import { Reanalysis } from "./indexes/reanalysis.js";
import { KeyService, type KeyServiceOptions } from "./keys/key-service.js";
import { SignInCodes } from "./keys/sign-in-codes.js";
import { IndexLocks } from "./locks/index-locks.js";
import { DashboardService } from "./measure/dashboard-service.js";
import { EventAttribution } from "./measure/event-attribution.js";
import { EventRetention } from "./measure/event-retention.js";
import type { AddressPolicy } from "./measure/kept-address.js";
import { MeasureRecorder } from "./measure/measure-recorder.js";
import { MeasureService } from "./measure/measure-service.js";
import { type CursorLimits, CursorStore, type Cursors } from "./search/cursor-store.js";
import { QueryContexts } from "./search/query-contexts.js";
import { SearchService } from "./search/search-service.js";
import { SharedCursors } from "./search/shared-cursors.js";
import { SuggestService } from "./search/suggest-service.js";
import type { CallLimits } from "./summary/call-budget.js";
import { SummaryService } from "./summary/summary-service.js";
import { AutoCommit } from "./transactions/auto-commit.js";
import { LeftWrites } from "./transactions/left-writes.js";

export interface ServicePorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Closed with the services. */
  readonly metrics: Metrics;
  readonly languageModels: LanguageModels;
  /** Null: measuring is off. */
  readonly eventStore: EventStore | null;
  /** Why there is none though measuring isn't off; null or absent where there is no such reason. */
  readonly missingForEvents?: string | null;
  /** Closed with the services. */
  readonly health: ServerHealth;
  readonly log: RecentLog;
  /** Absent: the storage is this machine's own. */
  readonly storageHealth?: StorageHealth;
  /** Absent: it is the only server of its storage. */
  readonly servers?: Servers;
  /** Absent: there are no backups. */
  readonly backup?: BackupParts;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing;
}

export interface ServiceOptions {
  readonly keys: KeyServiceOptions;
  readonly indexes: IndexServiceOptions;
  readonly dictionaries: DictionaryServiceOptions;
  readonly search: SearchLimits;
  readonly cursors: CursorLimits;
  readonly measure: MeasureOptions;
  readonly summaryCalls: CallLimits;
  /** For where there are backups. */
  readonly backup?: BackupOptions;
  /** Documents in one request, at most. */
  readonly maxDocumentsPerRequest: number;
  /** Milliseconds from which on a search is kept as slow; 0: none is. */
  readonly slowSearchMs: number;
  /** What is in force, as the operator is shown it. */
  readonly settings: readonly SettingView[];
}

export interface MeasureOptions {
  readonly addresses: AddressPolicy;
  /** Days that usage events are kept; 0 = for ever. */
  readonly retentionDays: number;
}

export interface Services {
  readonly indexes: IndexService;
  readonly aliases: AliasService;
  readonly dictionaries: DictionaryService;
  readonly documents: DocumentService;
  readonly search: SearchService;
  readonly suggest: SuggestService;
  readonly summaries: SummaryService;
  readonly federations: FederationService;
  readonly federatedSearch: FederatedSearchService;
  readonly measure: MeasureService;
  readonly dashboards: DashboardService;
  /** For whoever answers requests that are usage events themselves. */
  readonly recorder: MeasureRecorder;
  readonly keys: KeyService;
  readonly signInCodes: SignInCodes;
  readonly admin: AdminService;
  readonly backups: BackupService;
  /** For whoever answers requests, and whoever watches how they are answered. */
  readonly metrics: Metrics;
  /** For whoever answers requests. */
  readonly tracing: Tracing;
  /** Makes the indexes known and takes up the automatic commits that a stop or crash interrupted. */
  start(): Promise<void>;
  /** Ends automatic commits and releases back end and catalog; pending writes stay pending. */
  stop(): Promise<void>;
}

/** Puts the services together over their ports. */
export function createServices(ports: ServicePorts, options: ServiceOptions): Services {
  const {
    catalog,
    backend,
    clock,
    logger,
    metrics,
    eventStore,
    missingForEvents: missing,
    languageModels,
    tracing = NO_TRACING,
  } = ports;
  const { storageHealth = WELL, servers = ONE_SERVER } = ports;
  const locks = new IndexLocks();
  const activity = new IndexActivity(clock, options.slowSearchMs, logger);
  const autoCommit = new AutoCommit({ catalog, backend, clock, logger, locks, activity });
  const leftWrites = new LeftWrites({ catalog, backend, clock, logger, autoCommit });
  const reanalysis = new Reanalysis({ catalog, backend, clock, logger, locks, autoCommit });
  const queryContexts = new QueryContexts(options.search);
  const { keptSearches } = backend;
  const cursors: Cursors =
    keptSearches === undefined
      ? new CursorStore(clock, options.cursors)
      : new SharedCursors(keptSearches, clock, options.cursors);
  const attribution = new EventAttribution(options.measure.addresses);
  const recorder = new MeasureRecorder({ store: eventStore, clock, logger, attribution });
  const retention = retentionOf(ports, options.measure);
  const search = new SearchService(
    { catalog, backend, clock, queryContexts, cursors, recorder, metrics, activity, tracing },
    options.search,
  );
  const summaries = new SummaryService(
    { catalog, backend, clock, logger, metrics, languageModels, tracing, servers, search, recorder },
    { search: options.search, calls: options.summaryCalls },
  );
  const indexes = new IndexService(
    { catalog, backend, clock, logger, locks, autoCommit, reanalysis },
    options.indexes,
  );
  const keys = new KeyService({ catalog, clock, logger }, options.keys);
  const backups = new BackupService(
    { parts: ports.backup ?? null, catalog, indexes, clock, logger },
    options.backup,
  );
  return {
    aliases: new AliasService({ catalog, locks }),
    indexes,
    backups,
    dictionaries: new DictionaryService({ catalog, locks }, options.dictionaries),
    documents: new DocumentService(
      { catalog, backend, locks, autoCommit, queryContexts, metrics, activity },
      { maxDocumentsPerRequest: options.maxDocumentsPerRequest, search: options.search },
    ),
    search,
    summaries,
    suggest: new SuggestService({ catalog, backend, queryContexts }),
    federations: new FederationService({ catalog, backend, clock }),
    federatedSearch: new FederatedSearchService(
      { catalog, backend, clock, queryContexts, cursors, recorder, metrics, activity, tracing },
      options.search,
    ),
    measure: new MeasureService({ store: eventStore, missing, catalog, clock, attribution, recorder }),
    dashboards: new DashboardService({ store: eventStore, missing, catalog, clock }),
    recorder,
    keys,
    signInCodes: new SignInCodes(clock),
    admin: new AdminService(
      { catalog, backend, eventStore, health: ports.health, storageHealth, log: ports.log, activity },
      options.settings,
    ),
    metrics,
    tracing,
    async start() {
      await backend.start(catalog.indexes());
      autoCommit.start();
      leftWrites.start();
      reanalysis.start();
      retention?.start();
      backups.start();
    },
    async stop() {
      metrics.close();
      ports.health.close();
      await backups.stop();
      await reanalysis.stop();
      await leftWrites.stop();
      await autoCommit.stop();
      cursors.closeAll();
      await summaries.stop();
      await languageModels.close();
      try {
        await retention?.stop();
        await recorder.stop();
        await eventStore?.close();
      } finally {
        await keys.stop();
        await backend.stop();
        await catalog.close();
      }
    },
  };
}

/** Storage of this machine's own tells by its answers how it fares. */
const WELL: StorageHealth = { problem: null };

function retentionOf(
  { eventStore, clock, logger }: ServicePorts,
  options: MeasureOptions,
): EventRetention | null {
  if (eventStore === null || options.retentionDays === 0) return null;
  return new EventRetention({ store: eventStore, clock, logger }, { days: options.retentionDays });
}
