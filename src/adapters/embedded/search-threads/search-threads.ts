import {
  type CacheFigures,
  type Searcher,
  type SharedSnapshot,
  searchTimeout,
  shareSnapshot,
} from "../../../engine/server-door.js";
import type { Clock } from "../../../ports/clock.js";
import type { SearchCaller } from "../../../ports/search-backend.js";
import type { SearchPatience } from "../search-patience.js";
import { fromPlainError } from "../writing/plain-error.js";
import { QueueForecast } from "./queue-forecast.js";
import { abandoned, died, stopped, tooMany } from "./search-refusals.js";
import type { SearchOutcome, SearchTask } from "./search-task.js";
import { type NeededSnapshot, SearchThread, type ThreadAnswer } from "./search-thread.js";
import { summedFigures, ThreadCaches } from "./thread-caches.js";
import { processNow } from "./thread-messages.js";

/** Searches that may wait for a thread; more are refused. */
const WAITING_MAX = 256;
/** What is left of a waiting search's time is looked at in so many steps, none shorter than this. */
const FORECAST_STEPS = 4;
const FORECAST_STEP_MS_LEAST = 50;
/** A thread that hasn't noticed in so long that a search's time is up is terminated. */
const OVERTIME_MS = 100;
/** A thread that nobody has needed for so long ends, and gives back all that it holds. */
const IDLE_MS = 60_000;
/** Commits of a load follow each other; what comes within so long is one message to each idle thread. */
const RENEW_AFTER_MS = 1_000;
/** Where one couldn't be started, no other is tried for so long: each attempt takes milliseconds, and a line of the log. */
const START_AGAIN_MS = 1_000;
/** Threads that may die over one search before it is refused. */
const DEATHS_MAX = 2;
/** The first is of the thread that requests come to. */
const FIRST_THREAD_NUMBER = 2;

/** Files of a snapshot are gone: there is a newer one. */
export class StaleSnapshot extends Error {}

/** It is the search's turn before any thread is free, and whoever sent it may run it himself. */
export class RunHere extends Error {}

/** There is no thread, and none can be started, for want of descriptors say: the search hasn't run anywhere. */
export class NoThread extends Error {}

/** An index's snapshot in its folder. */
export interface SearchedSnapshot {
  readonly path: string;
  readonly searcher: Searcher;
}

interface Job {
  readonly task: SearchTask;
  readonly needed: readonly NeededSnapshot[];
  readonly searchers: readonly Searcher[];
  readonly patience: SearchPatience;
  readonly isShort: boolean;
  deaths: number;
  /** Nobody waits for it. */
  isAbandoned: boolean;
  alarm: { cancel(): void } | null;
  /** Stops listening for its caller's going. */
  unlisten: (() => void) | null;
  resolve(outcome: SearchOutcome): void;
  reject(error: Error): void;
}

interface SentJob {
  readonly id: number;
  readonly job: Job;
  readonly slot: number;
  /** When the thread began with it, as far as is known here. */
  startMs: number;
}

/** A snapshot that opened searches may come back to. */
interface KeptSnapshot {
  readonly path: string;
  /** How many do. */
  count: number;
  /** Whether its index has fallen asleep since: nobody else searches it, however awake the index is. */
  isPast: boolean;
}

export interface SearchThreadsOptions {
  /** At least 1. */
  readonly count: number;
  readonly clock: Clock;
  /** What a thread runs. Default: `search-worker`. */
  readonly workerFile?: URL;
  /** Told of threads that died. */
  readonly onProblem: (message: string, error: unknown) => void;
}

/**
 * Runs searches in threads of their own, each on one at a time, in the order in which they come. Threads
 * are started as they are needed. Short searches may run where they come from as well: all of them wait in one line, from
 * which both take, the thread that answers requests one in each turn of its event loop; so neither idles while any waits.
 */
export class SearchThreads {
  readonly #options: SearchThreadsOptions;
  /** By place; null: nobody has it. */
  readonly #threads: (SearchThread | null)[];
  readonly #waiting: Job[] = [];
  /** What each thread has been sent and hasn't answered, the one that it runs first; none has an empty list. */
  readonly #sent: Map<SearchThread, SentJob[]> = new Map();
  /** Whether a short search is taken from the line in the event loop's next turn. */
  #takesHere = false;
  readonly #forecast: QueueForecast;
  readonly #idleAlarms: Map<SearchThread, { cancel(): void }> = new Map();
  readonly #snapshots: WeakMap<Searcher, number> = new WeakMap();
  /** By folder, of indexes that were committed to while there were threads. */
  readonly #newest: Map<string, WeakRef<Searcher>> = new Map();
  /** What opened searches may come back to, by number. */
  readonly #kept: Map<number, KeptSnapshot> = new Map();
  readonly #isKept = (snapshot: number): boolean => this.#kept.has(snapshot);
  #renewAlarm: { cancel(): void } | null = null;
  /** What threads that have ended counted; they take nothing any more. */
  #endedCaches: readonly CacheFigures[] = new ThreadCaches().figures();
  #snapshotCount = 0;
  #searchCount = 0;
  /** Rings once another thread may be started, after one that couldn't be. */
  #startAlarm: { cancel(): void } | null = null;
  #isStopped = false;

  constructor(options: SearchThreadsOptions) {
    this.#options = options;
    this.#threads = Array.from({ length: options.count }, () => null);
    this.#forecast = new QueueForecast(options.count);
  }

  /** Threads at most. */
  get count(): number {
    return this.#threads.length;
  }

  /** Whether a thread could begin with a search at once, or after those that it has. */
  get isReady(): boolean {
    return this.#threads.some((thread) => thread?.isReady === true);
  }

  /** What the caches of all threads take, and have answered since the first was started. */
  get cacheFigures(): readonly CacheFigures[] {
    const threads = this.#threads.flatMap((thread) => (thread === null ? [] : [thread.cacheFigures]));
    return summedFigures([this.#endedCaches, ...threads]);
  }

  /** Starts a thread if there is none, for searches to come. */
  prepare(): void {
    if (this.isThere) return;
    const thread = this.#start();
    if (thread !== null) this.#endWhenIdle(thread);
  }

  /** Whether a thread has been started and hasn't ended. */
  get isThere(): boolean {
    return this.#threads.some((thread) => thread !== null);
  }

  /**
   * Runs a search on snapshots, one for each member of the task.
   *
   * @param caller once it has gone, the search is stopped, and waits no longer
   * @param isShort whether others may wait for it, and it for them, and its sender would run it himself
   * @throws StaleSnapshot; NoThread; RunHere, if it is short; FindlingError `rate_limited` if too many searches wait, or, as soon as that is to
   *   be expected, this one would wait for longer than its time limit allows; `search_timeout`, also for a caller who has gone, `storage_unavailable` if threads died over it, and what the search throws
   */
  run(
    task: SearchTask,
    snapshots: readonly SearchedSnapshot[],
    patience: SearchPatience,
    caller?: SearchCaller,
    isShort = false,
  ): Promise<SearchOutcome> {
    if (caller?.isGone === true) return Promise.reject(abandoned());
    if (this.#isStopped) return Promise.reject(stopped());
    if (this.#waiting.length >= WAITING_MAX)
      return Promise.reject(isShort ? new RunHere() : tooMany(this.#waitMs(this.#waiting.length)));
    return new Promise((resolve, reject) => {
      const job: Job = {
        task,
        needed: snapshots.map(({ path, searcher }) => ({ path, snapshot: this.#numberOf(searcher) })),
        searchers: snapshots.map(({ searcher }) => searcher),
        patience,
        isShort,
        deaths: 0,
        isAbandoned: false,
        alarm: null,
        unlisten: null,
        resolve: (outcome) => {
          job.unlisten?.();
          resolve(outcome);
        },
        reject: (error) => {
          job.unlisten?.();
          reject(error);
        },
      };
      job.unlisten = caller?.whenGone(() => this.#abandon(job)) ?? null;
      this.#enqueue(job, false);
    });
  }

  /**
   * There is a newer snapshot of an index: threads that hold an older one go on to it soon, those at work once
   * they are done. What was merged away would stay in memory until their next search otherwise.
   */
  follow({ path, searcher }: SearchedSnapshot): void {
    // Nobody holds an older one, nor waits to search it.
    if (!this.isThere) return;
    this.#newest.set(path, new WeakRef(searcher));
    this.#renewSoon();
  }

  /**
   * Threads that hold these keep them though there are newer ones, as their files may be gone; whoever keeps them
   * holds their images anyway. Returns what is to be called once nobody comes back to them; again, it does nothing.
   */
  keep(snapshots: readonly SearchedSnapshot[]): () => void {
    const numbers = snapshots.map(({ path, searcher }) => {
      const number = this.#numberOf(searcher);
      const kept = this.#kept.get(number) ?? { path, count: 0, isPast: false };
      kept.count++;
      this.#kept.set(number, kept);
      return number;
    });
    return () => {
      for (const number of numbers.splice(0)) {
        const kept = this.#kept.get(number)!;
        if (--kept.count > 0) continue;
        this.#kept.delete(number);
        if (kept.isPast) this.#forget(kept.path, (snapshot) => snapshot !== number);
      }
      this.#renewSoon();
    };
  }

  /** Lets go of an index's files; what opened searches may come back to is let go of with them. */
  sleep(path: string): void {
    this.#newest.delete(path);
    for (const kept of this.#kept.values()) if (kept.path === path) kept.isPast = true;
    this.#forget(path, this.#isKept);
  }

  /** Lets go of all files of an index that is gone. */
  forget(path: string): void {
    this.#newest.delete(path);
    this.#forget(path, () => false);
  }

  /** Ends all threads; searches that wait or run are refused. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#renewAlarm?.cancel();
    this.#startAlarm?.cancel();
    for (const job of this.#waiting.splice(0)) settle(job).reject(stopped());
    await Promise.all(
      this.#threads.map(async (thread) => {
        if (thread === null) return;
        await thread.terminate();
        await thread.ended;
      }),
    );
  }

  #numberOf(searcher: Searcher): number {
    let number = this.#snapshots.get(searcher);
    if (number === undefined) this.#snapshots.set(searcher, (number = ++this.#snapshotCount));
    return number;
  }

  #forget(path: string, isKept: (snapshot: number) => boolean): void {
    for (const thread of this.#threads) thread?.forget(path, isKept);
  }

  #renewSoon(): void {
    if (this.#renewAlarm !== null || this.#newest.size === 0 || this.#isStopped) return;
    this.#renewAlarm = this.#options.clock.after(RENEW_AFTER_MS, () => {
      this.#renewAlarm = null;
      this.#renewIdle();
    });
  }

  #renewIdle(): void {
    for (const [path, reference] of this.#newest) {
      const searcher = reference.deref();
      if (searcher === undefined) {
        // The index has been closed.
        this.#newest.delete(path);
        continue;
      }
      const newest = { path, snapshot: this.#numberOf(searcher) };
      for (const thread of this.#threads) {
        if (thread?.isBusy !== false) continue;
        thread.renew(newest, this.#isKept, () => shareSnapshot(searcher));
      }
    }
  }

  #enqueue(job: Job, isFirst: boolean): void {
    if (isFirst) this.#waiting.unshift(job);
    else this.#waiting.push(job);
    this.#giveOut();
    this.#reconsider(job);
  }

  /** Refuses a search that will wait in vain, as far as can be told, and looks at it again later if not. */
  #reconsider(job: Job): void {
    const place = this.#waiting.indexOf(job);
    if (place < 0) return;
    const { remainingMs } = job.patience;
    const waitMs = this.#waitMs(place);
    if (remainingMs <= 0 || waitMs > remainingMs) {
      this.#waiting.splice(place, 1);
      settle(job).reject(tooMany(waitMs));
      return;
    }
    const stepMs = Math.min(remainingMs, Math.max(FORECAST_STEP_MS_LEAST, remainingMs / FORECAST_STEPS));
    job.alarm = this.#options.clock.after(stepMs, () => this.#reconsider(job));
  }

  #waitMs(place: number): number {
    const now = this.#options.clock.now();
    return this.#forecast.waitMs(
      place,
      [...this.#sent.values()].map(([running]) => now - running!.startMs),
    );
  }

  /** Nobody waits for it: it leaves the queue, or its thread is told. */
  #abandon(job: Job): void {
    job.isAbandoned = true;
    const place = this.#waiting.indexOf(job);
    if (place >= 0) {
      this.#waiting.splice(place, 1);
      settle(job).reject(abandoned());
      return;
    }
    for (const [thread, sent] of this.#sent)
      for (const { id, slot, job: each } of sent) if (each === job) thread.abandon(id, slot);
  }

  /** Gives waiting searches to threads that are free; where there is none at all, nobody would ever take them. */
  #giveOut(): void {
    while (this.#waiting.length > 0) {
      const job = this.#waiting[0]!;
      const thread = this.#freeThread(job) ?? this.#threadGoingOn(job);
      if (thread !== null) this.#send(this.#waiting.shift()!, thread);
      else if (this.isThere) break;
      else settle(this.#waiting.shift()!).reject(new NoThread());
    }
    this.#takeHereSoon();
  }

  #takeHereSoon(): void {
    if (this.#takesHere || !this.#waiting.some(({ isShort }) => isShort)) return;
    this.#takesHere = true;
    // One in a turn: what threads answer, and requests that come meanwhile, are seen in between.
    setImmediate(() => {
      this.#takesHere = false;
      const place = this.#waiting.findIndex(({ isShort }) => isShort);
      if (place < 0) return;
      const [job] = this.#waiting.splice(place, 1);
      settle(job!).reject(new RunHere());
      this.#takeHereSoon();
    });
  }

  /** A thread that is at a short search and could go on with this one at once, being sent it before. */
  #threadGoingOn({ isShort, needed }: Job): SearchThread | null {
    if (!isShort) return null;
    const snapshots = needed.map(({ snapshot }) => snapshot);
    for (const [thread, sent] of this.#sent) {
      if (!thread.takesMore || sent.some(({ job }) => !job.isShort)) continue;
      // What is to be opened first might be gone, and the searches that were sent after it with it.
      if (thread.holds(snapshots) === snapshots.length) return thread;
    }
    return null;
  }

  /** One that has most of what the search needs, or a new one if all are busy. */
  #freeThread({ needed }: Job): SearchThread | null {
    const snapshots = needed.map(({ snapshot }) => snapshot);
    let best: SearchThread | null = null;
    let bestHeld = -1;
    for (const thread of this.#threads) {
      if (thread === null || thread.isBusy) continue;
      const held = thread.holds(snapshots);
      if (held > bestHeld) {
        best = thread;
        bestHeld = held;
      }
    }
    return best ?? this.#start();
  }

  #start(): SearchThread | null {
    const place = this.#threads.indexOf(null);
    if (place < 0 || this.#isStopped || this.#startAlarm !== null) return null;
    const { workerFile, onProblem } = this.#options;
    let thread: SearchThread;
    try {
      thread = new SearchThread(FIRST_THREAD_NUMBER + place, workerFile, {
        onReply: (reply) => this.#onReply(thread, reply),
        onError: (error) => onProblem("a search thread failed", error),
      });
    } catch (error) {
      // The system has no more threads.
      onProblem("a search thread can't be started", error);
      this.#startNoneForAWhile();
      return null;
    }
    this.#threads[place] = thread;
    void thread.ended.then(() => this.#onEnded(thread, place));
    return thread;
  }

  #startNoneForAWhile(): void {
    this.#startAlarm?.cancel();
    this.#startAlarm = this.#options.clock.after(START_AGAIN_MS, () => {
      this.#startAlarm = null;
      this.#giveOut();
    });
  }

  #send(job: Job, thread: SearchThread): void {
    this.#idleAlarms.get(thread)?.cancel();
    this.#idleAlarms.delete(thread);
    settle(job);
    const id = ++this.#searchCount;
    const { patience, task, needed } = job;
    const { remainingMs, limitMs } = patience;
    job.alarm = this.#options.clock.after(remainingMs + OVERTIME_MS, () => {
      // Whoever asked has waited long enough; the thread's end is noticed when it comes.
      job.deaths = DEATHS_MAX;
      job.reject(searchTimeout(limitMs));
      // One that is still starting does no harm; ended, it would start again with the next search.
      if (thread.isReady) void thread.terminate();
    });
    const bySnapshot = new Map(needed.map(({ snapshot }, i) => [snapshot, job.searchers[i]!]));
    const snapshots = needed.map(({ snapshot }) => snapshot);
    try {
      const slot = thread.search(
        { id, task, snapshots, endsAtMs: processNow() + remainingMs, limitMs },
        needed,
        this.#options.clock.now(),
        this.#isKept,
        (snapshot): SharedSnapshot => shareSnapshot(bySnapshot.get(snapshot)!),
      );
      const sent: SentJob = { id, job, slot, startMs: this.#options.clock.now() };
      this.#sent.set(thread, [...(this.#sent.get(thread) ?? []), sent]);
    } catch (error) {
      // Something in the task can't be posted; nothing has been.
      thread.free(snapshots);
      settle(job).reject(error as Error);
    }
  }

  #onReply(thread: SearchThread, reply: ThreadAnswer): void {
    const sent = this.#sent.get(thread);
    if (sent?.[0]?.id !== reply.id) return;
    const { job, startMs } = sent.shift()!;
    const now = this.#options.clock.now();
    this.#forecast.ended(now - startMs);
    if (sent.length === 0) this.#sent.delete(thread);
    else sent[0]!.startMs = now;
    thread.free(reply.kind === "stale" ? job.needed.map(({ snapshot }) => snapshot) : []);
    settle(job);
    if (reply.kind === "found") job.resolve(reply.outcome);
    else job.reject(reply.kind === "stale" ? new StaleSnapshot() : fromPlainError(reply.error));
    if (!thread.isBusy) this.#endWhenIdle(thread);
    this.#giveOut();
    this.#renewSoon();
  }

  #endWhenIdle(thread: SearchThread): void {
    this.#idleAlarms.set(
      thread,
      this.#options.clock.after(IDLE_MS, () => void thread.terminate()),
    );
  }

  /** The thread's place is free only now, as its scratch space is the place's. */
  #onEnded(thread: SearchThread, place: number): void {
    this.#threads[place] = null;
    const ended = thread.cacheFigures.map((figures) => ({ ...figures, bytes: 0 }));
    this.#endedCaches = summedFigures([this.#endedCaches, ended]);
    this.#idleAlarms.get(thread)?.cancel();
    this.#idleAlarms.delete(thread);
    if (!thread.isReady) this.#startNoneForAWhile();
    const sent = this.#sent.get(thread) ?? [];
    this.#sent.delete(thread);
    for (const { job } of sent.toReversed()) {
      settle(job);
      // It is nothing to a search that its thread never was one, or was at another.
      if (thread.isReady && job === sent[0]!.job) job.deaths++;
      if (this.#isStopped) job.reject(stopped());
      else if (job.isAbandoned) job.reject(abandoned());
      else if (job.deaths >= DEATHS_MAX) job.reject(died());
      else this.#enqueue(job, true);
    }
    this.#giveOut();
    if (!this.isThere) this.#newest.clear();
  }
}

function settle(job: Job): Job {
  job.alarm?.cancel();
  job.alarm = null;
  return job;
}
