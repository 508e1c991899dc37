import type { StorageId } from "../../ports/search-backend.js";
import type { IndexState, IndexStates, VersionedState } from "./index-states.js";
import { LeaseLength } from "./lease-length.js";
import type { WriteWindow } from "./write-window.js";

type Change = (state: IndexState) => IndexState;

interface WaitingChange {
  readonly change: Change;
  /** Whether it is written whatever the state, so that the one that was seen last does to begin with. */
  readonly isRenewal: boolean;
  resolve(changed: VersionedState): void;
  reject(error: unknown): void;
}

/**
 * One server's changes of one index's state. Those that come while another is under way go together: each on its own
 * would come between the others', and all of them would be tried again and again, behind the data in the cluster's queue.
 */
export class StateChanges {
  readonly #states: Pick<IndexStates, "change">;
  readonly #storageId: StorageId;
  readonly #window: WriteWindow;
  readonly lease: LeaseLength = new LeaseLength();
  #waiting: WaitingChange[] = [];
  /** Changes that are under way, of which the last began then (`performance.now()`). */
  #underWay = 0;
  #begun = 0;
  #timer: NodeJS.Timeout | undefined;
  /** The state as this server last changed it. */
  #seen: VersionedState | undefined;

  /** @param window is told how long changes take, among the documents that it lets through */
  constructor(states: Pick<IndexStates, "change">, storageId: StorageId, window: WriteWindow) {
    this.#states = states;
    this.#storageId = storageId;
    this.#window = window;
  }

  /**
   * Changes the state by compare-and-set.
   *
   * @param change may be called several times, last with what the result was made of; gives the state itself where
   *   nothing is to be changed; may throw
   * @returns the state with this change and those beside it
   */
  make(
    change: Change,
    { isRenewal = false }: { readonly isRenewal?: boolean } = {},
  ): Promise<VersionedState> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, isRenewal, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#waiting.length === 0) return;
    // What has no answer for as long as a lease may have been lost. Before that another one would only come between.
    const waitMs = this.#underWay === 0 ? 0 : this.#begun + this.lease.ms - performance.now();
    if (waitMs <= 0) void this.#send(this.#waiting.splice(0));
    else
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#next();
      }, waitMs).unref();
  }

  async #send(together: readonly WaitingChange[]): Promise<void> {
    const begun = performance.now();
    if (this.#underWay > 0) this.#note(begun - this.#begun);
    this.#begun = begun;
    this.#underWay++;
    const refusals = new Map<WaitingChange, unknown>();
    const changeAll = (state: IndexState): IndexState => {
      refusals.clear();
      let changed = state;
      for (const each of together) {
        try {
          changed = each.change(changed);
        } catch (error) {
          refusals.set(each, error);
        }
      }
      return changed;
    };
    try {
      const from = together.every(({ isRenewal }) => isRenewal) ? this.#seen : undefined;
      const changed = await this.#states.change(this.#storageId, changeAll, from);
      this.#note(performance.now() - begun);
      if (this.#seen === undefined || isNewer(changed, this.#seen)) this.#seen = changed;
      for (const each of together) {
        if (refusals.has(each)) each.reject(refusals.get(each));
        else each.resolve(changed);
      }
    } catch (error) {
      for (const { reject } of together) reject(error);
    } finally {
      this.#underWay--;
      this.#next();
    }
  }

  #note(ms: number): void {
    this.lease.noteChange(ms);
    this.#window.noteChange(ms);
  }
}

function isNewer(state: VersionedState, other: VersionedState): boolean {
  if (state.primaryTerm !== other.primaryTerm) return state.primaryTerm > other.primaryTerm;
  return state.seqNo > other.seqNo;
}
