import { JoinedMemory } from "../../kernels/joined-memory.js";

/** A snapshot's lists. */
export interface JoinedListsOwner {
  /** From 1; snapshots ascend. */
  readonly number: number;
  /** Numbers that its documents have, gaps included. */
  readonly maxDoc: number;
}

/** The memory for joined lists of an index, which belongs to the newest snapshot that has asked for it. */
export class JoinedListsPlace {
  #memory: JoinedMemory | null = null;
  /** Its number, as a snapshot that is held here would keep its segments in memory; 0: none. */
  #owner = 0;
  #snapshots = 0;

  /** Number of a new snapshot. */
  next(): number {
    return ++this.#snapshots;
  }

  /** Null where there is none, or a newer snapshot has it. */
  memoryFor(owner: JoinedListsOwner): JoinedMemory | null {
    if (this.#owner === owner.number) return this.#memory;
    if (this.#owner > owner.number) return null;
    this.#owner = owner.number;
    this.#memory?.clear();
    if (this.#memory?.fits(owner.maxDoc) !== true) this.#memory = JoinedMemory.create(owner.maxDoc);
    return this.#memory;
  }
}
