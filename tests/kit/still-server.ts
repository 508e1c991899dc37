import type { RecentLog } from "../../src/ports/recent-log.js";
import type { ServerHealth } from "../../src/ports/server-health.js";

/** A server of which nothing is to be told. */
export const STILL_HEALTH: ServerHealth = {
  startedAtMs: 0,
  version: "0.0.0",
  nodeVersion: "v0.0.0",
  read: async () => ({
    residentBytes: 0,
    heapUsedBytes: 0,
    memoryBytes: 0,
    diskFreeBytes: null,
    diskBytes: null,
    eventLoopDelayMs: 0,
    cpuCores: 0,
  }),
  close: () => undefined,
};

export const NO_LOG: RecentLog = { linesAfter: () => [], last: 0 };
