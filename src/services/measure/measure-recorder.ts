import { EVENT_TEXT_LENGTH_MAX, MEASURE_EVENT } from "../../contract/measure-event.js";
import type { SearchClause } from "../../contract/search.js";
import type { Clock } from "../../ports/clock.js";
import type { EventStore, GatheredEvents } from "../../ports/event-store.js";
import type { Logger } from "../../ports/logger.js";
import { typedClauseIndex } from "../../query/typed-clause.js";
import type { EventAttribution, SeenEvent } from "./event-attribution.js";
import type { RequestOrigin } from "./request-origin.js";

/** A search, or the search of a summary, that was answered. */
export interface AnsweredSearch {
  readonly origin: RequestOrigin;
  readonly target: SeenEvent["target"];
  readonly clauses: readonly SearchClause[];
  /** Documents that matched, not those of the page. */
  readonly count: number;
}

export interface AnsweredSummary extends AnsweredSearch {
  /** Wire name, such as `anthropic`. */
  readonly aiProvider: string;
}

export interface MeasureRecorderPorts {
  /** Null: measuring is off and nothing is recorded. */
  readonly store: EventStore | null;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly attribution: EventAttribution;
}

/** How long an event waits for others to be stored with it. */
const FLUSH_DELAY_MS = 200;
/** After the store refused. */
const RETRY_DELAY_MS = 1_000;
const BATCH_EVENTS_MAX = 1_000;
/** A batch with one event more stays below a mebibyte, so that memory that doubles isn't doubled for the last one. */
const BATCH_BYTES_MAX = 960 * 1024;
const WAITING_EVENTS_MAX = 10_000;
const WAITING_BYTES_MAX = 16 * 1024 * 1024;
/** Failures in between are counted, not logged. */
const LOG_PAUSE_MS = 10_000;

/**
 * Records what the server itself sees of its use (contract 3.10). Nobody waits for it and it never
 * throws: events gather in memory for a moment, and where the store refuses them for long, new ones are
 * dropped and the operator is told. A crash loses that moment's, which nobody was promised.
 */
export class MeasureRecorder {
  readonly #ports: MeasureRecorderPorts;
  /** Handed over one by one; the last one is added to, unless it is being handed over. */
  readonly #waiting: GatheredEvents[] = [];
  #handedOver: GatheredEvents | null = null;
  /** In all of these. */
  #waitingCount = 0;
  #waitingBytes = 0;
  #alarm: { cancel(): void } | null = null;
  /** The flush under way or the last one; the next begins after it. */
  #flushed: Promise<void> = Promise.resolve();
  #dropped = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(ports: MeasureRecorderPorts) {
    this.#ports = ports;
  }

  recordSearch(search: AnsweredSearch): void {
    this.#add(MEASURE_EVENT.apiQueried, search, undefined);
  }

  recordSummary(summary: AnsweredSummary): void {
    this.#add(MEASURE_EVENT.apiSummaryRequested, summary, summary.aiProvider);
  }

  /** Hands over what has gathered; resolves once that is done or was refused. */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.then(() => this.#flush(0));
    return this.#flushed;
  }

  async stop(): Promise<void> {
    await this.flush();
    this.#alarm?.cancel();
    this.#alarm = null;
    if (this.#waitingCount > 0) {
      this.#ports.logger.error("usage events of searches are lost at the stop", {
        events: this.#waitingCount,
      });
    }
  }

  #add(eventName: string, search: AnsweredSearch, aiProvider: string | undefined): void {
    const { store } = this.#ports;
    if (store === null) return;
    if (this.#isFull) {
      this.#dropped++;
      return;
    }
    try {
      this.#gather(this.#seenEvent(eventName, search, aiProvider), store);
      this.#waitingCount++;
      this.#schedule(FLUSH_DELAY_MS);
    } catch (error) {
      // There may be no memory for it: no reason for the search to fail.
      this.#dropped++;
      this.#logRefusal(error);
    }
  }

  get #isFull(): boolean {
    return this.#waitingCount >= WAITING_EVENTS_MAX || this.#waitingBytes >= WAITING_BYTES_MAX;
  }

  #seenEvent(eventName: string, search: AnsweredSearch, aiProvider: string | undefined): SeenEvent {
    const { origin, target, clauses, count } = search;
    // As for summaries.
    const clause = clauses[typedClauseIndex(clauses)];
    const own = {
      receivedAt: this.#ports.clock.now(),
      searchTerm: clause === undefined ? undefined : storableText(clause.ctx),
      searchKind: clause?.mode,
      numberOfDocuments: count,
    };
    return { eventName, origin, target, aiProvider, own };
  }

  #gather(event: SeenEvent, store: EventStore): void {
    let last = this.#waiting.at(-1);
    if (last === undefined || last === this.#handedOver || isWhole(last)) {
      last = store.gather();
      this.#waiting.push(last);
    }
    const bytesBefore = last.byteLength;
    this.#ports.attribution.gather(event, last);
    this.#waitingBytes += last.byteLength - bytesBefore;
  }

  #schedule(delayMs: number): void {
    this.#alarm ??= this.#ports.clock.after(delayMs, () => {
      this.#alarm = null;
      // What comes while others are stored has its own time to wait.
      this.#flushed = this.#flushed.then(() => this.#flush(BATCH_EVENTS_MAX - 1));
    });
  }

  /** Hands over batches until no more than so many events are left, which wait for the next time. */
  async #flush(leftMax: number): Promise<void> {
    const { store } = this.#ports;
    if (store === null) return;
    while (this.#waitingCount > 0) {
      try {
        const batch = this.#waiting[0]!;
        this.#handedOver = batch;
        await batch.record();
        this.#waiting.shift();
        this.#waitingCount -= batch.count;
        this.#waitingBytes -= batch.byteLength;
      } catch (error) {
        this.#logRefusal(error);
        this.#schedule(RETRY_DELAY_MS);
        return;
      } finally {
        this.#handedOver = null;
      }
      if (this.#waitingCount <= leftMax) break;
    }
    if (this.#waitingCount > 0) this.#schedule(FLUSH_DELAY_MS);
  }

  #logRefusal(error: unknown): void {
    const now = this.#ports.clock.now();
    if (now - this.#loggedAt < LOG_PAUSE_MS) return;
    this.#loggedAt = now;
    const fields = { waiting: this.#waitingCount, dropped: this.#dropped };
    this.#ports.logger.error("usage events of searches can't be stored; searching goes on", fields, error);
    this.#dropped = 0;
  }
}

function isWhole({ count, byteLength }: GatheredEvents): boolean {
  return count >= BATCH_EVENTS_MAX || byteLength >= BATCH_BYTES_MAX;
}

/** Within the bounds that events from outside are held to. */
function storableText(text: string): string {
  const clean = text.includes("\0") ? text.replaceAll("\0", " ") : text;
  // Twice the code units hold that many code points, however many of them are pairs.
  return clean.length <= EVENT_TEXT_LENGTH_MAX
    ? clean
    : [...clean.slice(0, 2 * EVENT_TEXT_LENGTH_MAX)].slice(0, EVENT_TEXT_LENGTH_MAX).join("");
}
