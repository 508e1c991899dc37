import type { SummaryModelCall, SummarySource } from "../../contract/summary.js";
import type { Clock } from "../../ports/clock.js";

/** A summary that is complete. */
export interface FinishedSummary extends SummaryGround {
  readonly text: string;
  /** Where whoever asked first wanted to know it. */
  readonly call?: SummaryModelCall | undefined;
}

/** What a summary is made from. */
export interface SummaryGround {
  readonly sources: readonly SummarySource[];
  /** Documents that matched. */
  readonly count: number;
}

const AGE_MAX_MS = 5 * 60_000;
const ENTRIES_MAX = 1_000;
const BYTES_MAX = 32 * 1024 * 1024;
const BYTES_PER_SOURCE = 200;

interface Entry {
  readonly summary: FinishedSummary;
  readonly bytes: number;
  readonly endsAt: number;
}

/**
 * Summaries of the last five minutes (contract 3.6, 7), the oldest given up first where there are too many. A
 * key must name everything that the text depends on.
 */
export class SummaryCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(key: string): FinishedSummary | undefined {
    this.#dropOld();
    return this.#entries.get(key)?.summary;
  }

  put(key: string, summary: FinishedSummary): void {
    this.#dropOld();
    this.#drop(key);
    const { text, call, sources } = summary;
    const asked = call === undefined ? 0 : call.system.length + call.prompt.length;
    const bytes = 2 * (key.length + text.length + asked) + sources.length * BYTES_PER_SOURCE;
    this.#entries.set(key, { summary, bytes, endsAt: this.#clock.now() + AGE_MAX_MS });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= ENTRIES_MAX && this.#bytes <= BYTES_MAX) break;
      this.#drop(oldest);
    }
  }

  /** Entries are in the order of their end. */
  #dropOld(): void {
    const now = this.#clock.now();
    for (const [key, { endsAt }] of this.#entries) {
      if (endsAt > now) break;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}
