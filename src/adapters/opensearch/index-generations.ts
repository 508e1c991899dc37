import type { IndexSchema } from "../../contract/index-schema.js";
import { allOf, type Dsl } from "./dsl.js";
import type { IndexState } from "./index-states.js";

/** Storage that was dropped stays so long for searches that other servers have begun, and for cursors that they may keep. */
const DROP_AFTER_MS = 60_000;
/** Storage that no catalog came to name is taken for left over after so long. */
const UNNAMED_MS = 3_600_000;
/** Commits whose time is remembered. */
const COMMITS_KEPT = 50;

/** The state of storage that has just been made. */
export function newState(schema: IndexSchema): IndexState {
  return {
    schema,
    generation: 0,
    hasPending: false,
    writers: {},
    hold: null,
    operations: [],
    isRollingBack: false,
    commits: [],
    purgedTo: 0,
    createdAt: Date.now(),
    isKept: false,
    droppedAt: null,
    isReplaced: false,
    countsLive: true,
  };
}

/** Whether the cluster's own statistics are those of what searches find. */
export function countsOnlyLive({ countsLive = false, hasPending }: IndexState): boolean {
  return countsLive && !hasPending;
}

/** The state once all that is pending is visible. */
export function committed(state: IndexState): IndexState {
  const generation = state.generation + 1;
  const commits = [...state.commits, { generation, at: Date.now() }].slice(-COMMITS_KEPT);
  return { ...state, generation, hasPending: false, commits };
}

/** Documents that are visible at a generation. */
export function liveAt(generation: number): Dsl {
  return allOf(livesAt(generation));
}

/** What all of them match. */
export function livesAt(generation: number): readonly Dsl[] {
  return [{ range: { born: { lte: generation } } }, { range: { died: { gt: generation } } }];
}

/** Whether storage is nobody's any more: dropped, and every search of it over, or never named by the catalog. */
export function isPast({ droppedAt, isKept, createdAt }: IndexState, now: number): boolean {
  if (droppedAt !== null) return now - droppedAt > DROP_AFTER_MS;
  return !isKept && now - createdAt > UNNAMED_MS;
}
