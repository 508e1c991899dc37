import { readdir, readFile } from "node:fs/promises";
import {
  constants,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from "node:perf_hooks";
import { getHeapStatistics } from "node:v8";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Milliseconds between two looks at the event loop; the delays told include it. */
const LOOK_EVERY_MS = 10;

const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: "major",
  [constants.NODE_PERFORMANCE_GC_MINOR]: "minor",
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: "incremental",
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: "weakcb",
};

/** What Node tells of each garbage collection. */
interface CollectionEntry extends PerformanceEntry {
  readonly detail: { readonly kind: number };
}

/**
 * How the process fares, under the names that prom-client's default metrics have, so that ready-made
 * dashboards fit. Those themselves can't be stopped: each server started in a process would leave a timer
 * and an observer behind. Delays of the event loop and garbage collection are watched from the first time
 * that somebody asks, since the watching alone takes half a percent of a processor.
 */
export class ProcessMetrics {
  readonly #registry: Registry;
  readonly #loopDelay = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
  readonly #collections: PerformanceObserver;
  #isWatching = false;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#tellOfTime();
    this.#tellOfMemory();
    this.#tellOfFiles();
    this.#tellOfEventLoop();
    this.#collections = this.#collectionObserver();
  }

  /** Begins to watch, and a new span of time for the figures that are of one. */
  startSpan(): void {
    if (!this.#isWatching) {
      this.#isWatching = true;
      this.#loopDelay.enable();
      this.#collections.observe({ entryTypes: ["gc"] });
    }
    this.#loopDelay.reset();
  }

  close(): void {
    this.#loopDelay.disable();
    this.#collections.disconnect();
  }

  #tellOfTime(): void {
    const registers = [this.#registry];
    const cpu: readonly (readonly [string, string, (usage: NodeJS.CpuUsage) => number])[] = [
      ["process_cpu_user_seconds_total", "User CPU time, in seconds.", ({ user }) => user],
      ["process_cpu_system_seconds_total", "System CPU time, in seconds.", ({ system }) => system],
      ["process_cpu_seconds_total", "CPU time, in seconds.", ({ user, system }) => user + system],
    ];
    for (const [name, help, microsecondsOf] of cpu) {
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(microsecondsOf(process.cpuUsage()) / 1e6);
        },
      });
    }
    const start = new Gauge({
      name: "process_start_time_seconds",
      help: "When the process started, in seconds since the Unix epoch.",
      registers,
    });
    start.set(performance.timeOrigin / 1000);
    const version = new Gauge({
      name: "nodejs_version_info",
      help: "The version of Node.js.",
      labelNames: ["version"],
      registers,
    });
    version.set({ version: process.version }, 1);
  }

  #tellOfMemory(): void {
    this.#gauge("process_resident_memory_bytes", "Resident memory, in bytes.", () =>
      process.memoryUsage.rss(),
    );
    this.#gauge(
      "nodejs_heap_size_total_bytes",
      "Size of the JavaScript heap, in bytes.",
      () => getHeapStatistics().total_heap_size,
    );
    this.#gauge(
      "nodejs_heap_size_used_bytes",
      "Used part of the JavaScript heap, in bytes.",
      () => getHeapStatistics().used_heap_size,
    );
    this.#gauge(
      "nodejs_external_memory_bytes",
      "Memory outside the JavaScript heap, buffers included, in bytes.",
      () => getHeapStatistics().external_memory,
    );
  }

  #tellOfFiles(): void {
    if (process.platform !== "linux") return;
    this.#gauge(
      "process_open_fds",
      "Open file descriptors.",
      async () => (await readdir("/proc/self/fd")).length,
    );
    this.#gauge("process_max_fds", "File descriptors that may be open, at most.", async () => {
      const [, limit] = /^Max open files\s+(\d+)/m.exec(await readFile("/proc/self/limits", "utf8")) ?? [];
      return Number(limit);
    });
  }

  #tellOfEventLoop(): void {
    const delay = this.#loopDelay;
    this.#gauge(
      "nodejs_eventloop_lag_seconds",
      "How long the event loop takes to come round just now.",
      () => {
        const start = performance.now();
        return new Promise((resolve) => setImmediate(() => resolve((performance.now() - start) / 1000)));
      },
    );
    const figures: readonly (readonly [string, string, () => number])[] = [
      ["min", "The least", () => delay.min],
      ["max", "The greatest", () => delay.max],
      ["mean", "The mean", () => delay.mean],
      ["stddev", "The standard deviation", () => delay.stddev],
      ["p50", "The 50th percentile", () => delay.percentile(50)],
      ["p90", "The 90th percentile", () => delay.percentile(90)],
      ["p99", "The 99th percentile", () => delay.percentile(99)],
    ];
    for (const [name, what, nanoseconds] of figures) {
      const help = `${what} of the event loop's delays since the last look, in seconds.`;
      this.#gauge(`nodejs_eventloop_lag_${name}_seconds`, help, () =>
        delay.count === 0 ? 0 : nanoseconds() / 1e9,
      );
    }
    let last = performance.eventLoopUtilization();
    this.#gauge(
      "nodejs_eventloop_utilization",
      "Share of the time since the last look in which the event loop was busy, 0 to 1.",
      () => {
        const now = performance.eventLoopUtilization();
        const { utilization } = performance.eventLoopUtilization(now, last);
        last = now;
        return utilization;
      },
    );
  }

  #collectionObserver(): PerformanceObserver {
    const durations = new Histogram({
      name: "nodejs_gc_duration_seconds",
      help: "Time that collecting garbage took, in seconds.",
      labelNames: ["kind"],
      buckets: [0.001, 0.01, 0.1, 1],
      registers: [this.#registry],
    });
    return new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { detail, duration } = entry as CollectionEntry;
        durations.observe({ kind: GC_KINDS[detail.kind] ?? "other" }, duration / 1000);
      }
    });
  }

  /** Most are read from files: what can't be, with no descriptor left, is missing, and the others are told. */
  #gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      async collect() {
        try {
          this.set(await read());
        } catch {
          this.remove();
        }
      },
    });
  }
}
