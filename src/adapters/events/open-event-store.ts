import { createRequire } from "node:module";
import { join } from "node:path";
import type { OptionalPackage } from "../../errors/index.js";
import type { Clock } from "../../ports/clock.js";
import type { Logger } from "../../ports/logger.js";
import type { Tracing } from "../../ports/tracing.js";
import { ClickHouseDatabase } from "./clickhouse/clickhouse-database.js";
import { DuckDbDatabase } from "./duckdb/duckdb-database.js";
import type { EventDatabase } from "./event-database.js";
import { EventDrain } from "./event-drain.js";
import { EventQueue } from "./queue/event-queue.js";
import { QueuedEventStore } from "./queued-event-store.js";

export interface EventStoreOptions {
  /** The folder of this store alone, made if need be: `waiting/`, and DuckDB's file. One process at a time. */
  readonly folder: string;
  /** ClickHouse, as `http://user:password@host:8123/database`; absent: DuckDB in the folder. */
  readonly url?: string | undefined;
  /** Mebibytes of events that may wait on disk. */
  readonly queueMb: number;
  /** Mebibytes of DuckDB's buffers. */
  readonly memoryMb: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing;
}

const MEBIBYTE = 1024 * 1024;
const QUEUE_MEMORY_BYTES = 16 * MEBIBYTE;
const QUEUE_FILE_BYTES = 4 * MEBIBYTE;
/** A second thread would compete with searches; queries run beside each other anyway. */
const DUCKDB_THREADS = 1;

/**
 * The package that a store needs and that isn't installed, looked for without loading it; null where it is there.
 *
 * @param url as in `EventStoreOptions`
 */
export function missingEventPackage(url: string | undefined): OptionalPackage | null {
  const name = url === undefined ? "@duckdb/node-api" : "@clickhouse/client";
  try {
    createRequire(import.meta.url).resolve(name);
    return null;
  } catch {
    return name;
  }
}

/**
 * Takes up what an earlier process has left in the folder. The database is opened, and reached over
 * the network, only when there is something to write or to ask: a store that is away or damaged keeps
 * no server from starting.
 *
 * @throws FindlingError `invalid_configuration` if the URL is none of ClickHouse
 */
export async function openEventStore(options: EventStoreOptions): Promise<QueuedEventStore> {
  const { folder, url, clock, logger, tracing } = options;
  const database: EventDatabase =
    url === undefined
      ? new DuckDbDatabase({
          path: join(folder, "events.duckdb"),
          memoryMb: options.memoryMb,
          threads: DUCKDB_THREADS,
        })
      : new ClickHouseDatabase({ url, ...(tracing !== undefined && { tracing }) });
  const limits = {
    diskBytesMax: options.queueMb * MEBIBYTE,
    memoryBytesMax: QUEUE_MEMORY_BYTES,
    fileBytes: QUEUE_FILE_BYTES,
  };
  const queue = await EventQueue.open(join(folder, "waiting"), limits, logger);
  const drain = new EventDrain(queue, database, clock, logger);
  drain.start();
  return new QueuedEventStore(queue, drain, database, logger);
}
