import { type EventStoreOptions, openEventStore } from "../../src/adapters/events/open-event-store.js";
import type { Clock } from "../../src/ports/clock.js";
import type { EventStore } from "../../src/ports/event-store.js";
import type { Logger } from "../../src/ports/logger.js";

const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs).unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Says what the store says to nobody. */
const SILENT_LOGGER: Logger = { info: () => {}, warn: () => {}, error: () => {} };

export function openTestEventStore(
  folder: string,
  options: Partial<EventStoreOptions> = {},
): Promise<EventStore> {
  return openEventStore({
    folder,
    queueMb: 256,
    memoryMb: 128,
    clock: SYSTEM_CLOCK,
    logger: SILENT_LOGGER,
    ...options,
  });
}
