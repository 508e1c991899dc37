import { FindlingError } from "../../errors/index.js";
import type { Clock } from "../../ports/clock.js";
import { ONE_SERVER, type Servers } from "../../ports/servers.js";

export interface CallLimits {
  /** Calls of the model in any minute that one access key may cause; 0 = any number. */
  readonly callsPerKey: number;
  /** Calls of the model in any minute for one index; 0 = any number. */
  readonly callsPerIndex: number;
  /** Calls that may run at a time, of all together. */
  readonly concurrentCalls: number;
}

const MINUTE_MS = 60_000;
/** Until a call that is running now may have ended. */
const CONCURRENCY_RETRY_SECONDS = 2;

/**
 * What may be asked of models; nothing is taken where a call is refused. Where several servers use the same storage, each
 * takes its part of every limit, rounded up: all together take less than one call for each server more.
 */
export class CallBudget {
  readonly #clock: Clock;
  readonly #limits: CallLimits;
  readonly #servers: Servers;
  readonly #callsByKey = new Map<string, number[]>();
  readonly #callsByIndex = new Map<string, number[]>();
  #running = 0;

  constructor(clock: Clock, limits: CallLimits, servers: Servers = ONE_SERVER) {
    this.#clock = clock;
    this.#limits = limits;
    this.#servers = servers;
  }

  /**
   * Takes one call, which runs until the returned function is called.
   *
   * @throws FindlingError `rate_limited`, with the seconds after which there is room again
   */
  take({ key, indexName }: { readonly key: string; readonly indexName: string }): () => void {
    const callsPerKey = this.#partOf(this.#limits.callsPerKey);
    const callsPerIndex = this.#partOf(this.#limits.callsPerIndex);
    const concurrentCalls = this.#partOf(this.#limits.concurrentCalls);
    if (this.#running >= concurrentCalls) {
      throw refused("too many summaries are being written at the moment", CONCURRENCY_RETRY_SECONDS);
    }
    const ofKey = this.#lastMinute(this.#callsByKey, key);
    const ofIndex = this.#lastMinute(this.#callsByIndex, indexName);
    this.#requireRoom(ofKey, callsPerKey, "this access key has had its summaries for this minute");
    this.#requireRoom(ofIndex, callsPerIndex, `index '${indexName}' has had its summaries for this minute`);
    const now = this.#clock.now();
    if (callsPerKey > 0) setLast(this.#callsByKey, key, [...ofKey, now]);
    if (callsPerIndex > 0) setLast(this.#callsByIndex, indexName, [...ofIndex, now]);
    this.#running++;
    let isRunning = true;
    return () => {
      if (isRunning) this.#running--;
      isRunning = false;
    };
  }

  #partOf(limit: number): number {
    return Math.ceil(limit / this.#servers.count);
  }

  /** Those of one name; names without any are forgotten. */
  #lastMinute(callsByName: Map<string, number[]>, name: string): readonly number[] {
    const since = this.#clock.now() - MINUTE_MS;
    for (const [each, calls] of callsByName) {
      // In the order of their last calls.
      if (calls.at(-1)! > since) break;
      callsByName.delete(each);
    }
    return callsByName.get(name)?.filter((time) => time > since) ?? [];
  }

  #requireRoom(calls: readonly number[], limit: number, message: string): void {
    if (limit === 0 || calls.length < limit) return;
    const roomAt = calls[calls.length - limit]! + MINUTE_MS;
    throw refused(message, (roomAt - this.#clock.now()) / 1000);
  }
}

/** Names stay in the order of their last calls. */
function setLast(callsByName: Map<string, number[]>, name: string, calls: number[]): void {
  callsByName.delete(name);
  callsByName.set(name, calls);
}

function refused(message: string, retryAfterSeconds: number): FindlingError {
  return new FindlingError("rate_limited", `${message}; try again later`, { retryAfterSeconds });
}
