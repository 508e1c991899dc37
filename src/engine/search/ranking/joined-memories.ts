import { JoinedMemory } from "../../kernels/joined-memory.js";

/**
 * Memories that a thread has at a time, and bytes for lists in them. Each takes 10.5 GB of address space, of which a
 * process has 128 TB, and beside its lists what searches need of any segment's memory once they use it.
 */
export const joinedMemoriesMax: { count: number; bytes: number } = { count: 64, bytes: 128 * 1024 * 1024 };

/** Who has a memory. */
export interface JoinedMemoryHolder {
  readonly memory: JoinedMemory | null;
  /** `nextUse` when it was last used. */
  readonly usedAt: number;
  /** Is told to let go of its memory. */
  drop(): void;
}

/** Not kept from being collected: indexes that are closed take their memories with them. */
let holders: WeakRef<JoinedMemoryHolder>[] = [];
let uses = 0;

/** Number of another use. */
export function nextUse(): number {
  return ++uses;
}

/** A memory for so many documents, for which those that were used longest ago make room; null: there is none. */
export function createJoinedMemory(docs: number, holder: JoinedMemoryHolder): JoinedMemory | null {
  const memory = JoinedMemory.create(docs);
  if (memory === null) return null;
  const others = holders
    .flatMap((held) => held.deref() ?? [])
    .filter((other) => other !== holder && other.memory !== null)
    .sort((a, b) => b.usedAt - a.usedAt);
  let bytes = memory.bytes;
  const kept: JoinedMemoryHolder[] = [holder];
  for (const other of others) {
    bytes += other.memory!.bytes;
    if (kept.length < joinedMemoriesMax.count && bytes <= joinedMemoriesMax.bytes) kept.push(other);
    else other.drop();
  }
  holders = kept.map((each) => new WeakRef(each));
  return memory;
}
