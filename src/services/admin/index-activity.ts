import { SLOW_SEARCHES_MAX, type SlowSearch } from "../../contract/admin.js";
import type { Clock } from "../../ports/clock.js";
import type { Logger } from "../../ports/logger.js";
import type { StorageId } from "../../ports/search-backend.js";

/** What came to pass of an index since the start. */
export interface IndexCounts {
  readonly pendingAdded: number;
  readonly pendingRemoved: number;
  /** Milliseconds since the epoch; null if nothing was committed since the start. */
  readonly lastCommitMs: number | null;
}

/** A search that has been answered. */
export interface AnsweredSearch {
  readonly kind: "index" | "federation";
  readonly name: string;
  readonly durationMs: number;
  readonly count: number;
  /** The request's; looked at if the search was slow. */
  readonly body: unknown;
}

const NOTHING: IndexCounts = { pendingAdded: 0, pendingRemoved: 0, lastCommitMs: null };

/** Characters of a slow search's body that are kept. */
const BODY_LENGTH_MAX = 2_000;

/** Slow searches that are logged in a minute; the next line says how many weren't. */
const LINES_PER_MINUTE = 30;
const MINUTE_MS = 60_000;

/** Tells the log of slow searches: how long they took and what was searched, never what for. */
class SlowSearchLog {
  readonly #logger: Pick<Logger, "info">;
  #minute = -1;
  #lines = 0;
  #leftOut = 0;

  constructor(logger: Pick<Logger, "info">) {
    this.#logger = logger;
  }

  add({ kind, name, durationMs, count }: AnsweredSearch, nowMs: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#lines = 0;
    }
    if (this.#lines >= LINES_PER_MINUTE) {
      this.#leftOut++;
      return;
    }
    this.#lines++;
    this.#logger.info("slow search", {
      [kind]: name,
      duration_ms: hundredths(durationMs),
      count,
      ...(this.#leftOut > 0 && { slow_searches_left_out: this.#leftOut }),
    });
    this.#leftOut = 0;
  }
}

function hundredths(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/** A minute in steps: what is older than all of them doesn't count. */
const STEP_MS = 5_000;
const STEPS = 12;

/** Searches of the last minute. */
class MinuteCount {
  readonly #counts = new Uint32Array(STEPS);
  #step = 0;

  add(nowMs: number): void {
    this.#moveTo(nowMs);
    this.#counts[this.#step % STEPS]!++;
  }

  at(nowMs: number): number {
    this.#moveTo(nowMs);
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  #moveTo(nowMs: number): void {
    const step = Math.floor(nowMs / STEP_MS);
    if (step === this.#step) return;
    if (step - this.#step >= STEPS || step < this.#step) this.#counts.fill(0);
    else for (let at = this.#step + 1; at <= step; at++) this.#counts[at % STEPS] = 0;
    this.#step = step;
  }
}

/**
 * What the operator's overview tells beside what is on the disk: pending documents and commits by storage, searches by
 * name, and the searches that took long. All of it in memory, since the start.
 */
export class IndexActivity {
  readonly #clock: Clock;
  readonly #slowMs: number;
  readonly #counts = new Map<StorageId, IndexCounts>();
  /** By `index` or `federation` and its name. */
  readonly #searches = new Map<string, MinuteCount>();
  readonly #allSearches = new MinuteCount();
  readonly #slowLog: SlowSearchLog;
  #slow: SlowSearch[] = [];

  /** @param slowMs from how many milliseconds on a search is kept and logged; 0: none is */
  constructor(clock: Clock, slowMs: number, logger: Pick<Logger, "info">) {
    this.#clock = clock;
    this.#slowMs = slowMs;
    this.#slowLog = new SlowSearchLog(logger);
  }

  added(storageId: StorageId, documents: number): void {
    const counts = this.#countsOf(storageId);
    this.#counts.set(storageId, { ...counts, pendingAdded: counts.pendingAdded + documents });
  }

  removed(storageId: StorageId, documents: number): void {
    const counts = this.#countsOf(storageId);
    this.#counts.set(storageId, { ...counts, pendingRemoved: counts.pendingRemoved + documents });
  }

  committed(storageId: StorageId): void {
    this.#counts.set(storageId, { ...NOTHING, lastCommitMs: this.#clock.now() });
  }

  rolledBack(storageId: StorageId): void {
    this.#counts.set(storageId, { ...NOTHING, lastCommitMs: this.#countsOf(storageId).lastCommitMs });
  }

  countsOf(storageId: StorageId): IndexCounts {
    return this.#countsOf(storageId);
  }

  /**
   * Forgets all that is gone.
   *
   * @param storage that there is
   * @param targets `index` or `federation` and the name of those that there are
   */
  keepOnly(storage: ReadonlySet<StorageId>, targets: ReadonlySet<string>): void {
    for (const id of this.#counts.keys()) if (!storage.has(id)) this.#counts.delete(id);
    for (const target of this.#searches.keys()) if (!targets.has(target)) this.#searches.delete(target);
  }

  searched(search: AnsweredSearch): void {
    const { kind, name, durationMs, count, body } = search;
    const nowMs = this.#clock.now();
    const key = `${kind} ${name}`;
    let searches = this.#searches.get(key);
    if (searches === undefined) this.#searches.set(key, (searches = new MinuteCount()));
    searches.add(nowMs);
    this.#allSearches.add(nowMs);
    if (this.#slowMs <= 0 || durationMs < this.#slowMs) return;
    this.#slowLog.add(search, nowMs);
    this.#slow.push({
      time: new Date(nowMs).toISOString(),
      ...(kind === "index" ? { index_name: name } : { federation_name: name }),
      duration_ms: hundredths(durationMs),
      count,
      body: (JSON.stringify(body) ?? "").slice(0, BODY_LENGTH_MAX),
    });
    if (this.#slow.length > SLOW_SEARCHES_MAX) this.#slow = this.#slow.slice(-SLOW_SEARCHES_MAX);
  }

  searchesPerMinute(indexName: string): number {
    return this.#searches.get(`index ${indexName}`)?.at(this.#clock.now()) ?? 0;
  }

  get allSearchesPerMinute(): number {
    return this.#allSearches.at(this.#clock.now());
  }

  get slowThresholdMs(): number {
    return this.#slowMs;
  }

  /** The newest first. */
  get slowSearches(): readonly SlowSearch[] {
    return this.#slow.toReversed();
  }

  #countsOf(storageId: StorageId): IndexCounts {
    return this.#counts.get(storageId) ?? NOTHING;
  }
}
