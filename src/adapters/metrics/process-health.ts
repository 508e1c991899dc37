import { statfs } from "node:fs/promises";
import { type IntervalHistogram, monitorEventLoopDelay, performance } from "node:perf_hooks";
import type { HealthFigures, ServerHealth } from "../../ports/server-health.js";

export interface ProcessHealthOptions {
  /** Where the disk is looked at. */
  readonly dataDirectory: string;
  readonly memoryBytes: number;
  readonly version: string;
}

const LOOK_EVERY_MS = 10;
const NANOSECONDS_PER_MS = 1e6;

/** This process. Its event loop is watched from the first look on, since the watching alone costs. */
export class ProcessHealth implements ServerHealth {
  readonly startedAtMs: number = performance.timeOrigin;
  readonly version: string;
  readonly nodeVersion: string = process.version;
  readonly #options: ProcessHealthOptions;
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
  #lastUsage: NodeJS.CpuUsage = process.cpuUsage();
  #lastLookMs: number = performance.now();

  constructor(options: ProcessHealthOptions) {
    this.#options = options;
    this.version = options.version;
  }

  async read(): Promise<HealthFigures> {
    const delayMs =
      this.#delay.count === 0
        ? 0
        : Math.max(0, this.#delay.percentile(99) / NANOSECONDS_PER_MS - LOOK_EVERY_MS);
    this.#delay.enable();
    this.#delay.reset();
    const { rss, heapUsed } = process.memoryUsage();
    const disk = await this.#disk();
    return {
      residentBytes: rss,
      heapUsedBytes: heapUsed,
      memoryBytes: this.#options.memoryBytes,
      diskFreeBytes: disk?.free ?? null,
      diskBytes: disk?.all ?? null,
      eventLoopDelayMs: delayMs,
      cpuCores: this.#cpuSinceLastLook(),
    };
  }

  close(): void {
    this.#delay.disable();
  }

  #cpuSinceLastLook(): number {
    const usage = process.cpuUsage(this.#lastUsage);
    const nowMs = performance.now();
    const elapsedMs = nowMs - this.#lastLookMs;
    this.#lastUsage = process.cpuUsage();
    this.#lastLookMs = nowMs;
    return elapsedMs <= 0 ? 0 : (usage.user + usage.system) / 1000 / elapsedMs;
  }

  async #disk(): Promise<{ readonly free: number; readonly all: number } | null> {
    try {
      const { bavail, blocks, bsize } = await statfs(this.#options.dataDirectory);
      return { free: bavail * bsize, all: blocks * bsize };
    } catch {
      return null;
    }
  }
}
