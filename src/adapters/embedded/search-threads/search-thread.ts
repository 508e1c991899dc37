import { Worker } from "node:worker_threads";
import type { CacheFigures } from "../../../engine/server-door.js";
import { compiledFile } from "../compiled-file.js";
import { THREAD_HEAP } from "../thread-heap.js";
import { PageReceiver } from "./page-message.js";
import { fromOutcomeMessage, type SearchOutcome } from "./search-task.js";
import { ThreadCaches } from "./thread-caches.js";
import type { ThreadReply, ThreadRequest, ThreadStart } from "./thread-messages.js";

/** Searches that a thread is sent at a time: one that it runs, and one that it goes on with at once. */
const SENT_MAX = 2;
/** Snapshots of one thread at a time, but for those of the search at hand. */
const SNAPSHOTS_MAX = 256;
/** A snapshot that hasn't been searched for so long is let go of. */
const SNAPSHOT_IDLE_MS = 60_000;

/** A snapshot that a search needs. */
export interface NeededSnapshot {
  readonly snapshot: number;
  readonly path: string;
}

export type ThreadAnswer =
  | Exclude<ThreadReply, { readonly kind: "ready" | "found" }>
  | { readonly kind: "found"; readonly id: number; readonly outcome: SearchOutcome };

/** One search thread as the thread that uses it sees it: which snapshots it has, and whether it is at work. */
export class SearchThread {
  readonly number: number;
  /** Resolves once the thread has ended, whyever. */
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  /** By snapshot, the one used least recently first. */
  readonly #held: Map<number, { readonly path: string; readonly usedAt: number }> = new Map();
  /** By slot the search that nobody waits for any more, which the thread looks at while it works. */
  readonly #abandoned = new Int32Array(new SharedArrayBuffer(SENT_MAX * Int32Array.BYTES_PER_ELEMENT));
  readonly #pages = new PageReceiver();
  readonly #caches = new ThreadCaches();
  /** Searches so far; each one's slot is the next, as they are answered in order. */
  #searchCount = 0;
  /** Searches that haven't been answered. */
  #sentCount = 0;
  #isEnding = false;
  #isReady = false;

  /** @param file the worker's compiled file; beside this one unless given */
  constructor(
    number: number,
    file: URL | undefined,
    events: { onReply(reply: ThreadAnswer): void; onError(error: Error): void },
  ) {
    this.number = number;
    this.#worker = new Worker(file ?? compiledFile("./search-threads/search-worker.js"), {
      workerData: {
        threadNumber: number,
        abandoned: this.#abandoned,
        caches: this.#caches.shared,
      } satisfies ThreadStart,
      resourceLimits: THREAD_HEAP,
    });
    this.#worker.unref();
    this.#worker.on("message", (reply: ThreadReply) => {
      if (reply.kind === "ready") this.#isReady = true;
      else if (reply.kind !== "found") events.onReply(reply);
      // Also where nobody waits for it any more: later pages count on what this one tells.
      else events.onReply({ ...reply, outcome: fromOutcomeMessage(reply.outcome, this.#pages) });
    });
    this.#worker.on("error", (error: Error) => events.onError(error));
    this.ended = new Promise((resolve) => this.#worker.once("exit", () => resolve()));
  }

  /** Whether it has started. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** What its caches take and have answered, as of its last search. */
  get cacheFigures(): readonly CacheFigures[] {
    return this.#caches.figures();
  }

  /** Whether it can be sent a search besides the one that it is at. */
  get takesMore(): boolean {
    return this.#isReady && !this.#isEnding && this.#sentCount < SENT_MAX;
  }

  /** Also while it ends. */
  get isBusy(): boolean {
    return this.#isEnding || this.#sentCount > 0;
  }

  /** How many of the snapshots the thread has open. */
  holds(snapshots: readonly number[]): number {
    return snapshots.reduce((count, snapshot) => count + (this.#held.has(snapshot) ? 1 : 0), 0);
  }

  /**
   * Sends a search, of which the thread has no more than `SENT_MAX`; returns its slot.
   *
   * @param isKept whether an older snapshot of the same folder stays
   * @param share describes a snapshot that the thread hasn't got
   */
  search(
    search: Omit<NonNullable<ThreadRequest["search"]>, "slot">,
    needed: readonly NeededSnapshot[],
    now: number,
    isKept: (snapshot: number) => boolean,
    share: (snapshot: number) => ThreadRequest["opens"][number]["shared"],
  ): number {
    const slot = this.#searchCount++ % SENT_MAX;
    this.#sentCount++;
    this.#worker.ref();
    const opens: ThreadRequest["opens"][number][] = [];
    const wanted = new Set(search.snapshots);
    const paths = new Set(needed.map(({ path }) => path));
    for (const { snapshot, path } of needed) {
      if (!this.#held.delete(snapshot)) opens.push({ snapshot, path, shared: share(snapshot) });
      this.#held.set(snapshot, { path, usedAt: now });
    }
    const closes = this.#take((snapshot, { path, usedAt }) => {
      if (wanted.has(snapshot)) return false;
      const isOlder = paths.has(path) && !isKept(snapshot);
      return isOlder || usedAt + SNAPSHOT_IDLE_MS <= now || this.#held.size > SNAPSHOTS_MAX;
    });
    this.#post({ search: { ...search, slot }, opens, closes });
    return slot;
  }

  /**
   * Has the idle thread go on from older snapshots of a folder to this one. Should its files be gone meanwhile,
   * the thread has none, and answers the next search of it as stale.
   *
   * @param isKept whether an older snapshot stays
   * @param share describes the newer one
   */
  renew(
    { path, snapshot }: NeededSnapshot,
    isKept: (snapshot: number) => boolean,
    share: () => ThreadRequest["opens"][number]["shared"],
  ): void {
    let usedAt = Number.NEGATIVE_INFINITY;
    const closes = this.#take((each, held) => {
      if (held.path !== path || each === snapshot || isKept(each)) return false;
      usedAt = Math.max(usedAt, held.usedAt);
      return true;
    });
    if (closes.length === 0) return;
    const opens = this.#held.has(snapshot) ? [] : [{ snapshot, path, shared: share() }];
    if (opens.length > 0) this.#held.set(snapshot, { path, usedAt });
    this.#post({ search: null, opens, closes });
  }

  /** The thread has answered one search; it doesn't have these snapshots. */
  free(lost: readonly number[]): void {
    if (--this.#sentCount === 0) this.#worker.unref();
    for (const snapshot of lost) this.#held.delete(snapshot);
  }

  /** Tells the thread, while it works, that nobody waits for a search: it ends as one whose time is up. */
  abandon(id: number, slot: number): void {
    Atomics.store(this.#abandoned, slot, id);
  }

  /**
   * Has the thread close what it has open of a folder.
   *
   * @param isKept whether a snapshot stays
   */
  forget(path: string, isKept: (snapshot: number) => boolean): void {
    const closes = this.#take((snapshot, held) => held.path === path && !isKept(snapshot));
    if (closes.length > 0) this.#post({ search: null, opens: [], closes });
  }

  /** Takes no search any more; one that runs is cut off. */
  async terminate(): Promise<void> {
    this.#isEnding = true;
    await this.#worker.terminate();
  }

  #take(
    isDue: (snapshot: number, held: { readonly path: string; readonly usedAt: number }) => boolean,
  ): number[] {
    const due: number[] = [];
    for (const [snapshot, held] of this.#held) {
      if (!isDue(snapshot, held)) continue;
      this.#held.delete(snapshot);
      due.push(snapshot);
    }
    return due;
  }

  #post(request: ThreadRequest): void {
    this.#worker.postMessage(request);
  }
}
