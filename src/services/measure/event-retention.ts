import type { Clock } from "../../ports/clock.js";
import type { EventStore } from "../../ports/event-store.js";
import type { Logger } from "../../ports/logger.js";

export interface EventRetentionPorts {
  readonly store: Pick<EventStore, "deleteBefore">;
  readonly clock: Clock;
  readonly logger: Logger;
}

const DAY_MS = 86_400_000;
/** Not with the start itself, which has enough to do. */
const FIRST_SWEEP_DELAY_MS = 60_000;

/** Forgets usage events that have been kept for long enough: a minute after the start, then once a day. */
export class EventRetention {
  readonly #ports: EventRetentionPorts;
  readonly #days: number;
  #alarm: { cancel(): void } | null = null;
  #sweep: Promise<void> = Promise.resolve();
  #isStopped = false;

  /** @param options `days`: how long events are kept, at least 1 */
  constructor(ports: EventRetentionPorts, options: { readonly days: number }) {
    this.#ports = ports;
    this.#days = options.days;
  }

  start(): void {
    this.#schedule(FIRST_SWEEP_DELAY_MS);
  }

  /** Resolves once a sweep under way has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#alarm?.cancel();
    await this.#sweep;
  }

  #schedule(delayMs: number): void {
    if (this.#isStopped) return;
    this.#alarm = this.#ports.clock.after(delayMs, () => {
      this.#sweep = this.#forget();
    });
  }

  async #forget(): Promise<void> {
    const { store, clock, logger } = this.#ports;
    try {
      const events = await store.deleteBefore(clock.now() - this.#days * DAY_MS);
      if (events > 0) logger.info("old usage events are forgotten", { events, days: this.#days });
    } catch (error) {
      logger.error("old usage events can't be forgotten now; the next attempt is tomorrow", {}, error);
    }
    this.#schedule(DAY_MS);
  }
}
