import type { JoinedMemory } from "../../kernels/joined-memory.js";
import { createJoinedMemory, type JoinedMemoryHolder, nextUse } from "./joined-memories.js";

/** A snapshot's lists. */
export interface JoinedListsOwner {
  /** From 1; snapshots ascend. */
  readonly number: number;
  /** Numbers that its documents have, gaps included. */
  readonly maxDoc: number;
}

/**
 * The memory for joined lists of an index, which belongs to the newest snapshot that has asked for it. It may go to
 * another index whenever that one asks.
 */
export class JoinedListsPlace implements JoinedMemoryHolder {
  #memory: JoinedMemory | null = null;
  /** Its number, as a snapshot that is held here would keep its segments in memory; 0: none. */
  #owner = 0;
  #snapshots = 0;
  #usedAt = 0;
  #asks = 0;

  get memory(): JoinedMemory | null {
    return this.#memory;
  }

  get usedAt(): number {
    return this.#usedAt;
  }

  /** Counts that something was asked for, with a list or without one; returns how often that was. */
  ask(): number {
    return ++this.#asks;
  }

  /** Number of a new snapshot. */
  next(): number {
    return ++this.#snapshots;
  }

  /** Null where there is none, or a newer snapshot has it. */
  memoryFor(owner: JoinedListsOwner): JoinedMemory | null {
    this.#usedAt = nextUse();
    if (this.#owner === owner.number) return this.#memory;
    if (this.#owner > owner.number) return null;
    this.#owner = owner.number;
    this.#memory?.clear();
    if (this.#memory?.fits(owner.maxDoc) !== true) {
      this.#memory?.drop();
      this.#memory = createJoinedMemory(owner.maxDoc, this);
    }
    return this.#memory;
  }

  drop(): void {
    this.#memory?.drop();
    this.#memory = null;
    this.#owner = 0;
  }
}
