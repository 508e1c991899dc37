import { BuildingMemory } from "../kernels/building-memory.js";
import type { SlicedWork } from "./sliced-work.js";

/**
 * Work that borrows this memory wherever it wants one for a while: a new one would be made of fresh pages,
 * and would be one more reason to collect garbage. Other work that runs in its pauses doesn't see it.
 */
export function* lendingMemory<T>(memory: BuildingMemory, work: SlicedWork<T>): SlicedWork<T> {
  for (;;) {
    const before = BuildingMemory.lend(memory);
    let step: IteratorResult<undefined, T>;
    try {
      step = work.next();
    } finally {
      BuildingMemory.lend(before);
    }
    if (step.done === true) return step.value;
    yield;
  }
}
