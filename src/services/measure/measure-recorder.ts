import {
  EVENT_TEXT_LENGTH_MAX,
  MEASURE_EVENT,
  type MeasureProperties,
  type MeasureUser,
} from "../../contract/measure-event.js";
import type { SearchClause } from "../../contract/search.js";
import type { Clock } from "../../ports/clock.js";
import type { EventStore } from "../../ports/event-store.js";
import type { Logger } from "../../ports/logger.js";
import type { EventAttribution, EventDraft } from "./event-attribution.js";
import type { RequestOrigin } from "./request-origin.js";

/** A search, or the search of a summary, that was answered. */
export interface AnsweredSearch {
  readonly origin: RequestOrigin;
  /** The index, or the federation, that was searched. */
  readonly target: { readonly indexName: string } | { readonly federationName: string };
  readonly clauses: readonly SearchClause[];
  /** Documents that matched, not those of the page. */
  readonly count: number;
}

export interface AnsweredSummary extends AnsweredSearch {
  /** Wire name, such as `anthropic`. */
  readonly aiProvider: string;
}

/** How long an event waits for others to be stored with it. */
const FLUSH_DELAY_MS = 200;
/** After the store refused. */
const RETRY_DELAY_MS = 1_000;
const BATCH_EVENTS_MAX = 1_000;
const WAITING_EVENTS_MAX = 10_000;
/** Failures in between are counted, not logged. */
const LOG_PAUSE_MS = 10_000;

/**
 * Records what the server itself sees of its use (contract 3.10). Nobody waits for it and it never
 * throws: events gather in memory for a moment, and where the store refuses them for long, new ones are
 * dropped and the operator is told. A crash loses that moment's, which nobody was promised.
 */
export class MeasureRecorder {
  readonly #store: EventStore | null;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #attribution: EventAttribution;
  readonly #waiting: EventDraft[] = [];
  #alarm: { cancel(): void } | null = null;
  /** The flush under way or the last one; the next begins after it. */
  #flushed: Promise<void> = Promise.resolve();
  #dropped = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  /** @param ports `store` null: measuring is off and nothing is recorded */
  constructor(ports: {
    readonly store: EventStore | null;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly attribution: EventAttribution;
  }) {
    this.#store = ports.store;
    this.#clock = ports.clock;
    this.#logger = ports.logger;
    this.#attribution = ports.attribution;
  }

  recordSearch(search: AnsweredSearch): void {
    this.#add(MEASURE_EVENT.apiQueried, search.origin, searchProperties(search));
  }

  recordSummary(summary: AnsweredSummary): void {
    this.#add(MEASURE_EVENT.apiSummaryRequested, summary.origin, {
      ...searchProperties(summary),
      ai_provider: summary.aiProvider,
    });
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
    if (this.#waiting.length > 0) {
      this.#logger.error("usage events of searches are lost at the stop", { events: this.#waiting.length });
    }
  }

  #add(eventName: string, origin: RequestOrigin, properties: MeasureProperties): void {
    if (this.#store === null) return;
    if (this.#waiting.length >= WAITING_EVENTS_MAX) {
      this.#dropped++;
      return;
    }
    this.#waiting.push({
      event: { event_name: eventName, properties, user: userOf(origin) },
      origin,
      receivedAt: this.#clock.now(),
    });
    this.#schedule(FLUSH_DELAY_MS);
  }

  #schedule(delayMs: number): void {
    this.#alarm ??= this.#clock.after(delayMs, () => {
      this.#alarm = null;
      // What comes while others are stored has its own time to wait.
      this.#flushed = this.#flushed.then(() => this.#flush(BATCH_EVENTS_MAX - 1));
    });
  }

  /** Hands over batches until no more than so many events are left, which wait for the next time. */
  async #flush(leftMax: number): Promise<void> {
    while (this.#waiting.length > 0) {
      const drafts = this.#waiting.slice(0, BATCH_EVENTS_MAX);
      try {
        await this.#store?.record(await this.#attribution.storedEvents(drafts));
        this.#waiting.splice(0, drafts.length);
      } catch (error) {
        this.#logRefusal(error);
        this.#schedule(RETRY_DELAY_MS);
        return;
      }
      if (this.#waiting.length <= leftMax) break;
    }
    if (this.#waiting.length > 0) this.#schedule(FLUSH_DELAY_MS);
  }

  #logRefusal(error: unknown): void {
    const now = this.#clock.now();
    if (now - this.#loggedAt < LOG_PAUSE_MS) return;
    this.#loggedAt = now;
    const fields = { waiting: this.#waiting.length, dropped: this.#dropped };
    this.#logger.error("usage events of searches can't be stored; searching goes on", fields, error);
    this.#dropped = 0;
  }
}

/** Who an event is of where the request doesn't say (contract 3.10). */
const NOBODY: MeasureUser = { user_id: "anonymous", user_type: "anonymous" };

function userOf({ client: { userId, userType } }: RequestOrigin): MeasureUser {
  if (userId !== undefined) return { user_id: userId };
  return userType === undefined ? NOBODY : { user_id: NOBODY.user_id };
}

function searchProperties({ target, clauses, count }: AnsweredSearch): MeasureProperties {
  // As for summaries: what was typed, before what filters by exact values.
  const clause = clauses.find(({ mode }) => mode !== "exact") ?? clauses[0];
  const isFederated = "federationName" in target;
  // Assigned one by one: every search makes one, and spreading parts into it takes ten times as long.
  const properties: Mutable<MeasureProperties> = {
    searchcraft_index_names: isFederated ? [] : [target.indexName],
    number_of_documents: count,
  };
  if (isFederated) properties.searchcraft_federation_name = target.federationName;
  if (clause !== undefined) {
    properties.search_term = storableText(clause.ctx);
    properties.search_kind = clause.mode;
  }
  return properties;
}

type Mutable<T> = { -readonly [Member in keyof T]: T[Member] };

/** Within the bounds that events from outside are held to. */
function storableText(text: string): string {
  const clean = text.includes("\0") ? text.replaceAll("\0", " ") : text;
  // Twice the code units hold that many code points, however many of them are pairs.
  return clean.length <= EVENT_TEXT_LENGTH_MAX
    ? clean
    : [...clean.slice(0, 2 * EVENT_TEXT_LENGTH_MAX)].slice(0, EVENT_TEXT_LENGTH_MAX).join("");
}
