import type {
  Breakdown,
  BreakdownDimension,
  EventFilter,
  EventStore,
  EventStoreStatus,
  EventTotals,
  ExportFormat,
  GatheredEvents,
  Granularity,
  OwnMembers,
  Page,
  SharedMembers,
  StoredEvent,
  TermListName,
  TermLists,
  TimeBucket,
} from "../../src/ports/event-store.js";
import { NaiveEvents } from "../ports/naive-events.js";

/** Usage events in a list, for tests of what stands above the store. */
export class MemoryEventStore implements EventStore {
  events: readonly StoredEvent[] = [];
  /** Thrown by whatever is asked next, as long as it is set. */
  refusal: Error | null = null;
  isClosed = false;

  async record(events: readonly StoredEvent[]): Promise<void> {
    this.#check();
    this.events = [...this.events, ...events];
  }

  gather(): GatheredEvents {
    const events: StoredEvent[] = [];
    let byteLength = 0;
    return {
      get count() {
        return events.length;
      },
      get byteLength() {
        return byteLength;
      },
      add: (own: OwnMembers, shared: SharedMembers) => {
        const event = { ...shared, ...own };
        events.push(event);
        byteLength += Buffer.byteLength(JSON.stringify(event));
      },
      record: () => this.record(events),
    };
  }

  async totals(filter: EventFilter): Promise<EventTotals> {
    this.#check();
    return this.#naive.totals(filter);
  }

  async countSearches(filter: EventFilter): Promise<number> {
    this.#check();
    return this.#naive.totals(filter).searches;
  }

  async overTime(filter: EventFilter, granularity: Granularity): Promise<readonly TimeBucket[]> {
    this.#check();
    return this.#naive.overTime(filter, granularity);
  }

  async terms<Name extends TermListName>(
    filter: EventFilter,
    names: readonly Name[],
    page: Page,
  ): Promise<TermLists<Name>> {
    this.#check();
    const lists = names.map((name) => [name, this.#naive.terms(filter, name, page)]);
    return Object.fromEntries(lists) as TermLists<Name>;
  }

  async breakdown(filter: EventFilter, dimension: BreakdownDimension, page: Page): Promise<Breakdown> {
    this.#check();
    return this.#naive.breakdown(filter, dimension, page);
  }

  deleteUser(userId: string): Promise<number> {
    return this.#keep((event) => event.userId !== userId);
  }

  deleteBefore(time: number): Promise<number> {
    return this.#keep((event) => event.receivedAt >= time);
  }

  async *export(filter: EventFilter, format: ExportFormat): AsyncGenerator<Uint8Array> {
    this.#check();
    if (format !== "ndjson") throw new Error(`the memory store has no ${format}`);
    for (const event of this.#naive.exported(filter)) yield Buffer.from(`${JSON.stringify(event)}\n`);
  }

  async flush(): Promise<void> {
    this.#check();
  }

  status(): EventStoreStatus {
    return { kind: "duckdb", isAvailable: true, waitingEvents: 0, waitingBytes: 0, damagedFiles: [] };
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  get #naive(): NaiveEvents {
    return new NaiveEvents(this.events);
  }

  async #keep(isKept: (event: StoredEvent) => boolean): Promise<number> {
    this.#check();
    const before = this.events.length;
    this.events = this.events.filter(isKept);
    return before - this.events.length;
  }

  #check(): void {
    if (this.refusal !== null) throw this.refusal;
    if (this.isClosed) throw new Error("the event store is closed");
  }
}
