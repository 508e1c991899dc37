import type { SearchClause } from "../../src/contract/search.js";
import type { CatalogKey } from "../../src/ports/catalog.js";
import type { StoredEvent } from "../../src/ports/event-store.js";
import { Authority } from "../../src/services/authority/authority.js";
import { EventAttribution } from "../../src/services/measure/event-attribution.js";
import { type AnsweredSearch, MeasureRecorder } from "../../src/services/measure/measure-recorder.js";
import type { RequestClient } from "../../src/services/measure/request-origin.js";
import { ManualClock } from "./manual-clock.js";
import { MemoryEventStore } from "./memory-event-store.js";
import { RecordingLogger } from "./recording-logger.js";

/** A recorder, and all that it needs, in memory. */
export function recorderOverMemory(): {
  readonly store: MemoryEventStore;
  readonly clock: ManualClock;
  readonly logger: RecordingLogger;
  readonly recorder: MeasureRecorder;
} {
  const store = new MemoryEventStore();
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const attribution = new EventAttribution("full");
  return { store, clock, logger, recorder: new MeasureRecorder({ store, clock, logger, attribution }) };
}

export function clause(mode: SearchClause["mode"], ctx: string): SearchClause {
  return { mode, ctx, occur: "should" };
}

/** A search of three hits in "books", by somebody who may everything. */
export function answeredSearch(ctx: string, client: RequestClient = {}): AnsweredSearch {
  return {
    origin: { authority: Authority.unrestricted(), client },
    target: { indexName: "books" },
    clauses: [clause("fuzzy", ctx)],
    count: 3,
  };
}

export function storedKey(id: string, more: Partial<CatalogKey> = {}): CatalogKey {
  return { id, name: "", permissions: 1, allowed_indexes: ["*"], status: "active", ...more };
}

/** UTF-8 bytes of the events' JSON. */
export function bytesOf(events: readonly StoredEvent[]): number {
  return events.reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)), 0);
}
