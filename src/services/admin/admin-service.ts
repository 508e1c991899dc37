import {
  type ConfigurationView,
  type IndexOverview,
  type Overview,
  parseLogQuery,
  type RecentLogLines,
  type SettingView,
  type SlowSearches,
} from "../../contract/admin.js";
import type { Alias } from "../../contract/aliases.js";
import { FindlingError } from "../../errors/index.js";
import type { Catalog, CatalogIndex } from "../../ports/catalog.js";
import type { EventStore } from "../../ports/event-store.js";
import type { RecentLog } from "../../ports/recent-log.js";
import type { SearchBackend } from "../../ports/search-backend.js";
import type { ServerHealth } from "../../ports/server-health.js";
import type { StorageHealth } from "../../ports/storage-health.js";
import type { IndexActivity } from "./index-activity.js";

export interface AdminServicePorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
  readonly eventStore: Pick<EventStore, "status"> | null;
  readonly health: ServerHealth;
  readonly storageHealth: StorageHealth;
  readonly log: RecentLog;
  readonly activity: IndexActivity;
}

/** Indexes whose files are looked at together. */
const TOGETHER = 16;

/** What an operator asks of the server as a whole. */
export class AdminService {
  readonly #ports: AdminServicePorts;
  readonly #settings: readonly SettingView[];

  constructor(ports: AdminServicePorts, settings: readonly SettingView[]) {
    this.#ports = ports;
    this.#settings = settings;
  }

  /** @throws FindlingError `storage_unavailable` while nothing can be asked of the storage */
  requireReady(): void {
    const { problem } = this.#ports.storageHealth;
    if (problem === null) return;
    throw new FindlingError("storage_unavailable", problem, { retryAfterSeconds: 1 });
  }

  async overview(): Promise<Overview> {
    const { catalog, health, storageHealth, activity, eventStore } = this.#ports;
    const indexes = [...catalog.indexes()];
    activity.keepOnly(
      new Set(indexes.map(({ storageId }) => storageId)),
      new Set([
        ...indexes.map(({ schema }) => `index ${schema.name}`),
        ...catalog.federations().map(({ name }) => `federation ${name}`),
      ]),
    );
    const shown: IndexOverview[] = [];
    for (let at = 0; at < indexes.length; at += TOGETHER)
      shown.push(
        ...(await Promise.all(indexes.slice(at, at + TOGETHER).map((index) => this.#indexOverview(index)))),
      );
    const figures = await health.read();
    const events = eventStore?.status() ?? null;
    return {
      version: health.version,
      node_version: health.nodeVersion,
      started_at: new Date(health.startedAtMs).toISOString(),
      health: {
        resident_bytes: figures.residentBytes,
        heap_used_bytes: figures.heapUsedBytes,
        memory_bytes: figures.memoryBytes,
        disk_free_bytes: figures.diskFreeBytes,
        disk_bytes: figures.diskBytes,
        event_loop_delay_ms: figures.eventLoopDelayMs,
        cpu_cores: figures.cpuCores,
        storage_problem: problemOf(storageHealth),
        waiting_events: events?.waitingEvents ?? null,
        is_event_store_available: events?.isAvailable ?? null,
        searches_per_minute: activity.allSearchesPerMinute,
        slow_searches: activity.slowSearches.length,
      },
      indexes: shown.sort((a, b) => (a.name < b.name ? -1 : 1)),
    };
  }

  slowSearches(): SlowSearches {
    const { activity } = this.#ports;
    return { threshold_ms: activity.slowThresholdMs, searches: activity.slowSearches };
  }

  /** @throws FindlingError `invalid_request` */
  log(query: Readonly<Record<string, unknown>>): RecentLogLines {
    const { log } = this.#ports;
    return { lines: log.linesAfter(parseLogQuery(query)), last: log.last };
  }

  configuration(): ConfigurationView {
    return { settings: this.#settings };
  }

  async #indexOverview({ schema, storageId, next_schema: next }: CatalogIndex): Promise<IndexOverview> {
    const { backend, activity, catalog } = this.#ports;
    const aliases = readableAliases(catalog).filter(({ index }) => index === schema.name);
    const { pendingAdded, pendingRemoved, lastCommitMs } = activity.countsOf(storageId);
    const known = {
      name: schema.name,
      ...(aliases.length > 0 && { aliases: aliases.map(({ alias }) => alias) }),
      pending_added: pendingAdded,
      pending_removed: pendingRemoved,
      last_commit: lastCommitMs === null ? null : new Date(lastCommitMs).toISOString(),
      searches_per_minute: activity.searchesPerMinute(schema.name),
      is_being_analysed: next !== undefined,
    };
    try {
      const { documentCount, spaceUsage } = await backend.stats(storageId);
      const hasPending = await backend.hasPendingWrites(storageId);
      return {
        ...known,
        document_count: documentCount,
        space_usage: spaceUsage,
        has_pending_writes: hasPending,
      };
    } catch (error) {
      const problem =
        error instanceof FindlingError ? error.message : "its files can't be read; the log says why";
      return { ...known, document_count: null, space_usage: null, has_pending_writes: false, problem };
    }
  }
}

/** An overview that failed with them couldn't say what is wrong. */
function readableAliases(catalog: Pick<Catalog, "aliases">): readonly Alias[] {
  try {
    return catalog.aliases();
  } catch {
    return [];
  }
}

function problemOf({ problem, damage = [] }: StorageHealth): string | null {
  if (problem !== null || damage.length === 0) return problem;
  return `what is damaged is set aside (${damage.join(", ")}); the log names it, and 'findling doctor' that of a data folder`;
}
