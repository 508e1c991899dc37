import { readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import type { FileCatalog } from "./adapters/catalog/file-catalog.js";
import { systemClock } from "./adapters/clock/system-clock.js";
import type { EmbeddedBackend } from "./adapters/embedded/embedded-backend.js";
import { lowerOtherThreads, THREAD_NICENESS } from "./adapters/embedded/lower-thread-priority.js";
import { missingEventPackage, openEventStore } from "./adapters/events/open-event-store.js";
import type { QueuedEventStore } from "./adapters/events/queued-event-store.js";
import { ThreadedLanguageModels } from "./adapters/language-models/threaded-language-models.js";
import { ProcessHealth } from "./adapters/metrics/process-health.js";
import { PrometheusMetrics } from "./adapters/metrics/prometheus-metrics.js";
import type { Cluster } from "./adapters/opensearch/cluster.js";
import type { ClusterBackend } from "./adapters/opensearch/cluster-backend.js";
import type { ClusterCatalog } from "./adapters/opensearch/cluster-catalog.js";
import { openTelemetry, type Telemetry } from "./adapters/telemetry/open-telemetry.js";
import { holdsData, openBackups, requireNoCutOffRestore, restoreDataFolder } from "./backups.js";
import { bytesOf, type Configuration, describeConfiguration, memoryOfMachine } from "./config/index.js";
import type { AccessKey } from "./contract/access-key.js";
import { LOG_LINES_MAX, type SettingView } from "./contract/admin.js";
import { DEFAULT_SEARCH_LIMITS } from "./contract/search-body.js";
import { openEmbeddedStorage } from "./embedded-storage.js";
import { FindlingError, loadOptional, missingText } from "./errors/index.js";
import { LogRing } from "./http/log/log-ring.js";
import { type Logger, type OpenLog, openLog } from "./http/log/logger.js";
import { routeHandlers } from "./http/routes/route-handlers.js";
import { HttpServer } from "./http/server/http-server.js";
import type { TlsFiles } from "./http/server/tls-server.js";
import { IndexedManual } from "./manual-search/indexed-manual.js";
import { findlingServer } from "./mcp/findling-server.js";
import { McpEndpoint } from "./mcp/mcp-endpoint.js";
import type { LogFields, Logger as ServiceLogger } from "./ports/logger.js";
import type { Servers } from "./ports/servers.js";
import type { StorageHealth } from "./ports/storage-health.js";
import type { BackupParts } from "./services/backup/backup-service.js";
import { createServices, type Services } from "./services/create-services.js";
import { DEFAULT_CURSOR_LIMITS } from "./services/search/cursor-store.js";

export {
  type Configuration,
  type ConfigurationSources,
  describeConfiguration,
  loadConfiguration,
  serviceVariables,
} from "./config/index.js";
export type { AccessKey } from "./contract/access-key.js";
export { FindlingError } from "./errors/index.js";

export interface StartOptions {
  /**
   * Told of the keys that the very first start creates. They are stored encrypted: to be read again, they take a
   * key that holds all of their rights, or the data folder with its `secret.key` or `FINDLING_SECRET_KEY`.
   */
  readonly onFirstKeys?: (keys: readonly AccessKey[]) => void;
  /** Names of environment variables that were passed over, for the log (`serviceVariables`). */
  readonly ignoredVariables?: readonly string[];
  /** Where log lines go; standard error by default. */
  readonly logDestination?: { write(line: string): void };
  /**
   * Whether nothing else goes on in the process: then the threads that it has, but the calling one, step
   * back behind those that answer. Default false.
   */
  readonly ownsProcess?: boolean;
}

export interface RunningServer {
  readonly address: { readonly host: string; readonly port: number };
  /** Base URL without a trailing slash. */
  readonly url: string;
  /** Keys created by this start; empty unless it was the first. */
  readonly createdKeys: readonly AccessKey[];
  /** Where the console is; null where it is off. */
  readonly consoleUrl: string | null;
  /**
   * A link that signs the operator in to the console: good once, for ten minutes, from this machine. Making one ends the
   * one before. Null where the console is off, or where no key that may do everything can be read.
   */
  signInLink(): string | null;
  /**
   * Refuses new requests, finishes the running ones (at most `stopTimeoutSeconds`), cancels automatic
   * commits and closes storage. Pending writes stay pending. Calling it again waits for the same stop.
   */
  stop(): Promise<void>;
}

/**
 * Starts a search server in this process:
 *
 * ```ts
 * const server = await startServer(loadConfiguration({ env: process.env }));
 * console.log(server.url);
 * await server.stop();
 * ```
 *
 * Signals are left to the caller. A start that fails leaves nothing open.
 *
 * @throws FindlingError `storage_locked` if another process holds the data folder; `storage_corrupt`,
 *   `storage_unavailable`; `invalid_configuration` if the address can't be listened on
 */
export async function startServer(
  configuration: Configuration,
  options: StartOptions = {},
): Promise<RunningServer> {
  if (options.ownsProcess === true) lowerOtherThreads(THREAD_NICENESS.runtime);
  const ring = new LogRing(LOG_LINES_MAX);
  const log = openLog({
    ring,
    level: configuration.logLevel,
    format: configuration.logFormat,
    ...(options.logDestination !== undefined && { destination: options.logDestination }),
  });
  try {
    return await startWithLog(configuration, options, { ...log, ring });
  } catch (error) {
    log.close();
    throw error;
  }
}

async function startWithLog(
  configuration: Configuration,
  options: StartOptions,
  log: OpenLog & { readonly ring: LogRing },
): Promise<RunningServer> {
  const { logger } = log;
  const { ignoredVariables = [] } = options;
  if (ignoredVariables.length > 0)
    logger.info({ variables: ignoredVariables }, "passed over, as Kubernetes sets them for a service");
  const telemetry = await openTelemetry({
    environment: process.env,
    version: packageVersion(),
    scheme: configuration.tlsCertificateFile === undefined ? "http" : "https",
    recordsTexts: configuration.traceTexts,
    logger: serviceLogger(logger),
  });
  try {
    if (configuration.backend === "embedded") await restoreFirst(configuration, logger);
    return await startTraced(configuration, options, log, telemetry);
  } catch (error) {
    await telemetry.close();
    throw error;
  }
}

async function startTraced(
  configuration: Configuration,
  options: StartOptions,
  log: OpenLog & { readonly ring: LogRing },
  telemetry: Telemetry,
): Promise<RunningServer> {
  const { logger } = log;
  const services = await openServices(configuration, log, telemetry);
  let http: HttpServer | undefined;
  try {
    await services.start();
    http = await HttpServer.create({
      keys: services.keys,
      handlers: routeHandlers(services, {
        endpoint: mcpEndpoint(configuration),
        origins: configuration.corsOrigins,
      }),
      logger,
      metrics: services.metrics,
      tracing: services.tracing,
      corsOrigins: configuration.corsOrigins,
      trustedProxies: configuration.trustedProxies,
      bodyLimits: {
        documents: bytesOf(configuration.documentBodyLimitMb),
        standard: bytesOf(configuration.bodyLimitMb),
      },
      bodiesBytesMax: bytesOf(configuration.bodyMemoryMb),
      answersBytesMax: bytesOf(configuration.bodyMemoryMb),
      hasConsole: configuration.console,
      manual: new IndexedManual(),
      tls: tlsFilesOf(configuration),
      timers: { after: systemClock.after, now: () => performance.now() },
      version: packageVersion(),
    });
    const { address: host, port } = await listen(http, configuration);
    // Only once nothing else can fail, so that no keys are stored that nobody has been told.
    const createdKeys = configuration.auth ? await services.keys.ensureFirstKeys() : [];
    if (createdKeys.length > 0) options.onFirstKeys?.(createdKeys);
    const url = urlOf(host, port, configuration.tlsCertificateFile !== undefined);
    logger.info({ url, data_dir: configuration.dataDir }, "listening");
    return {
      address: { host, port },
      url,
      createdKeys,
      consoleUrl: configuration.console ? `${url}/console` : null,
      signInLink: () => signInLink(url, services, configuration),
      stop: stopOnce({ http, services, telemetry }, configuration, log),
    };
  } catch (error) {
    await http?.stop(0);
    await services.stop();
    throw error;
  }
}

function signInLink(
  url: string,
  { keys, signInCodes }: Services,
  configuration: Configuration,
): string | null {
  if (!configuration.console) return null;
  const key = configuration.adminKey ?? keys.anyAdminKey();
  return key === undefined ? null : `${url}/console#code=${signInCodes.issue(key)}`;
}

/** Restores into an empty folder what the configuration names. @throws FindlingError what a restore throws */
async function restoreFirst(configuration: Configuration, logger: Logger): Promise<void> {
  const { dataDir, restoreFrom, backupUrl, secretKey, measureMemoryMb } = configuration;
  if (restoreFrom === undefined) return requireNoCutOffRestore(dataDir);
  if (holdsData(dataDir)) {
    await requireNoCutOffRestore(dataDir);
    logger.info({ backup: restoreFrom }, "FINDLING_RESTORE_FROM is passed over, as the folder holds data");
    return;
  }
  if (backupUrl === undefined) {
    const problem = "FINDLING_RESTORE_FROM needs FINDLING_BACKUP_URL, such as file:///var/backups/findling";
    throw new FindlingError("invalid_configuration", problem);
  }
  const store = await openBackups(backupUrl, process.env);
  const restored = await restoreDataFolder(store, restoreFrom, { dataDir, secretKey, measureMemoryMb });
  logger.info({ backup: restored.id, indexes: restored.indexes.length }, "a backup was restored");
  for (const { index, problem } of restored.failed) logger.error({ index }, problem);
  for (const problem of restored.missing) logger.warn(problem);
}

/** Where documents and settings are kept, and what there is only where that is the data folder. */
interface Storage {
  readonly catalog: FileCatalog | ClusterCatalog;
  readonly backend: EmbeddedBackend | ClusterBackend;
  readonly health: StorageHealth;
  readonly searchCaches?: () => EmbeddedBackend["cacheFigures"];
  /** Only where that is a cluster. */
  readonly cluster?: Cluster;
  readonly servers?: Servers;
  readonly backup?: (eventStore: QueuedEventStore | null) => Promise<BackupParts | undefined>;
}

async function openCluster(
  configuration: Configuration,
  logger: Logger,
  { tracing }: Telemetry,
): Promise<Storage> {
  // Nothing of it is loaded where there is no cluster.
  const { openClusterStorage } = await loadOptional(
    "@opensearch-project/opensearch",
    () => import("./cluster-storage.js"),
  );
  const storage = await openClusterStorage(configuration, tracing, (message, error) =>
    logger.warn(error === undefined ? {} : { err: error }, message),
  );
  for (const { index, problem } of storage.catalog.secretProblems()) logger.warn({ index }, problem);
  for (const { problem } of storage.catalog.keyProblems()) logger.warn(problem);
  return storage;
}

async function openServices(
  configuration: Configuration,
  log: OpenLog & { readonly ring: LogRing },
  telemetry: Telemetry,
): Promise<Services> {
  const { logger } = log;
  const { dataDir } = configuration;
  const isOnCluster = configuration.backend === "opensearch";
  const storage: Storage = isOnCluster
    ? await openCluster(configuration, logger, telemetry)
    : await openEmbeddedStorage(configuration, logger);
  const { catalog, backend, searchCaches, cluster, servers } = storage;
  try {
    const eventStore = await openEvents(configuration, logger, telemetry);
    const backup = await storage.backup?.(eventStore);
    const metrics = new PrometheusMetrics({
      catalog,
      eventStore,
      lostLogLines: log.lostLines,
      ...(searchCaches !== undefined && { searchCaches }),
      ...(cluster !== undefined && { cluster }),
      version: packageVersion(),
    });
    telemetry.setFamilies(() => metrics.families());
    const services = createServices(
      {
        ...(backup !== undefined && { backup }),
        catalog,
        backend,
        clock: systemClock,
        logger: serviceLogger(logger),
        eventStore,
        missingForEvents: missingForEvents(configuration),
        health: new ProcessHealth({
          dataDirectory: dataDir,
          memoryBytes: memoryOfMachine(),
          version: packageVersion(),
        }),
        log: log.ring,
        storageHealth: storage.health,
        ...(servers !== undefined && { servers }),
        metrics,
        tracing: telemetry.tracing,
        languageModels: new ThreadedLanguageModels({
          gateways: {
            anthropic: configuration.anthropicBaseUrl,
            bedrock: configuration.bedrockBaseUrl,
            google: configuration.googleBaseUrl,
            mistral: configuration.mistralBaseUrl,
            openai: configuration.openaiBaseUrl,
            xai: configuration.xaiBaseUrl,
          },
          allowedOrigins: configuration.llmAllowedBaseUrls,
        }),
      },
      {
        keys: {
          configuredKeys: configuredKeys(configuration),
          authenticationEnabled: configuration.auth,
          strictSummaryPermission: configuration.strictSummaryPermission,
          measureAcceptsReadKeys: configuration.measureAcceptsReadKeys,
          maxResultLimit: configuration.maxResultLimit,
        },
        indexes: {
          putCreates: configuration.putCreates,
          allowedLlmBaseUrls: configuration.llmAllowedBaseUrls,
        },
        dictionaries: { entriesMax: configuration.dictionaryEntriesPerRequest },
        search: {
          ...DEFAULT_SEARCH_LIMITS,
          defaultLimit: Math.min(DEFAULT_SEARCH_LIMITS.defaultLimit, configuration.maxResultLimit),
          maxLimit: configuration.maxResultLimit,
          maxClauses: configuration.queryClauses,
          maxContextLength: configuration.queryLength,
          maxQueryDepth: configuration.queryDepth,
          maxQueryTerms: configuration.queryTerms,
        },
        cursors: { ...DEFAULT_CURSOR_LIMITS, idleMs: configuration.cursorIdleSeconds * 1000 },
        summaryCalls: {
          callsPerKey: configuration.summaryCallsPerKey,
          callsPerIndex: configuration.summaryCallsPerIndex,
          concurrentCalls: configuration.summaryConcurrentCalls,
        },
        maxDocumentsPerRequest: configuration.documentsPerRequest,
        slowSearchMs: configuration.slowSearchMs,
        settings: settingViews(configuration),
        backup: {
          serverVersion: packageVersion(),
          schedule: configuration.backupSchedule,
          keep: configuration.backupKeep,
          ...(isOnCluster && { notSupported: SNAPSHOTS_INSTEAD }),
        },
        measure: {
          addresses: configuration.measureIpAddresses,
          retentionDays: configuration.measureRetentionDays,
        },
      },
    );
    if (cluster === undefined) return services;
    return {
      ...services,
      stop() {
        cluster.endWithin(CLUSTER_STOP_MS);
        return services.stop();
      },
    };
  } catch (error) {
    await backend.stop();
    await catalog.close();
    throw error;
  }
}

/** What a stop waits for a cluster that is silent, beside running requests: others go by the leases of who says nothing. */
const CLUSTER_STOP_MS = 3_000;

const SNAPSHOTS_INSTEAD =
  "documents of this server lie in an OpenSearch cluster, of which it makes no backups; take snapshots of the indices with its prefix by the cluster's own snapshot API";

function settingViews(configuration: Configuration): readonly SettingView[] {
  return describeConfiguration(configuration).map((setting) => ({
    name: setting.name,
    environment_name: setting.environmentName,
    description: setting.description,
    value: setting.value,
    is_default: setting.isDefault,
  }));
}

/** Null where it is off. */
function mcpEndpoint({ mcp }: Configuration): McpEndpoint | null {
  return mcp === "off"
    ? null
    : new McpEndpoint(findlingServer({ version: packageVersion(), allowsWriting: mcp === "write" }));
}

/** Null where measuring is off. Nothing of the database is loaded before there is something to store or to tell. */
async function openEvents(
  configuration: Configuration,
  logger: Logger,
  { tracing }: Telemetry,
): Promise<QueuedEventStore | null> {
  if (!configuration.measure) return null;
  if (configuration.backend === "opensearch" && configuration.measureUrl === undefined) {
    logger.info("usage events are not stored, as no ClickHouse server is named by FINDLING_MEASURE_URL");
    return null;
  }
  const missing = missingForEvents(configuration);
  if (missing !== null) {
    if (configuration.measureUrl !== undefined) throw new FindlingError("invalid_configuration", missing);
    logger.warn(`usage events are not stored: ${missing}`);
    return null;
  }
  return openEventStore({
    folder: join(configuration.dataDir, "measure"),
    url: configuration.measureUrl,
    queueMb: configuration.measureQueueMb,
    memoryMb: configuration.measureMemoryMb,
    clock: systemClock,
    logger: serviceLogger(logger),
    tracing,
  });
}

/** What to say where usage events would be stored if the package for it were there; null where it is. */
function missingForEvents({ measure, measureUrl }: Configuration): string | null {
  const missing = measure ? missingEventPackage(measureUrl) : null;
  return missing === null ? null : missingText(missing);
}

/** Masks of contract 2.1. */
function configuredKeys(configuration: Configuration): readonly { key: string; permissions: number }[] {
  return [
    { key: configuration.adminKey, permissions: 127 },
    { key: configuration.ingestKey, permissions: 15 },
    { key: configuration.readKey, permissions: 1 },
  ].filter((each): each is { key: string; permissions: number } => each.key !== undefined);
}

function tlsFilesOf({ tlsCertificateFile: certificate, tlsKeyFile: key }: Configuration): TlsFiles | null {
  return certificate === undefined || key === undefined ? null : { certificate, key };
}

async function listen(
  http: HttpServer,
  { host, port, tlsCertificateFile, tlsKeyFile }: Configuration,
): Promise<{ address: string; port: number }> {
  try {
    return await http.listen(host, port);
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (tlsCertificateFile !== undefined && !["listen", "bind", "getaddrinfo"].includes(syscall ?? ""))
      throw new FindlingError(
        "invalid_configuration",
        `'${tlsCertificateFile}' and '${tlsKeyFile}' can't be used as certificate and key (${code ?? message}); give PEM files that belong together`,
        { cause: error },
      );
    const problem =
      code === "EADDRINUSE"
        ? "another process uses it; choose another port, for example FINDLING_PORT=8001"
        : `the system refuses (${code ?? "unknown reason"}); choose another address, for example FINDLING_HOST=127.0.0.1`;
    throw new FindlingError("invalid_configuration", `can't listen on '${host}' port ${port}: ${problem}`, {
      cause: error,
    });
  }
}

interface RunningParts {
  readonly http: HttpServer;
  readonly services: Services;
  readonly telemetry: Telemetry;
}

function stopOnce(
  { http, services, telemetry }: RunningParts,
  configuration: Configuration,
  { logger, close }: OpenLog,
): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    logger.info("stopping");
    try {
      await http.stop(configuration.stopTimeoutSeconds * 1000);
      // While there is still something to count.
      await telemetry.close();
    } finally {
      await services.stop();
    }
    logger.info("stopped");
    close();
  };
  return () => (stopped ??= stop());
}

function urlOf(host: string, port: number, isEncrypted: boolean): string {
  const scheme = isEncrypted ? "https" : "http";
  if (host === "0.0.0.0" || host === "::") return `${scheme}://localhost:${port}`;
  return `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** The services' log lines in the same stream as the requests'. */
function serviceLogger(logger: Logger): ServiceLogger {
  const line = (fields: LogFields | undefined, error: unknown): object => ({
    ...fields,
    ...(error !== undefined && { err: error }),
  });
  return {
    info: (message, fields) => logger.info(line(fields, undefined), message),
    warn: (message, fields, error) => logger.warn(line(fields, error), message),
    error: (message, fields, error) => logger.error(line(fields, error), message),
  };
}

function packageVersion(): string {
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
