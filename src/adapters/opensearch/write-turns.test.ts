/** A commit before a cluster that answers late goes through as long as no other server has gone on, and else not. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { committed, newState } from "./index-generations.js";
import type { IndexState, VersionedState } from "./index-states.js";
import { WriteTurns } from "./write-turns.js";
import { WriteWindow } from "./write-window.js";

const STORAGE = "s";
const QUICK_MS = 20;
/** Longer than a hold is at first. */
const SLOW_MS = 4_000;

/** One state that is compared and set; each request takes what `nextMs` says. */
class DelayedStates {
  state: IndexState = newState({ fields: {} } as unknown as IndexState["schema"]);
  seqNo = 0;
  nextMs = (): number => QUICK_MS;

  set(state: IndexState): void {
    this.state = state;
    this.seqNo++;
  }

  async require(): Promise<VersionedState> {
    await new Promise((resolve) => setTimeout(resolve, this.nextMs()));
    return { id: STORAGE, source: { content: "" }, primaryTerm: 1, seqNo: this.seqNo, state: this.state };
  }

  async change(
    _: string,
    change: (state: IndexState) => IndexState,
    from?: VersionedState,
  ): Promise<VersionedState> {
    let present = from ?? (await this.require());
    for (;;) {
      const next = change(present.state);
      if (next === present.state) return present;
      await new Promise((resolve) => setTimeout(resolve, this.nextMs()));
      if (present.seqNo === this.seqNo) {
        this.set(next);
        return { ...present, seqNo: this.seqNo, state: next };
      }
      present = await this.require();
    }
  }
}

let states: DelayedStates;

function turnsOf(server: string): WriteTurns {
  const nothing = async (): Promise<void> => undefined;
  const undoing = { settle: nothing, rollback: nothing, operations: nothing };
  return new WriteTurns(states, STORAGE, { server, undoing, window: new WriteWindow() });
}

/** @param meanwhile done once the work is, before the last step */
function commit(turns: WriteTurns, meanwhile: () => void): Promise<unknown> {
  return turns.alone(async () => {
    meanwhile();
    return { result: undefined, change: (state) => committed(state) };
  });
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a last step that takes longer than the hold goes through where nobody else has gone on", async () => {
  states = new DelayedStates();
  const before = states.state.generation;
  const done = commit(turnsOf("a"), () => {
    states.nextMs = () => SLOW_MS;
  });
  await vi.advanceTimersByTimeAsync(4 * SLOW_MS);
  await done;
  expect(states.state).toMatchObject({ generation: before + 1, hold: null });
});

test("it doesn't where another server has taken the hold for given up", async () => {
  states = new DelayedStates();
  const before = states.state.generation;
  const done = commit(turnsOf("a"), () => {
    states.nextMs = () => SLOW_MS;
  });
  const failed = expect(done).rejects.toMatchObject({ code: "storage_unavailable" });
  await vi.advanceTimersByTimeAsync(SLOW_MS);
  states.nextMs = () => QUICK_MS;
  // It becomes a writer before the commit's last step arrives, as the hold has ended long ago.
  const written = turnsOf("b").shared(async ({ pending }) => pending);
  await vi.advanceTimersByTimeAsync(3 * SLOW_MS);
  expect(await written).toBe(before + 1);
  await failed;
  expect(states.state.generation).toBe(before);
});
